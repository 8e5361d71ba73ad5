/*
 * nvml.c - see nvml.h. NVML is found at run time; its functions and structs are written down here.
 *
 * RATIONALE: NVML and the CUDA driver share a lock of the process. Where nvmlInit waited for it while
 * cuInit had called our InitializeInjection, which attached CUPTI, NVML (of driver 580) never gave it
 * back, and the next cuInit, which cuBLAS makes, hung: 16 of 18 runs of PyTorch. Without CUPTI
 * they get on (tests/gpu/nvml_lock.c). So NVML is left alone until CUDA has begun: 0 of 11.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "counters/nvml_gpm.h"
#include "cuda/cuda_capture.h"
#include "core/process.h"
#include "core/sandbox.h"
#include "core/sys.h"
#include "core/thread.h"

#define MAX_LOAD_PPM	400	   /* millionths of a core: half of the sampler's share */
#define LEAST_NS	500000000u /* between two readings: NVML's own figures are no newer */
#define END_NS		200000000u /* how long an exit waits for a call at most */
#define FIELD_POWER	186 /* the present one; nvmlDeviceGetPowerUsage averages, and takes ms */
#define FIELD_PCIE_TX	197
#define FIELD_PCIE_RX	198
#define FIELD_NVLINK_TX 138 /* KiB */
#define FIELD_NVLINK_RX 139
#define FIELD_LINK_TX	202 /* bytes of one link of NVLink 5, which has no sum of all */
#define FIELD_LINK_RX	204
#define LINKS		18
#define ALL_LINKS	UINT32_MAX /* else the field is of one link */

enum {
	CLOCK_SM = 1,
	CLOCK_MEM = 2,
	PCIE_TX = 0,
	PCIE_RX = 1, /* of a value */
	TYPE_DOUBLE = 0,
	TYPE_UNSIGNED = 1,
	TYPE_LONG = 2,
	TYPE_LARGE = 3,
	TYPE_SIGNED_LARGE = 4,
	TYPE_SIGNED = 5,
	TYPE_SHORT = 6
};

typedef void *device;

struct utilisation {
	unsigned gpu, memory;
};
struct nvml_bytes {
	unsigned long long total, available, used;
};
struct field {
	unsigned id, scope;
	long long timestamp, latency;
	int type, result;
	union {
		double d;
		unsigned u;
		int i;
		unsigned short us;
		unsigned long long ull; /* and unsigned long */
		long long ll;
	} value;
};

/* FUNCTION(name after "nvml", parameters); any may be missing but the first four */
#define FUNCTIONS(FUNCTION)                                                                        \
	FUNCTION(Init_v2, (void))                                                                  \
	FUNCTION(DeviceGetCount_v2, (unsigned *))                                                  \
	FUNCTION(DeviceGetHandleByIndex_v2, (unsigned, device *))                                  \
	FUNCTION(DeviceGetUUID, (device, char *, unsigned))                                        \
	FUNCTION(DeviceGetUtilizationRates, (device, struct utilisation *))                        \
	FUNCTION(DeviceGetMemoryInfo, (device, struct nvml_bytes *))                               \
	FUNCTION(DeviceGetClockInfo, (device, int, unsigned *))                                    \
	FUNCTION(DeviceGetMaxClockInfo, (device, int, unsigned *))                                 \
	FUNCTION(DeviceGetPowerUsage, (device, unsigned *))                                        \
	FUNCTION(DeviceGetEnforcedPowerLimit, (device, unsigned *))                                \
	FUNCTION(DeviceGetTotalEnergyConsumption, (device, unsigned long long *))                  \
	FUNCTION(DeviceGetTemperature, (device, int, unsigned *))                                  \
	FUNCTION(DeviceGetCurrentClocksEventReasons, (device, unsigned long long *))               \
	FUNCTION(DeviceGetCurrentClocksThrottleReasons, (device, unsigned long long *))            \
	FUNCTION(DeviceGetPcieThroughput, (device, int, unsigned *))                               \
	FUNCTION(DeviceGetFieldValues, (device, int, struct field *))                              \
	FUNCTION(DeviceGetMigMode, (device, unsigned *, unsigned *))                               \
	FUNCTION(DeviceGetMaxMigDeviceCount, (device, unsigned *))                                 \
	FUNCTION(DeviceGetMigDeviceHandleByIndex, (device, unsigned, device *))

static struct {
#define FUNCTION(name, params) int(*name) params;
	FUNCTIONS(FUNCTION)
#undef FUNCTION
} nvml;

enum state { STATE_NONE, STATE_PARKED, STATE_STARTED, STATE_GIVEN_UP };

static _Atomic uint32_t state, lock, ndevices;
/* the thread may be in NVML; shall not go there any more */
static _Atomic uint32_t is_inside, is_over;
static _Atomic uint32_t owner; /* pid of the thread's process */
static _Atomic uint64_t spent_ns;
static struct nvml_reading published[NVML_DEVICES];
static char uuids[NVML_DEVICES][80], numbers[NVML_DEVICES][24];
static device devices[NVML_DEVICES];
static uint32_t asked[NVML_DEVICES]; /* bits of the metrics that are worth asking for */

/* ---- one device ---- */

static void put(struct nvml_reading *reading, enum nvml_metric metric, uint64_t value)
{
	reading->has |= 1u << metric;
	reading->value[metric] = value;
}

static bool has(const struct nvml_reading *reading, enum nvml_metric metric)
{
	return reading->has >> metric & 1;
}

static bool is_asked(unsigned gpu, enum nvml_metric metric)
{
	return asked[gpu] >> metric & 1;
}

/* By nvmlValueType_t; false: a value that is none of a counter, or of a type that is not known. */
static bool field_value(const struct field *field, uint64_t *value)
{
	switch (field->type) {
	case TYPE_DOUBLE: *value = (uint64_t)field->value.d; return field->value.d >= 0;
	case TYPE_UNSIGNED: *value = field->value.u; return true;
	case TYPE_LONG:
	case TYPE_LARGE: *value = field->value.ull; return true;
	case TYPE_SIGNED_LARGE: *value = field->value.ull; return field->value.ll >= 0;
	case TYPE_SIGNED: *value = field->value.u; return field->value.i >= 0;
	case TYPE_SHORT: *value = field->value.us; return true;
	default: return false;
	}
}

static void read_fields(unsigned gpu, struct nvml_reading *reading)
{
	static const struct {
		enum nvml_metric metric;
		unsigned field, scope;
		uint64_t unit;
	} kinds[] = {
		{ NVML_POWER, FIELD_POWER, 0, 1 },
		{ NVML_PCIE_TX, FIELD_PCIE_TX, 0, 1 },
		{ NVML_PCIE_RX, FIELD_PCIE_RX, 0, 1 },
		{ NVML_NVLINK_TX, FIELD_NVLINK_TX, ALL_LINKS, 1024 },
		{ NVML_NVLINK_RX, FIELD_NVLINK_RX, ALL_LINKS, 1024 },
	};
	enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
	struct field fields[KINDS];
	unsigned metrics[KINDS];
	uint64_t value;
	int n = 0;

	memset(fields, 0, sizeof(fields));
	for (unsigned i = 0; i < KINDS; i++)
		if (is_asked(gpu, kinds[i].metric)) {
			fields[n].id = kinds[i].field;
			fields[n].scope = kinds[i].scope;
			metrics[n++] = i;
		}
	if (!n || !nvml.DeviceGetFieldValues || nvml.DeviceGetFieldValues(devices[gpu], n, fields))
		return;
	for (int i = 0; i < n; i++)
		if (fields[i].result == 0 && field_value(&fields[i], &value))
			put(reading, kinds[metrics[i]].metric, kinds[metrics[i]].unit * value);
}

/* The bytes of all links of NVLink 5. */
static void read_links(unsigned gpu, struct nvml_reading *reading)
{
	struct field fields[2 * LINKS];
	uint64_t value;

	if (has(reading, NVML_NVLINK_TX) || !nvml.DeviceGetFieldValues ||
		!(is_asked(gpu, NVML_NVLINK_TX) || is_asked(gpu, NVML_NVLINK_RX)))
		return;
	memset(fields, 0, sizeof(fields));
	for (unsigned i = 0; i < 2 * LINKS; i++) {
		fields[i].id = i < LINKS ? FIELD_LINK_TX : FIELD_LINK_RX;
		fields[i].scope = i % LINKS;
	}
	if (nvml.DeviceGetFieldValues(devices[gpu], 2 * LINKS, fields))
		return;
	for (unsigned i = 0; i < 2 * LINKS; i++) {
		enum nvml_metric metric = i < LINKS ? NVML_NVLINK_TX : NVML_NVLINK_RX;

		if (fields[i].result == 0 && field_value(&fields[i], &value))
			put(reading, metric, reading->value[metric] + value);
	}
}

/* The kinds of questions: for one number, for one of several, for a large one. */
static void ask(unsigned gpu, struct nvml_reading *reading, enum nvml_metric metric,
	int (*function)(device, unsigned *))
{
	unsigned answer;

	if (is_asked(gpu, metric) && function && !function(devices[gpu], &answer))
		put(reading, metric, answer);
}

static void ask_which(unsigned gpu, struct nvml_reading *reading, enum nvml_metric metric,
	int (*function)(device, int, unsigned *), int which, uint64_t unit)
{
	unsigned answer;

	if (is_asked(gpu, metric) && function && !function(devices[gpu], which, &answer))
		put(reading, metric, answer * unit);
}

static void ask_large(unsigned gpu, struct nvml_reading *reading, enum nvml_metric metric,
	int (*function)(device, unsigned long long *))
{
	unsigned long long answer;

	if (is_asked(gpu, metric) && function && !function(devices[gpu], &answer))
		put(reading, metric, answer);
}

static void read_use(unsigned gpu, struct nvml_reading *reading)
{
	struct utilisation util;
	struct nvml_bytes memory;

	if (is_asked(gpu, NVML_UTIL) && nvml.DeviceGetUtilizationRates &&
		!nvml.DeviceGetUtilizationRates(devices[gpu], &util)) {
		put(reading, NVML_UTIL, util.gpu);
		put(reading, NVML_MEM_UTIL, util.memory);
	}
	if (is_asked(gpu, NVML_MEM_USED) && nvml.DeviceGetMemoryInfo &&
		!nvml.DeviceGetMemoryInfo(devices[gpu], &memory))
		put(reading, NVML_MEM_USED, memory.used);
}

static void read_device(unsigned gpu, struct nvml_reading *reading)
{
	memset(reading, 0, sizeof(*reading));
	reading->time_ns = clock_monotonic_ns();
	read_use(gpu, reading);
	read_fields(gpu, reading);
	read_links(gpu, reading);
	nvml_gpm_read(gpu, devices[gpu], reading);
	ask_which(gpu, reading, NVML_SM_CLOCK, nvml.DeviceGetClockInfo, CLOCK_SM, 1);
	ask_which(gpu, reading, NVML_MEM_CLOCK, nvml.DeviceGetClockInfo, CLOCK_MEM, 1);
	ask_which(gpu, reading, NVML_SM_CLOCK_MAX, nvml.DeviceGetMaxClockInfo, CLOCK_SM, 1);
	if (!has(reading, NVML_POWER))
		ask(gpu, reading, NVML_POWER, nvml.DeviceGetPowerUsage);
	ask(gpu, reading, NVML_POWER_LIMIT, nvml.DeviceGetEnforcedPowerLimit);
	ask_large(gpu, reading, NVML_ENERGY, nvml.DeviceGetTotalEnergyConsumption);
	ask_which(gpu, reading, NVML_TEMP, nvml.DeviceGetTemperature, 0, 1);
	ask_large(gpu, reading, NVML_THROTTLE, nvml.DeviceGetCurrentClocksEventReasons);
	if (!has(reading, NVML_THROTTLE)) /* its name before driver 535 */
		ask_large(gpu, reading, NVML_THROTTLE, nvml.DeviceGetCurrentClocksThrottleReasons);
	if (has(reading, NVML_PCIE_RX) || has(reading, NVML_PCIE_RX_RATE))
		return;
	/* 20 ms each: only where there are no counters */
	ask_which(gpu, reading, NVML_PCIE_RX_RATE, nvml.DeviceGetPcieThroughput, PCIE_RX, 1000);
	ask_which(gpu, reading, NVML_PCIE_TX_RATE, nvml.DeviceGetPcieThroughput, PCIE_TX, 1000);
}

/* ---- the thread ---- */

static void rest(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	syscall(SYS_nanosleep, &t, NULL);
}

/* Whether NVML may be called; then nvml_leave() is to follow. */
static bool nvml_enter(void)
{
	atomic_store(&is_inside, 1);
	if (!atomic_load(&is_over))
		return true;
	atomic_store(&is_inside, 0);
	return false;
}

static void nvml_leave(void)
{
	atomic_store(&is_inside, 0);
}

/*
 * Runs at exit, before NVML's destructors free the data of a call in progress. Waits for that call,
 * which takes milliseconds.
 */
static void nvml_end(void)
{
	uint64_t until;
	int saved = errno;

	if (sandbox_is_on() || atomic_load(&owner) != sys_pid())
		return;
	until = clock_monotonic_ns() + END_NS;
	atomic_store(&is_over, 1);
	while (atomic_load(&is_inside) && clock_monotonic_ns() < until)
		rest(1000000);
	errno = saved;
}

static bool functions_find(void)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);

	if (!library)
		return false;
	nvml_gpm_find(library);
	/* after what NVML itself has registered, so it runs before that */
	atexit(nvml_end);
#define FUNCTION(name, params) nvml.name = (int(*) params)dlsym(library, "nvml" #name);
	FUNCTIONS(FUNCTION)
#undef FUNCTION
	return nvml.Init_v2 && nvml.DeviceGetCount_v2 && nvml.DeviceGetHandleByIndex_v2 &&
		nvml.DeviceGetUUID;
}

/* The next place is taken for a device, of which `metrics` are worth asking for. */
static void device_add(unsigned *n, device handle, uint32_t metrics)
{
	devices[*n] = handle;
	asked[*n] = metrics;
	if (nvml.DeviceGetUUID(handle, uuids[*n], sizeof(uuids[*n])))
		uuids[*n][0] = '\0';
	++*n;
}

/*
 * Adds the instances (MIG) of a GPU, each a device of CUDA's. NVML reports only an instance's
 * memory; power, clocks, links and use are known for the whole GPU or not at all.
 */
static void instances_find(unsigned gpu, unsigned *n)
{
	unsigned on = 0, pending, most = 0;
	device instance;

	if (!nvml.DeviceGetMigMode || !nvml.DeviceGetMaxMigDeviceCount ||
		!nvml.DeviceGetMigDeviceHandleByIndex ||
		nvml.DeviceGetMigMode(devices[gpu], &on, &pending) || !on ||
		nvml.DeviceGetMaxMigDeviceCount(devices[gpu], &most))
		return;
	/* there may be gaps between them */
	for (unsigned i = 0; i < most && *n < NVML_DEVICES; i++)
		if (!nvml.DeviceGetMigDeviceHandleByIndex(devices[gpu], i, &instance)) {
			snprintf(numbers[*n], sizeof(numbers[*n]), "%u.%u", gpu, i);
			device_add(n, instance, 1u << NVML_MEM_USED);
		}
}

static bool has_gpm; /* some device does */

/* Finds the devices, their handles and supported metrics. Returns their number, or 0. */
static unsigned devices_find(void)
{
	unsigned n = 0, kept = 0, gpus;

	if (!functions_find() || nvml.Init_v2() || nvml.DeviceGetCount_v2(&n))
		return 0;
	for (unsigned i = 0; i < n && i < NVML_GPUS; i++) {
		device handle;

		if (nvml.DeviceGetHandleByIndex_v2(i, &handle))
			break;
		snprintf(numbers[kept], sizeof(numbers[kept]), "%u", i);
		device_add(&kept, handle, UINT32_MAX);
	}
	gpus = kept;
	for (unsigned i = 0; i < gpus; i++)
		has_gpm |= nvml_gpm_start(i, devices[i]);
	for (unsigned i = 0; i < gpus; i++)
		instances_find(i, &kept);
	return kept;
}

static void publish(const struct nvml_reading *readings, unsigned n)
{
	while (atomic_exchange_explicit(&lock, 1, memory_order_acquire))
		sched_yield();
	memcpy(published, readings, n * sizeof(*readings));
	atomic_store(&ndevices, n);
	atomic_store_explicit(&lock, 0, memory_order_release);
}

static uint64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static bool reading_take(unsigned n, struct nvml_reading *readings)
{
	for (unsigned i = 0; i < n; i++) {
		if (!nvml_enter())
			return false;
		read_device(i, &readings[i]);
		nvml_leave();
		asked[i] = readings[i].has; /* a refused metric is not asked again */
		if (has(&readings[i], NVML_MEM_UTIL))
			asked[i] |= 1u << NVML_UTIL;
	}
	return true;
}

/* Waits until the counters are wanted; meanwhile asks CUDA for facts that need a thread. */
static void parked(void)
{
	const struct timespec wait = { .tv_sec = 1 };

	while (atomic_load(&state) == STATE_PARKED) {
		cuda_beat();
		cuda_look();
		syscall(SYS_futex, &state, FUTEX_WAIT_PRIVATE, STATE_PARKED, &wait, NULL, 0);
	}
}

static void *watch(void *arg)
{
	struct nvml_reading readings[NVML_DEVICES];
	uint64_t begin, cost, before = 0, wait_ns;
	unsigned n = 0;

	thread_is_helper();
	pthread_setname_np(pthread_self(), "tacho nvml");
	parked();
	if (nvml_enter()) {
		n = devices_find();
		nvml_leave();
	}
	if (!n)
		atomic_store(&state, STATE_GIVEN_UP);
	if (n && has_gpm) /* a first reading has all that later ones have */
		rest(NVML_GPM_LEAST_NS);
	while (n && !thread_main_is_over() && !sandbox_is_on()) {
		begin = cpu_ns();
		if (!reading_take(n, readings))
			break;
		publish(readings, n);
		cost = cpu_ns() - begin;
		atomic_fetch_add(&spent_ns, cost);
		/*
		 * What two readings in a row have cost: one alone may be the first, with cold code, or have
		 * lost its core on the way, and 10 ms would be 25 s without figures.
		 */
		wait_ns = (cost < before ? cost : before) * (1000000 / MAX_LOAD_PPM);
		before = cost;
		rest(wait_ns > LEAST_NS ? wait_ns : LEAST_NS);
	}
	thread_helper_ends();
	return arg;
}

void nvml_prepare(void)
{
	uint32_t none = STATE_NONE;
	pthread_t thread;
	uint64_t mask;

	if (!atomic_compare_exchange_strong(&state, &none, STATE_PARKED))
		return;
	atomic_store(&owner, sys_pid());
	mask = sys_signals_block(); /* the thread inherits it */
	if (pthread_create(&thread, NULL, watch, NULL))
		atomic_store(&state, STATE_GIVEN_UP);
	else
		pthread_detach(thread);
	sys_signals_restore(mask);
}

unsigned nvml_take(struct nvml_reading readings[NVML_DEVICES], bool may_start)
{
	uint32_t parked = STATE_PARKED;
	unsigned n;

	if (may_start && atomic_compare_exchange_strong(&state, &parked, STATE_STARTED))
		syscall(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	if (!atomic_load(&ndevices) || atomic_exchange_explicit(&lock, 1, memory_order_acquire))
		return 0;
	n = atomic_load(&ndevices);
	memcpy(readings, published, n * sizeof(*readings));
	atomic_store_explicit(&lock, 0, memory_order_release);
	return n;
}

const char *nvml_uuid(unsigned i)
{
	return uuids[i];
}

const char *nvml_number(unsigned i)
{
	return numbers[i];
}

uint64_t nvml_spent_ns(void)
{
	return atomic_load(&spent_ns);
}

void nvml_forked(void)
{
	atomic_store(&state, STATE_NONE);
	atomic_store(&owner, 0);
	atomic_store(&is_inside, 0);
	atomic_store(&is_over, 0);
	atomic_store(&lock, 0);
	atomic_store(&ndevices, 0);
	atomic_store(&spent_ns, 0);
	nvml_gpm_forked();
}
