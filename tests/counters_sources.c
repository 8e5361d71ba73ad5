/*
 * counters_sources.c - the sampler's parsers on files of /proc and /sys: ordinary ones, and short,
 * odd and hostile ones. The files are in a folder of the test's, tacho_source_root.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include "../collector/core/sys.h"
#include "../collector/core/thread.h"
#include "../collector/counters/nvml.h"
#include "../collector/counters/sources.h"
#include "../collector/core/proc_file.h"
#include "../collector/cuda/cuda_memory.h"
#include "tacho/trace.h"

static char root[] = "/tmp/tacho-sources-XXXXXX";
static struct sample_set set;
static uint64_t now_ns;

uint64_t clock_monotonic_ns(void)
{
	return now_ns += 20000000000u; /* folders are looked up anew each time */
}

/* Two GPUs, the second without power. */
unsigned nvml_take(struct nvml_reading readings[NVML_DEVICES], bool may_start)
{
	memset(readings, 0, 2 * sizeof(*readings));
	readings[0].has = 1u << NVML_UTIL | 1u << NVML_POWER | 1u << NVML_ENERGY;
	readings[0].value[NVML_UTIL] = 85;
	readings[0].value[NVML_POWER] = 180000;
	readings[0].value[NVML_ENERGY] = 12345;
	readings[0].time_ns = now_ns; /* each look at the clock is 20 s later */
	readings[1].has = 1u << NVML_UTIL;
	return may_start ? 0 : 2;
}

const char *nvml_uuid(unsigned gpu)
{
	return gpu ? "GPU-2" : "GPU-1";
}

const char *nvml_number(unsigned gpu)
{
	return gpu ? "1" : "0";
}

static uint32_t recorded;		    /* number of a thread */
static uint64_t others_ns = UINT64_MAX / 2; /* what threads ran that recorded, or the library's */

_Atomic uint32_t tacho_main_thread;

bool thread_is_silent(uint32_t tid)
{
	return tid != recorded;
}

uint64_t thread_ran_ns(uint32_t tid)
{
	return sys_ran_ns(tid);
}

uint64_t thread_recorded_ran_ns(uint32_t main)
{
	return main ? 0 : 1;
}

uint64_t thread_helpers_ran_ns(void)
{
	return others_ns;
}

static void put(const char *path, const char *text)
{
	char full[512];
	FILE *file;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static const struct counter *named(enum source_id id, const char *text)
{
	put(tacho_counters[id].path, text);
	return &tacho_counters[id];
}

static void read_text(enum source_id id, const char *text)
{
	source_read(named(id, text), &set);
}

/* The value of a metric, UINT64_MAX when it is not there. */
static uint64_t value(const char *name)
{
	for (unsigned i = 0; i < set.count; i++)
		if (!strcmp(set.name[i], name))
			return set.value[i];
	return UINT64_MAX;
}

static const char *description(const char *name)
{
	for (unsigned i = 0; i < set.count; i++)
		if (!strcmp(set.name[i], name))
			return set.description[i];
	return NULL;
}

#define NET_HEAD                                                                                   \
	"Inter-|   Receive                                                |  Transmit\n"           \
	" face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets\n"

static void net_reads_every_interface_but_lo(void **state)
{
	(void)state;
	put("/sys/class/net/eth0/type", "1\n");
	put("/sys/class/net/eth0/device/vendor", "x\n");
	put("/sys/class/net/ib0/type", "32\n");
	put("/sys/class/net/br0/type", "1\n");
	read_text(SOURCE_NET,
		NET_HEAD "    lo: 99 1 0 0 0 0 0 0 99 1 0 0 0 0 0 0\n"
			 "  eth0: 18446744073709551615 1 0 0 0 0 0 0 222 1 0 0 0 0 0 0\n"
			 "   ib0:5 1 0 0 0 0 0 0 6 1 0 0 0 0 0 0\n"
			 "   br0: 7 1 0 0 0 0 0 0 8 1 0 0 0 0 0 0\n");
	assert_int_equal(set.count, 6);
	assert_int_equal(value("net.eth0.rx_bytes"), UINT64_MAX);
	assert_int_equal(value("net.eth0.tx_bytes"), 222);
	assert_int_equal(value("net.ib0.rx_bytes"), 5);
	assert_int_equal(value("net.br0.tx_bytes"), 8);
	assert_int_equal(value("net.lo.rx_bytes"), UINT64_MAX);
	assert_string_equal(description("net.eth0.tx_bytes"), METRIC_INTERFACE_PHYSICAL);
	assert_string_equal(description("net.ib0.tx_bytes"), METRIC_INTERFACE_IPOIB);
	assert_string_equal(description("net.br0.tx_bytes"), METRIC_INTERFACE_VIRTUAL);
}

static void net_leaves_out_what_makes_no_sense(void **state)
{
	(void)state;
	read_text(SOURCE_NET,
		NET_HEAD
		"  eth0: 1 2 3\n"		 /* short */
		"  eth1: 1 1 0 0 0 0 0 0 -2 1\n" /* no number */
		"  : 1 1 0 0 0 0 0 0 2 1\n"	 /* no name */
		"  a-name-that-is-longer-than-any-interface-can-have: 1 1 0 0 0 0 0 0 2 1\n"
		"no colon here 1 1 1 1\n"
		"\n"
		"  eth2: 3 1 0 0 0 0 0 0 4"); /* the file ends here */
	assert_int_equal(set.count, 2);
	assert_int_equal(value("net.eth2.rx_bytes"), 3);
	assert_int_equal(value("net.eth2.tx_bytes"), 4);
}

static void net_without_lines_or_file_is_empty(void **state)
{
	(void)state;
	read_text(SOURCE_NET, "");
	assert_int_equal(set.count, 0);
	read_text(SOURCE_NET, "one line\n");
	assert_int_equal(set.count, 0);
	source_read(&tacho_counters[SOURCE_PRESSURE_CPU], &set);
	assert_int_equal(set.count, 0);
}

static void a_new_device_changes_the_hash_and_a_new_value_does_not(void **state)
{
	uint64_t before;

	(void)state;
	read_text(SOURCE_NET, NET_HEAD "eth0: 1 1 0 0 0 0 0 0 2 1\n");
	before = set.hash;
	read_text(SOURCE_NET, NET_HEAD "eth0: 9 9 0 0 0 0 0 0 9 9\n");
	assert_int_equal(set.hash, before);
	read_text(SOURCE_NET, NET_HEAD "eth0: 9 9 0 0 0 0 0 0 9 9\neth1: 0 0 0 0 0 0 0 0 0 0\n");
	assert_int_not_equal(set.hash, before);
}

static void more_interfaces_than_room_are_cut_off(void **state)
{
	static char text[SOURCE_MAX_METRICS * 64];
	size_t at = (size_t)sprintf(text, NET_HEAD);

	(void)state;
	for (int i = 0; i < SOURCE_MAX_METRICS; i++)
		at += (size_t)sprintf(text + at, "veth%d: 1 1 0 0 0 0 0 0 2 1\n", i);
	read_text(SOURCE_NET, text);
	assert_int_equal(set.count, SOURCE_MAX_METRICS);
}

static void disks_are_whole_and_not_stacked(void **state)
{
	(void)state;
	put("/sys/block/sda/size", "1\n");
	put("/sys/block/dm-0/slaves/sda", "");
	put("/sys/block/loop0/size", "1\n");
	put("/sys/block/zram0/size", "1\n");
	put("/sys/block/nvme0n1/size", "1\n");
	read_text(SOURCE_DISK,
		"   7       0 loop0 5 0 40 1 0 0 0 0 0 0 0\n"
		"   8       0 sda 100 0 2000 10 50 0 1000 20 0 30 30 0 0 0 0\n"
		"   8       1 sda1 100 0 2000 10 50 0 1000 20 0 30 30 0 0 0 0\n"
		" 253       0 dm-0 100 0 2000 10 50 0 1000 20 0 30 30 0 0 0 0\n"
		" 252       0 zram0 100 0 2000 10 50 0 1000 20 0 30 30 0 0 0 0\n"
		" 259       0 nvme0n1 1 0 8 1 1 0 16 1\n"
		" 259       1 nvme1n1 1 0 8\n"
		"garbage\n");
	assert_int_equal(set.count, 4);
	assert_int_equal(value("disk.sda.read_bytes"), 2000 * 512);
	assert_int_equal(value("disk.sda.write_bytes"), 1000 * 512);
	assert_int_equal(value("disk.nvme0n1.read_bytes"), 8 * 512);
	assert_int_equal(value("disk.nvme0n1.write_bytes"), 16 * 512);
}

static void infiniband_counts_words_of_four_bytes(void **state)
{
	(void)state;
	put("/sys/class/infiniband/mlx5_0/ports/1/counters/port_rcv_data", "1000\n");
	put("/sys/class/infiniband/mlx5_0/ports/1/counters/port_xmit_data", "N/A (no PMA)\n");
	put("/sys/class/infiniband/mlx5_1/ports/1/counters/port_rcv_data", "");
	put("/sys/class/infiniband/mlx5_1/ports/1/counters/port_xmit_data", "7\n");
	source_read(&tacho_counters[SOURCE_INFINIBAND], &set);
	assert_int_equal(set.count, 2);
	assert_int_equal(value("ib.mlx5_0.1.rx_bytes"), 4000);
	assert_int_equal(value("ib.mlx5_1.1.tx_bytes"), 28);
}

static void lustre_sums_the_mounts_of_a_file_system(void **state)
{
	(void)state;
	put("/proc/fs/lustre/llite/scratch-big-ffff8881/stats",
		"snapshot_time 1 secs.usecs\n"
		"read_bytes                5 samples [bytes] 4096 4096 20480 83886080\n"
		"write_bytes               2 samples [bytes] 1 10 11\n"
		"osc_read 5 samples [bytes] 1 1 1\n");
	put("/proc/fs/lustre/llite/scratch-big-ffff8882/stats",
		"snapshot_time 1\nread_bytes 1 samples [bytes] 1 1 1\n");
	put("/proc/fs/lustre/llite/home-ffff8883/stats", "snapshot_time 1\nread_bytes 1 samples\n");
	source_read(&tacho_counters[SOURCE_LUSTRE], &set);
	assert_int_equal(value("fs.scratch-big.read_bytes"), 20481);
	assert_int_equal(value("fs.scratch-big.write_bytes"), 11);
	assert_int_equal(value("fs.home.read_bytes"), UINT64_MAX);
	assert_int_equal(value("fs.home.write_bytes"), 0);
}

static void nfs_counts_an_export_once(void **state)
{
	(void)state;
	read_text(SOURCE_NFS,
		"device sysfs mounted on /sys with fstype sysfs\n"
		"\tbytes:\t1 1 1 1 1 1 1 1\n"
		"device srv:/data mounted on /data with fstype nfs4 statvers=1.1\n"
		"\topts:\trw\n"
		"\tbytes:\t10 20 30 40 50 60 70 80\n"
		"device srv:/data mounted on /again with fstype nfs statvers=1.1\n"
		"\tbytes:\t10 20 30 40 50 60 70 80\n"
		"device srv:/b mounted on /with\\040blank with fstype nfs\n"
		"\tbytes:\t0 0 0 0 5 6 7 8\n"
		"device srv:/short mounted on\n"
		"\tbytes:\t0 0 0 0 5 6 7 8\n"
		"device srv:/c mounted on /c with fstype nfs\n"
		"\tbytes:\t0 0 0\n");
	assert_int_equal(set.count, 4);
	assert_int_equal(value("fs./data.read_bytes"), 50);
	assert_int_equal(value("fs./data.write_bytes"), 60);
	assert_int_equal(value("fs./with\\040blank.read_bytes"), 5);
}

static void a_long_mount_point_keeps_its_ending(void **state)
{
	char text[512] = "device s:/x mounted on /";
	size_t at = strlen(text);

	(void)state;
	memset(text + at, 'm', 200);
	strcpy(text + at + 200, " with fstype nfs\n\tbytes: 0 0 0 0 5 6 7 8\n");
	read_text(SOURCE_NFS, text);
	assert_int_equal(set.count, 2);
	assert_int_equal(strlen(set.name[0]), SOURCE_NAME_SIZE - 1);
	assert_string_equal(set.name[0] + SOURCE_NAME_SIZE - 1 - strlen(".read_bytes"),
		".read_bytes");
}

static void cpu_memory_and_pressure_have_units(void **state)
{
	(void)state;
	read_text(SOURCE_CPU, "cpu  10 20 30 40 50 60 70 80 0 0\ncpu0 1 1 1 1\nintr 5\n");
	assert_int_equal(set.count, 8);
	assert_int_equal(value("cpu.user"), 100000000);
	assert_int_equal(value("cpu.steal"), 800000000);
	read_text(SOURCE_CPU, "cpu  10 20\n");
	assert_int_equal(set.count, 2);
	read_text(SOURCE_MEMORY,
		"MemTotal: 5 kB\nMemAvailable:  3 kB\nSwapCached: 9 kB\nCached: 2 kB\nDirty: "
		"lots\n");
	assert_int_equal(set.count, 2);
	assert_int_equal(value("mem.available"), 3072);
	assert_int_equal(value("mem.cached"), 2048);
	assert_int_equal(set.mode[0], METRIC_GAUGE);
	read_text(SOURCE_PRESSURE_IO,
		"some avg10=0.00 avg60=0.00 avg300=0.00 total=7\nfull avg10=0.00 total=9\n");
	assert_int_equal(set.count, 1);
	assert_int_equal(value("pressure.io"), 7000);
	read_text(SOURCE_PRESSURE_IO, "some avg10=0.00 total=\n");
	assert_int_equal(set.count, 0);
}

static void process_counters_survive_an_odd_program_name(void **state)
{
	(void)state;
	read_text(SOURCE_PROCESS_IO,
		"rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\nwrite_bytes: 6\n"
		"cancelled_write_bytes: 7\n");
	assert_int_equal(set.count, 6);
	/* less than the test has read: returned unchanged */
	assert_int_equal(value("proc.rchar"), 1);
	assert_int_equal(value("proc.write_bytes"), 6);
	tacho_spool_bytes = 4096;
	read_text(SOURCE_PROCESS_IO, "wchar: 5000\nwrite_bytes: 0\n");
	assert_int_equal(value("proc.own_written"), 4096);
	assert_int_equal(value("proc.own_stored"), 0); /* in memory */
	tacho_spool_is_stored = true;
	read_text(SOURCE_PROCESS_IO, "wchar: 5000\nwrite_bytes: 8192\n");
	assert_int_equal(value("proc.own_stored"), 4096);
	assert_int_equal(set.mode[0], METRIC_ACCUMULATED);
	read_text(SOURCE_PROCESS_STAT, "12 (a) b) 3 (c)) S 1 2 3 4 5 6 77 88 99 100 321 23 7 8\n");
	assert_int_equal(set.count, 3);
	assert_int_equal(value("proc.majflt"), 99);
	assert_int_equal(value("proc.minflt"), 77);
	/* user and system time of all threads, in hundredths of a second */
	assert_int_equal(value("proc.cpu"), 3440000000);
	assert_string_equal(set.unit[2], "ns");
	read_text(SOURCE_PROCESS_STAT,
		"12 (x) S 1 2 3 4 5 6 77 88 99 100 321 23 0 0 20 0 5 0 4242 9000 300 18446744073709551615\n");
	assert_int_equal(set.count, 4);
	assert_int_equal(value("proc.rss"), 300 * sysconf(_SC_PAGESIZE));
	assert_int_equal(set.mode[3], METRIC_GAUGE);
	read_text(SOURCE_PROCESS_STAT, "12 (x) S 1 2 3 4 5 6 77 88 99 100 321\n");
	assert_int_equal(set.count, 2);
	read_text(SOURCE_PROCESS_STAT, "12 (x) S 1 2 3\n");
	assert_int_equal(set.count, 0);
	read_text(SOURCE_PROCESS_STAT, "no bracket");
	assert_int_equal(set.count, 0);
}

static void time_with_and_without_a_core(void **state)
{
	(void)state;
	read_text(SOURCE_PROCESS_CORE, "1537265 5096272 2\n");
	assert_int_equal(set.count, 2);
	assert_int_equal(value("proc.core_ran"), 1537265);
	assert_int_equal(value("proc.core_waited"), 5096272);
	assert_int_equal(set.mode[1], METRIC_ACCUMULATED);
	read_text(SOURCE_PROCESS_CORE, "0 0 0\n"); /* the kernel keeps no account */
	assert_int_equal(set.count, 0);
	read_text(SOURCE_PROCESS_CORE, "12\n");
	assert_int_equal(set.count, 0);
}

/* The same group of two hierarchies, as /proc/self/cgroup lists them, by its quota and its cost. */
static void quota_put(const char *folder, const char *max, const char *stat)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", folder);
	put(path, max);
	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.stat", folder);
	put(path, stat);
}

static void throttling_is_that_of_the_tightest_group(void **state)
{
	(void)state;
	read_text(SOURCE_PROCESS_QUOTA, "0::/\n");
	assert_int_equal(set.count, 0);
	quota_put("", "max 100000\n", "usage_usec 7\n");
	quota_put("/pod", "150000 100000\n", "nr_periods 9\nnr_throttled 8\nthrottled_usec 5000\n");
	quota_put("/pod/one", "max 100000\n", "throttled_usec 0\n");
	read_text(SOURCE_PROCESS_QUOTA, "4:memory:/pod\n0::/pod/one\n");
	assert_int_equal(set.count, 3);
	assert_int_equal(value("proc.throttled"), 0); /* its cost to others before */
	assert_int_equal(value("proc.quota"), 1500);
	assert_int_equal(set.mode[1], METRIC_GAUGE);
	put("/sys/fs/cgroup/pod/cpu.stat", "throttled_usec 7500\n");
	source_read(&tacho_counters[SOURCE_PROCESS_QUOTA], &set);
	assert_int_equal(value("proc.throttled"), 2500000);
	/* another group counts from where the first ended, and its own past is not counted */
	quota_put("/pod/one", "50000 100000\n", "throttled_usec 90000\n");
	source_read(&tacho_counters[SOURCE_PROCESS_QUOTA], &set);
	assert_int_equal(value("proc.throttled"), 2500000);
	assert_int_equal(value("proc.quota"), 500);
	put("/sys/fs/cgroup/pod/one/cpu.stat", "throttled_usec 90001\n");
	source_read(&tacho_counters[SOURCE_PROCESS_QUOTA], &set);
	assert_int_equal(value("proc.throttled"), 2501000);
	sources_forget();
	read_text(SOURCE_PROCESS_QUOTA,
		"0::/elsewhere\n"); /* the path of the host, in a container */
	assert_int_equal(set.count, 0);
	read_text(SOURCE_PROCESS_QUOTA, "0::/../../pod\nodd\n:\n::\n7:cpu");
	assert_int_equal(set.count, 0);
}

static void throttling_of_version_1_is_in_ns(void **state)
{
	(void)state;
	sources_forget();
	put("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
	put("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
	put("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "250000\n");
	put("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
	put("/sys/fs/cgroup/cpu/job/cpu.stat", "nr_periods 9\nthrottled_time 100\n");
	read_text(SOURCE_PROCESS_QUOTA, "9:cpuset:/job\n8:cpuacct,cpu:/job/step/\n7:hugetlb:/\n");
	assert_int_equal(value("proc.quota"), 2500);
	put("/sys/fs/cgroup/cpu/job/cpu.stat", "nr_periods 9\nthrottled_time 350\n");
	source_read(&tacho_counters[SOURCE_PROCESS_QUOTA], &set);
	assert_int_equal(value("proc.throttled"), 250);
	sources_forget();
	read_text(SOURCE_PROCESS_QUOTA, "9:cpuset,cpu2,xcpu:/job\n");
	assert_int_equal(set.count, 0);
}

static void a_stop_is_a_late_wake_without_a_queue(void **state)
{
	const struct counter *source = named(SOURCE_PROCESS_STOP, "100 5000 3\n");

	(void)state;
	source_read(source, &set);
	assert_int_equal(set.count, 0);
	stop_woke(now_ns + 20000000000u - 400000000); /* the next look at the clock is 20 s later */
	stop_woke(now_ns + 20000000000u + 1);
	source_read(source, &set);
	assert_int_equal(set.count, 0);
	put(source->path, "100 2000005000 4\n"); /* 2 of 3 s it waited for a core */
	stop_woke(now_ns + 20000000000u - 3000000000u);
	source_read(source, &set);
	assert_int_equal(set.count, 0);
	put(source->path, "100 2000006000 5\n");
	stop_woke(now_ns + 20000000000u - 3000000000u);
	source_read(source, &set);
	assert_int_equal(set.count, 1);
	assert_int_equal(value("proc.stopped"), 3000000000u - 1000);
	sources_forget();
	put(source->path,
		"0 0 0\n"); /* a kernel without the account: late is not known from stopped */
	stop_woke(now_ns + 20000000000u - 3000000000u);
	source_read(source, &set);
	assert_int_equal(set.count, 0);
}

static void memory_of_a_gpu_is_what_was_given_and_not_returned(void **state)
{
	(void)state;
	source_read(&tacho_counters[SOURCE_PROCESS_GPU], &set);
	assert_int_equal(set.count, 0);
	cuda_memory_given(0x1000, 100, 1, 12);
	cuda_memory_given(0x2000, 50, 2, 12);
	cuda_memory_given(0x2000, 50, 2, 12); /* the driver's call inside the runtime's */
	cuda_memory_given(0x3000, 7, 1, 0);
	cuda_memory_returned(0x1000);
	cuda_memory_returned(0x1000);
	cuda_memory_returned(0x9000); /* not known */
	cuda_memory_returned(0);
	source_read(&tacho_counters[SOURCE_PROCESS_GPU], &set);
	assert_int_equal(set.count, 4);
	assert_int_equal(value("proc.gpu.0.held"), 7);
	assert_int_equal(value("proc.gpu.12.held"), 50);
	assert_int_equal(value("proc.gpu.12.held_most"), 150);
	cuda_memory_lost(2);
	cuda_memory_missed(12);
	source_read(&tacho_counters[SOURCE_PROCESS_GPU], &set);
	assert_int_equal(value("proc.gpu.12.held"), 0);
	assert_int_equal(value("proc.gpu.12.held_most"), 150);
	assert_int_equal(value("proc.gpu.12.held_missed"), 1);
	assert_int_equal(value("proc.gpu.0.held"), 7);
	/*
	 * more than the table has room for: entries without a place are counted as missed, and the
	 * sum stays right
	 */
	for (uint64_t i = 1; i <= 100000; i++)
		cuda_memory_given(i << 20, 1, 3, 1);
	source_read(&tacho_counters[SOURCE_PROCESS_GPU], &set);
	assert_int_equal(value("proc.gpu.1.held") + value("proc.gpu.1.held_missed"), 100000);
	for (uint64_t i = 1; i <= 100000; i++)
		cuda_memory_returned(i << 20);
	source_read(&tacho_counters[SOURCE_PROCESS_GPU], &set);
	assert_int_equal(value("proc.gpu.1.held"), 0);
	cuda_memory_given(1 << 20, 7, 1, 1);
	cuda_memory_forked();
	source_read(&tacho_counters[SOURCE_PROCESS_GPU], &set);
	assert_int_equal(set.count, 0);
	cuda_memory_returned(1 << 20); /* the parent's */
	cuda_memory_given(1 << 20, 9, 1, 1);
	source_read(&tacho_counters[SOURCE_PROCESS_GPU], &set);
	assert_int_equal(value("proc.gpu.1.held"), 9);
}

/* Runs until it is asked to end, for `ms` on a core at least; its number goes to `tid`. */
struct burning {
	_Atomic uint32_t tid;
	_Atomic bool is_done, may_end;
};

static void *burn(void *arg)
{
	struct burning *burning = arg;
	struct timespec t;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	while (t.tv_sec == 0 && t.tv_nsec < 30000000);
	burning->tid = (uint32_t)syscall(SYS_gettid);
	burning->is_done = true;
	while (!burning->may_end)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	return NULL;
}

static void threads_that_record_nothing_are_told_by_what_they_ran(void **state)
{
	struct burning burning = { .tid = 0 };
	char path[64];
	pthread_t thread;

	(void)state;
	put("/proc/self/task/x", "");
	source_read(&tacho_counters[SOURCE_PROCESS_THREADS], &set);
	assert_int_equal(set.count, 0);
	assert_int_equal(pthread_create(&thread, NULL, burn, &burning), 0);
	while (!burning.is_done)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	snprintf(path, sizeof(path), "/proc/self/task/%u", burning.tid);
	put(path, "");
	recorded = burning.tid;
	source_read(&tacho_counters[SOURCE_PROCESS_THREADS], &set);
	assert_int_equal(set.count, 0); /* no thread that records nothing was seen */
	recorded = 0;
	source_read(&tacho_counters[SOURCE_PROCESS_THREADS], &set);
	assert_int_equal(set.count, 5);
	assert_int_equal(value("proc.workers"), 1);
	assert_in_range(value("proc.workers_ran"), 30000000, 40000000);
	assert_int_equal(value("proc.workers_most"), value("proc.workers_ran"));
	others_ns = 5000000;
	source_read(&tacho_counters[SOURCE_PROCESS_THREADS], &set);
	assert_in_range(value("proc.silent_ran"), 25000000, 35000000);
	others_ns = UINT64_MAX / 2;
	burning.may_end = true;
	pthread_join(thread, NULL);
	/* its time is not forgotten, and its number may be another one's */
	source_read(&tacho_counters[SOURCE_PROCESS_THREADS], &set);
	assert_in_range(value("proc.workers_ran"), 30000000, 40000000);
	sources_forget();
	source_read(&tacho_counters[SOURCE_PROCESS_THREADS], &set);
	assert_int_equal(set.count, 0);
}

static void a_file_whose_descriptor_was_closed_is_opened_again(void **state)
{
	(void)state;
	read_text(SOURCE_PROCESS_IO, "rchar: 1\n");
	for (int fd = 60; fd < 1100; fd++)
		close(fd);
	read_text(SOURCE_PROCESS_IO, "rchar: 2\n");
	assert_int_equal(value("proc.rchar"), 2);
	sources_forget();
	source_read(&tacho_counters[SOURCE_PROCESS_IO], &set);
	assert_int_equal(value("proc.rchar"), 2);
}

/* Every cut of a file, at every source: whatever comes out, nothing is read beyond the text. */
static void files_cut_anywhere_are_harmless(void **state)
{
	static const char full[] =
		"some avg10=0.00 total=7\ncpu  1 2 3\ndevice a mounted on b with fstype "
		"nfs\n\tbytes: 1 2 3 4 5 6\n"
		"  eth0: 1 2 3 4 5 6 7 8 9 10\n 8 0 sda 1 2 3 4 5 6 7 8\nrchar: 1\nMemAvailable: 3 "
		"kB\n1 (x) S 1 2 3 4 5 6 7 8 9 10\n";
	char text[sizeof(full)];

	(void)state;
	for (size_t n = 0; n < sizeof(full); n += 3)
		for (int id = 0; id < SOURCE_COUNT; id++) {
			if (id == SOURCE_INFINIBAND || id == SOURCE_LUSTRE ||
				id == SOURCE_LUSTRE_DEBUG || id == SOURCE_PROCESS_THREADS)
				continue;
			memcpy(text, full, n);
			text[n] = '\0';
			read_text((enum source_id)id, text);
			assert_true(set.count < 16);
		}
}

static int root_make(void **state)
{
	(void)state;
	tacho_source_root = mkdtemp(root);
	return tacho_source_root ? 0 : -1;
}

static int root_remove(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command);
}

static void gpus_have_a_metric_for_what_they_tell(void **state)
{
	(void)state;
	source_read(&tacho_counters[SOURCE_NVML], &set);
	assert_int_equal(set.count, 4);
	assert_int_equal(value("gpu.0.util"), 85);
	assert_int_equal(value("gpu.0.power"), 180000);
	assert_int_equal(value("gpu.0.energy"), 12345 + 20 * 180000);
	assert_int_equal(value("gpu.1.util"), 0);
	assert_string_equal(set.description[0], "GPU-1");
	assert_string_equal(set.description[3], "GPU-2");
	assert_int_equal(set.mode[2], METRIC_ACCUMULATED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gpus_have_a_metric_for_what_they_tell),
		cmocka_unit_test(net_without_lines_or_file_is_empty),
		cmocka_unit_test(net_reads_every_interface_but_lo),
		cmocka_unit_test(net_leaves_out_what_makes_no_sense),
		cmocka_unit_test(a_new_device_changes_the_hash_and_a_new_value_does_not),
		cmocka_unit_test(more_interfaces_than_room_are_cut_off),
		cmocka_unit_test(disks_are_whole_and_not_stacked),
		cmocka_unit_test(infiniband_counts_words_of_four_bytes),
		cmocka_unit_test(lustre_sums_the_mounts_of_a_file_system),
		cmocka_unit_test(nfs_counts_an_export_once),
		cmocka_unit_test(a_long_mount_point_keeps_its_ending),
		cmocka_unit_test(cpu_memory_and_pressure_have_units),
		cmocka_unit_test(process_counters_survive_an_odd_program_name),
		cmocka_unit_test(time_with_and_without_a_core),
		cmocka_unit_test(throttling_is_that_of_the_tightest_group),
		cmocka_unit_test(throttling_of_version_1_is_in_ns),
		cmocka_unit_test(a_stop_is_a_late_wake_without_a_queue),
		cmocka_unit_test(memory_of_a_gpu_is_what_was_given_and_not_returned),
		cmocka_unit_test(threads_that_record_nothing_are_told_by_what_they_ran),
		cmocka_unit_test(a_file_whose_descriptor_was_closed_is_opened_again),
		cmocka_unit_test(files_cut_anywhere_are_harmless),
	};

	return cmocka_run_group_tests_name("sources of counters", tests, root_make, root_remove);
}
