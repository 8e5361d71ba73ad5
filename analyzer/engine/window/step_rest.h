/*
 * step_rest.h - steps and phases without their own rows. In a run with very many steps the first
 * have rows, then ever fewer evenly spaced ones, so that their number grows with the logarithm
 * only; and the longest. The other steps are summed exactly, by rank and phase.
 */
#ifndef ANALYZER_STEP_REST_H
#define ANALYZER_STEP_REST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/containers.h"

struct engine;
struct event;
struct step_window;
struct phase_window;

/* Steps of one rank in one instance of a phase (0: in none). */
struct step_rest {
	uint32_t process;
	int64_t phase;
	uint64_t steps;
	bool sampled, captured, compared; /* any of them: else that is not known */
	int64_t samples, ns, least, most, waited, waited_io, excess, caused;
};

struct step_rests {
	uint64_t most; /* steps, and instances of a phase per rank, that have rows: 0 not set yet */
	ARRAY_OF(struct step_rest) sums;
	struct idmap numbers;
	/* of the others the longest so far, least first; their rows come at the end */
	ARRAY_OF(struct step_window) longest;
};

/* Whether step n has rows, by its number; for the longest steps, devices have none. */
bool step_has_rows(struct engine *engine, int64_t n);

/* So many steps are like the one of the row, itself included; of the longest no other. */
int64_t step_stands_for(struct engine *engine, int64_t n);

/* The same of window "step:N", and true of all others. */
bool window_has_rows(struct engine *engine, const char *window);

/* Whether an instance of a phase, counted from 0 per rank, has one. */
bool phase_has_row(struct engine *engine, uint32_t instance);

/* A step without rows, of which `step->ranks` may be exchanged. */
void step_rest_take(struct engine *engine, struct step_window *step);

/* Whether an event is no step, but the sums of some that the spool did not keep singly: they are added. */
bool step_rest_read(struct engine *engine, uint32_t process, int64_t phase,
	const struct event *event);

/* Such sums that another reader has made. */
void step_rest_merge(struct engine *engine, const struct step_rest *sum);

/* Writes the rows of the sums. */
void step_rests_write(struct engine *engine);

/* What ranks were in instances of a phase without a row. */
void phase_rest_write(struct engine *engine, const struct phase_window *phase);

void step_rests_free(struct step_rests *rests);

#endif
