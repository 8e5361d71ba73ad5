/*
 * step_row.h - the rows of the table step: one per rank and step. Like times (window_row.h) they
 * are gathered and written in the order of the key, which has the process before the step.
 */
#ifndef ANALYZER_STEP_ROW_H
#define ANALYZER_STEP_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "table.h"

struct analysis;
struct step_window;

struct step_row {
	uint32_t process;
	/* whether it has a phase, samples; had not ended; was recorded; that and was not alone */
	bool phased, told, cut, captured, compared;
	int64_t n, phase, start, end, samples, waited, waited_io, excess, caused;
};

struct step_rows { ARRAY_OF(struct step_row) rows; };

/*
 * A row per rank that had the step, which all have now: only now is it known how much longer than
 * the others it took.
 */
void step_rows_add(struct analysis *analysis, const struct step_window *step);

/* Writes what has been gathered: before anybody reads the table. */
void step_rows_flush(struct analysis *analysis);
void step_rows_free(struct step_rows *rows);

#endif
