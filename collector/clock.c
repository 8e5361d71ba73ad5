/* clock.c - the process's clock: the invariant TSC where the kernel uses it, else CLOCK_MONOTONIC. */
#include "config.h"

#include <time.h>

#include "span.h"

bool tacho_clock_is_tsc;

uint64_t clock_monotonic_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
