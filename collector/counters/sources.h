/*
 * sources.h - the counters of a node and of the process, read from /proc and /sys. No allocation,
 * no stdio, no wrapped call, so a source may run in any thread of the traced process (in one at a
 * time). sampler.c writes the results.
 */
#ifndef COLLECTOR_SOURCES_H
#define COLLECTOR_SOURCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

#define SOURCE_MAX_METRICS 254 /* OTF2 knows classes of up to 255 members */
#define SOURCE_NAME_SIZE   80

/* What one reading of one source gave: parallel arrays in the order of the file. */
struct sample_set {
	unsigned count;
	bool is_busy; /* nothing was read, as the library writes: the next reading has it */
	/* of names and descriptions: another one means other metrics */
	uint64_t hash;
	uint64_t value[SOURCE_MAX_METRICS];
	char name[SOURCE_MAX_METRICS][SOURCE_NAME_SIZE];
	const char *unit[SOURCE_MAX_METRICS];
	const char *description[SOURCE_MAX_METRICS];
	enum spool_metric_mode mode[SOURCE_MAX_METRICS];
};

/* A source of counters: a file, or a folder of files, that is read as a whole. */
struct counter {
	const char *path;
	void (*read)(const struct counter *source, struct sample_set *set);
	enum spool_metric_scope scope;
	unsigned period_ms; /* at the least between two readings */
};

#define PATH_LUSTRE_DEBUG "/sys/kernel/debug/lustre/llite"
#define PATH_STOP	  "/proc/thread-self/schedstat"

/* SOURCE(enumerator, path, function, scope, least period in ms) */
#define SOURCES(SOURCE)                                                                            \
	SOURCE(NET, "/proc/self/net/dev", net_read, METRIC_OF_NODE, 0)                             \
	SOURCE(INFINIBAND, "/sys/class/infiniband", infiniband_read, METRIC_OF_NODE, 0)            \
	SOURCE(DISK, "/proc/diskstats", disk_read, METRIC_OF_NODE, 0)                              \
	SOURCE(LUSTRE, "/proc/fs/lustre/llite", lustre_read, METRIC_OF_NODE, 0)                    \
	SOURCE(LUSTRE_DEBUG, PATH_LUSTRE_DEBUG, lustre_read, METRIC_OF_NODE, 0)                    \
	SOURCE(NFS, "/proc/self/mountstats", nfs_read, METRIC_OF_NODE, 1000)                       \
	SOURCE(CPU, "/proc/stat", cpu_read, METRIC_OF_NODE, 500)                                   \
	SOURCE(MEMORY, "/proc/meminfo", memory_read, METRIC_OF_NODE, 1000)                         \
	SOURCE(PRESSURE_CPU, "/proc/pressure/cpu", pressure_read, METRIC_OF_NODE, 1000)            \
	SOURCE(PRESSURE_IO, "/proc/pressure/io", pressure_read, METRIC_OF_NODE, 1000)              \
	SOURCE(PRESSURE_MEMORY, "/proc/pressure/memory", pressure_read, METRIC_OF_NODE, 1000)      \
	SOURCE(NVML, "libnvidia-ml.so.1", nvml_read, METRIC_OF_NODE, 500)                          \
	SOURCE(PROCESS_IO, "/proc/self/io", process_io_read, METRIC_OF_PROCESS, 0)                 \
	SOURCE(PROCESS_STAT, "/proc/self/stat", process_stat_read, METRIC_OF_PROCESS, 500)         \
	SOURCE(PROCESS_CORE, "/proc/self/schedstat", process_core_read, METRIC_OF_PROCESS, 0)      \
	SOURCE(PROCESS_THREADS, "/proc/self/task", process_threads_read, METRIC_OF_PROCESS, 0)     \
	SOURCE(PROCESS_QUOTA, "/proc/self/cgroup", process_quota_read, METRIC_OF_PROCESS, 500)     \
	SOURCE(PROCESS_STOP, PATH_STOP, process_stop_read, METRIC_OF_PROCESS, 500)                 \
	SOURCE(PROCESS_GPU, "libcuda.so.1", process_gpu_read, METRIC_OF_PROCESS, 0)

enum source_id {
#define SOURCE(id, path, function, scope, period) SOURCE_##id,
	SOURCES(SOURCE)
#undef SOURCE
		SOURCE_COUNT
};

/* How many threads the process has, by /proc/self/stat; 0: not known. */
extern uint64_t tacho_source_threads HIDDEN;

/* Whether a source may start a thread: not at the end of the process. */
extern bool tacho_sources_may_start HIDDEN;

extern const struct counter tacho_counters[SOURCE_COUNT] HIDDEN;

/*
 * Reads `source` into `set`. What is missing or makes no sense is left out; nothing at all: count
 * 0. Keeps errno.
 */
void source_read(const struct counter *source, struct sample_set *set) HIDDEN;

/* The helper woke from a rest that was to last until then (CLOCK_MONOTONIC). */
void stop_woke(uint64_t until_ns) HIDDEN;

/* The helper found the program stopped, which ran at `since_ns` last; and running again. */
void stop_begins(uint64_t since_ns) HIDDEN;
void stop_ends(void) HIDDEN;

/* For the next: forgets process_core, the threads of process_threads, the group of process_quota, all stops. */
void core_forget(void) HIDDEN;
void threads_forget(void) HIDDEN;
void quota_forget(void) HIDDEN;
void stop_forget(void) HIDDEN;

/* Before the first reading: forgets the state of the parent's sampler. */
void sources_forget(void) HIDDEN;

/*
 * The functions of the table.
 *
 * net: "  eth0: rx_bytes rx_packets … (8 fields) tx_bytes …", lo left out
 * infiniband: <device>/ports/<port>/counters/port_{rcv,xmit}_data, in words of 4 bytes
 * disk: "8 0 sda reads merged sectors ms writes merged sectors …" of whole
 *       devices that are not built on others (loop, dm, md…)
 * lustre: <mount>/stats "read_bytes <n> samples [bytes] <min> <max> <sum>"
 * nfs: "bytes: normal-read normal-write direct-read direct-write server-read
 *      server-write" of each mounted export: the last two crossed the network
 * process_io: rchar without the sampler's own reads; own_written, own_stored: the library's
 *             part of wchar and write_bytes, which a parent's account gets from a child
 * process_core: "<ns on a core> <ns waited for one> <turns>" of the first thread. Once
 *               another thread begins MPI: of that thread, added to the values reported so far
 * process_threads: one folder per thread; time on cores of the threads that have recorded, but
 *                  for the main one. For the program's other threads (OpenMP's, pools'): time on
 *                  cores of all; number and time of threads with at least 5 % of the main thread's
 *                  time, and the time of the busiest one
 * process_quota: of the tightest group with a quota, cpu.stat "throttled_usec <µs>" (version 2) or
 *                "throttled_time <ns>" since the first reading, summed by the kernel over CPUs;
 *                its quota in thousandths of a core; which group it is. Nothing without a quota.
 * process_stop: ns in which the process was stopped, as far as its helper slept meanwhile, from
 *               half a second on; nothing before the first time
 * process_gpu: proc.gpu.<device>.held, .held_most: bytes, cuda/cuda_memory.h
 * nvml: its own thread asks NVML (nvml.h); gpu.<n>.… with the GPU's UUID as description
 * pressure: "some avg10=… total=<µs>": time in which a task waited
 */
#define SOURCE(id, path, function, scope, period)                                                  \
	void function(const struct counter *source, struct sample_set *set) HIDDEN;
SOURCES(SOURCE)
#undef SOURCE

/* Adds the metric <prefix><key><suffix>; an existing one of that name grows by `value`. */
struct metric_kind {
	const char *prefix, *suffix, *unit, *description;
	enum spool_metric_mode mode;
};
void set_add(struct sample_set *set, const struct metric_kind *kind, const char *key, size_t nkey,
	uint64_t value) HIDDEN;

#endif
