/*
 * GPM of the stand-in libnvidia-ml, by nvml.h of CUDA 13: a sample has counters since boot, and figures
 * are those between two samples of one device. Devices have it from STANDIN_GPM on (1, as Hopper).
 */
#include "standin.h"

#include <stdlib.h>

#define EXPORT STANDIN_EXPORT

enum { NVML_SUCCESS, NVML_INVALID_ARGUMENT = 2, NVML_NOT_SUPPORTED, NVML_NO_DATA = 21 };
enum { NVML_VERSION_MISMATCH = 25, GPM_METRIC_MAX = 333, GPM_VERSION = 1 };

/* "The interval between these two nvmlGpmSampleGet() calls should be greater than 100ms". */
#define REFRESH_NS 100000000ll

/* Percent, and links in MiB/s, from the environment. */
static const struct {
	unsigned id;
	const char *variable;
	double otherwise;
} known[] = {
	{ 2, "STANDIN_GPM_SM", 80 },
	{ 3, "STANDIN_GPM_OCCUPANCY", 40 },
	{ 5, "STANDIN_GPM_TENSOR", 30 },
	{ 10, "STANDIN_GPM_DRAM", 50 },
	{ 20, "STANDIN_GPM_PCIE_TX", 100 },
	{ 21, "STANDIN_GPM_PCIE_RX", 200 },
	{ 60, "STANDIN_GPM_NVLINK_RX", 0 },
	{ 61, "STANDIN_GPM_NVLINK_TX", 0 },
};

enum { KNOWN = sizeof(known) / sizeof(*known) };

typedef struct nvmlGpmSample_st {
	const struct standin_device *device; /* NULL: it has not been taken */
	long long ns;
	double counters[KNOWN];
} * nvmlGpmSample_t;

typedef struct {
	unsigned metric;
	int result;
	double value;
	struct {
		char *short_name, *long_name, *unit;
	} info;
} nvmlGpmMetric_t;

typedef struct {
	unsigned version, n;
	nvmlGpmSample_t sample1, sample2;
	nvmlGpmMetric_t metrics[GPM_METRIC_MAX];
} nvmlGpmMetricsGet_t;

typedef struct {
	unsigned version, is_supported;
} nvmlGpmSupport_t;

#define NVML(name, ...)                                                                            \
	int name(__VA_ARGS__);                                                                     \
	EXPORT int name(__VA_ARGS__)

static bool has_gpm(const struct standin_device *device)
{
	return standin_setting("STANDIN_GPM", device->board, 0) > 0 && device->instance < 0 &&
		!standin_instances(device->board);
}

NVML(nvmlGpmQueryDeviceSupport, struct standin_device *device, nvmlGpmSupport_t *support)
{
	if (!device || !support)
		return NVML_INVALID_ARGUMENT;
	if (support->version != GPM_VERSION)
		return NVML_VERSION_MISMATCH;
	support->is_supported = has_gpm(device);
	return NVML_SUCCESS;
}

NVML(nvmlGpmSampleAlloc, nvmlGpmSample_t *sample)
{
	*sample = calloc(1, sizeof(**sample));
	return NVML_SUCCESS;
}

NVML(nvmlGpmSampleFree, nvmlGpmSample_t sample)
{
	free(sample);
	return NVML_SUCCESS;
}

NVML(nvmlGpmSampleGet, struct standin_device *device, nvmlGpmSample_t sample)
{
	if (!device || !sample)
		return NVML_INVALID_ARGUMENT;
	if (!has_gpm(device))
		return NVML_NOT_SUPPORTED;
	sample->device = device;
	sample->ns = (long long)standin_monotonic();
	for (int i = 0; i < KNOWN; i++)
		sample->counters[i] = (double)sample->ns *
			standin_setting(known[i].variable, device->board, known[i].otherwise);
	return NVML_SUCCESS;
}

/* What a caller leaves out is as much a fault of its as a wrong version. */
NVML(nvmlGpmMetricsGet, nvmlGpmMetricsGet_t *get)
{
	if (!get || !get->sample1 || !get->sample2 || get->n > GPM_METRIC_MAX)
		return NVML_INVALID_ARGUMENT;
	if (get->version != GPM_VERSION)
		return NVML_VERSION_MISMATCH;
	if (!get->sample1->device || get->sample1->device != get->sample2->device)
		return NVML_INVALID_ARGUMENT;
	for (unsigned m = 0; m < get->n; m++) {
		double ns = (double)(get->sample2->ns - get->sample1->ns);

		get->metrics[m].result = NVML_NOT_SUPPORTED;
		for (int i = 0; i < KNOWN; i++) {
			if (known[i].id != get->metrics[m].metric)
				continue;
			get->metrics[m].result = ns > REFRESH_NS ? NVML_SUCCESS : NVML_NO_DATA;
			get->metrics[m].value = (get->sample2->counters[i] -
							get->sample1->counters[i]) /
				ns;
		}
	}
	return NVML_SUCCESS;
}
