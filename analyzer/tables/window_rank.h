/* window_rank.h - measurements of a rank in a window: in the run, a phase or a step. */
#ifndef ANALYZER_WINDOW_RANK_H
#define ANALYZER_WINDOW_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "model/states.h"
#include "tacho/trace.h"

struct window_rank { /* one rank's part of a window */
	int64_t spent[HOST_STATE_COUNT];
	int64_t summed[HOST_ABSENT]; /* outermost calls of spent[HOST_SUMMED], by state */
	int64_t stepped[STEP_SUMS];  /* … of a step, by part */
	int64_t here;		     /* sum of the rank's intervals of the window */
	int64_t waited;		     /* in MPI for other ranks */
	int64_t waited_io;	/* … of it in collective I/O, which is no time of state mpi */
	int64_t waited_readers; /* of state wait: for children and threads that read */
	int64_t in_sockets;	/* … for other ranks through sockets */
	int64_t waited_sockets; /* … of it, and of `waited`, until they wrote */
	int64_t slept;		/* … in calls that wait for a time that the program gave */
	int64_t parts[TRAINING_COUNT]; /* of a training; they add up to `here` */
	int64_t caused;		       /* what other ranks waited in MPI for this one, in steps */
	/* the same as `waited` for members of collectives that did not gate it, in steps */
	int64_t held;
	int64_t open;		     /* calls of which that is not known yet */
	int64_t excess;		     /* of a step: see step_excess_set() */
	uint32_t against;	     /* … the process that it is compared with */
	int64_t rest;		     /* of a phase: in instances without a row */
	uint32_t instances;	     /* of a phase, begun */
	int64_t start, end, samples; /* of a step; end: of the last instance of a phase */
	/* id of the innermost phase around the step, 0: none; of a phase: of the last row */
	int64_t phase;
	bool sampled, truncated; /* of a step: samples is set; it had not ended */
	bool any;
};

#endif
