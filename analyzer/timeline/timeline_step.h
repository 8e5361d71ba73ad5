/*
 * timeline_step.h - one stretch of the trace, read a second time: what its
 * threads and streams did (timeline_look.c), and which of it gates what, for
 * the critical path through it (timeline_path.c).
 */
#ifndef ANALYZER_TIMELINE_STEP_H
#define ANALYZER_TIMELINE_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/model.h"
#include "timeline/timeline.h"

/* Something that others wait for, or that waits for others. */
enum piece_kind {
	PIECE_ALL,	/* a collective with all members waiting for the last: comm */
	PIECE_RECEIVE,	/* a message came: peer, comm, tag */
	PIECE_SEND,	/* one went: peer, comm, tag */
	PIECE_SYNC,	/* a call that waited for a device */
	PIECE_WAIT,	/* a call that waited for another thread: sync, process_wide */
	PIECE_WAKE,	/* a call that woke one, at `sent`: sync, process_wide */
	PIECE_LAUNCH,	/* a call that gave a device something to do: correlation */
	PIECE_ACTIVITY, /* of a stream: correlation; of NCCL: comm, seq */
};

struct piece {
	int64_t enter, leave; /* of the outermost call around it */
	enum piece_kind kind;
	uint32_t peer, tag; /* peer: a process; of an activity not MODEL_NONE: a message */
	uint64_t comm;	    /* number in the model, NCCL's as in the trace */
	bool communicates;  /* an activity with comm and seq */
	bool process_wide;  /* sync means something in the process only, else among relatives */
	uint64_t correlation, seq, bytes, sync;
	bool matched; /* a send with a known receive */
	bool posted;  /* a collective that began in an earlier call */
	/*
	 * For a receive the start of its send, INT64_MIN: not found; for a call that woke a thread
	 * its own start, which may be in another call.
	 */
	int64_t sent;
};

/* One location in the window. */
struct look {
	uint32_t location;
	ARRAY_OF(struct piece) pieces; /* in order of leave */
};

/* An interval, or `n` short ones; region: MODEL_NONE = none. */
struct look_row {
	int64_t start, end;
	uint32_t location, state, region, n;
	uint32_t file; /* of I/O: the last one that was accessed, MODEL_NONE = none */
	int64_t bytes, offset;
};

struct looks {
	const struct timeline_known *known;
	int64_t from, to;
	int64_t step;
	int64_t parts; /* intervals shorter than this part of the window are joined */
	/* of more than `near` events before the window the last `earlier` are read: the calls that it begins in */
	uint64_t near, earlier;
	ARRAY_OF(struct look_row) rows; /* that are not written yet */
	size_t nrows, nevents;		/* rows that were made, of events that were read */
	ARRAY_OF(struct look) at;
};

/* The reason for showing a step in full, in the order of output. */
enum window_why {
	WHY_TYPICAL,
	WHY_LATE_RANK,
	WHY_FIRST,
	WHY_SLOWEST,
	WHY_SLOWEST_LATER, /* than the first step, which is the slowest */
	WHY_LAST,
};

/* A step in full detail. */
struct full_step {
	int64_t step, from, to;
	const char *phase; /* while it is chosen */
	unsigned whys;	   /* bits 1 << enum window_why */
};

enum { WINDOWS_MOST = 6 };

/* Steps that are not among them, in the order in which they are to be added while there is room. */
struct other_steps {
	ARRAY_OF(int64_t) at;
};

/*
 * Chooses steps and writes their rows: a typical one, which represents the others and comes first;
 * that in which a straggler was latest; the first; the slowest of those as the typical one is; the
 * last, if it did not end. How many they are, 0: none. `others`, which may be NULL, is the caller's.
 */
size_t timeline_choose(struct tables *tables, const struct timeline_known *known,
	struct full_step windows[WINDOWS_MOST], struct other_steps *others);

/* The first start and the last end of a step over the ranks. False: it has none. */
bool timeline_extent(struct tables *tables, struct full_step *window);
void timeline_window_put(struct tables *tables, const struct full_step *window);

/*
 * Reads the window of one location again: its intervals go to the database, finally at the flush,
 * its pieces to looks->at.
 */
void timeline_look(struct tables *tables, struct looks *looks, uint32_t location);
void timeline_rows_flush(struct tables *tables, struct looks *looks);

/*
 * Walks the critical path back from the end of the main thread that left the window last, and
 * writes its parts and the messages that were found.
 */
void timeline_path_write(struct tables *tables, struct looks *looks);

/*
 * The collectives of a communicator that may end in the window: the arrival and rank of the last
 * member.
 */
struct instance {
	int64_t last, rank, seq;
};
struct comm_instances {
	uint64_t comm;
	ARRAY_OF(struct instance) at;
};
struct instances {
	ARRAY_OF(struct comm_instances) comms;
};

/*
 * The collective that a piece PIECE_ALL ended: the one on the communicator whose last arrival is
 * the latest before the end of the call. A later one cannot have ended: this rank is a member.
 * NULL: none. `instances` caches the collectives read.
 */
const struct instance *instance_of(struct instances *instances, const struct tables *tables,
	const struct looks *looks, const struct piece *piece);
void instances_free(struct instances *instances);

/* Writes the members of collectives, and the calls that launched activities. */
void members_write(struct instances *instances, struct tables *tables, const struct looks *looks);
void launches_write(struct tables *tables, const struct looks *looks);

/* The first value that a query with two parameters gives, and its second; INT64_MIN: none. */
int64_t step_number(struct sqlite3 *db, const char *sql, int64_t a, int64_t b, int64_t *second);

#endif
