/*
 * step_model.h - predicts how long the steps of a run would take without some of the ranks' local
 * time.
 *
 * A step lasts as long as its slowest rank: T(S) is the sum over the steps of the longest local
 * time of a rank, without the parts in S. Local time is the length of a rank's step without its
 * waits for other ranks in communication. The model needs sums per step only, so it also works
 * where calls were not kept in detail. In runs with GPUs it is the time of a rank's devices,
 * without their waits for other ranks; sleep, waits and I/O of the host are the idle time of the
 * devices that they cause.
 *
 * The time outside of steps is treated as one more step, which each rank has once: before its first
 * step, between and after steps; in a run without steps all of it.
 *
 * If T of the empty set exceeds the measured time of the steps, ranks run ahead of each other: then
 * the rank with the longest sum of local times decides.
 *
 * A wait without a recorded origin (a store, a file, a server that is not recorded) counts as a
 * wait for another rank if, in nearly all steps, it ends together with the work of the rank with
 * the longest local time: steps_depend().
 *
 * Data-loader workers, or a thread that fills a queue, work ahead while their rank waits for
 * others: without that wait the steps last at least as long as these take for the samples.
 */
#ifndef ANALYZER_STEP_MODEL_H
#define ANALYZER_STEP_MODEL_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/containers.h"

/*
 * Parts of local time that can be taken out. WAIT: for threads, children, sockets, locks, without
 * READERS, the threads and children that read files. COMPUTE: the useful time of a rank beyond the
 * lower median of the other ranks in that step, as far as they had a core. CALLS: likewise for time
 * in calls of MPI, gloo and CUDA without waiting, which no other part covers. Outside of steps:
 * SLEEP_OUTSIDE; MORE_OUTSIDE, the work of a rank beyond the lower median of the other ranks,
 * without sleep and its share of that.
 */
#define OWN_PARTS(PART)                                                                            \
	PART(SLEEP, "sleep")                                                                       \
	PART(READERS, "readers")                                                                   \
	PART(WAIT, "wait")                                                                         \
	PART(IO, "io")                                                                             \
	PART(OMP, "omp_idle")                                                                      \
	PART(COMPUTE, "compute")                                                                   \
	PART(CALLS, "calls")                                                                       \
	PART(SLEEP_OUTSIDE, "sleep_outside")                                                       \
	PART(MORE_OUTSIDE, "more_outside")

enum own_part {
#define OWN_PART(id, name) OWN_##id,
	OWN_PARTS(OWN_PART)
#undef OWN_PART
		OWN_PART_COUNT
};

extern const char *const own_part_names[OWN_PART_COUNT];

#define STEP_HAS_SHARE 0.01 /* of a rank's own time in a step: it has the part there */

static inline bool part_is_outside(enum own_part part)
{
	return part >= OWN_SLEEP_OUTSIDE;
}

/* Parts that measure a rank's excess over the others, for each rank separately. */
static inline bool part_is_excess(enum own_part part)
{
	return part == OWN_COMPUTE || part == OWN_CALLS || part == OWN_MORE_OUTSIDE;
}

/* ns of a rank; `excess`: less the lower median of the other ranks. */
struct beyond {
	double ns, excess;
};

/*
 * A rank's step, in ns. `calls`: own time in no state of the host but communication. `rare`:
 * what few steps have of a part beyond the median of the rank's steps that have it, as a stall
 * has.
 */
struct step_own {
	int64_t n;
	uint32_t rank;		      /* an index of step_model.ranks */
	double stands_for;	      /* steps that are like it, itself included */
	double length, communication; /* from its start to its end; in calls of MPI and gloo */
	double queued; /* of SLEEP: waiting until the ranks before it in a queue have slept */
	struct beyond useful, calls;
	bool is_summed; /* only sums exist */
	double own, part[OWN_PART_COUNT], rare[OWN_PART_COUNT];
};

/* ns that workers, or a thread, take for all samples of a rank, which waits for them in `part`. */
struct loading {
	double ns;
	enum own_part part;
};

struct step_model {
	ARRAY_OF(struct step_own) steps;   /* in the order of n and rank */
	ARRAY_OF(struct step_own) outside; /* of each rank the part outside of its steps */
	ARRAY_OF(int64_t) ranks;	   /* MPI ranks, ascending */
	double count;			   /* steps of the rank with most of them */
	double measured_s;		   /* their time, of the rank with most of it */
	double unknown_most; /* ns of the longest step without a row; -1: all have rows */
	bool apart;   /* ranks do not wait for each other in each step: T(S) is the longest sum */
	double *sums; /* room for that */
	struct loading *loading; /* of each rank */
	double *on_core; /* of each rank, the share of its runnable time that it had a core in */
};

/* A share, from 0 to 1, of a part's usual time, and of its rare time. */
struct part_share {
	double usual, rare;
};

/* Which share of each part of a rank's own time is left. */
struct step_left {
	struct part_share part[OWN_PART_COUNT];
};

/*
 * The composition of T(S), along the ranks that determine the steps' length: the time before the
 * first step (in a run without steps all of it), states of the steps, the time after the last step.
 * COMMUNICATION: without waits for other ranks. OTHER: calls of CUDA, and time without events.
 */
#define ACCOUNT_PARTS(PART)                                                                        \
	PART(START, "start")                                                                       \
	PART(COMPUTE, "compute")                                                                   \
	PART(IO, "io")                                                                             \
	PART(WAIT, "wait")                                                                         \
	PART(OMP, "omp_idle")                                                                      \
	PART(COMMUNICATION, "communication")                                                       \
	PART(OTHER, "other")                                                                       \
	PART(END, "end")

enum account_part {
#define ACCOUNT_PART(id, name) ACCOUNT_##id,
	ACCOUNT_PARTS(ACCOUNT_PART)
#undef ACCOUNT_PART
		ACCOUNT_PART_COUNT
};

/*
 * Reads the steps of a run. 0, or -1 (reported).
 * step_model_free() in any case.
 */
int step_model_read(struct step_model *model, sqlite3 *handle, int64_t run_id);
void step_model_free(struct step_model *model);

/* The part of step_model_read() that reads the tables. 0, or -1 (reported). */
int step_rows_read(struct step_model *model, sqlite3 *handle, int64_t run_id);

static inline double above(double value)
{
	return value > 0 ? value : 0;
}

/* Index of an MPI rank in model->ranks; -1: there is none. */
int rank_find(const struct step_model *model, int64_t rank);

/* T(S) of the steps in seconds. `left`: a row for each of model->ranks. */
double step_model_time(const struct step_model *model, const struct step_left *left);

/* T(S) for the time of a part: the steps, or the time outside of them. */
double step_model_time_of(const struct step_model *model, const struct step_left *left,
	enum own_part part);

/* The same without shares of the part; `out`: one for each of model->ranks. */
double step_model_without(const struct step_model *model, const struct step_left *left,
	enum own_part part, const struct part_share *out);

/*
 * An upper bound of the seconds that each rank saves alone in the time of `part`: most_s has a
 * place for each of model->ranks. One pass over the rows, so that few causes of single ranks need a
 * separate one.
 */
void step_model_bounds(const struct step_model *model, const struct step_left *left,
	enum own_part part, double *most_s);

/* The parts of the remaining time, in seconds: the steps' parts add up to step_model_time(). */
void step_model_account(const struct step_model *model, const struct step_left *left,
	double account_s[ACCOUNT_PART_COUNT]);

/* Takes shares of a part out of the rest of a rank. */
void step_left_take(struct step_left *left, enum own_part part, const struct part_share *out);

#endif
