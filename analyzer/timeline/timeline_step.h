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
	PIECE_ALL,	/* a collective whose members all wait for the last: comm */
	PIECE_RECEIVE,	/* a message came: peer, comm, tag */
	PIECE_SEND,	/* one went: peer, comm, tag */
	PIECE_SYNC,	/* a call that waited for a device */
	PIECE_WAIT,	/* a call that waited for another thread: sync, process_wide */
	PIECE_WAKE,	/* a call that woke one, at `sent`: sync, process_wide */
	PIECE_LAUNCH,	/* a call that gave a device something to do: correlation */
	PIECE_ACTIVITY, /* of a stream: correlation; of NCCL: comm, seq */
};

struct piece {
	int64_t enter, leave; /* of the outermost call that it lies in */
	enum piece_kind kind;
	uint32_t peer, tag, comm; /* a process; number in the model, NCCL's as in the trace */
	bool communicates;	  /* an activity with comm and seq */
	bool process_wide; /* sync means something in the process only, else among relatives */
	uint64_t correlation, seq, bytes, sync;
	bool matched; /* a send whose receive was found */
	/*
	 * Start of the send that a receive took, INT64_MIN: not found; of a call that woke its own
	 * start, which may lie in another call.
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
};

struct looks {
	const struct timeline_known *known;
	int64_t from, to;
	int64_t step;
	ARRAY_OF(struct look_row) rows; /* that are not written yet */
	ARRAY_OF(struct look) at;
};

/*
 * Sets step, from and to of a step that represents the others, and writes its row. False: there is
 * none.
 */
bool timeline_choose(struct tables *tables, struct looks *looks);

/*
 * Reads the window of one location again: its intervals go to the database, at last with the
 * flush, its pieces to looks->at.
 */
void timeline_look(struct tables *tables, struct looks *looks, uint32_t location);
void timeline_rows_flush(struct tables *tables, struct looks *looks);

/*
 * Walks the critical path back from the end of the main thread that left the window last, and
 * writes its parts and the messages that were found.
 */
void timeline_path_write(struct tables *tables, struct looks *looks);

#endif
