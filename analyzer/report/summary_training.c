/* summary_training.c - see summary_training.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/report_db.h"
#include "report/summary_training.h"

#define MOST_NAMES 4 /* of values of tacho_metric() */

/* "4.2 MB per backward pass in 3 buckets · exchange 12.1 ms, 83 % overlapped" */
int summary_gradients(struct summary *s, struct report_db *db)
{
	struct result r;
	char buf[64];
	double buckets;

	if (report_db_query(db, "gradients", &r) < 0)
		return -1;
	if (r.nrows) {
		buckets = result_number(&r, "Buckets");
		line_begin(s, "gradients");
		if (buckets >= 1)
			item(s, PLAIN, "", "%s per backward pass in %.0f bucket%s",
				shown(buf, sizeof(buf), FORMAT_BYTES,
					result_number(&r, "Gradients")),
				buckets, buckets < 1.5 ? "" : "s");
		item(s, PLAIN, " · ", "exchange %s, %.0f %% overlapped",
			shown(buf, sizeof(buf), FORMAT_NS, result_number(&r, "Time")),
			100 * result_number(&r, "Hidden"));
		line_end(s);
	}
	result_free(&r);
	return 0;
}

/*
 * "loss 2.31 → 0.412 (best 0.398) · loss=0.5 after 34.2 s, 310 steps", for a small number of names
 */
int summary_learning(struct summary *s, struct report_db *db)
{
	struct result r;
	char buf[64];

	if (report_db_query(db, "training", &r) < 0)
		return -1;
	if (r.nrows) {
		const char *target = result_text(&r, "Target");
		double ns = result_number(&r, "Reached after"), steps = result_number(&r, "Steps");

		line_begin(s, "training");
		for (size_t i = 0; i < r.nrows && i < MOST_NAMES; i++) {
			const struct result_cell *row = result_cell(&r, i, 0);

			if (isnan(row[result_column(&r, "Best")].number))
				item(s, POOR, " · ", "%s is no number", row->text);
			else
				item(s, PLAIN, " · ", "%s %.3g → %.3g (best %.3g)", row->text,
					row[result_column(&r, "First")].number,
					row[result_column(&r, "Last")].number,
					row[result_column(&r, "Best")].number);
		}
		if (target && !isnan(ns)) {
			item(s, GOOD, " · ", "%s after %s", target,
				shown(buf, sizeof(buf), FORMAT_NS, ns));
			if (!isnan(steps))
				item(s, PLAIN, ", ", "%s steps",
					shown(buf, sizeof(buf), FORMAT_COUNT, steps));
		} else if (target) {
			item(s, POOR, " · ", "%s was not reached", target);
		}
		line_end(s);
	}
	result_free(&r);
	return 0;
}

/* " (imports 3.47 s)" where that is known, else nothing. */
static const char *within(char *text, size_t size, const char *name, double ns)
{
	char buf[64];

	text[0] = '\0';
	if (ns > 0)
		snprintf(text, size, " (%s %s)", name, shown(buf, sizeof(buf), FORMAT_NS, ns));
	return text;
}

/* The part of the rows from `i` to `end` that a column names; it is in one of them, and may be in several states. */
static double part_of(const struct result *r, size_t i, size_t end, const char *column)
{
	double ns = 0;

	for (; i < end; i++)
		ns = fmax(ns, result_cell(r, i, result_column(r, column))->number);
	return ns;
}

/* Items of one end of the job, from row `i` on; the next row that is none of it. */
static size_t put_end(struct summary *s, const struct result *r, size_t i)
{
	const char *when = result_cell(r, i, 0)->text;
	char buf[64], imported[96], saved[96];
	size_t end = i;

	while (end < r->nrows && strcmp(result_cell(r, end, 0)->text, when) == 0)
		end++;
	item(s, PLAIN, i ? " · " : "", "%s %s%s%s:",
		shown(buf, sizeof(buf), FORMAT_NS,
			result_cell(r, i, result_column(r, "Time"))->number),
		when, within(imported, sizeof(imported), "imports", part_of(r, i, end, "Imports")),
		within(saved, sizeof(saved), "torch.save", part_of(r, i, end, "Saving")));
	for (; i < end; i++)
		item(s, PLAIN, " ", "%s %s%s", result_cell(r, i, result_column(r, "State"))->text,
			shown(buf, sizeof(buf), FORMAT_NS,
				result_cell(r, i, result_column(r, "Per rank"))->number),
			i + 1 < end ? "," : "");
	return i;
}

/* "6.98 s before the first step (imports 3.47 s): useful 3.44 s, launch 2.77 s · 1.2 s after the last step: wait 1.1 s" */
int summary_ends(struct summary *s, struct report_db *db)
{
	struct result r;

	if (report_db_query(db, "job_ends", &r) < 0)
		return -1;
	if (r.nrows) {
		line_begin(s, "start and end");
		for (size_t i = 0; i < r.nrows;)
			i = put_end(s, &r, i);
		line_end(s);
	}
	result_free(&r);
	return 0;
}

/* "the memory of rank 1 grows steadily …  → find the objects that each step keeps" */
int summary_memory(struct summary *s, struct report_db *db)
{
	struct result r;

	if (report_db_query(db, "memory", &r) < 0)
		return -1;
	if (r.nrows) {
		line_begin(s, "memory");
		words(s, FAIR, "", result_text(&r, "Sentence"));
		item(s, PLAIN, "  ", "→");
		words(s, PLAIN, " ", result_text(&r, "Advice"));
		line_end(s);
	}
	result_free(&r);
	return 0;
}
