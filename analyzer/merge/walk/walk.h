/*
 * walk.h - goes through the records of some threads of one process,
 * group by group, in the order in which the groups ended, and resolves
 * requests on the way. Both passes of merge walk the same way, so they see the
 * same. Memory: the largest group and the requests in flight.
 */
#ifndef ANALYZER_WALK_H
#define ANALYZER_WALK_H

#include "merge/merge_model.h"
#include "merge/walk/walk_requests.h"

/* A record of a group with the requests that it posted or completed. */
struct entry {
	const uint64_t *rec;
	uint64_t start, end; /* ticks */
	uint32_t region;
	uint8_t depth, type;
	uint8_t is_truncated; /* the call had not returned */
	uint8_t is_sum;	      /* calls of a SPOOL_FOLD, see fold_io() */
	uint32_t arg;	      /* of a truncated call: its handle or communicator, 0: not known */
	uint32_t first_request, nrequests;
};

static inline bool entry_is_io(const struct entry *e)
{
	return e->type == SPOOL_IO || e->type == SPOOL_IO_LONG || e->type == SPOOL_IO_PLAIN;
}

/* Result of an I/O record, -1 failed; *offset is -1 when unknown. */
static inline int64_t entry_io_result(const struct entry *e, int64_t *offset)
{
	const uint64_t *rec = e->rec;

	*offset = e->type == SPOOL_IO	   ? (int64_t)(rec[3] >> 24)
		: e->type == SPOOL_IO_LONG ? (int64_t)rec[4]
					   : -1;
	return e->type == SPOOL_IO ? (int64_t)(rec[3] & 0xffffff) : (int64_t)rec[3];
}

/* Type of an entry without a record: what the spool has summed (merge_sums.h), stretch `arg`. */
#define ENTRY_SUMS SPOOL_TYPE_COUNT

/* All records up to and including one of depth 0. */
struct group {
	struct entry *entries;
	uint32_t n, size;
	/* posted ones as they are, completed ones as posted and amended */
	struct walk_request *requests;
	uint32_t nrequests, requests_size;
	bool is_kept; /* of a stretch that is in the totals too */
};

struct walk_thread {
	struct location *location;
	struct spool_cursor cursor;
	struct group group;
	uint64_t end;	     /* of the group, ticks; UINT64_MAX: no more */
	uint64_t last_start; /* of the last call of depth 0 */
	uint64_t last_end;   /* of the last record of the groups before */
	size_t dropped;	     /* bytes of the map given back; pieces of a bounded spool */
	/* depth of what counts as the outermost call: 0, see group_cut() */
	uint32_t base;
	uint32_t stretch;   /* of those that are summed, the next one… */
	bool is_at_stretch; /* …and it comes next */
	bool is_over;	    /* the cursor is at its end */
	bool is_behind_gap; /* records before were lost */
	/* launches that CUPTI reported, those yet to come; a group that was read and waits behind them */
	const struct merge_launch *call, *calls_behind;
	struct group next;
	uint64_t next_end;
	bool has_next;
};

struct walk {
	struct process *process;
	struct walk_thread *threads;
	uint32_t nthreads;
	struct requests requests;
	uint32_t *posted; /* by communicator of the process: non-blocking ones */
};

/* Called for each group. 0, or -1 to stop (reported). */
typedef int (*walk_visitor)(struct walk *walk, struct walk_thread *thread, void *context);

/*
 * Walks `n` locations (of one process, those that share requests) together.
 * 0, or what the visitor returned, or -1 without memory (reported).
 */
int walk_run(struct process *process, struct location **locations, uint32_t n, walk_visitor visit,
	void *context);

/* Requests that were posted in a stretch and complete later. 0, or -1 without memory (reported). */
int walk_sums_requests(struct walk *walk, const struct location *l, uint32_t stretch);

/* Whether the record posts a request rather than completing some. */
static inline bool entry_completes(const struct entry *e)
{
	return e->type == SPOOL_DONE || e->type == SPOOL_DONE_SHORT;
}

/*
 * The record of the innermost call of a class around entry `i`, NULL: it is in none. Entries stand
 * in the order of their ends.
 */
const uint64_t *group_call_around(const struct group *g, uint32_t i, enum region_class class);

/*
 * The region that an entry is of: an epoll_wait() that timed out waited for nobody, a poll() that found
 * the other end closed for the end of somebody.
 */
uint32_t entry_region(const struct entry *e);

/* The same of a kind of calls of a SPOOL_FOLD. */
uint32_t fold_region(const uint64_t *kind);

/*
 * A kind of I/O of a SPOOL_FOLD as one call, with the bytes of all, that takes as long as the record does;
 * `words` are its record. False: the kind has no calls, or others.
 */
bool fold_io(const struct entry *fold, const uint64_t *kind, uint64_t words[4], struct entry *e);

#endif
