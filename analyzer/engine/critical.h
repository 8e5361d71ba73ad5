/*
 * critical.h - the critical path: from the rank that ends last backwards, at
 * each MPI call to who opened its gate last, and there to when that rank came.
 * Following it forwards needs no trace to walk back in: each thread carries how
 * the path to its present is made up, and takes over that of its gate (as in
 * OTF-CPT; the path itself is that of Scalasca's root-cause search). So it does
 * at the end of a wait from the thread or child that woke it. Waiting for a
 * device stays on the thread that waits. Where the path comes to the beginning
 * of a thread or child it continues in the main thread that was there before: of
 * the process, or of its parent.
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
 * States of a path: those of hosts, and of helpers (not the main thread of a rank) what they are
 * needed for.
 */
enum { PATH_HELPER_USEFUL = HOST_STATE_COUNT, PATH_HELPER_IO, PATH_STATES };

/*
 * What the path to a moment is made up of: time by state (mpi and wait: in calls
 * whose gate was open, absent: before the first event of the thread where the
 * path begins), their sum being the moment's time. And by rank, children with
 * theirs, those that have most: with more than PATH_RANKS on the path it is the space-saving
 * sketch (Metwally, Agrawal and El Abbadi, 2005), whose entries are too large
 * by at most the sum divided by PATH_RANKS.
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
 * The path of a thread: what it took over, and since when it continues by itself; blind: a wait that
 * ended since then and nobody knows why, with what was spent by its end.
 */
struct path_track {
	struct path taken;
	int64_t since;
	struct path_since blind;
};

/*
 * Threads and children that began next to a main thread, in the order of their first events. What it
 * had spent by then is measured where its events are read, its path and clock are known where they are
 * replayed.
 */
struct path_births {
	ARRAY_OF(uint32_t) at;
	size_t nmeasured, nplaced, nclocked;
};

/*
 * Of a thread that began so: what the main thread had spent, and the path to there; origin 0: it is
 * not known.
 */
struct path_birth {
	int64_t spent[HOST_STATE_COUNT];
	struct path path;
	int64_t shift; /* of the main thread's clock on an ideal network */
};

/*
 * The first event of a thread, which its main thread has not come past: locations whose hand-overs
 * are known begin before any of them continues.
 */
void path_begin(struct track *track);

/*
 * The main thread's present state lasts up to t: who began until then is measured. Time of the next
 * one that began; INT64_MAX: none.
 */
int64_t path_measure(struct track *track, int64_t t);

/* The clocks of the main thread are about to be set at t: those that began before take them over. */
void births_clock(struct track *track, int64_t t);

/*
 * A thread that began next to a main thread has had its first event, and waits until that is past it: it
 * continues by its clock. True: it is parked for that. Called again when woken.
 */
bool birth_wait(struct track *track);

/* A thread has ended, and all its calls are through. */
void path_end(struct track *track);

/* The path to the thread's present t. */
void path_to(const struct track *track, int64_t t, struct path *path);

/*
 * Time of a path that is said to be before its first event shows in who was there. *wrong grows by
 * how much a rank's share may be too large for that.
 */
void path_continue(const struct engine *engine, struct path *path, int64_t *wrong);

/*
 * A call ends at t whose gate opened at `opened`, where `path` leads to; what follows was spent in
 * the call's `state`: of MPI transfer, of a wait the time to wake up.
 */
void path_take(struct track *track, const struct path *path, int64_t opened, int64_t t,
	enum host_state state);

/* The thread waited from `entered` to t, and nobody knows for whom. */
void path_blind(struct track *track, int64_t entered, int64_t t);

/* What a thread that wakes somebody at t has spent since such a wait. */
void path_since(const struct track *track, int64_t t, struct path_since *since);

/*
 * A wait ends at t to which `by` woke at `woken`, which had waited for nobody knows whom itself: its
 * way leads no further back than to that, or to the begin of the present wait. There the thread's own
 * continues.
 */
void path_take_since(struct track *track, const struct track *by, const struct path_since *since,
	int64_t woken, int64_t t);

#endif
