/*
 * step_row.h - the rows of the table step: one per rank and step. Like times (window_row.h) they
 * are gathered and written in the order of the key, which has the process before the step.
 */
#ifndef ANALYZER_STEP_ROW_H
#define ANALYZER_STEP_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "tables/step_excess.h"
#include "base/containers.h"
#include "model/model.h"
#include "model/states.h"

struct tables;
struct window_rank;

struct step_row {
	uint32_t process;
	/* whether it has a phase, samples; had not ended; was recorded; that and was not alone */
	bool phased, sampled, cut, captured, compared;
	bool busy; /* it has rows in host_time besides not-recorded time */
	int64_t n, phase, start, end, samples, waited, waited_io, excess, caused;
	int64_t late[PART_COUNT];      /* what excess consists of */
	int64_t mpi, outside;	       /* in MPI or gloo, waiting for others included; all else */
	int64_t slept, readers;	       /* PART_SLEEP, PART_READERS */
	int64_t parts[TRAINING_COUNT]; /* of a training, where the trace has any */
	int64_t summed, stepped[STEP_SUMS]; /* not in detail, and its parts, if these are known */
	int64_t stands_for;		    /* so many steps are like it, itself included */
};

struct step_rows {
	ARRAY_OF(struct step_row) rows; /* step by step, as they came */
	bool partly;			/* earlier ones are in the database only */
	double confidence;		/* of steps that are not marked but found, else 1 */
	/* of those written last: their numbers by process and step, and where a process's begin */
	uint32_t *order;
	size_t *first;
};

/* A step of all ranks: its number, from its first start to its last end (ns), and step_row.stands_for. */
struct step_added {
	int64_t n, length, stands_for;
};

/*
 * A row per rank that had the step, which all have now: only now is it known how much longer than
 * the others it took. `ranks` by process.
 */
void step_rows_add(struct tables *tables, const struct step_added *step, struct window_rank *ranks);

/* Writes the gathered rows before the table is read; they stay in memory as well. */
void step_rows_flush(struct tables *tables);

/* When they are written: whether all are in memory. Else they have to be read. */
bool step_rows_all(const struct tables *tables);

void step_rows_free(struct step_rows *rows);

#endif
