/*
 * replay_device.h - the replay's device side: launches lead from threads to
 * streams, events from stream to stream, blocking calls back to threads, NCCL
 * operations from device to device, hand-overs from thread to thread. State is
 * what is outstanding: launched and not begun, recorded and not passed, open.
 */
#ifndef ANALYZER_REPLAY_DEVICE_H
#define ANALYZER_REPLAY_DEVICE_H

#include "ledger.h"
#include "replay.h"
#include "sweep.h"

/* When a thread told of something; at equal times its own order counts. */
struct place { int64_t t; uint64_t order; uint32_t thread; };

struct launch {
	uint64_t correlation;
	struct place place;
	struct moment at;
	struct cause_totals totals;	/* of the thread, then */
	bool begun;
	struct moment begin;		/* of its first activity */
};

/* The place in a stream behind all that was launched up to t. */
struct mark {
	uint32_t stream;		/* location */
	struct place place;
	uint32_t references;
	uint64_t visit;			/* of the search that came by last */
	bool resolved;
	struct moment end;		/* of what precedes; t = INT64_MIN: nothing does */
	ARRAY_OF(struct mark *) after;	/* places in other streams that come first */
};

struct stream_wait { struct place place; struct mark *mark; };

/* One NCCL operation as a call or an activity tells it. */
struct nccl_call {
	uint64_t comm, seq, bytes;
	uint32_t device;		/* ordinal in the process; MODEL_NONE: not told */
	uint32_t op;			/* place in nccl_ops */
	int64_t root, peer;		/* -1: not told */
	const char *algorithm, *protocol;	/* NULL: not told */
};

/* An activity's part in an instance. */
struct nccl_use { uint32_t instance, member; };

/* How a stream is ordered against the legacy default stream of its device, which is STREAM_LEGACY. */
enum stream_order { STREAM_FREE, STREAM_BLOCKING, STREAM_LEGACY };

enum stream_state { STREAM_IDLE, STREAM_OPEN, STREAM_LAUNCHING, STREAM_COMMUNICATING };

struct stream {
	enum stream_state state;
	uint32_t depth;			/* of regions */
	int64_t start, stop;		/* of the activity that is open or unfinished */
	enum activity_class class;
	uint32_t region, op;		/* op: of a copy, place in copy_ops */
	enum copy_memory memory;	/* of a copy, the host's */
	bool correlated, grouped;
	uint64_t correlation, group, bytes;
	uint32_t launch;		/* place in the process's launches; MODEL_NONE: none */
	struct nccl_call call;
	bool communicates;		/* `call` is told */
	ARRAY_OF(struct nccl_call) more;	/* its further operations, where a graph launched it */
	struct moment begin, end;	/* of the present activity; of the one before */
	bool any;
	ARRAY_OF(struct mark *) marks;	/* in order of place */
	ARRAY_OF(struct stream_wait) waits;
	ARRAY_OF(struct nccl_use) uses;
	enum stream_order order;
	uint64_t nlaunched;		/* onto it so far; kept where order is told */
	uint64_t before, behind;	/* launches of the legacy stream that it waits for, and of it that that waits for */
};

struct nccl_group { uint64_t id; ARRAY_OF(struct nccl_call) calls; };

enum { RECENT_LAUNCHES = 256 };

struct device_process {
	uint32_t *recent;		/* number + 1 of a launch by the low bits of its correlation; in launch_numbers it is not */
	struct idmap launch_numbers, events, groups;
	ARRAY_OF(struct launch) launches;
	ARRAY_OF(uint32_t) free_launches, oldest;	/* oldest: live ones in order, from oldest_at on */
	size_t oldest_at;
	ARRAY_OF(struct mark *) recorded;		/* by number of the event */
	ARRAY_OF(struct nccl_group) group_calls;
	size_t next_group;				/* to be used again */
	ARRAY_OF(uint32_t) threads, streams;		/* locations */
	bool has_legacy;				/* a stream is the legacy default one */
	ARRAY_OF(uint32_t) devices;			/* that it uses: numbers in the model */
	uint32_t family;				/* process that all its relatives descend from */
	uint32_t relative;				/* next of the family, which begins with `family`; MODEL_NONE: none */
	size_t keep;					/* points of the history of each thread */
};

struct wake { int64_t t; uint32_t thread; struct arrival at; };
struct sync_object { ARRAY_OF(struct wake) wakes; };

struct nccl_comm { uint64_t id; uint32_t size, defined; const char *name; };

struct nccl_member {
	uint32_t process, device;
	int64_t rank;			/* in the communicator; of the job when nobody tells */
	uint32_t op;			/* its own: one end of a message sends, the other receives */
	struct moment start;
};

/* A stream among those of all devices. */
struct stream_place { uint32_t device, stream; };

struct nccl_instance {
	uint64_t key, seq;
	int64_t number;			/* of the row */
	uint32_t comm, op, left, last;	/* last: member that came last */
	bool live, closed, pair;
	bool asked;			/* other readers: whether all their streams are past it */
	uint32_t nconfirmed;		/* that said so */
	int64_t root, first, end;
	uint64_t bytes;
	const char *algorithm, *protocol;	/* of a member that tells them */
	ARRAY_OF(struct nccl_member) members;
	struct moment latest;		/* start of a member, on each clock */
	ARRAY_OF(uint32_t) waiting;	/* parked tracks */
	uint32_t watcher;		/* of them the one that looks whether others can still come, */
	int64_t watched;		/* as its part ends first, then; INT64_MAX: none looks */
	struct stream_place passed;	/* no stream before it can bring a member any more, */
	int64_t passed_until;		/* when the instance ended then */
};

struct nccl_sum { uint32_t comm, op; int64_t rank; uint64_t n; int64_t wait, transfer; };

struct device_replay {
	bool any;			/* the trace has devices */
	bool handovers;			/* and, or without them, threads that wake each other */
	struct device_process *processes;
	struct stream *streams;		/* by location */
	struct history *histories;	/* by location */
	struct sweep *sweeps;		/* by device */
	struct idmap objects;
	ARRAY_OF(struct sync_object) syncs;
	struct idmap comm_numbers, instance_numbers, sum_numbers;
	ARRAY_OF(struct nccl_comm) comms;
	ARRAY_OF(struct nccl_instance) instances;
	ARRAY_OF(uint32_t) free_instances;
	ARRAY_OF(struct nccl_sum) sums;
	uint64_t visit;			/* number of the present search among marks */
	uint64_t nactivities, nunlaunched, nnccl, nuntold, nlate, nforgotten;
};

int device_replay_open(struct analysis *analysis);
void device_replay_close(struct analysis *analysis);
void device_replay_finish(struct analysis *analysis);

/* Nothing of the location and its process is still to come, nor of their relatives and devices: what only that needs goes. */
void device_replay_drop(struct analysis *analysis, uint32_t location);

/* Why level B cannot be told, or NULL. */
const char *device_replay_missing(const struct analysis *analysis);

/* A runtime call begins on a thread, nested or not. */
void device_call_enter(struct track *track, const struct region *region, const struct event *event);

/* An outermost runtime call ends: true when the clocks are past it (*settled: they were set), false: parked. */
bool device_call_leave(struct track *track, int64_t t, bool *settled);

/* A waiting or waking call begins; an outermost waiting one ends as above. */
void handover_enter(struct track *track, const struct event *event, bool wakes, bool process_wide);
bool handover_leave(struct track *track, int64_t t, bool *settled);

/* A stream's event; its unfinished activity again. False: parked. */
bool stream_take(struct track *track, const struct event *event);
bool stream_resume(struct track *track);
void stream_finish(struct track *track);

/* --- between replay_device.c, replay_stream.c, replay_nccl.c and replay_wait.c --- */

/* `waiting` is taken up again when `slow` has gone on, and come to t. False without memory. */
bool track_watch(struct track *slow, const struct track *waiting, int64_t t);

/* First thread of the process but `self` that has not come to t (strictly past it: `past`); NULL: all have. */
struct track *threads_behind(const struct track *self, const struct device_process *process, int64_t t, bool past);

/* Launch of the correlation, MODEL_NONE when it has not come by. */
uint32_t launch_find(const struct device_process *process, uint64_t correlation);

/* All that a mark stands behind has ended by t; else *slow is who has to go on. */
bool mark_ready(struct analysis *analysis, struct mark *mark, int64_t t, struct track **slow);
struct moment mark_end(struct analysis *analysis, struct mark *mark);
void mark_release(struct mark *mark);

/* The call takes part in its operation, as the stream's activity or as one of its group. */
bool nccl_arrive(struct track *track, const struct nccl_call *call);

/* All members that gate the activity have come by; else it is parked. */
bool nccl_ready(struct track *track);

/* Latest of those that gate the activity; and its leave. */
struct moment nccl_gate(struct track *track);
void nccl_leave(struct track *track, int64_t t);
bool nccl_call_read(struct track *track, const struct event *event, struct nccl_call *call);

/* Members that have come to what the stream takes part in: of two that hold each other up, the fuller one is whole. */
size_t nccl_present(const struct track *track);
void nccl_finish(struct analysis *analysis);

/* Behind all events: the rows of what is not whole. */
void nccl_rest(struct analysis *analysis);

/* What another reader tells: a member of its has come; has left at t; all its streams are past the instance. */
void nccl_told(struct analysis *analysis, uint64_t key, const struct nccl_call *call, const struct nccl_member *member);
void nccl_left(struct analysis *analysis, uint64_t key, int64_t t);
void nccl_confirmed(struct analysis *analysis, uint64_t key);

/* No stream that is read here can still bring a member of an instance that ended at t. */
bool nccl_passed(struct analysis *analysis, uint64_t key, int64_t t);

/* Sums and sizes of communicators to the writer; there. */
void nccl_pack(struct analysis *analysis);
struct note;
void nccl_take_sum(struct analysis *analysis, const struct note *note);
void nccl_take_comm(struct analysis *analysis, const struct note *note);
void nccl_close(struct analysis *analysis);

/* Bus bandwidth over the algorithm's, for n members: 2(n-1)/n, (n-1)/n or 1; NaN for an unknown operation. */
double nccl_bus_factor(const char *op, uint32_t n);

static inline bool place_after(const struct place *a, const struct place *b)
{
	return a->t > b->t || (a->t == b->t && a->thread == b->thread && a->order > b->order);
}

static inline void moment_later(struct moment *to, const struct moment *from)
{
	to->by = from->t > to->t ? from->by : to->by;
	to->t = from->t > to->t ? from->t : to->t;
	for (int s = 0; s < SCENARIO_COUNT; s++)
		to->clock[s] = from->clock[s] > to->clock[s] ? from->clock[s] : to->clock[s];
}

#endif
