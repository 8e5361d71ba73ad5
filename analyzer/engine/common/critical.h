/*
 * critical.h - the critical path. Walked backwards, it starts at the rank that ends last; at each
 * MPI call it jumps to the rank that opened the gate last, at the time when that rank arrived. This
 * code walks forwards, so it needs no trace to walk back in: each thread carries the composition of
 * the path to its present, and takes over the composition of its gate (as OTF-CPT does; the path
 * itself is the one of Scalasca's root-cause search). At the end of a wait a thread takes over the
 * path of the thread or child that woke it. Waiting for a device stays on the waiting thread. The
 * path to the beginning of a thread or child continues in the main thread that existed before: the
 * main thread of the process, or of its parent.
 */
#ifndef ANALYZER_CRITICAL_H
#define ANALYZER_CRITICAL_H

#include <stdint.h>

#include "tacho/trace.h"
#include "model/model.h"
#include "model/states.h"
#include "base/containers.h"

struct engine;
struct track;

enum { PATH_RANKS = 6 };

/*
 * States of a path: the states of hosts; for helpers (threads that are not the main thread of a
 * rank) their purpose.
 */
enum { PATH_HELPER_USEFUL = HOST_STATE_COUNT, PATH_HELPER_IO, PATH_STATES };

/*
 * The composition of the path to a moment. By state: the times sum to the moment's time (mpi and
 * wait: calls whose gate was open; absent: before the first event of the thread where the path
 * begins). By rank, children included: the largest ones only. With more than PATH_RANKS ranks on
 * the path this is the space-saving sketch (Metwally, Agrawal and El Abbadi, 2005); its entries are
 * too large by at most the sum divided by PATH_RANKS.
 */
struct path {
	int64_t state[PATH_STATES];
	int64_t share[PATH_RANKS];
	uint32_t process[PATH_RANKS]; /* + 1; 0: free */
	uint32_t origin;	      /* location + 1 where it begins; 0: of the thread itself */
};

/* What a thread spent since t; t is 0: there is none. */
struct path_since {
	int64_t t, spent[HOST_STATE_COUNT];
};

/*
 * The path of a thread: its inherited part, and since when it is the thread's own; blind: a wait
 * of unknown cause that ended since then, with the time spent by its end.
 */
struct path_track {
	struct path taken;
	int64_t since;
	struct path_since blind;
};

/*
 * Threads and children that began next to a main thread, in the order of their first events. What
 * it had spent by then is measured where its events are read, its path and clock are known where
 * they are replayed.
 */
struct path_births {
	ARRAY_OF(uint32_t) at;
	size_t nmeasured, nplaced, nclocked;
};

/*
 * For a thread that began so: the time that the main thread had spent, and the path to there;
 * origin 0: it is not known.
 */
struct path_birth {
	int64_t spent[HOST_STATE_COUNT];
	struct path path;
	int64_t shift; /* of the main thread's clock on an ideal network */
};

/*
 * The first event of a thread, which its main thread has not come past: locations with known
 * hand-overs begin before any of them continues.
 */
void path_begin(struct track *track);

/*
 * The main thread's present state lasts up to t: threads that began until then are measured. Time
 * of the next one that began; INT64_MAX: none.
 */
int64_t path_measure(struct track *track, int64_t t);

/*
 * The clocks of the main thread are about to be set at t: threads that began before take them
 * over.
 */
void births_clock(struct track *track, int64_t t);

/*
 * A thread that began next to a main thread has had its first event, and waits until that is past
 * it: it continues by its clock. True: it is parked for that. Called again when woken.
 */
bool birth_wait(struct track *track);

/* A thread has ended, and all its calls are through. */
void path_end(struct track *track);

/* The path to the thread's present t. */
void path_to(const struct track *track, int64_t t, struct path *path);

/*
 * The ranks of a path show how much of its time is really before its first event. *wrong grows by
 * how much a rank's share may be too large for that.
 */
void path_continue(const struct engine *engine, struct path *path, int64_t *wrong);

/*
 * A call ends at t; its gate opened at `opened`, where `path` leads to. The time after the gate was
 * spent in the call's `state`: transfer for MPI, the time to wake up for a wait.
 */
void path_take(struct track *track, const struct path *path, int64_t opened, int64_t t,
	enum host_state state);

/* The thread waited from `entered` to t, for an unknown thread. */
void path_blind(struct track *track, int64_t entered, int64_t t);

/* The time that a thread that wakes another one at t has spent since such a wait. */
void path_since(const struct track *track, int64_t t, struct path_since *since);

/*
 * A wait ends at t to which `by` woke at `woken`, which itself had waited for an unknown thread:
 * its path leads no further back than to that wait, or to the begin of the present one. There the
 * thread's own continues.
 */
void path_take_since(struct track *track, const struct track *by, const struct path_since *since,
	int64_t woken, int64_t t);

#endif
