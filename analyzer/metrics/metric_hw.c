/* metric_hw.c - instructions and cycles of useful time; see metric.h and ../tables/hw_counters.h. */
#include "config.h"

#include <math.h>

#include "engine/engine.h"
#include "metrics/metric.h"
#include "tables/hw_counters.h"

#define BLURRED_MOST 0.01 /* share of the counts; above it the state is a guess */

struct hw_counters_sums {
	struct hw_counters_count of[WORK_COUNTERS];
	double useful_ns;
	uint32_t nranks, ncounted;
};

static struct hw_counters_sums ranks_sum(const struct engine *engine)
{
	struct hw_counters_sums sums = { 0 };

	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		const struct track *track = &engine->tracks[i];

		if (!track->is_rank || !track->any)
			continue;
		sums.nranks++;
		sums.ncounted += track->work.of[WORK_INSTRUCTIONS].any &&
			track->work.of[WORK_CYCLES].any;
		sums.useful_ns += (double)track->spent[HOST_USEFUL];
		for (int k = 0; k < WORK_COUNTERS; k++) {
			sums.of[k].any |= track->work.of[k].any;
			sums.of[k].useful += track->work.of[k].useful;
			sums.of[k].all += track->work.of[k].all;
			sums.of[k].blurred += track->work.of[k].blurred;
		}
	}
	return sums;
}

static const char *missing(const struct hw_counters_sums *sums)
{
	if (sums->ncounted < sums->nranks)
		return "instructions and cycles were not counted on every rank";
	for (int k = 0; k < WORK_COUNTERS; k++)
		if (sums->of[k].blurred > BLURRED_MOST * sums->of[k].all)
			return "the counters were not read where calls begin and end";
	return NULL;
}

void metric_hw_write(struct engine *engine)
{
	struct hw_counters_sums sums = ranks_sum(engine);
	const char *why = missing(&sums);
	double instructions = why ? NAN : sums.of[WORK_INSTRUCTIONS].useful;
	double cycles = why ? NAN : sums.of[WORK_CYCLES].useful;

	if (!sums.of[WORK_INSTRUCTIONS].any && !sums.of[WORK_CYCLES].any)
		return;
	metric_put(engine, "run", METRIC_host_useful_instructions, instructions, why);
	metric_put(engine, "run", METRIC_host_useful_cycles, cycles, why);
	metric_put(engine, "run", METRIC_host_useful_ipc, cycles > 0 ? instructions / cycles : NAN,
		why);
	metric_put(engine, "run", METRIC_host_useful_frequency,
		sums.useful_ns > 0 ? 1e9 * cycles / sums.useful_ns : NAN, why);
}
