/*
 * step_find.h - steps of a training that marks none. Before the analysis proper, main threads are read
 * once; the result is a plan by the numbers of their events, which the analysis follows. Each rank uses
 * the first of these four that applies:
 *
 *  1. PyTorch's optimizers, as far as they report when they step: a step ends with the first one
 *     after a backward pass;
 *  2. the period of the sequence of collectives (operation, bytes, communicator) and backward
 *     passes. A step ends with a backward pass that reduces gradients, else any, else the last
 *     collective of a period; of several the one with the longest time to the next;
 *  3. each backward pass, where collectives have no period, or one without backward passes;
 *  4. the period of launches on devices, where the others take little of the time (graphs
 *     after a warm-up) or do not exist (JAX).
 *
 * A rank without any of these (a parameter server, a stage of a pipeline without a backward pass) has the
 * steps of a training rank: its own end with the first call that ends after that rank's.
 *
 * Where no phase is marked either, the part between two stretches of steps (checkpoints,
 * validation) is a phase, STEPS_BETWEEN.
 */
#ifndef ANALYZER_STEP_FIND_H
#define ANALYZER_STEP_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/containers.h"
#include "model/model.h"

struct engine;
struct track;
struct event;

enum found_by { FOUND_BY_COLLECTIVES, FOUND_BY_BACKWARD, FOUND_BY_OPTIMIZER, FOUND_BY_LAUNCHES };

enum { STEP_LEAST_PERIODS = 5 }; /* fewer of anything are no loop */

/*
 * Steps in a row: `n` of `period` events each; the first begins after event number `first` - 1.
 */
struct step_run {
	uint64_t first, n;
	uint32_t period;
	uint64_t
		numbered; /* 1 + the number of its first step, as a peer marks it; 0: it continues */
};

/* The plan of one rank, and how far the analysis has come in it. */
struct step_plan {
	ARRAY_OF(struct step_run) runs;
	size_t run;
	/* events; steps begun; event before the next border */
	uint64_t seen, steps, next;
	enum found_by by;
	bool passed;  /* there was a backward pass since the optimizer's latest step */
	bool joined;  /* the run of steps begins where the one before ended */
	bool is_open; /* a step has begun, and not ended */
	/* by launches, maybe another thread's, or another rank's steps: when those before the borders ended */
	ARRAY_OF(int64_t) borders;
	size_t border;
	bool is_peers; /* its steps have the numbers of another rank's */
};

struct found_steps {
	/* by process; NULL: steps are marked, or there is no period */
	struct step_plan *plans;
	/* 0 to below 1: share of events and of time between them that the period explains */
	double confidence;
	struct finding *finding; /* while it is under way */
	uint64_t least, most;	 /* steps that a rank has */
	double score;		 /* of the rank with the period that explains least */
	/* other readers that have reported their periods, and their steps */
	uint32_t nreported, nagreed;
	bool gaps; /* the part between them is a phase: none is marked */
};

#define STEPS_BETWEEN "between steps"

struct note;

/* Searches for steps in an archive with readable events. 0, or -1 without memory (reported). */
int steps_find(struct engine *engine);
void steps_forget(struct engine *engine);

/* 0 to 1, of steps that are marked 1. */
static inline double steps_confidence(const struct found_steps *found)
{
	return found->plans ? found->confidence : 1;
}

/* What another reader found in its ranks: gaps of its cycles, then how many steps there are. */
void steps_found_take(struct engine *engine, const struct note *note);
void steps_agreed_take(struct engine *engine, const struct note *note);

/* A collective of the main thread of a rank is reported. */
void step_found_collective(struct track *track, const struct event *event);

/* A region of a main thread is left. */
void step_found_leave(struct track *track, const struct event *event);

/* An outermost call has ended at t: here steps begin and end. */
void step_found_border(struct track *track, int64_t t);

/* --- step_period.c: one sequence --- */

/* No more likely to be a collective's than any other number. */
enum { SYMBOL_BACKWARD = 1, SYMBOL_REDUCED, SYMBOL_OPTIMIZER };
#define SYMBOL_LAUNCH (1u << 31) /* or a launch's, all of them with this bit */

struct sequence {
	ARRAY_OF(uint32_t)
	symbols;	       /* equal for equal events; one of the above, or of a collective */
	ARRAY_OF(float) gaps;  /* ns from the end of the one before to this one's begin */
	ARRAY_OF(float) turns; /* ns from end to end */
};

/* Events [first, end) repeat; first + turn begins the least rotation of the period. */
struct periodic {
	size_t first, end;
	uint32_t turn;
};

struct period {
	uint32_t length; /* 0: there is none */
	uint64_t hash;	 /* of the events of a period, wherever it begins */
	/* smaller one of the shares of events and of time between them that it explains */
	double score;
	ARRAY_OF(struct periodic) runs;
};

/* The smallest period that explains the sequence, 0 or -1 without memory (reported). */
int period_find(const struct sequence *sequence, struct period *period);

/* --- step_scan.c: one rank --- */

struct found_period {
	enum found_by by;
	struct period period;
	struct sequence sequence;
	ARRAY_OF(int64_t) ends; /* of launches, by their number */
	bool passes;		/* there are backward passes or steps of an optimizer */
};

/* Reads its main thread. 0, or -1 without memory; to be freed in either case. */
int step_scan(struct engine *engine, uint32_t process, struct found_period *found);
void found_period_free(struct found_period *found);
int sequence_add(struct sequence *sequence, uint32_t symbol, float gap, float turn);
void sequence_free(struct sequence *sequence);

bool symbol_is_backward(uint32_t symbol);
bool step_is_collective(const struct event *event);

/* What the region that is left is of a training. */
enum training step_training(const struct model *model, const struct event *event);

/* --- step_peer.c: another rank --- */

/* When each event of the sequence ended; then its steps can be followed by time. 0, or -1 without memory. */
int found_ends_fill(struct found_period *found);

/*
 * The plan of a rank that marks no steps, by the marks of one that does; without runs where not all of its
 * steps are in detail. 0, or -1 without memory.
 */
int step_marks_plan(struct engine *engine, uint32_t peer, struct step_plan *plan);

/* --- step_launch.c: launches of a process --- */

/* Reads the thread that launches most, as far as memory allows. */
struct launched {
	struct sequence sequence;
	ARRAY_OF(int64_t) ends; /* of the launching calls */
	bool several;		/* some launch is of several activities, as a graph */
};

/* Reads its devices and threads. 0, or -1 without memory; to be freed in either case. */
int launches_scan(struct engine *engine, uint32_t process, struct launched *launched);
void launched_free(struct launched *launched);

#endif
