/*
 * straggler.h - slow ranks: since which step, by how much and why: ranks that
 * need longer than the others for their own part of a step, consistently and
 * by more than noise. Balanced noise must give no row.
 */
#ifndef ANALYZER_STRAGGLER_H
#define ANALYZER_STRAGGLER_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tables/step_excess.h"

struct engine;
struct step_row;

/*
 * Rows of the table `straggler`, from the steps in memory if all are there, else in the database.
 */
void stragglers_write(struct engine *engine);

/* --- between straggler.c and straggler_device.c --- */

/* A rank's own time in a step, its wait, and the parts of its own time (ns). */
struct own {
	int64_t process, own, waited, parts[PART_COUNT];
};

/* The rank's time in the step outside of MPI, without waiting in collective I/O. */
int64_t own_outside(const struct step_row *row);

typedef void own_taker(struct engine *engine, int64_t n, const struct own *ranks, size_t nranks);

/*
 * Hands over step by step the rows n, process, own, waited and, where there are such columns, the
 * parts; they come in the order of n and own.
 */
void own_walk(struct engine *engine, sqlite3_stmt *select, own_taker *take);

/* The other rank with the (lower) median of their own times; alone itself. */
const struct own *own_other(const struct own *ranks, size_t nranks, size_t i);

/* Waits and excess of the steps of ranks with devices, by their devices' time. */
void straggler_device_steps(struct engine *engine);

/*
 * By how much longer the kernels of a process's devices are than each other process's, as a share
 * of the latter: by the medians and by the shortest, the smaller of both. Stand-ins compute on
 * cores and now and then have none, which affects neither. NAN: there are no two to compare.
 */
double straggler_device_more(struct engine *engine, uint32_t process);

/* --- straggler_sums.c: ranges of steps --- */

struct step_sum;

/*
 * For each process one after the other: of no step, then up to the end of each block of 2^shift
 * steps, the first of which has number `first` << shift. A block is one step unless there are very
 * many: then borders of ranges are rounded to blocks.
 */
struct step_sums {
	struct step_sum *at;
	int64_t first;
	size_t nblocks;
	int shift;
};

/* From the steps in memory or in the database, unless it was done. 0, or -1 (reported). */
int step_sums_read(struct engine *engine, struct step_sums *sums);
void step_sums_free(struct step_sums *sums);

/* By what parts a process was late from `first` to `last`: their sums. */
void step_sums_late(const struct step_sums *sums, size_t process, int64_t first, int64_t last,
	int64_t late[PART_COUNT]);

/*
 * What a process had of a range: steps that had ended, own time and all (ns), first and last
 * moment.
 */
struct step_range {
	int64_t n, own, length, start, end;
};

struct step_range step_sums_range(const struct step_sums *sums, size_t process, int64_t first,
	int64_t last);

/* --- straggler_crowd.c: nodes with more to run than cores --- */

struct crowd {
	bool *nodes, all;
};

/*
 * From the counters in the database; without them no node is crowded. If one is, steps are
 * measured by the ranks' time outside of MPI: in memory the ranks of that node, else in
 * temp.crowd_step all. -1: reported.
 */
int crowd_read(struct engine *engine, struct crowd *crowd);

/* Whether the node of the process is one of them. */
bool crowd_has(const struct crowd *crowd, const struct engine *engine, uint32_t process);
void crowd_free(struct crowd *crowd);

/* The times in which ranks had a core; NAN where counters do not show it. */
struct crowd_core {
	/* ns of own time with one, or waiting for something else: median of the other ranks */
	double others;
	double excess;	/* the excess of the rank */
	double waited;	/* own time without one, above the median of the other ranks */
	double without; /* share of the time that the ranks of the node had none */
};

/*
 * Time of a range of steps in which the process's first thread waited for a core (ns); NAN: not
 * known.
 */
double crowd_without_core(struct engine *engine, uint32_t process, const struct step_range *range);

/* Of a process in the steps from `first` to `last`. `scratch` has room for all processes twice. */
struct crowd_core crowd_core_find(struct engine *engine, const struct step_sums *sums,
	uint32_t process, int64_t first, int64_t last, double *scratch);

/* --- straggler_few.c: runs with too few steps for a series --- */

/* The own time of each process in each step (ns), `many` at most; and the result of their order. */
struct few {
	double *own, *all, *order; /* order: p by noise_order(); NAN: of no such run, or too few */
	size_t *n, many, nall;
};

/* Room for all processes. 0, or -1 (reported). */
int few_open(struct few *few, size_t nprocesses);
void few_close(struct few *few);

/* Takes a process's steps in; false: they are too many, and then nothing has an order. */
bool few_add(struct few *few, size_t process, const double *excess, const double *others, size_t n);

/* When all are in: sets `order`. */
void few_finish(struct few *few, size_t nprocesses);

struct stretch;

/*
 * Whether all steps of a process make a stretch in which it is slow; x and base as of
 * series_slow().
 */
bool few_slow(const struct few *few, size_t process, size_t nranks, const double *x,
	const double *base, struct stretch *found);

/*
 * What children and threads of each rank did for it; reads temp.io_call(process_id, ns). Its work
 * grows as the number of processes, which tests/unit/finding_work.c counts.
 */
extern const char straggler_helpers_sql[];

/* --- straggler_series.c: statistics of one rank's series --- */

/* A stretch of a series, from `first` to before `end`. */
struct stretch {
	size_t first, end;
	double level; /* median of x */
	double least; /* that of its distribution is so much, but for a chance of alpha; or NAN */
	double above; /* share of x above 0 */
	double p;     /* that a rank like the others would look slow like this */
};

/*
 * Finds where the values x[0..n) are above 0 by more than `least` (a share)
 * of base[0..n), consistently, at significance `alpha`. Writes up to `max`
 * stretches in order, neighbours of like levels joined; returns how many, or -1 without
 * memory.
 */
int series_slow(const double *x, const double *base, size_t n, double least, double alpha,
	struct stretch *found, int max);

/*
 * The same for a delay in every second to fourth step: of sums of 2, else of 4 values, at
 * noise.fold_alpha of `alpha`. Levels are those of a value.
 */
int series_slow_folded(const double *x, const double *base, size_t n, double least, double alpha,
	struct stretch *found, int max);

#endif
