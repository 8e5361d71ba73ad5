/* call.c - see call.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tables/call.h"
#include "base/log.h"
#include "tables/call.def"
#include "tables/median.def"

/* Where a region is counted; NULL without memory (reported). */
static struct call **call_place(struct call_table *table, const struct model *model,
	uint32_t region)
{
	if (!table->by_region)
		table->by_region = calloc(model->regions.n, sizeof(*table->by_region));
	if (!table->by_region)
		log_error("out of memory for the statistics of %zu regions", model->regions.n);
	return table->by_region ? &table->by_region[region] : NULL;
}

/* Numbers below 2 × CALL_BUCKETS have a bucket each, then CALL_BUCKETS for each power of two. */
static void bucket_of(uint64_t ns, uint64_t *octave, int *bucket)
{
	int bits = ns ? 63 - __builtin_clzll(ns) : 0;

	*octave = bits < 4 ? 0 : (uint64_t)bits - 3;
	*bucket = bits < 4 ? (int)ns : (int)(ns >> (bits - 4) & (CALL_BUCKETS - 1));
}

static double bucket_middle(uint64_t octave, int bucket)
{
	if (octave == 0)
		return bucket;
	return ldexp(CALL_BUCKETS + bucket + (octave > 1 ? 0.5 : 0), (int)octave - 1);
}

/* Durations of a call are similar: the octaves are contiguous, and most calls need two or three. */
static struct call *octaves_grow(struct call **table, uint64_t octave)
{
	struct call *call = *table, *grown;
	bool any = call && call->noctaves;
	uint64_t first = any && call->first < octave ? call->first : octave;
	uint64_t end = any && call->first + call->noctaves > octave ? call->first + call->noctaves
								    : octave + 1;

	grown = calloc(1, sizeof(*grown) + (end - first) * sizeof(*grown->buckets));
	if (!grown) {
		log_error("out of memory for the statistics of calls");
		return NULL;
	}
	if (call)
		*grown = *call;
	if (any)
		memcpy(grown->buckets[call->first - first], call->buckets,
			call->noctaves * sizeof(*call->buckets));
	free(call);
	grown->first = first;
	grown->noctaves = end - first;
	return *table = grown;
}

/* *table with counters of the octave, made when missing; NULL without memory (reported). */
static inline struct call *octave_make(struct call **table, uint64_t octave)
{
	struct call *call = *table;

	return call && octave - call->first < call->noctaves ? call : octaves_grow(table, octave);
}

/* Counts `n` durations of `ns` each, but not their sum. */
static int durations_count(struct call **table, uint64_t n, uint64_t ns)
{
	struct call *call;
	uint64_t octave;
	int bucket;

	bucket_of(ns, &octave, &bucket);
	call = octave_make(table, octave);
	if (!call)
		return -1;
	call->buckets[octave - call->first][bucket] += n;
	if (!call->n || ns < call->min)
		call->min = ns;
	if (ns > call->max)
		call->max = ns;
	call->n += n;
	call->squares += (unsigned __int128)ns * ns * n;
	return 0;
}

int call_count(struct call **table, uint64_t ns)
{
	if (durations_count(table, 1, ns) < 0)
		return -1;
	(*table)->total += ns;
	return 0;
}

/*
 * For calls without single durations: counts the shortest and the longest, and assumes that all
 * others are equal.
 */
static int run_count(struct call **table, uint64_t ns, const struct call_run *run)
{
	uint64_t known = run->shortest + run->longest, rest = run->calls - 2, each;

	if (durations_count(table, 1, run->shortest) < 0 ||
		durations_count(table, 1, run->longest) < 0)
		return -1;
	each = rest && ns > known ? (ns - known) / rest : 0;
	each = each < run->shortest ? run->shortest : each > run->longest ? run->longest : each;
	if (rest && durations_count(table, rest, each) < 0)
		return -1;
	(*table)->total += ns;
	return 0;
}

static bool is_many(const struct call_run *run)
{
	return run->calls > 1 && run->shortest <= run->longest;
}

int call_count_run(struct call **table, uint64_t ns, const struct call_run *run)
{
	return is_many(run) ? run_count(table, ns, run) : call_count(table, ns);
}

int call_merge(struct call **table, const struct call *from)
{
	struct call *to = *table ? *table : (*table = calloc(1, sizeof(**table)));

	for (uint64_t place = 0; to && place < from->noctaves; place++) {
		uint64_t octave = from->first + place;

		to = octave_make(table, octave);
		for (int bucket = 0; to && bucket < CALL_BUCKETS; bucket++)
			to->buckets[octave - to->first][bucket] += from->buckets[place][bucket];
	}
	if (!to)
		return -1;
	to->min = !to->n || from->min < to->min ? from->min : to->min;
	to->max = from->max > to->max ? from->max : to->max;
	to->squares += from->squares;
	to->n += from->n;
	to->total += from->total;
	to->sent += from->sent;
	to->received += from->received;
	to->helper_n += from->helper_n;
	to->helper_total += from->helper_total;
	return 0;
}

/*
 * Squares are summed about the whole part of the mean, where nothing is rounded, and then about the
 * mean.
 */
double call_deviation(const struct call *call)
{
	uint64_t mean, rest;
	unsigned __int128 squares;

	if (call->n < 2)
		return NAN;
	mean = call->total / call->n;
	rest = call->total % call->n;
	squares = call->squares - (unsigned __int128)mean * (call->total + rest);
	return sqrt(((double)squares - (double)rest * rest / call->n) / (call->n - 1));
}

int call_add(struct call_table *table, const struct model *model, uint32_t region, uint64_t ns,
	const struct call_run *run, bool helper)
{
	struct call **call = call_place(table, model, region);

	if (!call || call_count_run(call, ns, run) < 0)
		return -1;
	if (helper) {
		(*call)->helper_n += is_many(run) ? run->calls : 1;
		(*call)->helper_total += ns;
	}
	return 0;
}

void call_sum_add(struct call_sum *sums, size_t n, uint32_t region, int64_t ns, int64_t t,
	const struct call_run *run)
{
	for (size_t i = 0; i < n; i++) {
		if (sums[i].calls && sums[i].region != region)
			continue;
		sums[i].region = region;
		sums[i].calls += run->calls ? run->calls : 1;
		sums[i].ns += ns;
		sums[i].until = t;
		return;
	}
}

int call_add_bytes(struct call_table *table, const struct model *model, uint32_t region,
	uint64_t sent, uint64_t received)
{
	struct call **call = call_place(table, model, region);

	if (!call)
		return -1;
	if (!*call && !(*call = calloc(1, sizeof(**call)))) {
		log_error("out of memory for the statistics of calls");
		return -1;
	}
	(*call)->sent += sent;
	(*call)->received += received;
	return 0;
}

/* Value of the sample at place `rank` (from 0) of the ordered durations. */
static double call_at(const struct call *call, uint64_t rank)
{
	uint64_t seen = 0;

	for (uint64_t place = 0; place < call->noctaves; place++)
		for (int bucket = 0; bucket < CALL_BUCKETS; bucket++) {
			seen += call->buckets[place][bucket];
			if (seen > rank)
				return fmin(fmax(bucket_middle(call->first + place, bucket),
						    call->min),
					call->max);
		}
	return call->max;
}

double call_median(const struct call *call)
{
	return call->n ? (call_at(call, (call->n - 1) / 2) + call_at(call, call->n / 2)) / 2 : NAN;
}

void median_put(struct db *db, const char *kind, const char *name, const struct call *all)
{
	static const struct db_table medians = DB_TABLE(median, "insert", MEDIAN_COLUMNS);

	db_put_row(db, &medians, DB_ROW(MEDIAN_COLUMNS));
}

/* Regions in the order of their names, which is the order of the rows. */
struct by_name {
	const char *name;
	uint32_t region, first;
}; /* first: place of the first one of the name */

static int name_compare(const void *left, const void *right)
{
	const struct by_name *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : a->region < b->region ? -1 : 1;
}

static struct by_name *regions_sorted(const struct model *model)
{
	struct by_name *sorted = calloc(model->regions.n + 1, sizeof(*sorted));

	for (size_t r = 0; sorted && r < model->regions.n; r++)
		sorted[r] = (struct by_name){ model->regions.at[r].name, r, 0 };
	if (sorted)
		qsort(sorted, model->regions.n, sizeof(*sorted), name_compare);
	for (size_t i = 1; sorted && i < model->regions.n; i++)
		sorted[i].first = strcmp(sorted[i].name, sorted[i - 1].name) == 0
			? sorted[i - 1].first
			: (uint32_t)i;
	return sorted;
}

struct call_rows {
	struct db *db;
	const struct model *model;
	struct call_table *tables;
	struct by_name *sorted;
	struct call **all; /* over processes, by place in `sorted` */
	/* of the present row, where several regions share the name */
	struct call *sum;
	uint32_t process, place; /* next row: region's place in `sorted` */
	/* of a process, or from another one; those to be written; the process they are taken of next */
	ARRAY_OF(struct call_figures) figures;
	const struct call_figures *next, *end;
	uint32_t next_process;
};

struct call_rows *call_rows_open(struct db *db, const struct model *model,
	struct call_table *tables)
{
	struct call_rows *rows = calloc(1, sizeof(*rows));

	if (rows) {
		*rows = (struct call_rows){ .db = db,
			.model = model,
			.tables = tables,
			.sorted = regions_sorted(model),
			.all = calloc(model->regions.n + 1, sizeof(*rows->all)) };
		if (rows->sorted && rows->all)
			return rows;
		call_rows_close(rows);
	}
	log_error("out of memory for the statistics of %zu regions", model->regions.n);
	return NULL;
}

void call_rows_close(struct call_rows *rows)
{
	for (size_t i = 0; rows && rows->all && i < rows->model->regions.n; i++)
		free(rows->all[i]);
	if (rows) {
		free(rows->sum);
		free(rows->figures.at);
		free(rows->all);
		free(rows->sorted);
	}
	free(rows);
}

/*
 * The sum of the regions that share the name at the current position, NULL if none was called.
 * Advances past them.
 */
static const struct call *name_sum(struct call_rows *rows)
{
	struct call *const *calls = rows->tables[rows->process].by_region;
	uint32_t first = rows->place;
	const struct call *one = NULL;

	free(rows->sum);
	rows->sum = NULL;
	for (; rows->place < rows->model->regions.n && rows->sorted[rows->place].first == first;
		rows->place++) {
		const struct call *call = calls[rows->sorted[rows->place].region];

		if (!call || !call->n)
			continue;
		if (one &&
			((!rows->sum && call_merge(&rows->sum, one) < 0) ||
				call_merge(&rows->sum, call) < 0))
			rows->db->failed = true;
		one = call;
	}
	return rows->sum ? rows->sum : one;
}

/* The next row of the present process. */
static bool figures_next(struct call_rows *rows, struct call_figures *figures)
{
	while (rows->place < rows->model->regions.n) {
		uint32_t place = rows->place;
		const struct call *call = name_sum(rows);

		if (!call)
			continue;
		call_rows_add(rows, place, call);
		if (rows->model->regions.at[rows->sorted[place].region].kind == KIND_IO) {
			rows->tables[rows->process].nio++;
			rows->tables[rows->process].io_ns += call->total;
		}
		*figures = (struct call_figures){ rows->process, place, call->n, call->total,
			call->min, call->max, call->sent, call->received, call->helper_n,
			call->helper_total, call_median(call), call_deviation(call) };
		return true;
	}
	return false;
}

static const struct db_table call_table = DB_TABLE(call, "insert", CALL_COLUMNS);

static void row_set(const struct call_rows *rows, const struct call_figures *figures,
	union db_value *values)
{
	const struct region *region = &rows->model->regions.at[rows->sorted[figures->place].region];
	const struct process *process = &rows->model->processes.at[figures->process];

	DB_SET(values, CALL_COLUMNS);
}

static bool row_next(void *user, union db_value *values)
{
	struct call_rows *rows = user;
	struct call_figures figures;

	if (!figures_next(rows, &figures))
		return false;
	row_set(rows, &figures, values);
	return true;
}

static bool kept_next(void *user, union db_value *values)
{
	struct call_rows *rows = user;

	if (rows->next == rows->end)
		return false;
	row_set(rows, rows->next++, values);
	return true;
}

static void rows_put(struct call_rows *rows, bool (*next)(void *user, union db_value *values))
{
	db_put_rows(rows->db, &call_table, next, rows);
}

static void table_drop(struct call_table *table, const struct model *model)
{
	for (size_t r = 0; table->by_region && r < model->regions.n; r++)
		free(table->by_region[r]);
	free(table->by_region);
	table->by_region = NULL;
}

/* Calls that cost something to be recorded; marked regions are cheaper and few. */
static void recorded_count(struct call_table *table, const struct model *model)
{
	for (size_t r = 0; table->by_region && r < model->regions.n; r++) {
		const struct region *region = &model->regions.at[r];

		if (!table->by_region[r] || region->kind == KIND_USER)
			continue;
		table->nrecorded += table->by_region[r]->n;
		if (region->kind == KIND_CUDA)
			table->ncuda += table->by_region[r]->n;
	}
}

void call_rows_write(struct call_rows *rows, uint32_t process)
{
	struct call_table *table = &rows->tables[process];

	if (!table->by_region)
		return;
	rows->process = process;
	rows->place = 0;
	rows_put(rows, row_next);
	recorded_count(table, rows->model);
	table_drop(table, rows->model);
}

const struct call_figures *call_rows_figures(struct call_rows *rows, uint32_t process, size_t *n)
{
	struct call_table *table = &rows->tables[process];
	struct call_figures figures, *at;

	rows->figures.n = 0;
	rows->process = process;
	rows->place = 0;
	while (table->by_region && figures_next(rows, &figures)) {
		at = ARRAY_ADD(&rows->figures);
		if (at)
			*at = figures;
		rows->db->failed |= !at;
	}
	recorded_count(table, rows->model);
	table_drop(table, rows->model);
	*n = rows->figures.n;
	return rows->figures.at;
}

void call_rows_take(struct call_rows *rows, uint32_t process, const struct call_figures *figures,
	size_t n)
{
	if (process == rows->next_process) {
		rows->next_process++;
		rows->next = figures;
		rows->end = figures + n;
		if (n)
			rows_put(rows, kept_next);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		struct call_figures *at = ARRAY_ADD(&rows->figures);

		if (at)
			*at = figures[i];
		rows->db->failed |= !at;
	}
}

const struct call *call_rows_sum(const struct call_rows *rows, uint32_t place)
{
	return rows->all[place];
}

void call_rows_add(struct call_rows *rows, uint32_t place, const struct call *sum)
{
	if (call_merge(&rows->all[place], sum) < 0)
		rows->db->failed = true;
}

static int figures_compare(const void *left, const void *right)
{
	const struct call_figures *a = left, *b = right;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

/* What came out of order. */
static void kept_write(struct call_rows *rows)
{
	if (!rows->figures.n)
		return;
	qsort(rows->figures.at, rows->figures.n, sizeof(*rows->figures.at), figures_compare);
	rows->next = rows->figures.at;
	rows->end = rows->next + rows->figures.n;
	rows_put(rows, kept_next);
}

void call_rows_finish(struct call_rows *rows)
{
	kept_write(rows);
	for (size_t p = 0; p < rows->model->processes.n; p++)
		call_rows_write(rows, p);
	for (size_t i = 0; i < rows->model->regions.n; i++)
		if (rows->all[i])
			median_put(rows->db, "call", rows->sorted[i].name, rows->all[i]);
}

void calls_free(struct call_table *tables, const struct model *model)
{
	for (size_t p = 0; tables && p < model->processes.n; p++)
		table_drop(&tables[p], model);
	free(tables);
}
