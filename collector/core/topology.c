/*
 * topology.c - see topology.h. Read from /sys by system calls: only the ranks can read the topology
 * of nodes other than the launcher's, and hwloc must not be loaded into the traced process.
 */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"
#include "core/topology.h"

enum { NUMA_MOST = 64, GPUS_MOST = 64 };

/* First line of a file; false when there is none. */
static bool line_read(const char *path, char *line, size_t size)
{
	int fd = sys_open(path, O_RDONLY, 0);
	ssize_t n;

	if (fd < 0)
		return false;
	n = sys_read(fd, line, size - 1);
	sys_close(fd);
	if (n <= 0)
		return false;
	line[n] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return line[0];
}

static void numa_write(void)
{
	char path[80], key[32], cpus[1024];

	for (int node = 0; node < NUMA_MOST; node++) {
		snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpulist", node);
		snprintf(key, sizeof(key), "node.numa.%d", node);
		if (line_read(path, cpus, sizeof(cpus))) /* memory without CPUs has an empty list */
			process_define_property(key, cpus);
	}
}

/* A driver's folder has a link per device, named by its address: 0000:07:00.0. */
static void gpu_write(const char *driver, const char *address)
{
	char path[160], key[64], numa[16];

	if (strlen(address) > 20 || strspn(address, "0123456789abcdef:.") != strlen(address) ||
		!strchr(address, ':'))
		return;
	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/%s/%s/numa_node", driver, address);
	snprintf(key, sizeof(key), "node.gpu_numa.%s", address);
	if (line_read(path, numa, sizeof(numa)))
		process_define_property(key, numa);
}

static void gpus_write(const char *driver)
{
	char path[64], entries[2048] __attribute__((aligned(8)));
	int fd, nfound = 0;
	long n;

	snprintf(path, sizeof(path), "/sys/bus/pci/drivers/%s", driver);
	fd = sys_open(path, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return;
	while ((n = syscall(SYS_getdents64, fd, entries, sizeof(entries))) > 0)
		for (long at = 0; at < n && nfound < GPUS_MOST; nfound++) {
			const struct sys_entry *entry = (struct sys_entry *)(void *)(entries + at);

			gpu_write(driver, entry->name);
			at += entry->len;
		}
	sys_close(fd);
}

void topology_write(void)
{
	char cpus[256];

	numa_write();
	if (line_read("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list", cpus,
		    sizeof(cpus)))
		process_define_property("node.smt", cpus);
	gpus_write("nvidia");
	gpus_write("amdgpu");
}
