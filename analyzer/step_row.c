/* step_row.c - see step_row.h. */
#include "config.h"

#include <stdlib.h>

#include "analysis.h"
#include "log.h"
#include "step_row.h"
#include "straggler.h"

enum { MAX_ROWS = 1 << 18 };

/* Through the rows, process by process. */
struct scan { const struct analysis *analysis; const uint32_t *order; size_t next; char *types; };

static bool scan_next(void *user, union db_value *values)
{
	struct scan *scan = user;
	const struct step_rows *rows = &scan->analysis->step_rows;
	const struct found_steps *found = &scan->analysis->found;
	bool waits = !scan->analysis->options->summary;
	const struct step_row *row;

	if (scan->next == rows->rows.n)
		return false;
	row = &rows->rows.at[scan->order[scan->next++]];
	scan->types[2] = row->phased ? 'i' : 'n';
	scan->types[5] = row->told ? 'i' : 'n';
	scan->types[8] = waits && row->captured ? 'i' : 'n';
	scan->types[9] = waits && row->compared ? 'i' : 'n';
	scan->types[10] = waits ? 'i' : 'n';
	scan->types[11] = waits && row->captured ? 'i' : 'n';
	values[0].i = scan->analysis->model.processes.at[row->process].id;
	values[1].i = row->n;
	values[2].i = row->phase;
	values[3].i = row->start;
	values[4].i = row->end;
	values[5].i = row->samples;
	values[6].d = found->plans ? found->confidence : 1;
	values[7].i = row->cut;
	values[8].i = row->waited;
	values[9].i = row->excess;
	values[10].i = row->caused;
	values[11].i = row->waited_io;
	return true;
}

/* Numbers of the rows by process; of one they stay as they came. NULL without memory. */
static uint32_t *rows_order(const struct analysis *analysis)
{
	const struct step_rows *rows = &analysis->step_rows;
	size_t n = analysis->model.processes.n;
	uint32_t *order = malloc((rows->rows.n + 1) * sizeof(*order));
	size_t *first = calloc(n + 1, sizeof(*first));

	for (size_t i = 0; order && first && i < rows->rows.n; i++)
		first[rows->rows.at[i].process + 1]++;
	for (size_t p = 1; first && p <= n; p++)
		first[p] += first[p - 1];
	for (size_t i = 0; order && first && i < rows->rows.n; i++)
		order[first[rows->rows.at[i].process]++] = (uint32_t)i;
	if (!first) {
		free(order);
		return NULL;
	}
	free(first);
	return order;
}

void step_rows_flush(struct analysis *analysis)
{
	char types[] = "iiiiiidiiiii";
	uint32_t *order = rows_order(analysis);
	struct scan scan = { analysis, order, 0, types };

	if (!order) {
		log_error("out of memory for the rows of steps");
		analysis->failed = true;
	} else if (analysis->step_rows.rows.n) {
		db_put_rows(&analysis->db,
			"insert into step select 1, c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, "
			"c11 from rows",
			&(struct db_rows){ types, scan_next, &scan });
	}
	free(order);
	analysis->step_rows.rows.n = 0;
}

void step_rows_add(struct analysis *analysis, const struct step_window *step)
{
	bool compared = straggler_measure(step->ranks, analysis->model.processes.n) >= 2;
	struct step_rows *rows = &analysis->step_rows;

	for (size_t p = 0; p < analysis->model.processes.n; p++) {
		const struct window_rank *rank = &step->ranks[p];
		struct step_row *row = rank->any ? ARRAY_ADD(&rows->rows) : NULL;
		bool captured = straggler_sees(rank);

		if (row)
			*row = (struct step_row){
				.process = (uint32_t)p, .phased = rank->phase, .told = rank->told,
				.cut = rank->cut, .captured = captured,
				.compared = compared && captured, .n = step->n,
				.phase = rank->phase, .start = rank->start, .end = rank->end,
				.samples = rank->samples, .waited = rank->waited,
				.waited_io = rank->waited_io, .excess = rank->excess,
				.caused = rank->caused,
			};
		analysis->failed |= rank->any && !row;
	}
	if (rows->rows.n >= MAX_ROWS)
		step_rows_flush(analysis);
}

void step_rows_free(struct step_rows *rows)
{
	free(rows->rows.at);
}
