/* doctor_settings.c - how a node is set up: limits, frequency, huge pages, shared memory; and its GPUs, by NVML. */
#include "config.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "doctor/doctor.h"

#define NOFILE_LEAST  4096
#define SHM_LEAST_MIB 1024
#define MEMLOCK_LEAST (INT64_C(1) << 30)

/* The first line of a file; "" where there is none. */
static void line_of(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "re");

	if (!file || !fgets(text, (int)size, file))
		text[0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (file)
		fclose(file);
}

/* The value of the first line of that name in /proc/cpuinfo. */
static void cpuinfo(const char *name, char *text, size_t size)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[256];

	text[0] = '\0';
	while (file && !text[0] && fgets(line, sizeof(line), file)) {
		char *colon = strchr(line, ':');

		if (colon && strncmp(line, name, strlen(name)) == 0)
			snprintf(text, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
	}
	if (file)
		fclose(file);
}

static void limit_text(char *text, int resource, int64_t *value)
{
	struct rlimit limit = { 0 };

	getrlimit(resource, &limit);
	*value = limit.rlim_cur == RLIM_INFINITY ? INT64_MAX : (int64_t)limit.rlim_cur;
	if (*value == INT64_MAX)
		snprintf(text, DOCTOR_TEXT, "unlimited");
	else
		snprintf(text, DOCTOR_TEXT, "%lld", (long long)*value);
}

static void limits(struct doctor_node *node)
{
	int64_t nofile, memlock;

	limit_text(node->setting[DOCTOR_IS_NOFILE], RLIMIT_NOFILE, &nofile);
	limit_text(node->setting[DOCTOR_IS_MEMLOCK], RLIMIT_MEMLOCK, &memlock);
	if (nofile < NOFILE_LEAST)
		doctor_trouble(node,
			"%lld files may be open in a process, and loaders with many workers need "
			"more: ulimit -n %d",
			(long long)nofile, 16 * NOFILE_LEAST);
	if (memlock < MEMLOCK_LEAST && access("/sys/class/infiniband", F_OK) == 0)
		doctor_trouble(node,
			"%lld bytes may be locked, which InfiniBand and GPUs need for buffers: set "
			"memlock to unlimited (limits.conf, LimitMEMLOCK of slurmd)",
			(long long)memlock);
}

static void shared_memory(struct doctor_node *node)
{
	struct statvfs st;
	double mib;

	if (statvfs("/dev/shm", &st) < 0) {
		doctor_trouble(node, "there is no /dev/shm, which MPI, NCCL and data loaders use");
		return;
	}
	mib = (double)st.f_blocks * (double)st.f_frsize / 1048576;
	snprintf(node->setting[DOCTOR_IS_SHM], DOCTOR_TEXT, "%.0f", mib);
	if (mib < SHM_LEAST_MIB)
		doctor_trouble(node,
			"/dev/shm has %.0f MiB, and data loaders fail once it is full: --shm-size of "
			"the container, or --ipc=host",
			mib);
}

static void frequency(struct doctor_node *node)
{
	char *governor = node->setting[DOCTOR_IS_GOVERNOR], driver[DOCTOR_TEXT], least[DOCTOR_TEXT],
	     most[DOCTOR_TEXT];

	line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor, DOCTOR_TEXT);
	line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", driver, sizeof(driver));
	line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq", least, sizeof(least));
	line_of("/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq", most, sizeof(most));
	if (*least && *most) /* in kHz */
		snprintf(node->setting[DOCTOR_IS_MHZ], DOCTOR_TEXT, "%d-%d", atoi(least) / 1000,
			atoi(most) / 1000);
	/* the drivers of today's processors raise clocks under powersave as well */
	if (strcmp(governor, "powersave") == 0 && strncmp(driver, "intel_pstate", 12) != 0 &&
		strncmp(driver, "amd-pstate", 10) != 0)
		doctor_trouble(node,
			"the governor powersave keeps clocks low: cpupower "
			"frequency-set -g performance");
}

static void huge_pages(struct doctor_node *node)
{
	char line[DOCTOR_TEXT], *open, *close;

	line_of("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof(line));
	open = strchr(line, '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close)
		return;
	*close = '\0';
	snprintf(node->setting[DOCTOR_IS_HUGE], DOCTOR_TEXT, "%s", open + 1);
	if (strcmp(open + 1, "never") == 0)
		doctor_trouble(node,
			"transparent huge pages are off, and large arrays miss the TLB: "
			"echo madvise >/sys/kernel/mm/transparent_hugepage/enabled");
}

void doctor_settings(struct doctor_node *node)
{
	struct utsname uts;

	if (uname(&uts) == 0)
		snprintf(node->setting[DOCTOR_IS_KERNEL], DOCTOR_TEXT, "%s", uts.release);
	cpuinfo("model name", node->setting[DOCTOR_IS_CPU], DOCTOR_TEXT);
	snprintf(node->setting[DOCTOR_IS_CORES], DOCTOR_TEXT, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	snprintf(node->setting[DOCTOR_IS_MEMORY], DOCTOR_TEXT, "%.0f",
		(double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 30));
	limits(node);
	shared_memory(node);
	frequency(node);
	huge_pages(node);
}

/* NVML, found at run time. */
struct nvml {
	int (*init)(void), (*count)(unsigned *), (*handle)(unsigned, void **),
		(*name)(void *, char *, unsigned), (*ecc)(void *, int, int, unsigned long long *),
		(*throttle)(void *, unsigned long long *), (*clock)(void *, int, unsigned *),
		(*most)(void *, int, unsigned *), (*ecc_mode)(void *, unsigned *, unsigned *),
		(*shutdown)(void);
};

static bool nvml_load(struct nvml *nvml)
{
	const struct {
		const char *name;
		void *at;
	} all[] = { { "nvmlInit_v2", &nvml->init }, { "nvmlDeviceGetCount_v2", &nvml->count },
		{ "nvmlDeviceGetHandleByIndex_v2", &nvml->handle },
		{ "nvmlDeviceGetName", &nvml->name }, { "nvmlDeviceGetTotalEccErrors", &nvml->ecc },
		{ "nvmlDeviceGetCurrentClocksThrottleReasons", &nvml->throttle },
		{ "nvmlDeviceGetClockInfo", &nvml->clock },
		{ "nvmlDeviceGetMaxClockInfo", &nvml->most },
		{ "nvmlDeviceGetEccMode", &nvml->ecc_mode }, { "nvmlShutdown", &nvml->shutdown } };
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library && i < sizeof(all) / sizeof(*all); i++) {
		void *symbol = dlsym(library, all[i].name);

		memcpy(all[i].at, &symbol, sizeof(symbol));
	}
	return library && nvml->init && nvml->count && nvml->handle && nvml->shutdown &&
		nvml->init() == 0;
}

/* Reasons for low clocks that are trouble, not rest: bits of nvmlClocksThrottleReasons. */
static const struct {
	unsigned long long bit;
	const char *why;
} slowing[] = {
	{ 0x8, "by its hardware (temperature or power)" },
	{ 0x20, "by its driver, as it is hot" },
	{ 0x40, "by its hardware, as it is hot" },
	{ 0x80, "by its hardware, as the power supply asks" },
};

static void gpu_look(const struct nvml *nvml, struct doctor_node *node, unsigned number)
{
	unsigned long long errors = 0, reasons = 0;
	unsigned mhz = 0;
	void *device;

	if (nvml->handle(number, &device) != 0)
		return;
	/* uncorrected ones since the driver was loaded */
	if (nvml->ecc && nvml->ecc(device, 1, 0, &errors) == 0 && errors)
		doctor_trouble(node,
			"GPU %u has %llu uncorrected memory errors: take it out of use", number,
			errors);
	if (nvml->clock)
		nvml->clock(device, 1, &mhz);
	if (!nvml->throttle || nvml->throttle(device, &reasons) != 0)
		return;
	for (size_t i = 0; i < sizeof(slowing) / sizeof(*slowing); i++)
		if (reasons & slowing[i].bit)
			doctor_trouble(node, "GPU %u is slowed down to %u MHz %s", number, mhz,
				slowing[i].why);
}

/* Settings of the first GPU: its maximum clock, and whether its memory has ECC. */
static void gpu_settings(const struct nvml *nvml, struct doctor_node *node, void *device)
{
	unsigned mhz, now, later;

	if (nvml->most && nvml->most(device, 1, &mhz) == 0)
		snprintf(node->setting[DOCTOR_IS_GPU_MHZ], DOCTOR_TEXT, "%u", mhz);
	if (nvml->ecc_mode && nvml->ecc_mode(device, &now, &later) == 0)
		snprintf(node->setting[DOCTOR_IS_GPU_ECC], DOCTOR_TEXT, "%s", now ? "on" : "off");
}

void doctor_gpus(struct doctor_node *node)
{
	struct nvml nvml = { 0 };
	char name[64] = "";
	unsigned n = 0;
	void *first;

	if (!nvml_load(&nvml))
		return;
	nvml.count(&n);
	if (n && nvml.name && nvml.handle(0, &first) == 0)
		nvml.name(first, name, sizeof(name));
	snprintf(node->setting[DOCTOR_IS_GPUS], DOCTOR_TEXT, "%u %.64s", n, name);
	if (n && nvml.handle(0, &first) == 0)
		gpu_settings(&nvml, node, first);
	for (unsigned i = 0; i < n; i++)
		gpu_look(&nvml, node, i);
	nvml.shutdown();
}
