/* call.h - statistics of calls per process and region: number, time, median by a histogram. */
#ifndef ANALYZER_CALL_H
#define ANALYZER_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "db/db.h"
#include "model/model.h"

/* Buckets per power of two: a median is known within 1/32 of itself (exactly below 16 ns). */
enum { CALL_OCTAVES = 64, CALL_BUCKETS = 16 };

struct call {
	uint64_t first, noctaves; /* of counted octaves */
	uint64_t n, total, min, max;
	unsigned __int128 squares; /* of the durations, summed */
	uint64_t sent, received;
	uint64_t helper_n, helper_total;  /* of them by threads other than the main one */
	uint32_t buckets[][CALL_BUCKETS]; /* by octave, from the first on */
};

struct call_table {
	/* NULL: nothing was called, or its rows are written */
	struct call **by_region;
	/* once the rows are written: calls of runtimes and the system; CUDA's */
	uint64_t nrecorded, ncuda;
	/* the same: the rows of class io, and their time */
	uint64_t nio, io_ns;
};

/* Calls that the archive holds as one: how many, and the extremes of their durations, in ns. */
struct call_run {
	uint64_t calls, shortest, longest;
};

/*
 * Counts a call of `ns`, or with run->calls so many that took as long together; `helper`: of a
 * thread other than the main one of its process. 0, or -1 without memory (reported).
 */
int call_add(struct call_table *table, const struct model *model, uint32_t region, uint64_t ns,
	const struct call_run *run, bool helper);

/* Calls of one region; a region without calls takes no memory. */
struct call_sum {
	uint32_t region;
	uint64_t calls;
	int64_t ns, until; /* when the last of them ended */
};

/* The same in the region's sum of `n`, ended at `t`; those for which none is free are left out. */
void call_sum_add(struct call_sum *sums, size_t n, uint32_t region, int64_t ns, int64_t t,
	const struct call_run *run);

/* Bytes sent and received by a region of a process that has been or will be counted. */
int call_add_bytes(struct call_table *table, const struct model *model, uint32_t region,
	uint64_t sent, uint64_t received);

/*
 * Counts one duration in *call, which is made when it is NULL. 0, or -1 without memory (reported).
 */
int call_count(struct call **call, uint64_t ns);

/* The same of run->calls that took `ns` together; of fewer than two one that did. */
int call_count_run(struct call **call, uint64_t ns, const struct call_run *run);

/* Adds what `from` has counted. 0, or -1 without memory (reported). */
int call_merge(struct call **to, const struct call *from);

/* Standard deviation of the sample; NaN below two. */
double call_deviation(const struct call *call);

/* Median of all durations. */
double call_median(const struct call *call);

/* A row of the table median; `kind`: call or kernel. */
void median_put(struct db *db, const char *kind, const char *name, const struct call *all);

/*
 * Rows of the tables `call` and `median`, over all processes. NULL without memory (reported). A
 * process may be written as soon as nothing of it is still to be counted, and its table is empty
 * then: where many are read one after the other, none of it has to be kept.
 */
struct call_rows;

/* A row of a process; place: of the region's name among all in their order. */
struct call_figures {
	uint32_t process, place;
	uint64_t n, total, min, max, sent, received, helper_n, helper_total;
	double median, deviation;
};

struct call_rows *call_rows_open(struct db *db, const struct model *model,
	struct call_table *tables);
void call_rows_write(struct call_rows *rows, uint32_t process);

/*
 * The same for another process to write: so many rows, and *n, valid until the next call. The table
 * is empty then.
 */
const struct call_figures *call_rows_figures(struct call_rows *rows, uint32_t process, size_t *n);

/*
 * Accepts those rows in the writing process. Rows that arrive in the order of processes are written
 * at once: the process that sent the first ones collects others meanwhile.
 */
void call_rows_take(struct call_rows *rows, uint32_t process, const struct call_figures *figures,
	size_t n);

/* Over all processes, by place; NULL: it was not called. Adds what another process has counted. */
const struct call *call_rows_sum(const struct call_rows *rows, uint32_t place);
void call_rows_add(struct call_rows *rows, uint32_t place, const struct call *sum);

/* Writes the remaining rows. */
void call_rows_finish(struct call_rows *rows);
void call_rows_close(struct call_rows *rows);
void calls_free(struct call_table *tables, const struct model *model);

#endif
