/*
 * replay_device.h - the replay's device side: launches lead from threads to streams, events from
 * stream to stream, blocking calls back to threads, NCCL operations from device to device,
 * hand-overs from thread to thread. The state holds outstanding work only: launches not begun,
 * events recorded and not passed, open operations.
 */
#ifndef ANALYZER_REPLAY_DEVICE_H
#define ANALYZER_REPLAY_DEVICE_H

#include "engine/gpu/idle.h"
#include "engine/mpi/replay.h"
#include "engine/nccl/replay_nccl.h"
#include "engine/gpu/sweep.h"
#include "tables/call.h"
#include "tables/copy.h"

/* When a thread reported something; at equal times its own order counts. */
struct report_order {
	int64_t t;
	uint64_t order;
	uint32_t thread;
};

struct launch {
	uint64_t correlation;
	struct report_order place;
	/* that the main thread was in when it launched, NULL: none */
	struct phase_nest *phase;
	bool begun;
	struct cause_totals totals; /* of the thread, then */
	struct moment at;
	struct moment begin; /* of its first activity */
};

/* The place in a stream after all that was launched up to t. */
struct mark {
	uint32_t stream; /* location */
	struct report_order place;
	uint32_t references;
	uint64_t visit; /* of the search that came by last */
	bool resolved;
	struct moment end;	       /* of what precedes; t = INT64_MIN: nothing does */
	ARRAY_OF(struct mark *) after; /* places in other streams that come first */
};

struct stream_wait {
	struct report_order place;
	struct mark *mark;
};

/*
 * How a stream is ordered against the legacy default stream of its device, which is STREAM_LEGACY.
 */
enum stream_order { STREAM_FREE, STREAM_BLOCKING, STREAM_LEGACY };

enum stream_state { STREAM_IDLE, STREAM_OPEN, STREAM_LAUNCHING, STREAM_COMMUNICATING };

struct stream {
	enum stream_state state;
	uint32_t depth;	     /* of regions */
	int64_t start, stop; /* of the activity that is open or unfinished */
	/*
	 * of several activities that are summed, calls 0: of one; their time, -1: the recorded one
	 */
	struct call_run run;
	int64_t total;
	bool is_summed; /* there are only sums since then */
	int64_t summed_from;
	uint64_t recorded; /* launches before then; 0: not known */
	enum activity_class class;
	uint32_t region, op;	 /* op: of a copy, place in copy_ops */
	enum copy_memory memory; /* of a copy, the host's */
	bool correlated, grouped;
	uint64_t correlation, group, bytes;
	uint32_t launch; /* place in the process's launches; MODEL_NONE: none */
	struct nccl_call call;
	bool communicates; /* `call` is reported */
	/* its further operations, where a graph launched it */
	ARRAY_OF(struct nccl_call) more;
	struct moment begin, end; /* of the present activity; of the one before */
	bool any;
	ARRAY_OF(struct mark *) marks; /* in order of place */
	ARRAY_OF(struct stream_wait) waits;
	ARRAY_OF(struct nccl_use) uses;
	bool has_lanes; /* other locations are the same stream: what overlaps in it, of a graph */
	enum stream_order order;
	uint64_t nlaunched; /* onto it so far; kept where the order is known */
	/*
	 * launches of the legacy stream that this stream waits for, and launches of this stream
	 * that the legacy stream waits for
	 */
	uint64_t before, behind;
};

struct nccl_group {
	uint64_t id;
	ARRAY_OF(struct nccl_call) calls;
};

enum { RECENT_LAUNCHES = 256 };

struct device_process {
	/* number + 1 of a launch by the low bits of its correlation; in launch_numbers it is not */
	uint32_t *recent;
	struct idmap launch_numbers, events, groups;
	ARRAY_OF(struct launch) launches;
	/* oldest: live ones in order, from oldest_at on */
	ARRAY_OF(uint32_t) free_launches, oldest;
	size_t oldest_at;
	ARRAY_OF(struct mark *) recorded; /* by number of the event */
	ARRAY_OF(struct nccl_group) group_calls;
	size_t next_group;		     /* to be used again */
	ARRAY_OF(uint32_t) threads, streams; /* locations */
	bool has_legacy;		     /* a stream is the legacy default one */
	/*
	 * Numbers in the model of the devices that the process sees, and of the devices that it
	 * launches on; the time of the latter in the process's windows counts. Often all ranks see
	 * all devices of their node.
	 */
	ARRAY_OF(uint32_t) devices, launched_on;
	/* process that all its relatives descend from */
	uint32_t family;
	/* next of the family, which begins with `family`; MODEL_NONE: none */
	uint32_t relative;
	size_t keep; /* points of the history of each thread */
};

/*
 * feeds: by a thread that hands over data that was read; carries: by one that exchanges data with
 * other ranks
 */
struct wake {
	int64_t t;
	uint32_t thread;
	bool feeds, carries;
	struct arrival at;
	struct path_since since;
};
struct sync_object {
	ARRAY_OF(struct wake) wakes;
};

struct device_replay {
	bool any;	/* the trace has devices */
	bool handovers; /* and, or without them, threads that wake each other */
	struct device_process *processes;
	struct stream *streams;	     /* by location */
	struct history *histories;   /* by location */
	struct device_sweep *sweeps; /* by device */
	struct idmap objects;
	ARRAY_OF(struct sync_object) syncs;
	struct nccl_replay nccl;
	uint64_t visit; /* number of the present search among marks */
	uint64_t nactivities, nunlaunched, nunnamed, nlate, nforgotten;
};

/* Who belongs together, and memory for it: 0, or -1 without (reported). */
int device_replay_open(struct engine *engine);
void device_replay_close(struct engine *engine);

/* After all events: NCCL's rows and the checks of the device side. */
void device_replay_finish(struct engine *engine);

/*
 * Nothing of the location and its process is still to come, nor of their relatives and devices:
 * what only that needs goes.
 */
void device_replay_drop(struct engine *engine, uint32_t location);

/* Why the figures of model replay are undefined, or NULL. */
const char *device_replay_missing(const struct engine *engine);

/* A runtime call begins on a thread, nested or not. */
void device_call_enter(struct track *track, const struct region *region, const struct event *event);

/* A runtime call ends at t that is inside of another one. */
void device_call_return(struct track *track, int64_t t);

/*
 * An outermost runtime call ends: true when the clocks are past it (*settled: they were set),
 * false: parked.
 */
bool device_call_leave(struct track *track, int64_t t, bool *settled);

/* The track is parked at the end of such a call, and waits for this stream first. */
bool device_call_waits(const struct track *track, const struct track *stream);

/* A waiting or waking call begins; an outermost waiting one ends as above. */
struct replay_input;
void handover_enter(struct track *track, const struct replay_input *input);
bool handover_leave(struct track *track, int64_t t, bool *settled);

/* A stream's event; its unfinished activity again. False: parked. */
bool stream_take(struct track *track, const struct event *event);
bool stream_resume(struct track *track);

/* After its events: an activity that is open ends with them. */
void stream_finish(struct track *track);

/* --- between the parts of the device side --- */

/* A call launches something at t; false: it is known already, or there is no memory. */
bool launch_add(struct track *track, uint64_t correlation, int64_t t);

/* Launch of the correlation, MODEL_NONE when it has not come by. */
uint32_t launch_find(const struct device_process *process, uint64_t correlation);

/* Two locations of a process are lanes of one stream. */
bool streams_are_one(const struct engine *engine, uint32_t a, uint32_t b);

/*
 * A place in one stream, with two references: the caller's and the stream's. NULL without memory.
 */
struct mark *mark_add(struct track *track, uint32_t location, int64_t t);
void mark_release(struct mark *mark);

/* Drops marks that only the stream still refers to. */
void marks_prune(struct stream *stream);

/* All work before the mark has ended by t; else *slow is the track that has to continue. */
bool mark_ready(struct engine *engine, struct mark *mark, int64_t t, struct track **slow);

/* When the work before it ended; t = INT64_MIN: it has none. */
struct moment mark_end(struct engine *engine, struct mark *mark);

static inline bool place_after(const struct report_order *a, const struct report_order *b)
{
	return a->t > b->t || (a->t == b->t && a->thread == b->thread && a->order > b->order);
}

#endif
