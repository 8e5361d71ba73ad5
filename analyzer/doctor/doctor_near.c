/*
 * doctor_near.c - NUMA locality, from sysfs: the cores, GPUs and network interfaces of each NUMA
 * node, and ranks that are bound away from their GPU.
 */
#include "config.h"

#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor/doctor.h"

enum { PATH_ROOM = 512 };

static bool line_read(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");
	bool there = file && fgets(text, (int)size, file);

	if (file)
		fclose(file);
	return there;
}

/* "0-3,8" of the kernel. */
static void cores_read(const char *list, cpu_set_t *cores)
{
	CPU_ZERO(cores);
	for (const char *at = list; *at >= '0' && *at <= '9'; at++) {
		char *end;
		long first = strtol(at, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		for (long core = first; core <= last && core < CPU_SETSIZE; core++)
			CPU_SET(core, cores);
		at = end;
		if (*at != ',')
			break;
	}
}

void doctor_cores_text(const cpu_set_t *cores, char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int core = 0; core < CPU_SETSIZE && used < size; core++) {
		int last = core;

		if (!CPU_ISSET(core, cores))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, cores))
			last++;
		used += (size_t)snprintf(text + used, size - used, "%s%d", used ? "," : "", core);
		if (last > core && used < size)
			used += (size_t)snprintf(text + used, size - used, "-%d", last);
		core = last;
	}
}

static void numa_look(struct doctor_near *near, const char *root)
{
	for (int number = 0; number < 256 && near->nnuma < DOCTOR_NUMA; number++) {
		char path[PATH_ROOM], list[256];
		struct doctor_numa *numa = &near->numa[near->nnuma];

		snprintf(path, sizeof(path), "%s/devices/system/node/node%d/cpulist", root, number);
		if (!line_read(path, list, sizeof(list)))
			continue;
		cores_read(list, &numa->cores);
		numa->number = number;
		near->nnuma += CPU_COUNT(&numa->cores) > 0; /* others are memory alone */
	}
}

/* Lists the devices with a matching folder that states their NUMA node. */
static void devices_look(const char *root, const char *pattern, struct doctor_device *devices,
	int *n)
{
	char path[PATH_ROOM], text[32];
	glob_t found;

	snprintf(path, sizeof(path), "%s/%s", root, pattern);
	if (glob(path, 0, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc && *n < DOCTOR_DEVICES; i++) {
		/* the name is what represents the pattern's last part but numa_node */
		const char *name = found.gl_pathv[i] + strlen(root) + 1;
		size_t before = strcspn(pattern, "*?");

		if (!line_read(found.gl_pathv[i], text, sizeof(text)))
			continue;
		devices[*n].numa = atoi(text);
		snprintf(devices[*n].name, sizeof(devices[*n].name), "%.*s",
			(int)strcspn(name + before, "/"), name + before);
		(*n)++;
	}
	globfree(&found);
}

void doctor_near(struct doctor_near *near, const char *root)
{
	*near = (struct doctor_near){ 0 };
	numa_look(near, root);
	devices_look(root, "bus/pci/drivers/nvidia/????:*:*.*/numa_node", near->gpus, &near->ngpus);
	devices_look(root, "bus/pci/drivers/amdgpu/????:*:*.*/numa_node", near->gpus, &near->ngpus);
	devices_look(root, "class/infiniband/*/device/numa_node", near->nics, &near->nnics);
	devices_look(root, "class/net/*/device/numa_node", near->nics, &near->nnics);
}

int doctor_numa_of(const struct doctor_near *near, const cpu_set_t *cores, int *numbers)
{
	int n = 0;

	for (int i = 0; i < near->nnuma; i++) {
		cpu_set_t both;

		CPU_AND(&both, &near->numa[i].cores, cores);
		if (CPU_COUNT(&both))
			numbers[n++] = near->numa[i].number;
	}
	return n;
}

static bool is_among(int number, const int *numbers, int n)
{
	for (int i = 0; i < n; i++)
		if (numbers[i] == number)
			return true;
	return false;
}

/* What the ranks of a node are bound to. */
struct binding {
	int ranks, loose; /* on no single NUMA node */
	int far, far_rank, far_gpu, far_numa;
};

static void rank_look(struct binding *binding, const struct doctor_near *near,
	const struct doctor_node *rank)
{
	int numbers[DOCTOR_NUMA], n = doctor_numa_of(near, &rank->cores, numbers),
				  gpu = binding->ranks++;

	binding->loose += n > 1;
	if (gpu >= near->ngpus || near->gpus[gpu].numa < 0 || n == 0 ||
		is_among(near->gpus[gpu].numa, numbers, n))
		return;
	if (binding->far++)
		return;
	binding->far_rank = rank->rank;
	binding->far_gpu = gpu;
	binding->far_numa = numbers[0];
}

void doctor_binding(struct doctor *doctor, int first,
	void (*say)(struct doctor *doctor, const char *format, ...))
{
	const struct doctor_node *node = &doctor->nodes[first];
	const struct doctor_near *near = &node->near;
	struct binding binding = { 0 };

	if (near->nnuma < 2)
		return;
	for (int r = first; r < doctor->nranks; r++)
		if (strcmp(doctor->nodes[r].host, node->host) == 0)
			rank_look(&binding, near, &doctor->nodes[r]);
	if (binding.ranks > 1 && binding.loose)
		say(doctor,
			"%s: %d of %d ranks may run on several of its %d NUMA nodes, where the memory of "
			"one is far from another: bind each to one (mpirun --map-by numa --bind-to numa, "
			"srun --cpu-bind=ldoms)",
			node->host, binding.loose, binding.ranks, near->nnuma);
	if (binding.far)
		say(doctor,
			"%s: rank %d%s bound to NUMA node %d, but GPU %d (%s), which has its number, is on "
			"%d: bind it there, or give it another GPU",
			node->host, binding.far_rank, binding.far > 1 ? ", as others, is" : " is",
			binding.far_numa, binding.far_gpu, near->gpus[binding.far_gpu].name,
			near->gpus[binding.far_gpu].numa);
}
