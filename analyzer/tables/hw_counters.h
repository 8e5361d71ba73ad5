/*
 * hw_counters.h - instructions and cycles of useful time, where threads recorded hardware counters at their
 * own calls (Score-P with PAPI or perf).
 */
#ifndef ANALYZER_HW_COUNTERS_H
#define ANALYZER_HW_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/states.h"
#include "otf2/otf2_in.h"

enum hw_counters_counter { WORK_INSTRUCTIONS, WORK_CYCLES, WORK_COUNTERS };

/*
 * Hardware counters of a location. The growth between two readings belongs to the state in between.
 */
struct work {
	struct hw_counters_count {
		double last; /* reading */
		int64_t last_t;
		bool any;
		double useful, all;
		double blurred; /* of all: the state changed in between */
	} of[WORK_COUNTERS];
};

/* A metric event of a thread's own, which is in `now`. */
void hw_counters_take(struct work *work, const struct host_now *now, const struct archive *archive,
	const struct in_metric *metric, const struct event *event);

#endif
