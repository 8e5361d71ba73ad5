/*
 * explain.h - tacho explain: describes a run in statements. Each has a key that stays the same in
 * all versions, the query on tacho.db that proves it, and that query's rows. Statements are the
 * verdict, the findings, and figures of the database; nothing is judged here.
 */
#ifndef ANALYZER_EXPLAIN_H
#define ANALYZER_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "report/report_db.h"

#define EXPLAIN_MOST 4096 /* bytes of a diagnosis */

struct statement {
	char *key;	/* verdict, finding.RULE, rank.N … */
	char *said;	/* a sentence */
	double seconds; /* it is about; NAN: none */
	char *query;	/* NULL: none */
	bool deeper;	/* only where it is asked for */
};

struct explain {
	struct report_db db;
	char *title; /* of the run, a line */
	struct statement *statements;
	size_t n;
};

/* Reads the last run in the database at `path`, which the caller keeps. 0, or -1 (reported). */
int explain_open(struct explain *explain, const char *path);
void explain_close(struct explain *explain);

/* NULL: there is none of this key. */
const struct statement *explain_find(const struct explain *explain, const char *key);

/*
 * Prints a statement with up to 20 rows of its evidence. If it is NULL, prints the diagnosis: the
 * statements that are not `deeper`, in order, with a few rows each, in EXPLAIN_MOST bytes, then the
 * keys of all others as far as they fit. As Markdown or JSON. 0, or -1 (reported).
 */
int explain_print(struct explain *explain, const struct statement *statement, bool json, FILE *out);

#endif
