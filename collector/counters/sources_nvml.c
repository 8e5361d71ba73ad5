/* sources_nvml.c - NVML's last reading of each GPU of the node, as metrics; see sources.h. */
#include "config.h"

#include <string.h>

#include "counters/nvml.h"
#include "counters/sources.h"

bool tacho_sources_may_start;

/*
 * Energy as of now: the reading is up to a period old, so the power extrapolates it. Never less
 * than the value reported before.
 */
static void energy_advance(struct nvml_reading *reading, uint64_t *reported, uint64_t now_ns)
{
	uint64_t *energy = &reading->value[NVML_ENERGY];

	if (!(reading->has >> NVML_ENERGY & 1))
		return;
	if (reading->has >> NVML_POWER & 1 && now_ns > reading->time_ns)
		*energy += reading->value[NVML_POWER] * ((now_ns - reading->time_ns) / 1000) /
			1000000;
	if (*energy < *reported)
		*energy = *reported;
	*reported = *energy;
}

void nvml_read(const struct counter *source, struct sample_set *set)
{
	static const struct {
		const char *name, *unit;
		enum spool_metric_mode mode;
	} metrics[NVML_METRIC_COUNT] = {
#define METRIC(id, name, unit, mode) [NVML_##id] = { "." name, unit, mode },
		NVML_METRICS(METRIC)
#undef METRIC
	};
	static struct nvml_reading readings[NVML_DEVICES];
	static uint64_t energy[NVML_DEVICES];
	unsigned n = nvml_take(readings, tacho_sources_may_start);

	(void)source;
	for (unsigned gpu = 0; gpu < n; gpu++) {
		const char *key = nvml_number(gpu);

		energy_advance(&readings[gpu], &energy[gpu], clock_monotonic_ns());
		for (unsigned i = 0; i < NVML_METRIC_COUNT; i++)
			if (readings[gpu].has >> i & 1)
				set_add(set,
					&(struct metric_kind){ "gpu.", metrics[i].name,
						metrics[i].unit, nvml_uuid(gpu), metrics[i].mode },
					key, strlen(key), readings[gpu].value[i]);
	}
}
