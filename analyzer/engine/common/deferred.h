/*
 * deferred.h - events that a thread reports to the replay, and the queue that keeps them. A track
 * that is parked at the end of a call waits for others, but the measurement of its events does not
 * depend on them. So a reader that waits for another reader continues in its parked tracks; their
 * reports to the replay stay in their queues until the tracks are woken. Other tracks see a parked
 * track at its queue's position: in the call in which it is parked.
 */
#ifndef ANALYZER_DEFERRED_H
#define ANALYZER_DEFERRED_H

#include "model/model.h"
#include "otf2/otf2_in.h"

struct track;
struct deferred;

enum replay_input_kind {
	INPUT_ENTER, /* an outermost call of MPI, or on a file of MPI's */
	INPUT_WAIT,  /* an outermost call that the replay asks for its begin only */
	INPUT_LEAVE, /* of one of those */
	INPUT_EVENT,
	INPUT_FILE,   /* communication; I/O */
	INPUT_SYNC,   /* a call that wakes a thread, or waits to be woken */
	INPUT_SOCKET, /* … or wakes through a socket to another rank */
	INPUT_WINDOW_ENTER,
	INPUT_WINDOW_LEAVE,
	INPUT_FOUND_ENTER,
	INPUT_FOUND_LEAVE, /* a step that is not marked but found */
	INPUT_ACTIVE_ENTER,
	INPUT_ACTIVE_LEAVE, /* after MPI_Init, before MPI_Finalize */
};

struct replay_input {
	enum replay_input_kind kind;
	enum region_kind call;		 /* INPUT_ENTER, INPUT_LEAVE: kind of the call */
	bool wakes, process_wide, reads; /* INPUT_SYNC, INPUT_SOCKET; the thread has read files */
	bool truncated;			 /* INPUT_WINDOW_LEAVE */
	bool forced;			 /* INPUT_LEAVE: without its wait */
	int64_t step;		   /* INPUT_FOUND_ENTER; _ACTIVE_ENTER: ns of MPI_Init among sums */
	int64_t t;		   /* INPUT_WAIT, _LEAVE, _FOUND_*, _ACTIVE_*: when; */
	const struct event *event; /* of others */
	const struct region *region;
};

/*
 * Informs the replay, or the queue of a track that has gone ahead. False, of INPUT_LEAVE: the track
 * has parked there.
 */
bool track_report(struct track *track, const struct replay_input *input);

/* A track that has gone ahead comes into another state at t. */
void deferred_change(struct track *track, enum host_state state, int64_t t);

/* … or has calls in the state of which only their sum is known. */
void deferred_sum(struct track *track, enum host_state state, int64_t ns);
void deferred_step(struct track *track, int part, int64_t ns);

/*
 * Reads up to `n` events ahead in a parked track, or until there is news() (NULL: never asks).
 * False: the track cannot go ahead, its queue is full, or it has no more events.
 */
bool track_ahead(struct track *track, uint32_t n, bool (*news)(void *user), void *user);

/* A woken track reports its queue to the replay. False: it is parked again. */
bool deferred_play(struct track *track);

/* How much of it has been played so far. */
uint64_t deferred_played(const struct track *track);

/* Where in its file the track is for the replay: after that many events. */
void deferred_place(const struct track *track, struct in_place *place);
uint64_t deferred_nread(const struct track *track);

void deferred_free(struct track *track);

#endif
