/*
 * The stand-in libnvidia-ml: the questions that monitoring asks. What it answers is taken
 * from the environment (one value, or one per device separated by commas), so that tests
 * can plant a throttled or idle device. NVML's header is not part of the toolkit: the
 * declarations are those of its documentation.
 */
#include "standin.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT STANDIN_EXPORT

enum {
	NVML_SUCCESS,
	NVML_UNINITIALIZED,
	NVML_INVALID_ARGUMENT,
	NVML_NOT_SUPPORTED,
	NVML_NO_PERMISSION,
	NVML_NOT_FOUND = 6,
	NVML_DRIVER_NOT_LOADED = 9
};
enum { CLOCK_GRAPHICS, CLOCK_SM, CLOCK_MEM, CLOCK_VIDEO };
enum { PCIE_TX, PCIE_RX };
enum { FIELD_NVLINK_TX = 138, FIELD_NVLINK_RX = 139, NVLINKS = 18 };
enum { FIELD_LINK_TX = 202, FIELD_LINK_RX = 204 }; /* NVLink 5 */

typedef struct standin_device *nvmlDevice_t;
typedef int nvmlReturn_t;

struct nvml_pci {
	char bus_id_legacy[16];
	unsigned domain, bus, device, pci_device_id, pci_subsystem_id;
	char bus_id[32];
};

struct nvml_utilization {
	unsigned gpu, memory;
};

struct nvml_memory {
	unsigned long long total, free, used;
};

struct nvml_field {
	unsigned field, scope;
	long long timestamp_us, latency_us;
	int value_type; /* nvmlValueType_t, as in values() */
	nvmlReturn_t result;
	union {
		double d;
		unsigned u;
		unsigned short us;
		unsigned long long ull;
	} value;
};

#define NVML(name, ...)                                                                            \
	nvmlReturn_t name(__VA_ARGS__);                                                            \
	EXPORT nvmlReturn_t name(__VA_ARGS__)

static double setting(const char *name, const struct standin_device *device, double otherwise)
{
	return standin_setting(name, device->board, otherwise);
}

/* What nvml.h has no information of for instances is refused for their handles. */
static bool is_instance(const struct standin_device *device)
{
	return device->instance >= 0;
}

/* Most questions have one number as answer. */
#define NUMBER(name, type, variable, otherwise, scale)                                             \
	NVML(name, nvmlDevice_t device, type *answer)                                              \
	{                                                                                          \
		if (!device || !answer)                                                            \
			return NVML_INVALID_ARGUMENT;                                              \
		if (is_instance(device))                                                           \
			return NVML_NOT_SUPPORTED;                                                 \
		*answer = (type)(setting(variable, device, otherwise) * (scale));                  \
		return NVML_SUCCESS;                                                               \
	}

NUMBER(nvmlDeviceGetPowerUsage, unsigned, "STANDIN_POWER_W", 180, 1000)
NUMBER(nvmlDeviceGetPowerManagementLimit, unsigned, "STANDIN_POWER_LIMIT_W", 250, 1000)
NUMBER(nvmlDeviceGetEnforcedPowerLimit, unsigned, "STANDIN_POWER_LIMIT_W", 250, 1000)
NUMBER(nvmlDeviceGetTotalEnergyConsumption, unsigned long long, "STANDIN_POWER_W", 180,
	(double)standin_monotonic() / 1e6)
NUMBER(nvmlDeviceGetCurrentClocksEventReasons, unsigned long long, "STANDIN_THROTTLE", 0, 1)
NUMBER(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long, "STANDIN_THROTTLE", 0, 1)

/*
 * The real one of driver 580 waits for a lock that it shares with the CUDA driver while that
 * initialises, and does not give it back: the next cuInit hangs. Seen on an H200; here it is an
 * end.
 */
NVML(nvmlInit_v2, void)
{
	if (standin_is_initialising()) {
		fputs("stand-in: nvmlInit during cuInit\n", stderr);
		abort();
	}
	return standin_fault("nonvml") || standin_fault("nodriver") ? NVML_DRIVER_NOT_LOADED
								    : NVML_SUCCESS;
}

NVML(nvmlInitWithFlags, unsigned flags)
{
	(void)flags;
	return nvmlInit_v2();
}

NVML(nvmlShutdown, void)
{
	return NVML_SUCCESS;
}

const char *nvmlErrorString(nvmlReturn_t result);
EXPORT const char *nvmlErrorString(nvmlReturn_t result)
{
	switch (result) {
	case NVML_SUCCESS: return "Success";
	case NVML_INVALID_ARGUMENT: return "Invalid Argument";
	case NVML_NOT_SUPPORTED: return "Not Supported";
	case NVML_NOT_FOUND: return "Not Found";
	case NVML_DRIVER_NOT_LOADED: return "Driver Not Loaded";
	default: return "Unknown Error";
	}
}

static nvmlReturn_t text(char *to, unsigned length, const char *from)
{
	if (!to || length <= strlen(from))
		return NVML_INVALID_ARGUMENT;
	strcpy(to, from);
	return NVML_SUCCESS;
}

NVML(nvmlSystemGetDriverVersion, char *version, unsigned length)
{
	return text(version, length, "580.0-stand-in");
}

NVML(nvmlSystemGetNVMLVersion, char *version, unsigned length)
{
	return text(version, length, "13.580.0-stand-in");
}

NVML(nvmlSystemGetCudaDriverVersion_v2, int *version)
{
	*version = 13000;
	return NVML_SUCCESS;
}

NVML(nvmlDeviceGetCount_v2, unsigned *count)
{
	*count = (unsigned)standin_config()->boards;
	return NVML_SUCCESS;
}

NVML(nvmlDeviceGetHandleByIndex_v2, unsigned index, nvmlDevice_t *device)
{
	*device = standin_board((int)index);
	return *device ? NVML_SUCCESS : NVML_INVALID_ARGUMENT;
}

NVML(nvmlDeviceGetUUID, nvmlDevice_t device, char *uuid, unsigned length)
{
	char made[48];

	standin_uuid_text(device, made);
	return text(uuid, length, made);
}

/*
 * Instances, by nvml.h: nvmlDeviceGetMaxMigDeviceCount "returns zero if MIG is not supported or
 * enabled"; an index without an instance is NVML_ERROR_NOT_FOUND.
 */
NVML(nvmlDeviceGetMigMode, nvmlDevice_t device, unsigned *current, unsigned *pending)
{
	*current = *pending = standin_instances(device->board) > 0;
	return is_instance(device) ? NVML_INVALID_ARGUMENT : NVML_SUCCESS;
}

NVML(nvmlDeviceGetMaxMigDeviceCount, nvmlDevice_t device, unsigned *count)
{
	*count = standin_instances(device->board) ? STANDIN_INSTANCES : 0;
	return NVML_SUCCESS;
}

NVML(nvmlDeviceGetMigDeviceHandleByIndex, nvmlDevice_t device, unsigned index,
	nvmlDevice_t *instance)
{
	*instance = standin_instance(device->board, (int)index);
	return *instance ? NVML_SUCCESS : NVML_NOT_FOUND;
}

NVML(nvmlDeviceIsMigDeviceHandle, nvmlDevice_t device, unsigned *is)
{
	*is = is_instance(device);
	return NVML_SUCCESS;
}

NVML(nvmlDeviceGetDeviceHandleFromMigDeviceHandle, nvmlDevice_t instance, nvmlDevice_t *device)
{
	*device = standin_board(instance->board);
	return is_instance(instance) ? NVML_SUCCESS : NVML_INVALID_ARGUMENT;
}

NVML(nvmlDeviceGetHandleByUUID, const char *uuid, nvmlDevice_t *device)
{
	char own[64];

	for (int i = 0; i < standin_config()->boards; i++) {
		*device = standin_board(i);
		if (nvmlDeviceGetUUID(*device, own, sizeof(own)) == NVML_SUCCESS &&
			!strcmp(own, uuid))
			return NVML_SUCCESS;
	}
	return NVML_NOT_FOUND;
}

/* Domains have 8 digits here and 4 in CUDA: the tail decides. */
NVML(nvmlDeviceGetHandleByPciBusId_v2, const char *id, nvmlDevice_t *device)
{
	size_t len = strlen(id);

	for (int i = 0; i < standin_config()->boards; i++) {
		*device = standin_board(i);
		if (len >= 7 && !strcasecmp((*device)->pci + 5, id + len - 7))
			return NVML_SUCCESS;
	}
	return NVML_NOT_FOUND;
}

NVML(nvmlDeviceGetIndex, nvmlDevice_t device, unsigned *index)
{
	*index = (unsigned)device->board;
	return NVML_SUCCESS;
}

NVML(nvmlDeviceGetName, nvmlDevice_t device, char *name, unsigned length)
{
	return text(name, length, device->name);
}

NVML(nvmlDeviceGetPciInfo_v3, nvmlDevice_t device, struct nvml_pci *pci)
{
	memset(pci, 0, sizeof(*pci));
	pci->bus = 0x10 + (unsigned)device->board;
	snprintf(pci->bus_id, sizeof(pci->bus_id), "0000%s", device->pci);
	memcpy(pci->bus_id_legacy, device->pci, strlen(device->pci));
	return NVML_SUCCESS;
}

/*
 * nvml.h: "In MIG mode, if device handle is provided, the API returns aggregate information, only
 * if the caller has appropriate privileges. Per-instance information can be queried by using
 * specific MIG device handles."
 */
NVML(nvmlDeviceGetMemoryInfo, nvmlDevice_t device, struct nvml_memory *memory)
{
	if (!is_instance(device) && standin_instances(device->board))
		return NVML_NO_PERMISSION;
	memory->total = standin_config()->memory;
	memory->used = atomic_load(&device->used);
	memory->free = memory->total - memory->used;
	return NVML_SUCCESS;
}

/* nvml.h: "On MIG-enabled GPUs, querying device utilization rates is not currently supported." */
NVML(nvmlDeviceGetUtilizationRates, nvmlDevice_t device, struct nvml_utilization *rates)
{
	if (standin_instances(device->board))
		return NVML_NOT_SUPPORTED;
	rates->gpu = (unsigned)setting("STANDIN_UTIL", device, 85);
	rates->memory = rates->gpu / 2;
	return NVML_SUCCESS;
}

NVML(nvmlDeviceGetClockInfo, nvmlDevice_t device, int type, unsigned *mhz)
{
	if (is_instance(device))
		return NVML_NOT_SUPPORTED;
	*mhz = (unsigned)(type == CLOCK_MEM ? setting("STANDIN_MEM_CLOCK", device, 5001)
					    : setting("STANDIN_SM_CLOCK", device, 1980));
	return type > CLOCK_VIDEO ? NVML_INVALID_ARGUMENT : NVML_SUCCESS;
}

NVML(nvmlDeviceGetMaxClockInfo, nvmlDevice_t device, int type, unsigned *mhz)
{
	if (is_instance(device))
		return NVML_NOT_SUPPORTED;
	*mhz = (unsigned)(type == CLOCK_MEM ? setting("STANDIN_MEM_CLOCK_MAX", device, 5001)
					    : setting("STANDIN_SM_CLOCK_MAX", device, 1980));
	return type > CLOCK_VIDEO ? NVML_INVALID_ARGUMENT : NVML_SUCCESS;
}

/* Processor time that the first question takes, as cold code does. */
static void cold(void)
{
	static _Atomic int warm;
	double ms = standin_setting("STANDIN_NVML_COLD_MS", 0, 0);
	struct timespec t;
	double until;

	if (atomic_exchange(&warm, 1))
		return;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	until = (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6 + ms;
	while ((double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6 < until)
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
}

NVML(nvmlDeviceGetTemperature, nvmlDevice_t device, int sensor, unsigned *celsius)
{
	cold();
	*celsius = (unsigned)setting("STANDIN_TEMPERATURE", device, 55);
	return sensor ? NVML_INVALID_ARGUMENT : NVML_SUCCESS;
}

/* As in the real one, a call that the library's end overtakes has nothing to work on. */
static _Atomic int calls;

__attribute__((destructor)) static void end(void)
{
	if (calls)
		_exit(70);
}

NVML(nvmlDeviceGetPcieThroughput, nvmlDevice_t device, int counter, unsigned *kbytes_s)
{
	calls++;
	usleep((useconds_t)setting("STANDIN_PCIE_US", device, 0));
	calls--;
	*kbytes_s = (unsigned)setting(counter == PCIE_TX ? "STANDIN_PCIE_TX_KBS"
							 : "STANDIN_PCIE_RX_KBS",
		device, counter == PCIE_TX ? 120000 : 450000);
	return counter > PCIE_RX ? NVML_INVALID_ARGUMENT : NVML_SUCCESS;
}

/* nvml.h's union of values: the type decides which of them counts; the others are noise. */
static void value_set(struct nvml_field *field, int type, double value)
{
	memset(&field->value, 0xa5, sizeof(field->value));
	field->value_type = type;
	switch (type) {
	case 0: field->value.d = value; return;
	case 1:
	case 5: field->value.u = (unsigned)value; return;
	case 6: field->value.us = (unsigned short)value; return;
	default: field->value.ull = (unsigned long long)value; return;
	}
}

/*
 * NVLink's counters, KiB since some time: only devices that are given a rate have links. As in
 * the real one the scope is a link, or UINT_MAX for all of them; those of NVLink 5 are bytes of
 * one link.
 */
static bool is_link(const struct nvml_field *field, bool is_fifth)
{
	if (is_fifth)
		return (field->field == FIELD_LINK_TX || field->field == FIELD_LINK_RX) &&
			field->scope < NVLINKS;
	return (field->field == FIELD_NVLINK_TX || field->field == FIELD_NVLINK_RX) &&
		(field->scope == UINT_MAX || field->scope < NVLINKS);
}

NVML(nvmlDeviceGetFieldValues, nvmlDevice_t device, int count, struct nvml_field *fields)
{
	if (is_instance(device))
		return NVML_NOT_SUPPORTED;
	double kib_s = setting("STANDIN_NVLINK_KIBS", device, 0);
	bool is_fifth = setting("STANDIN_NVLINK5", device, 0) > 0;

	for (int i = 0; i < count; i++) {
		bool all = fields[i].scope == UINT_MAX;

		fields[i].result = kib_s > 0 && is_link(&fields[i], is_fifth) ? NVML_SUCCESS
									      : NVML_NOT_SUPPORTED;
		fields[i].timestamp_us = (long long)(standin_monotonic() / 1000);
		value_set(&fields[i], (int)setting("STANDIN_NVML_TYPE", device, 3),
			(setting("STANDIN_NVLINK_KIB", device, 0) +
				kib_s / (all ? 1 : NVLINKS) * (double)standin_monotonic() / 1e9) *
				(is_fifth ? 1024 : 1));
	}
	return NVML_SUCCESS;
}
