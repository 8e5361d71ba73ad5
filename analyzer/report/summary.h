/*
 * summary.h - the few lines on a run that `tacho record` ends with: where the
 * time went, what is behind it, and how far the figures can be trusted.
 */
#ifndef ANALYZER_SUMMARY_H
#define ANALYZER_SUMMARY_H

#include <stdbool.h>
#include <stdio.h>

struct summary_options {
	const char *report; /* path of the report, printed last; NULL: no such line */
	int width;	    /* columns; 0: those of the terminal, else $COLUMNS, else 100 */
	/* 1 yes, -1 no, 0: when `out` is a terminal and NO_COLOR is unset */
	int colour;
	bool brief; /* what the run is, the verdict, why and what to do next alone */
};

/*
 * Prints the summary of the last run in the database at `db_path` to `out`.
 * `options` may be NULL. 0, or -1 (reported).
 */
int summary_print(const char *db_path, FILE *out, const struct summary_options *options);

/* Its last line, of a report that was made since. */
void summary_report_print(const char *page, FILE *out);

#endif
