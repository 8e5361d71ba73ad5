/* hw_counters.c - see work.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "analyze/analysis.h"
#include "metrics/metric.h"
#include "tables/hw_counters.h"

#define BLURRED_MOST 0.01 /* of what was counted; with more the state is a guess */

/* Names of PAPI and perf. */
static int counter_of(const char *name)
{
	static const struct {
		const char *name;
		enum hw_counters_counter counter;
	} names[] = {
		{ "PAPI_TOT_INS", WORK_INSTRUCTIONS },
		{ "PAPI_TOT_CYC", WORK_CYCLES },
		{ "instructions", WORK_INSTRUCTIONS },
		{ "cycles", WORK_CYCLES },
		{ "instructions:u", WORK_INSTRUCTIONS },
		{ "cycles:u", WORK_CYCLES },
		{ "cpu-cycles", WORK_CYCLES },
		{ "perf::INSTRUCTIONS", WORK_INSTRUCTIONS },
		{ "perf::CYCLES", WORK_CYCLES },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i].name) == 0)
			return names[i].counter;
	return -1;
}

static void count_take(struct track *track, struct hw_counters_count *count, int64_t t,
	double value)
{
	double growth = value - count->last;

	if (count->any && growth > 0) {
		count->all += growth;
		if (track->since > count->last_t)
			count->blurred += growth;
		else if (track->state == HOST_USEFUL)
			count->useful += growth;
	}
	count->any = true;
	count->last = value;
	count->last_t = t;
}

void hw_counters_take(struct track *track, const struct in_metric *metric,
	const struct event *event)
{
	const struct archive *archive = &track->analysis->archive;

	for (uint32_t i = 0; i < metric->n && i < event->tag; i++) {
		const struct in_metric_member *member = metric->members[i] == IDMAP_NONE
			? NULL
			: &archive->metric_members.at[metric->members[i]];
		int counter = member && member->accumulated ? counter_of(member->name) : -1;

		if (counter >= 0)
			count_take(track, &track->work.of[counter], event->t,
				metric_number(event->types[i], event->values[i]));
	}
}

struct hw_counters_sums {
	struct hw_counters_count of[WORK_COUNTERS];
	double useful_ns;
	uint32_t nranks, ncounted;
};

static struct hw_counters_sums ranks_sum(const struct analysis *analysis)
{
	struct hw_counters_sums sums = { 0 };

	for (size_t i = 0; i < analysis->model.locations.n; i++) {
		const struct track *track = &analysis->tracks[i];

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

void metric_hw_write(struct analysis *analysis)
{
	struct hw_counters_sums sums = ranks_sum(analysis);
	const char *why = missing(&sums);
	double instructions = why ? NAN : sums.of[WORK_INSTRUCTIONS].useful;
	double cycles = why ? NAN : sums.of[WORK_CYCLES].useful;

	if (!sums.of[WORK_INSTRUCTIONS].any && !sums.of[WORK_CYCLES].any)
		return;
	metric_put(analysis, "run", METRIC_host_useful_instructions, instructions, why);
	metric_put(analysis, "run", METRIC_host_useful_cycles, cycles, why);
	metric_put(analysis, "run", METRIC_host_useful_ipc,
		cycles > 0 ? instructions / cycles : NAN, why);
	metric_put(analysis, "run", METRIC_host_useful_frequency,
		sums.useful_ns > 0 ? 1e9 * cycles / sums.useful_ns : NAN, why);
}
