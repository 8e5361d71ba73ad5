/*
 * topology.c - see topology.h. Which CPUs a NUMA node has is noted by the ranks themselves
 * (collector/core/topology.c), as tacho does not run on every node; this is what /sys does not sum up.
 */
#include "config.h"

#include <stdio.h>

#include "merge/topology.h"

#ifdef HAVE_HWLOC
#include <hwloc.h>

static void count_put(FILE *out, hwloc_topology_t topology, hwloc_obj_type_t type, const char *one,
	const char *many)
{
	int n = hwloc_get_nbobjs_by_type(topology, type);

	if (n > 0)
		fprintf(out, "%s%d %s", ftell(out) ? ", " : "", n, n == 1 ? one : many);
}

static void cache_put(FILE *out, hwloc_topology_t topology, hwloc_obj_type_t type, const char *name)
{
	int n = hwloc_get_nbobjs_by_type(topology, type);
	hwloc_obj_t first = n > 0 ? hwloc_get_obj_by_type(topology, type, 0) : NULL;

	if (first && first->attr)
		fprintf(out, "; %s %d x %.4g MiB", name, n,
			(double)first->attr->cache.size / (1 << 20));
}

char *topology_text(void)
{
	hwloc_topology_t topology;
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	if (hwloc_topology_init(&topology) < 0)
		return NULL;
	out = hwloc_topology_load(topology) == 0 ? open_memstream(&text, &size) : NULL;
	if (out) {
		count_put(out, topology, HWLOC_OBJ_PACKAGE, "package", "packages");
		count_put(out, topology, HWLOC_OBJ_NUMANODE, "NUMA node", "NUMA nodes");
		count_put(out, topology, HWLOC_OBJ_CORE, "core", "cores");
		count_put(out, topology, HWLOC_OBJ_PU, "CPU", "CPUs");
		cache_put(out, topology, HWLOC_OBJ_L3CACHE, "L3");
		cache_put(out, topology, HWLOC_OBJ_L2CACHE, "L2");
		fclose(out);
	}
	hwloc_topology_destroy(topology);
	return text;
}
#else
char *topology_text(void)
{
	return NULL;
}
#endif
