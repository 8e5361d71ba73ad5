/* summary_text.h - lines of the summary: items one after the other, wrapped at the width. For summary.c. */
#ifndef ANALYZER_SUMMARY_TEXT_H
#define ANALYZER_SUMMARY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "result/format.h"

#define INDENT 18 /* columns of a line's name */

enum style { PLAIN, DIM, BOLD, GOOD, FAIR, POOR };

struct summary {
	FILE *out;
	int width, column;
	bool colour;
	bool emulated;	   /* the GPUs are emulated */
	bool lossy;	   /* events of ranks were lost */
	bool summed;	   /* of a part of the run only totals were kept */
	double least_wait; /* ns, of each of the other ranks: less is not in the summary */
	double ranks;
	double why; /* number of the finding that the lines why and next state */
};

void put(struct summary *s, enum style style, const char *text);
void break_line(struct summary *s);
void line_begin(struct summary *s, const char *name);
void line_end(struct summary *s);

/*
 * `between` and an item that is not broken. Where there is no room the item
 * starts a new line; a sign between them (=, ×, –) goes with it.
 */
void item(struct summary *s, enum style style, const char *between, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* A sentence, broken between words. */
void words(struct summary *s, enum style style, const char *between, const char *sentence);

const char *shown(char *buf, size_t size, enum result_format format, double value);

#endif
