/*
 * split.h - one analysis shared among processes. Readers own whole families
 * of locations (a rank with its children, threads and devices) and do all
 * that one process would do with them; what leads from one reader's locations
 * to another's (messages, collectives) is sent in notes. The writer reads no
 * events: it writes the rows that the readers make, finds out when nobody can
 * continue, and in the end takes over all sums, so that figures are computed as
 * ever. Without shards the process is reader and writer in one.
 */
#ifndef ANALYZER_SPLIT_H
#define ANALYZER_SPLIT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/shm_ring.h"
#include "base/containers.h"
#include "base/pack.h"
#include "engine/peers.h"

struct engine;
struct relay;
struct call;
struct collective;
struct device_sums;
struct track;

enum note_type {
	/* to the writer: rows of the database */
	NOTE_SQL = NOTES_OF_ENGINE,
	NOTE_ROW,
	/* between readers */
	NOTE_MESSAGE,
	NOTE_WATCH,
	NOTE_PASSED,
	NOTE_ARRIVED,
	NOTE_LEFT,
	NOTE_NCCL_ARRIVED,
	NOTE_NCCL_LEFT,
	NOTE_NCCL_ASK,
	NOTE_NCCL_PASSED,
	/* of readers to the writer and back: who can continue */
	NOTE_IDLE,
	NOTE_PROBE,
	NOTE_REST,
	NOTE_FORCE,
	NOTE_FLUSH,
	NOTE_GATHER,
	/* to the writer: sums */
	NOTE_STEP,
	NOTE_TRACK,
	NOTE_CALL,
	NOTE_CALL_SUM,
	NOTE_FILE,
	NOTE_RATES,
	NOTE_COUNTERS,
	NOTE_SERIES,
	NOTE_PHASE,
	NOTE_STEP_REST, /* steps of which there are sums alone */
	NOTE_COLLECTIVE_SUM,
	NOTE_SOCKET_SUM,
	NOTE_TOTALS,
	NOTE_DEVICE_WINDOW,
	NOTE_DEVICE,
	NOTE_KERNEL,
	NOTE_STREAM,
	NOTE_DONE,
	NOTE_TYPES
};

/* A sender of another reader that wants to know when a process has come past t. */
struct split_watch {
	uint32_t worker, location, process, number;
	int64_t posted, t;
};

struct split {
	bool is_idle; /* another process does everything */
	/* neither: this process has started readers for another's writer */
	bool oversees;
	bool is_here; /* no reader is on another machine, or was started by MPI */
	struct link link;
	uint64_t sent, received; /* notes between readers */
	/* of NCCL instances that may be complete: others', and own ones that are not asked yet */
	ARRAY_OF(struct split_ask {
		uint64_t key;
		int64_t t;
		uint32_t worker;
	})
	asks, unasked;
	/* of the writer: devices' time is outstanding */
	ARRAY_OF(struct split_window *) windows;
	uint32_t nasked;
	/* collectives that wait for more members from here before any is reported to others */
	ARRAY_OF(struct collective *) unreported;
	ARRAY_OF(struct split_watch) watches;
	ARRAY_OF(struct split_watch) looks; /* own ones, that the board may answer */
	ARRAY_OF(const char *) statements;  /* by number, as sent to the writer */
	struct split_reader *readers;	    /* of the writer: by reader */
	struct split_counts *counts;	    /* the same */
};

/*
 * Decides who reads what, and forks: returns in each of the processes, of which one
 * is the writer. Archives with devices, of one family or of few events are not
 * shared, nor where jobs < 0. 0, or -1 (reported).
 */
int split_begin(struct engine *engine, int jobs, const struct relay *relay);
void split_end(struct engine *engine);

/* A reader: reads, then sends its sums. The writer: takes all of it. 0, or -1 (reported). */
int split_read(struct engine *engine);
int split_collect(struct engine *engine);

/* A row of db_put() or db_put_row() in a reader. */
void split_row(void *engine, const char *sql, const char *types, const union db_value *values);

/* --- what the engine calls by struct peer_calls, see there --- */

void split_publish(struct engine *engine, const struct channel *channel, enum side side,
	const struct arrival *posted);
void split_ask(struct track *track, struct need *need, int64_t t);
void split_progress(struct track *track);
void split_arrived(struct engine *engine, struct collective *collective, uint32_t member,
	const struct arrival *posted);
void split_left(struct engine *engine, struct collective *collective);
void split_unreported_drop(struct engine *engine, struct collective *collective);
void split_step(struct engine *engine, const struct step_window *step);
void split_window(struct engine *engine, const char *name, const struct device_sums *sums);
void split_window_close(struct engine *engine, const char *name, int64_t measured,
	const int64_t replayed[]);
void split_nccl_arrived(struct engine *engine, uint64_t key, const struct nccl_call *call,
	const struct nccl_arrival *member);
void split_nccl_left(struct engine *engine, uint64_t key, int64_t t);
void split_nccl_ask(struct engine *engine, uint64_t key, int64_t t);
void pack_send(struct engine *engine, uint32_t type);
void split_send_all(struct engine *engine, uint32_t type, const void *data, size_t n);
int split_await(struct engine *engine, const uint32_t *count, uint32_t wanted);

/* --- what leads from one reader to another; see split_replay.c --- */

/* Nobody can continue: who is forced to is to know of all that have arrived, though more may lack. */
void split_unreported_send(struct engine *engine);

/* --- devices and NCCL; see split_device.c --- */

/* One more reader will report the time of its devices in a window. */
void split_window_expect(struct engine *engine, const char *name);

/* What is to be asked of NCCL instances is asked now. */
void split_nccl_ask_now(struct engine *engine);

/* --- between split*.c --- */

/* What a reader has counted so far. */
struct split_counts {
	uint64_t ncalls, noperations, nungated, nskewed, nmismatched, nconfused, ndropped,
		nunmatched[2], nincomplete, nsockets;
	uint64_t nactivities, nunlaunched, nunnamed, nlate, nforgotten;
	int64_t worst_skew, all_skew, unruled;
};

struct split_counts split_counts(const struct engine *engine);
void split_counts_set(struct engine *engine, uint32_t reader, const struct split_counts *counts);

/* Statistics of a call. */
void call_add_to_pack(struct pack *pack, const struct call *call);
struct call *call_unpack(const char *at);

void split_pack_devices(struct engine *engine);
void split_windows_free(struct engine *engine);
void split_asks_look(struct engine *engine);
void split_take_window(struct engine *engine, const struct note *note);
void split_take_device(struct engine *engine, const struct note *note);
void split_take_kernel(struct engine *engine, const struct note *note);
void split_take_stream(struct engine *engine, const struct note *note);
void split_take_nccl(struct engine *engine, const struct note *note);
void split_take_nccl_left(struct engine *engine, const struct note *note);
void split_take_nccl_ask(struct engine *engine, const struct note *note);
void split_take_nccl_passed(struct engine *engine, const struct note *note);

/* Sends to a reader, counted. */
void split_send(struct engine *engine, uint32_t worker, uint32_t type, const void *data, size_t n);

/*
 * Whether the board answers something that was asked; takes the answers, after the notes that
 * came with them (`take` takes all). What it does not answer is asked by notes.
 */
bool split_looks_there(void *engine);
bool split_looks_take(struct engine *engine, void (*take)(void *user), void *user);
void split_looks_ask(struct engine *engine);

void split_take_message(struct engine *engine, const struct note *note);
void split_take_watch(struct engine *engine, const struct note *note);
void split_take_passed(struct engine *engine, const struct note *note);
void split_take_arrived(struct engine *engine, const struct note *note);
void split_take_left(struct engine *engine, const struct note *note);

/* Collectives that are open in the end are sent to their home; steps to the writer. */
void split_flush(struct engine *engine);

/* All sums of a reader; one of them. */
void split_pack(struct engine *engine);
void split_unpack(struct engine *engine, const struct note *note);

#endif
