/* topology.h - where a node's CPUs, memory and GPUs lie, as properties of the node. */
#ifndef COLLECTOR_TOPOLOGY_H
#define COLLECTOR_TOPOLOGY_H

#include "core/span.h"

/*
 * Writes node.numa.N (CPU list of each NUMA node), node.smt (CPUs that are one core with CPU 0) and
 * node.gpu_numa.PCI (NUMA node of each GPU with a driver, -1 = the machine does not say). In the
 * background, by the node's first rank.
 */
void topology_write(void) HIDDEN;

#endif
