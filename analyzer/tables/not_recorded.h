/*
 * not_recorded.h - rows of the table not_recorded, the ledger of what could not be recorded: events,
 * spools, processes, bytes and time, each with its reason.
 */
#ifndef ANALYZER_NOT_RECORDED_H
#define ANALYZER_NOT_RECORDED_H

#include <stddef.h>
#include <stdint.h>

#include "db/db.h"

/*
 * Reasons that merge or the analysis detect, after those in SPOOL_LOSSES, which libtacho counts.
 * UNRECORDED(enumerator, name, kind, sentence)
 */
#define UNRECORDED_REASONS(UNRECORDED)                                                             \
	UNRECORDED(OUTLIVED, "outlived", "process",                                                \
		"it still ran when the trace was made: `tacho finish RUN` adds what it did since " \
		"then")                                                                            \
	UNRECORDED(READ_CALLS, "read_calls", "bytes",                                              \
		"read by calls that tacho does not see (single characters of streams, direct "     \
		"system calls)")                                                                   \
	UNRECORDED(WRITE_CALLS, "write_calls", "bytes",                                            \
		"written by calls that tacho does not see (single characters of streams, direct "  \
		"system calls)")                                                                   \
	UNRECORDED(STORED, "stored", "bytes",                                                      \
		"written to storage by no call of read or write: io_uring, libaio, mapped files")  \
	UNRECORDED(LOADED, "loaded", "bytes",                                                      \
		"read from storage by no call of read or write: io_uring, libaio, mapped files")

#define UNRECORDED(id, name, kind, text) UNRECORDED_##id,
enum unrecorded { UNRECORDED_REASONS(UNRECORDED) UNRECORDED_COUNT };
#undef UNRECORDED

/* What is missing, of what, and how much of it. */
struct not_recorded {
	const char *subject; /* the process or location, as the trace names it */
	size_t process;	     /* of the model; MODEL_NONE: of the run, or not known */
	const char *kind;    /* set by the functions below, as is `reason` */
	const char *reason;
	int64_t count;
	int64_t bytes, ns; /* DB_NULL: not known, or it has none */
};

/* A row by the reason's name, as the property of a location has it. */
void not_recorded_named(struct db *db, struct not_recorded row, const char *reason);

/* A reason of this program, for statements that write rows themselves. */
struct unrecorded_reason {
	const char *name, *kind, *text;
};
const struct unrecorded_reason *unrecorded_reason(enum unrecorded reason);

/* A row by a reason of this program. */
void not_recorded_put(struct db *db, struct not_recorded row, enum unrecorded reason);

#endif
