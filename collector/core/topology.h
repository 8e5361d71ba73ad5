/*
 * topology.h - the place of a node's CPUs, memory and GPUs in its topology, as properties of the
 * node.
 */
#ifndef COLLECTOR_TOPOLOGY_H
#define COLLECTOR_TOPOLOGY_H

#include "core/span.h"

/*
 * Writes node.numa.N (CPU list of each NUMA node), node.smt (CPUs that share a core with CPU 0) and
 * node.gpu_numa.PCI (NUMA node of each GPU with a driver, -1 = unknown). In the background, by the
 * node's first rank.
 */
void topology_write(void) HIDDEN;

#endif
