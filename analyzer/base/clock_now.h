/* clock_now.h - what time it is, in ns. */
#ifndef ANALYZER_CLOCK_NOW_H
#define ANALYZER_CLOCK_NOW_H

#include <stdint.h>
#include <time.h>

/* Reads `clock`: CLOCK_MONOTONIC for intervals, CLOCK_REALTIME for dates. */
static inline int64_t clock_now_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

#endif
