/* compare_print.h - shared parts of tacho compare's text output. */
#ifndef ANALYZER_COMPARE_PRINT_H
#define ANALYZER_COMPARE_PRINT_H

#include "compare/compare.h"

#define LEAST_KNOWN 0.0005 /* of two values: smaller differences count as none */

struct scale {
	double ns;
	const char *name;
};

/* The unit in which the largest of several times reads well. */
const struct scale *scale_of(double ns);

/* Three digits that mean something, and percent of a ratio; with a sign when it is a difference. */
const char *number_text(char buf[32], double value, bool sign);
const char *percent_text(char buf[32], double share, bool sign);

/* A cell of a result by its row and column; "" and NAN where there is none. */
const char *row_text(const struct result *result, size_t row, const char *column);
double row_number(const struct result *result, size_t row, const char *column);
bool row_equals(const struct result *result, size_t row, const char *column, const char *text);

/* Sentences, to be freed; NULL: there is none, or no memory. */
char *verdict_text(const struct compare *compare); /* new is 5.8 % ± 0.9 % slower than base: … */
char *run_text(const struct compare *compare, int side); /* LABEL: 2 ranks on 1 node · 64 steps… */
char *gate_text(const struct gate *gate);		 /* passed, or why not */
/* all of train takes 3.30 ms more per step: …; `device`: of the devices */
char *time_text(const struct compare *compare, bool device);

/*
 * Notes on sizes, phases and batches come first and are emphasized; all others follow the verdict.
 */
bool note_is_loud(const struct result *notes, size_t row);

/* The figures of both runs, and their change: for every form of output; result_free() follows. */
void figures_make(const struct compare *compare, struct result *table);

/* Print a table each, or nothing where it would be empty. */
void put_figures(const struct compare *compare);
void put_time(const struct compare *compare);
void put_parts(const struct compare *compare);
void put_calls(const struct compare *compare);

#endif
