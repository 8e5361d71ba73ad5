/*
 * summary.h - the lines about a run at the end of `tacho record`: where the time went, why, and how
 * reliable the figures are.
 */
#ifndef ANALYZER_SUMMARY_H
#define ANALYZER_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

struct summary_options {
	const char *report; /* path of the report, printed last; NULL: no such line */
	int width;	    /* columns; 0: the terminal's, else $COLUMNS, else 100 */
	/* 1 yes, -1 no, 0: when `out` is a terminal and NO_COLOR is unset */
	int colour;
	bool brief; /* only the run's description, the verdict, why, and the next step */
};

/*
 * Prints the summary of the last run in the database at `db_path` to `out`.
 * `options` may be NULL. 0, or -1 (reported).
 */
int summary_print(const char *db_path, FILE *out, const struct summary_options *options);

/* Its last line, of a report that was made since. */
void summary_report_print(const char *page, FILE *out);

#endif
