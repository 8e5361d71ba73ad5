/*
 * replay.h - why: the forward max-plus recurrence of the measured events on
 * an ideal network. Each rank carries one clock per scenario; a communication
 * call ends at the latest of the operations that gate it, plus the part τ of
 * its measured duration that they do not explain. The identity scenario keeps
 * τ and must return every measured time.
 *
 * A track parks at the end of a call until everything that gates it has come
 * by, so no order among locations is needed in between.
 */
#ifndef ANALYZER_REPLAY_H
#define ANALYZER_REPLAY_H

#include "model.h"
#include "otf2_in.h"

enum scenario { SCENARIO_IDENTITY, SCENARIO_NETWORK, SCENARIO_COUNT };

struct track;
struct analysis;
struct message;
struct collective;

/* A moment: as measured, and on each scenario's clock. */
struct moment { int64_t t; int64_t clock[SCENARIO_COUNT]; };

enum need_kind { NEED_SEND, NEED_RECV, NEED_COLLECTIVE };

/* What the end of a call waits for: the message's sender or receiver to come by, or a collective's members. */
struct need {
	enum need_kind kind;
	bool rendezvous;		/* NEED_RECV: for certain (MPI_Ssend), not to be told by the times */
	uint32_t member;		/* NEED_COLLECTIVE: own rank in the communicator */
	struct moment posted;
	struct message *message;
	struct collective *collective;
};

struct replay_track {
	int64_t shift[SCENARIO_COUNT];	/* clock - measured time, outside of calls */
	struct moment entered;		/* of the present outermost MPI call */
	bool in_call, frozen;		/* frozen: inside a call that is not MPI's (MPI-IO): it keeps its duration */
	bool communicates;		/* an operation was seen in the call */
	bool parked, queued, forced;
	int64_t leave;			/* measured end of the call where it is parked */
	ARRAY_OF(struct need) needs;
	ARRAY_OF(uint32_t) watchers;	/* tracks parked in sends to this one's process */
};

struct channel;

struct replay {
	struct channel *channels;
	size_t nchannels, channels_cap;
	struct message *free_messages;
	struct collective *free_collectives;
	struct idmap channel_numbers, instances;
	struct replay_process { struct idmap requests; struct idmap sequences; } *processes;
	ARRAY_OF(struct request) requests;
	uint32_t free_request, free_channel;
	ARRAY_OF(uint32_t) wakes;	/* tracks to be taken up again */
	int64_t *comm_rows;		/* collectives written per communicator */
	/* what went by, and what was wrong with it */
	uint64_t ncalls, noperations;	/* calls that should communicate; operations told of them */
	uint64_t nskewed, nforced, nmismatched, nunmatched_sends, nunmatched_recvs, nincomplete;
	int64_t worst_skew;
};

int replay_open(struct analysis *analysis);
void replay_close(struct analysis *analysis);

/* The clock of a scenario at time t, outside of MPI calls. */
int64_t replay_clock(const struct replay_track *track, enum scenario scenario, int64_t t);

/* The outermost runtime call of the track begins; `mpi`: it is MPI's own, else its duration is frozen. */
void replay_enter(struct track *track, int64_t t, bool mpi);

/* An event inside it (or outside of any: then it only informs others). */
void replay_event(struct track *track, const struct event *event, const struct region *region);

/* Its end at t: true when the clocks are past it; false: parked. Called again when woken. */
bool replay_leave(struct track *track, int64_t t);

/* The track has come to its end or stopped: who watched it may go on. */
void replay_progress(struct track *track);

/* Nobody can go on: the earliest parked one goes on without what it waits for. */
void replay_force(struct track *track);

/* Behind all events: what is left over. */
void replay_finish(struct analysis *analysis);

#endif
