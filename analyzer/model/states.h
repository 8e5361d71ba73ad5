/* states.h - states of a host thread or a device, and their names in the database. */
#ifndef ANALYZER_STATES_H
#define ANALYZER_STATES_H

#include <stdbool.h>
#include <stdint.h>

#include "tacho/part.h"
#include "tacho/trace.h"

enum device_state {
#define STATE(id, name) DEVICE_##id,
	DEVICE_STATES(STATE)
#undef STATE
		DEVICE_STATE_COUNT
};

/* Shorter waits, in ns, are a check whether there is something, and no reason for anything. */
enum { PATH_WAIT_LEAST = 10000 };

/*
 * Sums of what of a step is not in detail, by enum totals_part, in ns; and how many events gave them: 0,
 * they are not known.
 */
enum { STEP_SUMS_GIVEN = TOTALS_PARTS, STEP_SUMS };

/* A thread's state, its begin, and the time spent in each state before. */
struct host_now {
	enum host_state state;
	int64_t since;
	const int64_t *spent; /* by state */
};

/* Time of which no event exists: outside the capture window, lost, or summed. */
static inline int64_t host_absent(const int64_t spent[HOST_STATE_COUNT])
{
	return spent[HOST_ABSENT] + spent[HOST_LOST] + spent[HOST_SUMMED];
}

/*
 * States of the whole time: summed time is split into the states of its outermost calls, the
 * remainder is useful. Sums larger than the time are cut.
 */
void host_whole(const int64_t spent[HOST_STATE_COUNT], const int64_t summed[HOST_ABSENT],
	int64_t whole[HOST_STATE_COUNT]);

/* Whether a host in that state communicates: POP's factors are about the time outside of it. */
static inline bool host_communicates(int state)
{
	return state == HOST_MPI || state == HOST_GLOO;
}

extern const char *const host_state_names[HOST_STATE_COUNT];
extern const char *const device_state_names[DEVICE_STATE_COUNT];

#endif
