/* hw_counters.c - see hw_counters.h. */
#include "config.h"

#include <string.h>

#include "tables/tables.h"
#include "tables/hw_counters.h"

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

static void count_take(const struct host_now *now, struct hw_counters_count *count, int64_t t,
	double value)
{
	double growth = value - count->last;

	if (count->any && growth > 0) {
		count->all += growth;
		if (now->since > count->last_t)
			count->blurred += growth;
		else if (now->state == HOST_USEFUL)
			count->useful += growth;
	}
	count->any = true;
	count->last = value;
	count->last_t = t;
}

void hw_counters_take(struct work *work, const struct host_now *now, const struct archive *archive,
	const struct in_metric *metric, const struct event *event)
{
	for (uint32_t i = 0; i < metric->n && i < event->tag; i++) {
		const struct in_metric_member *member = metric->members[i] == IDMAP_NONE
			? NULL
			: &archive->metric_members.at[metric->members[i]];
		int counter = member && member->accumulated ? counter_of(member->name) : -1;

		if (counter >= 0)
			count_take(now, &work->of[counter], event->t,
				metric_number(event->types[i], event->values[i]));
	}
}
