/*
 * env.c - notes the run's surroundings as properties of the process ("process.…")
 * and of its node ("node.…", by the node's first rank).
 *
 * Never secrets: a variable is noted only when the list below allows its name and no part of the
 * name is a secret word; secrets in command lines and values are masked (tacho/secrets.h).
 */
#include "config.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#include "core/env.h"
#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"
#include "core/topology.h"
#include "tacho/secrets.h"
#include "tacho/host.h"

#define BUFFER_SIZE (1 << 20) /* of a file in /proc */

/*
 * The variables that are noted, as file name patterns. This table is the documentation: nothing
 * else is taken.
 */
static const char *const allowed[] = {
	/* threads and placement */
	"OMP_*",
	"KMP_*",
	"GOMP_*",
	"OPENBLAS_*",
	"GOTO_NUM_THREADS",
	"MKL_*",
	"BLIS_*",
	"NUMEXPR_*",
	"MALLOC_*",
	"LD_LIBRARY_PATH",
	"LD_PRELOAD",
	"PYTHONPATH",
	"PYTHONUNBUFFERED",
	"VIRTUAL_ENV",
	"CONDA_DEFAULT_ENV",
	/* MPI */
	"OMPI_COMM_WORLD_*",
	"OMPI_MCA_*",
	"OMPI_UNIVERSE_SIZE",
	"OMPI_COMMAND",
	"PRTE_MCA_*",
	"PMIX_RANK",
	"PMIX_HOSTNAME",
	"PMIX_VERSION",
	"PMI_RANK",
	"PMI_SIZE",
	"MPI_LOCAL*",
	"MPICH_*",
	"MPIR_CVAR_*",
	"HYDRA_*",
	"I_MPI_*",
	"MV2_*",
	"UCX_*",
	"UCC_*",
	"FI_*",
	"PSM2_*",
	"HCOLL_*",
	"SHARP_*",
	/* GPUs */
	"NCCL_*",
	"RCCL_*",
	"CUDA_*",
	"CUBLAS_*",
	"CUDNN_*",
	"NVIDIA_VISIBLE_DEVICES",
	"NVIDIA_DRIVER_CAPABILITIES",
	"NVIDIA_TF32_OVERRIDE",
	"NVIDIA_*_VERSION",
	"GPU_DEVICE_ORDINAL",
	"HIP_*",
	"ROCR_*",
	"NVTE_*",
	/* the batch system: where and how much, nothing else */
	"SLURM_JOB_ID",
	"SLURM_JOB_NAME",
	"SLURM_JOB_NUM_NODES",
	"SLURM_JOB_NODELIST",
	"SLURM_JOB_PARTITION",
	"SLURM_JOB_CPUS_PER_NODE",
	"SLURM_NNODES",
	"SLURM_NODEID",
	"SLURM_NTASKS*",
	"SLURM_TASKS_PER_NODE",
	"SLURM_PROCID",
	"SLURM_LOCALID",
	"SLURM_CPUS_*",
	"SLURM_CPU_BIND*",
	"SLURM_MEM_*",
	"SLURM_GPUS*",
	"SLURM_STEP_ID",
	"SLURM_DISTRIBUTION",
	"SLURM_CLUSTER_NAME",
	"SLURMD_NODENAME",
	"PBS_JOBID",
	"PBS_NUM_*",
	"PBS_QUEUE",
	"LSB_JOBID",
	"LSB_QUEUE",
	"JOB_ID",
	/* frameworks */
	"RANK",
	"WORLD_SIZE",
	"LOCAL_RANK",
	"LOCAL_WORLD_SIZE",
	"GROUP_RANK",
	"NODE_RANK",
	"MASTER_ADDR",
	"MASTER_PORT",
	"HOROVOD_*",
	"TF_*",
	"XLA_*",
	"JAX_*",
	"PYTORCH_*",
	"TORCH_*",
	"DS_*",
	/* own */
	"TACHO_*",
};

/*
 * A pattern has one star at most. No fnmatch(): in a locale of several bytes it allocates and takes libc's
 * locks, see stay.h.
 */
static bool fits(const char *pattern, const char *name)
{
	const char *star = strchr(pattern, '*');
	size_t begin = star ? (size_t)(star - pattern) : 0, end = star ? strlen(star + 1) : 0,
	       n = strlen(name);

	if (!star)
		return !strcmp(pattern, name);
	return n >= begin + end && !memcmp(pattern, name, begin) &&
		!memcmp(star + 1, name + n - end, end);
}

bool env_allowed(const char *name, size_t n)
{
	char copy[128];

	if (n >= sizeof(copy) || secret_name(name, n, true))
		return false;
	memcpy(copy, name, n);
	copy[n] = '\0';
	if (!strcmp(copy, "TACHO_COMMAND")) /* a pid, which is another one in each run */
		return false;
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		if (fits(allowed[i], copy))
			return true;
	return false;
}

/* Arguments are NUL-terminated, back to back; they come out separated by blanks. */
void env_mask(const char *args, size_t n, char *text, size_t size)
{
	struct secret_out out = { text, size, 0, { 0 } };

	text[0] = '\0';
	for (size_t at = 0, length; at < n; at += length + 1) {
		length = strnlen(args + at, n - at);
		if (at)
			secret_put(&out, " ", 1);
		secret_argument(&out, args + at, length);
	}
}

static void file_line(const char *key, const char *path)
{
	char line[256];

	if (task_read(path, line, sizeof(line)) <= 0)
		return;
	line[strcspn(line, "\n")] = '\0';
	process_define_property(key, line);
}

static void link_target(const char *key, const char *path)
{
	char target[PATH_MAX], room[TASK_PATH_ROOM];
	ssize_t n = sys_readlink(task_path(path, room), target, sizeof(target) - 1);

	if (n <= 0)
		return;
	target[n] = '\0';
	process_define_property(key, target);
}

static void command_line(void)
{
	/* not on a stack that may be small; the join lock is held */
	static char args[16384], text[2 * sizeof(args)];
	const char *hidden = getenv("TACHO_NO_COMMAND");
	ssize_t n = hidden && *hidden ? 0 : task_read("/proc/self/cmdline", args, sizeof(args));

	if (n <= 0)
		return;
	env_mask(args, (size_t)n, text, sizeof(text));
	process_define_property("process.command", text);
}

/* Launchers that start ranks anew count how often they did. */
static void attempt(void)
{
	static const char *const counts[] = { "TORCHELASTIC_RESTART_COUNT", "SLURM_RESTART_COUNT" };
	char text[24];

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		const char *count = getenv(counts[i]);

		if (!count || *count < '0' || *count > '9')
			continue;
		snprintf(text, sizeof(text), "%ld", strtol(count, NULL, 10) + 1);
		process_define_property("process.attempt", text);
		return;
	}
}

void env_identify(void)
{
	char host[HOST_ROOM];

	host_name(host);
	process_define_property("process.hostname", host);
	file_line("process.boot_id", "/proc/sys/kernel/random/boot_id");
	link_target("process.exe", "/proc/self/exe");
	link_target("process.cwd", "/proc/self/cwd");
	command_line();
	attempt();
}

static void number_property(const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	process_define_property(key, text);
}

/* The value of "name<blanks>: value" in a file of such lines, up to the line's end. */
static void field_property(const char *key, const char *path, const char *name, char *buf)
{
	char *at;

	if (task_read(path, buf, BUFFER_SIZE) <= 0 || !(at = strstr(buf, name)))
		return;
	at += strlen(name);
	at += strspn(at, " \t:=\"");
	at[strcspn(at, "\"\n")] = '\0';
	process_define_property(key, at);
}

static void node_properties(char *buf)
{
	struct utsname host;
	char name[HOST_ROOM];
	struct sysinfo info;

	field_property("node.cpu", "/proc/cpuinfo", "model name", buf);
	field_property("node.os", "/etc/os-release", "PRETTY_NAME", buf);
	number_property("node.cores", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
	if (!sysinfo(&info))
		number_property("node.memory_bytes", (uint64_t)info.totalram * info.mem_unit);
	host_name(name);
	process_define_property("node.hostname", name);
	if (!uname(&host)) {
		process_define_property("node.kernel", host.release);
		process_define_property("node.machine", host.machine);
	}
	file_line("node.boot_id", "/proc/sys/kernel/random/boot_id");
	file_line("node.governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	file_line("node.clocksource",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource");
	file_line("node.huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled");
	file_line("node.nvidia_driver", "/sys/module/nvidia/version");
	file_line("node.numa_nodes", "/sys/devices/system/node/online");
	topology_write();
}

enum { CPU_BITS = 8192, LONG_BITS = 8 * sizeof(unsigned long) };

static unsigned long affinity_written[CPU_BITS / LONG_BITS];

/* CPU numbers as 0-3,8. */
static void cpus_format(const unsigned long *mask, char *text, size_t size)
{
	size_t n = 0;

	text[0] = '\0';
	for (int cpu = 0, last; cpu < CPU_BITS && n < size - 16; cpu = last + 1) {
		last = cpu;
		if (!(mask[cpu / LONG_BITS] >> cpu % LONG_BITS & 1))
			continue;
		while (last + 1 < CPU_BITS &&
			mask[(last + 1) / LONG_BITS] >> (last + 1) % LONG_BITS & 1)
			last++;
		n += (size_t)snprintf(text + n, size - n, last > cpu ? "%s%d-%d" : "%s%d",
			n ? "," : "", cpu, last);
	}
}

void env_affinity(void)
{
	unsigned long mask[CPU_BITS / LONG_BITS] = { 0 };
	char text[2048];

	if (syscall(SYS_sched_getaffinity, tacho_process.pid, sizeof(mask), mask) <= 0 ||
		!memcmp(mask, affinity_written, sizeof(mask)))
		return;
	memcpy(affinity_written, mask, sizeof(mask));
	cpus_format(mask, text, sizeof(text));
	process_define_property("process.affinity", text);
}

/* From /proc, as the program got them: its own list may be changed under our eyes. */
static void variables(char *buf)
{
	char key[160], *text = buf + BUFFER_SIZE / 2;
	ssize_t n = task_read("/proc/self/environ", buf, BUFFER_SIZE / 2);

	for (char *var = buf, *next; n > 0 && var < buf + n; var = next) {
		char *equals = strchr(var, '=');

		next = var + strlen(var) + 1;
		if (!equals || !env_allowed(var, (size_t)(equals - var)))
			continue;
		snprintf(key, sizeof(key), "process.var.%.*s", (int)(equals - var), var);
		env_mask(equals + 1, strlen(equals + 1), text, BUFFER_SIZE / 2);
		process_define_property(key, text);
	}
}

static void capture(void *unused)
{
	char *buf = sys_map(BUFFER_SIZE, MAP_PRIVATE);

	(void)unused;
	if (buf == MAP_FAILED)
		return;
	memset(affinity_written, 0, sizeof(affinity_written)); /* a child has not reported yet */
	env_affinity();
	if (!tacho_process.is_child) {
		variables(buf);
		if (tacho_process.ranks.local_rank <= 0)
			node_properties(buf);
	}
	sys_munmap(buf, BUFFER_SIZE);
}

void env_capture(void)
{
	task_run(capture, NULL);
}
