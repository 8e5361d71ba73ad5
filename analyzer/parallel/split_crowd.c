/* split_crowd.c - see split_crowd.h. */
#include "config.h"

#include "base/clock_now.h"
#include "base/guard.h"
#include "parallel/split_crowd.h"

enum { DECIDES_NS = 500000000 };

bool crowd_is_there(struct crowd *crowd)
{
	int64_t now = clock_now_ns(CLOCK_MONOTONIC);
	struct crowd seen = { .looked_ns = now };
	bool is_there;

	if (crowd->looked_ns && now - crowd->looked_ns < DECIDES_NS)
		return false;
	if (!guard_helpers_ran(&seen.ran, &seen.waited))
		return false;
	is_there = crowd->looked_ns && 2 * (seen.waited - crowd->waited) > seen.ran - crowd->ran;
	*crowd = seen;
	return is_there;
}
