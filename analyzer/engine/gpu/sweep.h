/*
 * sweep.h - GPU activity states: the state of each device at each time, over all its streams, and
 * the causes of its idle time. Advances in a device's time as far as everything before is known;
 * keeps events until then and no longer.
 */
#ifndef ANALYZER_SWEEP_H
#define ANALYZER_SWEEP_H

#include "engine/gpu/idle.h"
#include "engine/gpu/sample_share.h"
#include "engine/mpi/replay.h"
#include "model/states.h"

struct device_sums {
	int64_t ns[DEVICE_STATE_COUNT]; /* without absent, which no figure counts */
	int64_t present;		/* the sum that they must have, by the window's cuts */
	int64_t nccl, overlapped;	/* time with NCCL at work; also with compute */
	/* of a phase: compute kernels launched in it, whenever they ran */
	int64_t launched;
};

/* A stretch of the run with separate figures, over all devices. */
struct device_window {
	char *name;		  /* of the rows; set when it is closed */
	struct device_sums *sums; /* by device */
	int64_t measured, replayed[SCENARIO_COUNT];
	uint32_t references; /* parts that devices have not come past yet */
	bool closed;	     /* all ranks have had it */
};

/* The trace lacks other participants of NCCL operations. */
#define SPLIT_UNKNOWN INT64_MIN

/* An activity, as the sweep needs it. */
struct activity_span {
	int64_t start, stop, split; /* split: NCCL has waited until then; or SPLIT_UNKNOWN */
	enum activity_class class;  /* ACTIVITY_NONE: the device is not in detail */
	int64_t launched;	    /* INT64_MAX: not known */
	uint64_t recorded, missed;  /* where the device is not in detail: see struct sweep_off */
	int64_t bare;
	uint32_t thread;	    /* location that launched it */
	struct cause_totals totals; /* its, then */
};

struct cut {
	int64_t t;
	struct device_window *window;
	bool begins;
};

struct idle_piece {
	int64_t t;
	size_t totals, windows, nwindows;
}; /* places in the arrays of the gap */

/*
 * There are only sums of a stream from then until then; launches before it and in it, and how long the latter would
 * have taken if nothing had been switched. 0: not known.
 */
struct sweep_off {
	int64_t from, until;
	uint64_t recorded, missed;
	int64_t bare;
};

struct sweep_sample {
	bool is_out;		   /* now is not in detail */
	double all, compute, idle; /* of the run, when the present piece began */
	struct sample_piece next;  /* what was missed before it; time 0: the first one */
	bool counts;		   /* launches are known */
	ARRAY_OF(struct sample_block) blocks;
};

struct device_sweep {
	bool begun, over;
	int64_t at;
	struct span_queue {
		ARRAY_OF(struct activity_span) spans;
		size_t head;
	} * queues; /* by stream of the device */
	/* of all processes that use it: locations */
	ARRAY_OF(uint32_t) threads;
	struct history_cursor *cursors; /* by thread */
	ARRAY_OF(struct cut) cuts;
	size_t next_cut;
	ARRAY_OF(struct open_cut {
		struct device_window *window;
		uint32_t n;
	})
	open;
	/* of the present gap; none: the device is at work */
	ARRAY_OF(struct idle_piece) pieces;
	ARRAY_OF(struct cause_totals) piece_totals;
	ARRAY_OF(struct device_window *) piece_windows;
	uint32_t last_thread; /* that launched here */
	struct device_sums run;
	struct sweep_sample sample;
};

struct engine;
struct track;

int sweeps_open(struct engine *engine);
void sweeps_close(struct engine *engine);

/*
 * The stream's present activity is complete; NCCL has waited until `split`, or SPLIT_UNKNOWN. 0, or -1 without memory
 * (reported).
 */
int sweep_add(struct track *track, int64_t split);

/* The same of a time of which there are only sums. */
int sweep_add_summed(struct track *track, const struct sweep_off *off);

/* Goes on with the devices of the track's process, as far as is known now. */
void sweep_progress(struct track *track);

/* All locations that have to do with the device are over, or all at all. */
void sweep_finish(struct engine *engine, uint32_t device);
void sweeps_finish(struct engine *engine);

/* A window for sums over devices; NULL without devices or memory. */
struct device_window *device_window_new(struct engine *engine);

/* A rank enters or leaves the window. */
void device_window_cut(struct track *track, struct device_window *window, int64_t t, bool begins);

/* No rank will enter it any more: its rows are written as soon as all devices have come past. */
void device_window_close(struct engine *engine, struct device_window *window, const char *name,
	int64_t measured, const int64_t replayed[SCENARIO_COUNT]);
void device_window_free(struct device_window *window);

/* One part less that a device has not come past yet; after the last of a closed one it is freed. */
void device_window_drop(struct engine *engine, struct device_window *window);

/* Index of a thread among the threads of the sweep; SIZE_MAX: it has none. */
size_t sweep_thread(const struct device_sweep *sweep, uint32_t location);

/* --- sweep_sample.c --- */

/* The device is in detail from its present time on (NULL), or not. 0, or -1 without memory. */
int sweep_sample_note(struct device_sweep *sweep, const struct activity_span *off);

/* --- sweep_gap.c --- */

/*
 * A piece of the device's gap begins at t: totals of all threads, and the windows that it counts
 * for. 0, or -1 without memory (reported).
 */
int gap_piece(struct engine *engine, struct device_sweep *sweep, int64_t t);

/* The gap ends at t, with the span `first`, or (NULL) with the end of everything. */
void gap_end(struct engine *engine, struct device_sweep *sweep, int64_t t,
	const struct activity_span *first);

#endif
