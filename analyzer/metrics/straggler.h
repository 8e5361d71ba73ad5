/*
 * straggler.h - slow ranks: since which step, by how much and why: ranks that
 * need longer than the others for their own part of a step, consistently and
 * by more than noise. Balanced noise must give no row.
 */
#ifndef ANALYZER_STRAGGLER_H
#define ANALYZER_STRAGGLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/containers.h"
#include "tables/step_excess.h"

struct engine;

/* Rows of the tables `straggler` and `noise`, from the steps in the database. */
void stragglers_write(struct engine *engine);

/*
 * What children and threads of each rank did for it. Its work grows as the number of processes,
 * which tests/unit/ranks_work.c counts.
 */
extern const char straggler_helpers_sql[];

/* --- straggler_steps.c --- */

/*
 * A step of a rank that was compared (ns): its excess above `others`, the own time of the rank that
 * it is compared with, what other ranks waited for it, and the sums of the rank's own time and of all
 * its time until its end. On a crowded node time in MPI is time without a core: excess is without it.
 */
struct late_step {
	int64_t n, start, end;
	double excess, others, caused, owns, lengths;
	int64_t waited,
		late[PART_COUNT]; /* caused of all steps that the row represents; parts of excess */
};

struct late_steps {
	ARRAY_OF(struct late_step) rows; /* in the order of process and n */
	size_t *first;			 /* of each process, and behind the last one */
	bool *crowded, all_crowded;	 /* by process: its node has more to run than cores */
	int64_t low, high;		 /* numbers of all steps */
};

/* The same from the counters in the database: without them no node is crowded. False: reported. */
bool crowds_read(struct engine *engine, struct late_steps *steps);

/* Then the steps. False: reported. late_steps_free() in any case. */
bool late_steps_read(struct engine *engine, struct late_steps *steps);
void late_steps_free(struct late_steps *steps);

/* What a process had of a range: steps, own time and all (ns), first and last moment. */
struct step_range {
	int64_t n, start, end;
	double own, length;
};

struct step_range step_range_of(const struct late_steps *steps, size_t process, int64_t first,
	int64_t last);

/* The first column of the first row of a query about ?2; NAN: none, or NULL. */
double ask_number(struct engine *engine, const char *sql, int64_t about);

/* --- straggler_crowd.c, of such ranges --- */

/* Time in which the process's first thread waited for a core (ns); NAN: not known. */
double crowd_without_core(struct engine *engine, uint32_t process, const struct step_range *range);

/* The times in which ranks had a core; NAN where counters do not show it. */
struct crowd_core {
	/* ns of own time with one, or waiting for something else: median of the other ranks */
	double others;
	double excess;	/* the excess of the rank */
	double waited;	/* own time without one, above the median of the other ranks */
	double without; /* share of the time that the ranks of the node had none */
};

/*
 * Figures of a process in the steps from `first` to `last`. `scratch` has room for all processes
 * twice.
 */
struct crowd_core crowd_core_find(struct engine *engine, const struct late_steps *steps,
	uint32_t process, int64_t first, int64_t last, double *scratch);

/* --- straggler_series.c: statistics of one rank's series --- */

/* A stretch of a series, from `first` to before `end`. */
struct stretch {
	size_t first, end;
	double level; /* median of x */
	double least; /* lower bound of the distribution's median at level 1 - alpha; or NAN */
	double above; /* share of x above 0 */
	double p;     /* of a rank like the others, to be this slow */
};

/*
 * Finds where the values x[0..n) are above 0 by more than noise.least_share of base[0..n),
 * consistently, at significance `alpha`; if nowhere, the same of sums of 2 and of 4 values, at
 * noise.fold_alpha of it. Writes up to `max` stretches in order; returns how many, or -1 without memory.
 */
int series_slow(const double *x, const double *base, size_t n, double alpha, struct stretch *found,
	int max);

/* For runs with too few steps for sign tests: the local times of all steps of all ranks, sorted. */
struct few {
	double *all;
	size_t n;
};

/* noise_order() of a rank's own times; NAN: they are too few, or all. */
double few_order(const struct few *few, const double *own, size_t n);

/* Whether its steps make a stretch in which it is slow; x and base as of series_slow(). */
bool few_slow(const struct few *few, const double *x, const double *base, size_t n, double alpha,
	struct stretch *found);

#endif
