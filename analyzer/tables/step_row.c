/* step_row.c - see step_row.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tables/tables.h"
#include "base/log.h"
#include "model/states.h"
#include "tables/step_row.h"
#include "tables/step_excess.h"
#include "tables/window_rank.h"
#include "tables/step.def"
#include "tables/step_sum.def"

/* A part of a training, where the trace states when ranks are in it. */
#define PART_OF(part, known)                                                                       \
	row->captured && scan->tables->model.trains[TRAINING_##known]                              \
		? row->parts[TRAINING_##part]                                                      \
		: DB_NULL
#define LATE(part) waits && row->compared ? row->late[PART_##part] : DB_NULL

enum { MAX_ROWS = 1 << 18 };

static const struct db_table table = DB_TABLE(step, "insert", STEP_COLUMNS);
static const struct db_table sum_table = DB_TABLE(step_sum, "insert", STEP_SUM_COLUMNS);

/* Through the rows, process by process. */
struct step_row_scan {
	const struct tables *tables;
	size_t next;
};

static bool scan_next(void *user, union db_value *values)
{
	struct step_row_scan *scan = user;
	const struct step_rows *rows = &scan->tables->step_rows;
	bool waits = !scan->tables->summary;
	const struct step_row *row;
	const struct process *process;

	if (scan->next == rows->rows.n)
		return false;
	row = &rows->rows.at[rows->order[scan->next++]];
	process = &scan->tables->model.processes.at[row->process];
	DB_SET(values, STEP_COLUMNS);
	return true;
}

static bool sum_next(void *user, union db_value *values)
{
	struct step_row_scan *scan = user;
	const struct step_rows *rows = &scan->tables->step_rows;
	const struct step_row *row;
	const struct process *process;

	do {
		if (scan->next == rows->rows.n)
			return false;
		row = &rows->rows.at[rows->order[scan->next++]];
	} while (!row->summed || !row->stepped[STEP_SUMS_GIVEN]);
	process = &scan->tables->model.processes.at[row->process];
	DB_SET(values, STEP_SUM_COLUMNS);
	return true;
}

static int compare_steps(const void *a, const void *b, void *rows)
{
	const struct step_row *at = rows;
	int64_t x = at[*(const uint32_t *)a].n, y = at[*(const uint32_t *)b].n;

	return (x > y) - (x < y);
}

/* Mostly they came in their order. */
static void order_sort(const struct step_rows *rows, uint32_t *order, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (rows->rows.at[order[i - 1]].n > rows->rows.at[order[i]].n) {
			qsort_r(order, n, sizeof(*order), compare_steps, rows->rows.at);
			return;
		}
}

/* -1: without memory. */
static int rows_order(struct step_rows *rows, size_t nprocesses)
{
	uint32_t *order = malloc((rows->rows.n + 1) * sizeof(*order));
	size_t *first = calloc(nprocesses + 2, sizeof(*first));

	free(rows->order);
	free(rows->first);
	rows->order = order;
	rows->first = first;
	if (!order || !first)
		return -1;
	for (size_t i = 0; i < rows->rows.n; i++)
		first[rows->rows.at[i].process + 2]++;
	for (size_t p = 2; p <= nprocesses; p++)
		first[p] += first[p - 1];
	for (size_t i = 0; i < rows->rows.n; i++)
		order[first[rows->rows.at[i].process + 1]++] = (uint32_t)i;
	for (size_t p = 0; p < nprocesses; p++)
		order_sort(rows, order + first[p], first[p + 1] - first[p]);
	return 0;
}

void step_rows_flush(struct tables *tables)
{
	struct step_row_scan scan = { tables, 0 }, sums = scan;

	if (rows_order(&tables->step_rows, tables->model.processes.n) < 0) {
		log_error("out of memory for the rows of steps");
		tables->failed = true;
	} else if (tables->step_rows.rows.n) {
		db_put_rows(&tables->db, &table, scan_next, &scan);
		db_put_rows(&tables->db, &sum_table, sum_next, &sums);
	}
}

bool step_rows_all(const struct tables *tables)
{
	return !tables->step_rows.partly && tables->step_rows.order;
}

static void row_set(struct step_row *row, const struct window_rank *rank)
{
	int64_t own[PART_COUNT];

	step_parts(rank, own);
	*row = (struct step_row){
		.phased = rank->phase,
		.sampled = rank->sampled,
		.cut = rank->truncated,
		.captured = step_is_captured(rank),
		.phase = rank->phase,
		.start = rank->start,
		.end = rank->end,
		.samples = rank->samples,
		.waited = rank->waited,
		.waited_io = rank->waited_io,
		.excess = rank->excess,
		.caused = rank->caused,
		.slept = own[PART_SLEEP],
		.readers = own[PART_READERS],
		.summed = rank->spent[HOST_SUMMED],
	};
	memcpy(row->stepped, rank->stepped, sizeof(row->stepped));
	memcpy(row->parts, rank->parts, sizeof(row->parts));
	for (int state = 0; state < HOST_ABSENT; state++) {
		*(host_communicates(state) ? &row->mpi : &row->outside) += rank->spent[state];
		row->busy |= rank->spent[state] != 0;
	}
}

/* How much longer each part of local time is than in the rank of comparison. */
static void late_set(struct step_row *row, const struct window_rank *rank,
	const struct window_rank *against)
{
	int64_t other[PART_COUNT];

	step_parts(rank, row->late);
	step_parts(against, other);
	for (int part = 0; part < PART_COUNT; part++)
		row->late[part] -= other[part];
}

void step_rows_add(struct tables *tables, const struct step_added *step, struct window_rank *ranks)
{
	bool compared = step_excess_set(ranks, tables->model.processes.n) >= 2;
	struct step_rows *rows = &tables->step_rows;

	for (size_t p = 0; p < tables->model.processes.n; p++) {
		struct step_row *row = ranks[p].any ? ARRAY_ADD(&rows->rows) : NULL;

		tables->failed |= ranks[p].any && !row;
		if (!row)
			continue;
		row_set(row, &ranks[p]);
		row->process = (uint32_t)p;
		row->n = step->n;
		row->stands_for = step->stands_for;
		row->compared = compared && row->captured;
		if (row->compared)
			late_set(row, &ranks[p], &ranks[ranks[p].against]);
	}
	if (rows->rows.n >= MAX_ROWS) {
		step_rows_flush(tables);
		rows->partly = true;
		rows->rows.n = 0;
	}
}

void step_rows_free(struct step_rows *rows)
{
	free(rows->rows.at);
	free(rows->order);
	free(rows->first);
}
