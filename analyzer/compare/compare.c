/* compare.c - see compare.h. */
#include "config.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare.h"
#include "base/log.h"
#include "metrics/noise.h"
#include "report/report.h"
#include "base/student.h"

enum { MOST_BLOCKS = 20 }; /* of a side, as compare_tables.sql makes them */

struct mean {
	double mean, error2;
	int n;
}; /* of logarithms; error2: variance of the mean */

static struct mean mean_of(const double *values, int n)
{
	struct mean m = { .n = n };

	for (int i = 0; i < n; i++)
		m.mean += log(values[i]) / n;
	for (int i = 0; i < n && n > 1; i++)
		m.error2 += pow(log(values[i]) - m.mean, 2) / (n - 1) / n;
	return m;
}

struct change change_of(const double *base, int nbase, const double *new, int nnew)
{
	struct mean a = mean_of(base, nbase), b = mean_of(new, nnew);
	double difference = b.mean - a.mean, error2 = a.error2 + b.error2, error = 0;
	struct change change = { .base_ns = exp(a.mean),
		.new_ns = exp(b.mean),
		.share = expm1(difference),
		.low = NAN,
		.high = NAN,
		.nbase = nbase,
		.nnew = nnew };

	if (nbase < 1 || nnew < 1)
		change.share = NAN;
	if (nbase < 2 || nnew < 2)
		return change;
	if (error2 > 0)
		error = sqrt(error2) *
			student_t95(error2 * error2 /
				(a.error2 * a.error2 / (nbase - 1) +
					b.error2 * b.error2 / (nnew - 1)));
	change.low = expm1(difference - error);
	change.high = expm1(difference + error);
	return change;
}

double change_error(const struct change *change)
{
	return (change->high - change->low) / 2;
}

bool change_is_open(const struct change *change, double threshold)
{
	return change_error(change) > threshold && change->low <= threshold &&
		change->high >= threshold;
}

double compare_number(const struct compare *compare, int side, const char *column)
{
	int i = result_column(&compare->runs, column);

	return i < 0 ? NAN : result_cell(&compare->runs, side, i)->number;
}

const char *compare_text(const struct compare *compare, int side, const char *column)
{
	int i = result_column(&compare->runs, column);

	return i < 0 ? NULL : result_cell(&compare->runs, side, i)->text;
}

static int constants_make(struct report_db *db)
{
	if (sqlite3_exec(db->handle, noise_constants_sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	log_error("cannot compare: %s", sqlite3_errmsg(db->handle));
	return -1;
}

static int pair_make(struct compare *compare)
{
	if (sqlite3_exec(compare->db.handle,
		    "create temp table pair(side integer primary key, "
		    "run_id integer)",
		    NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	log_error("cannot compare: %s", sqlite3_errmsg(compare->db.handle));
	return -1;
}

/*
 * Adds a run as side 1 or 2; of a database of several the one of the number `only`, 0: the last one,
 * which is reported.
 */
static int pair_add(struct compare *compare, int side, const char *run, long long only)
{
	struct report_db *db = &compare->db;
	char before[32], sql[128], *said;

	snprintf(before, sizeof(before), "%lld", db->run);
	if (report_run_add(db, run, only) < 0)
		return -1;
	said = report_db_ask(db,
		"select count(*) || ' runs: this is about ' || (select label from "
		"run order by id desc limit 1) || ', the last one' from run where "
		"id > cast(?1 as integer) having count(*) > 1",
		before, NULL, NULL);
	if (said)
		log_warn("%s holds %s", run, said);
	free(said);
	snprintf(sql, sizeof(sql), "insert into pair values (%d, %lld)", side, db->run);
	if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	log_error("cannot compare %s: %s", run, sqlite3_errmsg(db->handle));
	return -1;
}

/* The time of the whole runs: one value each. */
static struct change change_of_runs(const struct compare *compare)
{
	double base = compare_number(compare, 0, "run_ns");
	double new = compare_number(compare, 1, "run_ns");

	return change_of(&base, base > 0, &new, new > 0);
}

/*
 * For short runs the interval also covers the change of their shortest steps. A core may be slower
 * for a moment with no trace in a counter; in a short run this covers many blocks, which then
 * agree, but seldom the whole run (docs/noise.md).
 */
static int change_widen(struct compare *compare)
{
	struct change *change = &compare->change;
	struct result shortest;
	double share;

	if (report_db_query(&compare->db, "compare_short", &shortest) < 0)
		return -1;
	if (shortest.nrows == 2) {
		share = result_cell(&shortest, 1, 1)->number /
				result_cell(&shortest, 0, 1)->number -
			1;
		change->low = fmin(change->low, share);
		change->high = fmax(change->high, share);
		if (isnan(compare->apart.share))
			compare->apart.share = noise.level *
				(1 - result_cell(&shortest, 0, 2)->number / noise.drift_s);
	}
	result_free(&shortest);
	return 0;
}

static int change_read(struct compare *compare)
{
	struct result blocks;
	double median[2][MOST_BLOCKS], mean[2][MOST_BLOCKS];
	int n[2] = { 0, 0 };

	if (report_db_query(&compare->db, "compare_blocks", &blocks) < 0)
		return -1;
	for (size_t row = 0; row < blocks.nrows; row++) {
		int side = result_cell(&blocks, row, 0)->number == 2;
		double value = result_cell(&blocks, row, 1)->number;

		if (!(value > 0) || n[side] == MOST_BLOCKS)
			continue;
		median[side][n[side]] = value;
		mean[side][n[side]++] = result_cell(&blocks, row, 2)->number;
	}
	compare->change = strcmp(compare->unit, "run") == 0
		? change_of_runs(compare)
		: change_of(median[0], n[0], median[1], n[1]);
	compare->mean = change_of(mean[0], n[0], mean[1], n[1]);
	result_free(&blocks);
	return isnan(compare->change.low) ? 0 : change_widen(compare);
}

int compare_open(struct compare *compare, const char *base, long long base_id, const char *new)
{
	struct report_db *db = &compare->db;
	int ret = 0;

	compare->base_id = base_id;
	if (report_db_memory(db) < 0 || constants_make(db) < 0 || pair_make(compare) < 0 ||
		pair_add(compare, 1, base, base_id) < 0 || pair_add(compare, 2, new, 0) < 0 ||
		report_db_script(db, "runs_study") < 0 ||
		report_db_script(db, "unseen_tables") < 0 ||
		report_db_script(db, "compare_tables") < 0 ||
		report_db_query(db, "compare_runs", &compare->runs) < 0)
		return -1;
	compare->unit = compare_text(compare, 0, "unit");
#define PART(name)                                                                                 \
	if (ret == 0)                                                                              \
		ret = report_db_query(db, "compare_" #name, &compare->name);
	COMPARE_PARTS(PART)
#undef PART
	return ret < 0 ? -1 : change_read(compare);
}

void compare_close(struct compare *compare)
{
#define PART(name) result_free(&compare->name);
	COMPARE_PARTS(PART)
#undef PART
	result_free(&compare->runs);
	report_db_close(&compare->db);
}
