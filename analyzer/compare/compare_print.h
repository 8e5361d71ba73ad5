/* compare_print.h - what the parts of tacho compare's output for people share. */
#ifndef ANALYZER_COMPARE_PRINT_H
#define ANALYZER_COMPARE_PRINT_H

#include "compare/compare.h"

#define LEAST_KNOWN 0.0005 /* of two values: what is no difference */

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
const char *row_text(const struct report_result *result, size_t row, const char *column);
double row_number(const struct report_result *result, size_t row, const char *column);
bool row_equals(const struct report_result *result, size_t row, const char *column,
	const char *text);

/* Print a table each, or nothing where it would be empty. */
void put_figures(const struct compare *compare, int width);
void put_time(const struct compare *compare, int width);
void put_parts(const struct compare *compare, int width);
void put_calls(const struct compare *compare, int width);

#endif
