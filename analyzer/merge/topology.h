/* topology.h - what this machine is built of, by hwloc, in one line. */
#ifndef ANALYZER_TOPOLOGY_H
#define ANALYZER_TOPOLOGY_H

/*
 * "2 packages, 4 NUMA nodes, 64 cores, 128 CPUs; L3 16 x 32 MiB", to be freed. NULL without hwloc,
 * or when it cannot tell (both are no failure).
 */
char *topology_text(void);

#endif
