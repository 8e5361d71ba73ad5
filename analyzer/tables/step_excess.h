/*
 * step_excess.h - how much longer than the others a rank took for its own part of a step, and the
 * parts that such time consists of.
 */
#ifndef ANALYZER_STEP_EXCESS_H
#define ANALYZER_STEP_EXCESS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/states.h"

struct window_rank;

/* The rank had the step, and not outside of the capture window, where nobody knows what it did. */
bool step_is_captured(const struct window_rank *rank);

/*
 * Sets `excess` of each rank whose step was captured: its time then, without waiting for
 * others in MPI and collective I/O, minus the (lower) median of that of the other ranks. Returns
 * how many there are; with fewer than 2, excess is 0.
 */
size_t step_excess_set(struct window_rank *ranks, size_t n);

/* Parts of a rank's own time, each a cause of being slow. */
enum part {
	PART_COMPUTE,
	PART_HOST, /* calls of devices, idle OpenMP threads, and waiting but for what follows */
	PART_IO,
	PART_LINK, /* moving data */
	PART_SLEEP,
	PART_READERS, /* waiting for threads and children that read */
	PART_COUNT
};

/* Of which part a state is, if the rank was recorded; PART_HOST is then divided further. */
static inline enum part step_part(int state)
{
	return state == HOST_USEFUL	   ? PART_COMPUTE
		: state == HOST_IO	   ? PART_IO
		: host_communicates(state) ? PART_LINK
					   : PART_HOST;
}

#endif
