/*
 * step_find.h - steps of a training that marks none: the period of each rank's
 * sequence of collectives (operation, bytes, communicator). Before the
 * analysis proper, main threads are read once for their collectives alone;
 * what is found is a plan by the numbers of collectives, which the analysis
 * follows. A step ends with the last collective of a period: the one after
 * which, up to the next, most time passes. Where no phase is marked either, what
 * lies between two stretches of steps (checkpoints, validation) is a phase,
 * STEPS_BETWEEN.
 */
#ifndef ANALYZER_STEP_FIND_H
#define ANALYZER_STEP_FIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/containers.h"

struct engine;
struct track;
struct event;

/*
 * Steps in a row: `n` of `period` collectives each; the first begins after collective number
 * `first` - 1.
 */
struct step_run {
	uint64_t first, n;
	uint32_t period;
};

/* Of one rank, and how far the analysis has come in it. */
struct step_plan {
	ARRAY_OF(struct step_run) runs;
	size_t run;
	/* collectives; steps begun; collective before which the next border lies */
	uint64_t seen, steps, next;
	bool joined; /* the run of steps begins where the one before ended */
};

struct found_steps {
	/* by process; NULL: steps are marked, or there is no period */
	struct step_plan *plans;
	/* 0 to below 1: share of collectives and of time that the period explains */
	double confidence;
	struct finding *finding; /* while it is under way */
	uint64_t least, most;	 /* steps that a rank has */
	double score;		 /* of the rank whose period explains least */
	/* other readers that have reported their periods, and their steps */
	uint32_t nreported, nagreed;
	bool gaps; /* what lies between them is a phase: none is marked */
};

#define STEPS_BETWEEN "between steps"

struct note;

/* Looks for steps in an archive whose events can be read. 0, or -1 without memory (reported). */
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

/* An outermost call has ended at t: here steps begin and end. */
void step_found_border(struct track *track, int64_t t);

/* --- step_period.c: one sequence --- */

struct sequence {
	ARRAY_OF(uint32_t) symbols; /* equal for equal collectives */
	ARRAY_OF(float) gaps;	    /* ns from the end of the one before to this one's begin */
	ARRAY_OF(float) turns;	    /* ns from end to end */
};

/* Collectives [first, end) repeat; first + turn begins the least rotation of the period. */
struct periodic {
	size_t first, end;
	uint32_t turn;
};

struct period {
	uint32_t length; /* 0: there is none */
	uint64_t hash;	 /* of the collectives of a period, wherever it begins */
	/* smaller one of the shares of collectives and of time between them that it explains */
	double score;
	ARRAY_OF(struct periodic) runs;
};

/* The smallest period that explains the sequence, 0 or -1 without memory (reported). */
int period_find(const struct sequence *sequence, struct period *period);

#endif
