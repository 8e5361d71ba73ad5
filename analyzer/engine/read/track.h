/*
 * track.h - one location on its way through its events: the stack of regions, the host state (the
 * outermost runtime region decides), and the counts on the way. Stops where the replay has to
 * wait for others.
 */
#ifndef ANALYZER_TRACK_H
#define ANALYZER_TRACK_H

#include <string.h>

#include "tables/call.h"
#include "model/model.h"
#include "otf2/otf2_in.h"
#include "engine/mpi/replay.h"
#include "engine/common/deferred.h"
#include "timeline/timeline.h"
#include "tables/hw_counters.h"
#include "tables/io_file.h"

struct engine;

struct frame {
	uint32_t region;       /* MODEL_NONE: not defined */
	enum region_kind kind; /* of this call: a read of a pipe waits */
	int64_t enter;
	int64_t total; /* its duration, where that is not the time until its end; -1 */
	uint32_t path; /* its node in the tree of calls (call_path.h) */
};

struct pending_io {
	uint64_t handle, matching;
	uint64_t offset;
	uint32_t mode; /* OTF2_IoOperationMode */
	int64_t begin;
	bool counted;	 /* not nested in another I/O call */
	uint32_t region; /* of the outermost call; MODEL_NONE: that is no I/O */
};

struct open_window {
	enum region_mark mark;
	uint32_t number; /* of the phase's name, or of the step's record */
	uint32_t instance;
	int64_t id; /* of the phase's row */
	struct moment start;
	struct device_window *device; /* NULL: the trace has no devices */
	struct phase_nest *nest;      /* of a phase, with devices */
	int64_t before[HOST_STATE_COUNT], summed[HOST_STATE_COUNT],
		stepped[STEP_SUMS]; /* of the track */
	/* requests of track->replay before it */
	int64_t waited, waited_io, waited_readers, waited_sockets, in_sockets;
	int64_t slept, parts[TRAINING_COUNT];
};

struct past_phase {
	int64_t start, end;
	struct phase_nest *nest;
};

/* One for each call that sleeps (region.c). */
#define SLEEP_CALLS 5

struct track {
	struct engine *engine;
	uint32_t location, process; /* process: MODEL_NONE = none */
	bool is_rank;		    /* the main thread of a rank: windows, replay */
	struct cursor cursor;
	ARRAY_OF(struct frame) stack;
	struct call_run run; /* the call entered last represents several; calls 0: for one call */
	size_t outer;	     /* depth of the outermost runtime region; 0: none */
	enum host_state state;
	int64_t since;
	int64_t spent[HOST_STATE_COUNT];
	/* it is in an outermost call that sleeps; its earlier sleep */
	bool sleeps;
	int64_t slept;
	/* at the end of its last step so far; t 0: there is none */
	struct {
		int64_t t, slept, waited;
	} stepped_last;
	/*
	 * the innermost of PyTorch's regions; the part of a training since then, the time of each
	 * part
	 */
	enum training training, part;
	int64_t part_since, parts[TRAINING_COUNT];
	struct call_sum slept_in[SLEEP_CALLS]; /* by call; the first without calls ends them */
	/* end of the present bin of its timeline, or the next one that began next to it */
	int64_t border;
	struct timeline timeline;
	int64_t first, last;
	/*
	 * end of the last poll that found nothing, how much later the next may begin (0: there is
	 * none); the present call found something
	 */
	int64_t polled, polls_most;
	bool finds;
	bool any;	/* it has an event */
	bool is_off;	/* outside the capture window: only markers are recorded */
	bool is_lost;	/* … or where events were lost */
	bool is_summed; /* … or where they were summed */
	int64_t summed[HOST_STATE_COUNT]; /* outermost calls of that time */
	int64_t stepped[STEP_SUMS];	  /* the same by step, where it is known so */
	bool omp;			  /* has been in OpenMP: idle outside regions */
	uint64_t unmatched_leaves;
	uint64_t nimpossible; /* operations of more bytes than can be */
	uint64_t nenters;     /* regions entered */
	uint32_t nphases;     /* begun */
	uint32_t checkpoints; /* depth of phases of that name */
	/* steps in which PyTorch's optimizer has stepped; steps before the last save */
	int64_t nstepped, saved_steps, step_end;
	bool is_stepped, was_stepped; /* it has in the present step, did in the one before */
	bool has_saved;
	/* for each measured window that is open: whether it is such a phase */
	ARRAY_OF(bool) open;
	struct io_cursors files; /* where the thread is in each */
	uint64_t bytes_read;	 /* from files */
	uint64_t carried;	 /* … through sockets */
	/* in calls with bytes that /proc counts, and inside of other calls */
	uint64_t proc_read, proc_written;
	struct work work;
	int64_t semaphores, longest; /* in calls that wait for a semaphore; in one of them */
	ARRAY_OF(struct open_window) windows;
	ARRAY_OF(struct past_phase) past; /* the last ones */
	struct open_window found;	  /* step that is not marked but found */
	bool in_found;
	struct open_window active; /* between MPI_Init and MPI_Finalize */
	bool in_active;
	ARRAY_OF(struct pending_io) pending;
	int64_t last_step;
	/* the outermost call that was open after its last event, MODEL_NONE: none; its start */
	uint32_t inside;
	int64_t inside_since;
	bool outer_lost;	   /* ahead: the end of the outermost call was lost */
	bool is_ahead;		   /* read further than the replay has come */
	struct deferred *deferred; /* its reports; NULL: not yet needed */
	struct replay_track replay;
	struct path_births births;
	struct path_birth *birth; /* NULL: it did not begin next to a main thread */
};

/* Prepares the way of location number `location`. */
void track_open(struct track *track, struct engine *engine, uint32_t location);

/*
 * Continues for up to `nevents` events. Stops early when parked (track->replay.parked) or at the
 * end (cursor.ended).
 */
void track_run(struct track *track, uint64_t nevents);

/*
 * The end of an outermost call at t. *settled: the clocks of the replay have been set for it.
 * False: it is parked there.
 */
bool outer_leave(struct track *track, enum region_kind kind, int64_t t, bool *settled);

/* The end of the call in which it is parked. False: it is parked again. */
bool track_resume(struct track *track);

/* After the last event: closes all that is open. */
void track_finish(struct track *track);
void track_close(struct track *track);

/* The call that the program made: bytes of an operation count for it. */
static inline uint32_t track_outer_region(const struct track *track)
{
	return track->outer ? track->stack.at[track->outer - 1].region : MODEL_NONE;
}

/* An operation on a file or socket begins or is complete, or a file is opened, closed or moved in. */
void track_io(struct track *track, const struct event *event);

/* What it is in now. */
static inline struct host_now track_now(const struct track *track)
{
	return (struct host_now){ track->state, track->since, track->spent };
}

/* Counts an outermost call that ends at `t`, besides its state. */
void track_wait_count(struct track *track, const struct frame *frame, int64_t t);

/* What it had slept by `t`, a part of the time in HOST_WAIT. */
static inline int64_t track_slept(const struct track *track, int64_t t)
{
	return track->slept + (track->sleeps ? t - track->since : 0);
}

/* The rows of its timeline, when it is over. */
void track_timeline_write(struct track *track);

/*
 * A call that is entered, or several, that are not in detail: their duration, which is not the
 * time between Enter and Leave, and their bytes.
 */
void track_sum_read(struct track *track, const struct event *event, struct frame *frame);

/*
 * The same at its end: bytes of messages of the outermost call, where the other end is not in
 * detail.
 */
void track_sum_leave(struct track *track, const struct event *event);

/*
 * The part of a step in a stretch without detail, which ends with the stretch or continues behind
 * it.
 */
void track_sum_step(struct track *track, const struct event *event);

/* Bytes that calls of the region have sent and received; MODEL_NONE: of none. */
void track_bytes(struct track *track, uint32_t region, uint64_t sent, uint64_t received);

/* A send, in a call of the region. */
void track_message(struct track *track, const struct event *event, uint32_t region);

/* When a call that is left at t had ended: among sums it takes no time, which is in them. */
int64_t track_sum_end(const struct track *track, const struct frame *frame, int64_t t);

/* The bytes of a one-sided operation, and its target or source. */
void track_one_sided(struct track *track, const struct event *event);

/* The address space of a process: no call moves more. */
#define TRACK_BYTES_MOST (UINT64_C(1) << 47)

/* The event; *without, with no bytes, where it reports more: then it is damaged. */
const struct event *track_bytes_possible(struct track *track, const struct event *event,
	struct event *without);

/* The call that the thread is in is the first half of a split transfer of a file. */
bool track_in_split_begin(const struct track *track);

/* The kernel sees the calls that a file of MPI makes, and they move the bytes that it needs. */
void track_proc_count(struct track *track, uint32_t mode, uint64_t bytes);

/*
 * An outermost call begins at t right after a poll that found nothing: the time between them is
 * part of polling, as is the call if it sleeps.
 */
bool track_polls_on(struct track *track, const struct region *region, enum region_kind kind,
	int64_t t);

/* One has ended at t that may be such a poll. */
void track_polled(struct track *track, const struct frame *frame, int64_t t);

/* Its state may have changed at t, and so which part of a training it is in. */
static inline void track_part_set(struct track *track, int64_t t)
{
	track->parts[track->part] += t - track->part_since;
	track->part_since = t;
	track->part = host_communicates(track->state) ? TRAINING_EXCHANGE : track->training;
}

/* A region that is a part of a training was entered, or one was left, at t. */
void track_training_set(struct track *track, int64_t t);

/* One of PyTorch's regions or a step is left: how many steps had been trained at a save. */
void track_saved_look(struct track *track, const struct frame *frame, int64_t t);

/* Time spent in each part up to `t`. */
static inline void track_parts(const struct track *track, int64_t t, int64_t parts[TRAINING_COUNT])
{
	memcpy(parts, track->parts, sizeof(track->parts));
	parts[track->part] += t - track->part_since;
}

/* Time spent in each state up to `t`, which is not before the last change. */
static inline void track_spent(const struct track *track, int64_t t,
	int64_t spent[HOST_STATE_COUNT])
{
	memcpy(spent, track->spent, sizeof(track->spent));
	spent[track->state] += t - track->since;
}

#endif
