/* nvml_gpm.c - see nvml_gpm.h. Functions and structs are written down as nvml.h has them since CUDA 12. */
#include "config.h"

#include <dlfcn.h>
#include <string.h>

#include "counters/nvml_gpm.h"

/*
 * nvmlGpmMetricsGet_t ends in an array that grew from 98 (driver 520) to 333 (driver 580) metrics; NVML
 * reads and writes only the first `n`.
 */
enum { VERSION = 1, GPM_METRICS = 333 };

struct gpm_metric {
	unsigned id;
	int result;
	double value;
	char *names[3];
};

struct gpm_metrics {
	unsigned version, n;
	void *before, *after;
	struct gpm_metric metrics[GPM_METRICS];
};

struct gpm_support {
	unsigned version, is_supported;
};

static struct {
	int (*QueryDeviceSupport)(void *, struct gpm_support *);
	int (*SampleAlloc)(void **);
	int (*SampleGet)(void *, void *);
	int (*MetricsGet)(struct gpm_metrics *);
} gpm;

/* The two samples of each, the latest first; NULL: it has no GPM. */
static void *samples[NVML_GPUS][2];

/*
 * METRIC(NVML's number, ours, factor from NVML's unit to ours, another of ours that is better):
 * links may have counters, which are exact.
 */
#define MIB 1048576.0
#define METRICS(METRIC)                                                                            \
	METRIC(2, SM_ACTIVE, 100, SM_ACTIVE)                                                       \
	METRIC(3, SM_OCCUPANCY, 100, SM_OCCUPANCY)                                                 \
	METRIC(5, TENSOR_ACTIVE, 100, TENSOR_ACTIVE)                                               \
	METRIC(10, DRAM_ACTIVE, 100, DRAM_ACTIVE)                                                  \
	METRIC(20, PCIE_TX_RATE, MIB, PCIE_TX)                                                     \
	METRIC(21, PCIE_RX_RATE, MIB, PCIE_RX)                                                     \
	METRIC(60, NVLINK_RX_RATE, MIB, NVLINK_RX)                                                 \
	METRIC(61, NVLINK_TX_RATE, MIB, NVLINK_TX)

static const struct {
	uint16_t number;
	uint8_t metric, better;
	double unit;
} wanted[] = {
#define METRIC(number, metric, unit, better) { number, NVML_##metric, NVML_##better, unit },
	METRICS(METRIC)
#undef METRIC
};

enum { WANTED = sizeof(wanted) / sizeof(*wanted) };

void nvml_gpm_find(void *library)
{
	gpm.QueryDeviceSupport = (int (*)(void *, struct gpm_support *))dlsym(library,
		"nvmlGpmQueryDeviceSupport");
	gpm.SampleAlloc = (int (*)(void **))dlsym(library, "nvmlGpmSampleAlloc");
	gpm.SampleGet = (int (*)(void *, void *))dlsym(library, "nvmlGpmSampleGet");
	gpm.MetricsGet = (int (*)(struct gpm_metrics *))dlsym(library, "nvmlGpmMetricsGet");
}

bool nvml_gpm_start(unsigned gpu, void *device)
{
	struct gpm_support support = { .version = VERSION };

	if (gpu >= NVML_GPUS || !gpm.QueryDeviceSupport || !gpm.SampleAlloc || !gpm.SampleGet ||
		!gpm.MetricsGet || gpm.QueryDeviceSupport(device, &support) ||
		!support.is_supported)
		return false;
	for (int i = 0; i < 2; i++)
		if (!samples[gpu][i] && gpm.SampleAlloc(&samples[gpu][i]))
			return false;
	if (!gpm.SampleGet(device, samples[gpu][0]))
		return true;
	samples[gpu][0] = NULL; /* as of a GPU that is shared out */
	return false;
}

void nvml_gpm_read(unsigned gpu, void *device, struct nvml_reading *reading)
{
	static struct gpm_metrics metrics;
	void *before;

	if (gpu >= NVML_GPUS || !samples[gpu][0] || !samples[gpu][1] ||
		gpm.SampleGet(device, samples[gpu][1]))
		return;
	before = samples[gpu][0];
	samples[gpu][0] = samples[gpu][1];
	samples[gpu][1] = before;
	metrics.version = VERSION;
	metrics.n = WANTED;
	metrics.before = before;
	metrics.after = samples[gpu][0];
	for (unsigned i = 0; i < WANTED; i++)
		metrics.metrics[i] = (struct gpm_metric){ .id = wanted[i].number };
	if (gpm.MetricsGet(&metrics))
		return;
	for (unsigned i = 0; i < WANTED; i++) {
		const struct gpm_metric *metric = &metrics.metrics[i];

		if (metric->result || !(metric->value >= 0) ||
			(wanted[i].better != wanted[i].metric &&
				reading->has >> wanted[i].better & 1))
			continue;
		reading->has |= 1u << wanted[i].metric;
		reading->value[wanted[i].metric] = (uint64_t)(metric->value * wanted[i].unit + 0.5);
	}
}

void nvml_gpm_forked(void)
{
	memset(samples, 0, sizeof(samples));
}
