/*
 * doctor_near.c - tacho doctor's report on ranks that are bound to the wrong NUMA node, by a sysfs
 * made up here.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "doctor/doctor.h"

static char root[] = "/tmp/tacho-near.XXXXXX";

/* A file, and the folders above it. */
static void put(const char *path, const char *text)
{
	char whole[256];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s/%s", root, path);
	for (char *slash = whole + sizeof(root); (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(whole, 0700);
	}
	file = fopen(whole, "w");
	assert_non_null(file);
	fprintf(file, "%s\n", text);
	fclose(file);
}

/* Two NUMA nodes with four cores each, and on each a GPU and a network; a third one of memory alone. */
static int make(void **state)
{
	(void)state;
	assert_non_null(mkdtemp(root));
	put("devices/system/node/node0/cpulist", "0-1,4-5");
	put("devices/system/node/node1/cpulist", "2-3,6-7");
	put("devices/system/node/node2/cpulist", "");
	put("bus/pci/drivers/nvidia/0000:17:00.0/numa_node", "1");
	put("bus/pci/drivers/nvidia/0000:65:00.0/numa_node", "0");
	put("bus/pci/drivers/nvidia/module/numa_node", "0");
	put("class/infiniband/mlx5_0/device/numa_node", "1");
	put("class/net/eth0/device/numa_node", "-1");
	put("class/net/lo/operstate", "up");
	return 0;
}

static int clear(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", root);
	return system(command);
}

static void test_what_is_near(void **state)
{
	struct doctor_near near;
	cpu_set_t cores;
	int numbers[DOCTOR_NUMA];
	char text[64];

	(void)state;
	doctor_near(&near, root);
	assert_int_equal(near.nnuma, 2);
	assert_int_equal(near.ngpus, 2);
	assert_int_equal(near.nnics, 2);
	doctor_cores_text(&near.numa[1].cores, text, sizeof(text));
	assert_string_equal(text, "2-3,6-7");
	assert_string_equal(near.gpus[0].name, "0000:17:00.0");
	assert_int_equal(near.gpus[0].numa, 1);
	assert_string_equal(near.nics[0].name, "mlx5_0");
	assert_int_equal(near.nics[1].numa, -1);
	CPU_ZERO(&cores);
	CPU_SET(3, &cores);
	assert_int_equal(doctor_numa_of(&near, &cores, numbers), 1);
	assert_int_equal(numbers[0], 1);
	CPU_SET(0, &cores);
	assert_int_equal(doctor_numa_of(&near, &cores, numbers), 2);
	doctor_near(&near, "/nowhere");
	assert_int_equal(near.nnuma + near.ngpus + near.nnics, 0);
}

/* Troubles of two ranks on one node, with these cores. */
static void judge(struct doctor *doctor, struct doctor_node *nodes, const char *first,
	const char *second)
{
	*doctor = (struct doctor){ .nranks = 2, .nodes = nodes };
	memset(nodes, 0, 2 * sizeof(*nodes));
	for (int r = 0; r < 2; r++) {
		strcpy(nodes[r].host, "n1");
		nodes[r].rank = r;
		nodes[r].measured = r == 0;
		nodes[r].clock_offset = r == 0 ? 0 : NAN;
		for (const char *core = r ? second : first; *core; core++)
			CPU_SET(*core - '0', &nodes[r].cores);
	}
	doctor_near(&nodes[0].near, root);
	doctor_judge(doctor);
}

static void drop(struct doctor *doctor)
{
	doctor->nodes = NULL;
	doctor_free(doctor);
}

static void test_bindings(void **state)
{
	static struct doctor_node nodes[2];
	struct doctor doctor;

	(void)state;
	judge(&doctor, nodes, "23", "01"); /* each where its GPU is */
	assert_int_equal(doctor.troubles.n, 0);
	drop(&doctor);
	judge(&doctor, nodes, "01", "45");
	assert_int_equal(doctor.troubles.n, 1);
	assert_string_equal(doctor.troubles.at[0],
		"n1: rank 0 is bound to NUMA node 0, but GPU 0 (0000:17:00.0), which has its number, "
		"is on 1: bind it there, or give it another GPU");
	drop(&doctor);
	judge(&doctor, nodes, "01234567", "01234567");
	assert_int_equal(doctor.troubles.n, 1);
	assert_non_null(strstr(doctor.troubles.at[0],
		"n1: 2 of 2 ranks may run on several of its 2 NUMA nodes"));
	drop(&doctor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_near),
		cmocka_unit_test(test_bindings),
	};

	return cmocka_run_group_tests(tests, make, clear);
}
