/*
 * sweep_result.c - results of the runs: one database of all, the page, and a row per point. On the
 * page a point is its run of median time, so that repetitions do not count as other sizes.
 */
#include "config.h"

#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/median.h"
#include "report/report.h"
#include "report/report_db.h"
#include "report/scaling.h"
#include "sweep/sweep_said.h"
#include "sweep/sweep_round.h"
#include "sweep/sweep_search.h"
#include "sweep/sweep_state.h"

/* What is known of a point. */
struct swept {
	size_t ndone, nfailed;
	int status;		    /* of the last that failed */
	double least, median, most; /* ns */
	double target;		    /* ns, the median of the runs that reached it; NAN: none did */
	size_t nreached;
	size_t middle; /* the run of median time */
};

static int point_sum(const struct sweep *sweep, size_t point, struct swept *swept)
{
	size_t repeat = sweep->depth;
	double *ns = calloc(2 * repeat, sizeof(*ns)), *sorted = ns + repeat;

	*swept = (struct swept){ 0 };
	if (!ns) {
		log_error("out of memory");
		return -1;
	}
	for (size_t i = 0; i < repeat; i++) {
		const struct sweep_run *run = &sweep->runs[point * repeat + i];

		ns[i] = run->end == SWEEP_DONE ? run->ns : -1;
		if (ns[i] >= 0)
			sorted[swept->ndone++] = ns[i];
		swept->nfailed += run->end == SWEEP_FAILED;
		swept->status = run->end == SWEEP_FAILED ? run->status : swept->status;
	}
	if (swept->ndone) {
		size_t n = swept->ndone;

		qsort(sorted, n, sizeof(*sorted), compare_numbers);
		swept->median = sorted[(n - 1) / 2]; /* of a run, beside its speed-up */
		swept->least = sorted[0];
		swept->most = sorted[n - 1];
		while (ns[swept->middle] != swept->median)
			swept->middle++;
		swept->middle += point * repeat;
	}
	for (size_t i = 0; i < repeat; i++) {
		const struct sweep_run *run = &sweep->runs[point * repeat + i];

		if (run->end == SWEEP_DONE && !isnan(run->target_ns))
			sorted[swept->nreached++] = run->target_ns;
	}
	if (swept->nreached)
		swept->target = median_of(sorted, swept->nreached);
	free(ns);
	return 0;
}

/* --- the database of all, and the page --- */

static void runs_free(char **runs)
{
	for (size_t i = 0; runs && runs[i]; i++)
		free(runs[i]);
	free(runs);
}

/* The folders of the runs that are done, or of those in the middle; NULL-terminated. */
static char **runs_of(const struct sweep *sweep, const struct swept *swept, int *n)
{
	char **runs = calloc(sweep->nruns + 1, sizeof(*runs));

	*n = 0;
	for (size_t i = 0; runs && i < sweep->nruns; i++) {
		const struct sweep_run *run = &sweep->runs[i];

		if (run->end != SWEEP_DONE || (swept && swept[run->point].middle != i))
			continue;
		runs[*n] = sweep_run_path(sweep, run);
		if (!runs[(*n)++])
			break;
	}
	return runs;
}

/* Samples per second of each run, which are numbered as they were named. */
static void rates_read(const struct sweep *sweep, struct report_db *db)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(db->handle, "select rate from study order by run_id", -1, &stmt,
		    NULL) != SQLITE_OK)
		return;
	for (size_t i = 0; i < sweep->nruns; i++) {
		struct sweep_run *run = &sweep->runs[i];

		run->rate = NAN;
		if (run->end == SWEEP_DONE && sqlite3_step(stmt) == SQLITE_ROW &&
			sqlite3_column_type(stmt, 0) != SQLITE_NULL)
			run->rate = sqlite3_column_double(stmt, 0);
	}
	sqlite3_finalize(stmt);
}

static int database_make(const struct sweep *sweep)
{
	char *path = sweep_path(sweep, SWEEP_DATABASE),
	     *new = sweep_path(sweep, SWEEP_DATABASE ".new");
	struct report_db db;
	int n, code = SQLITE_ERROR, ret = -1;
	char **runs = runs_of(sweep, NULL, &n);

	if (path && new &&runs && report_runs_open(&db, runs, n) == 0) {
		rates_read(sweep, &db);
		unlink(new);
		free(report_db_ask(&db, "vacuum into ?1", new, NULL, &code));
		if (code != SQLITE_DONE)
			log_error("cannot write %s: %s", path, sqlite3_errmsg(db.handle));
		else
			ret = rename(new, path);
		report_db_close(&db);
	}
	runs_free(runs);
	free(path);
	free(new);
	return ret;
}

/* --- a row per point --- */

/* A knob's name as a column, which may be a word of SQL. */
static void name_put(FILE *out, const char *name)
{
	fprintf(out, ", \"%s\"", name);
}

static char *table_sql(const struct study *study)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("create temp table swept(run_id, \"place\", \"runs\", \"failed\", \"status\", "
	      "\"time_ns\", \"least_ns\", \"most_ns\", \"target_ns\", \"reached\"",
		out);
	if (study->ranks.n)
		name_put(out, "ranks");
	if (study->nodes.n)
		name_put(out, "nodes");
	for (size_t i = 0; i < study->knobs.n; i++)
		fprintf(out, ", \"knob %s\"", study->knobs.at[i].name);
	fputc(')', out);
	return fclose(out) == 0 ? text : NULL;
}

char *sweep_table_sql(const struct study *study)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("select ", out);
	for (size_t i = 0; i < study->knobs.n; i++)
		fprintf(out, "w.\"knob %s\" as \"%s\", ", study->knobs.at[i].name,
			study->knobs.at[i].name);
	fputs(study->ranks.n ? "w.ranks, " : "", out);
	fputs(study->nodes.n ? "w.nodes, " : "", out);
	fputs(study->search ? "w.place, " : "", out);
	fputs("w.runs, w.failed, w.status, w.time_ns, w.least_ns, w.most_ns, ", out);
	fputs(study->target ? "w.target_ns, w.reached, " : "", out);
	fputs("round(t.rate, 1) as \"samples/s\", s.speedup, "
	      "100 * s.speedup / s.times as \"ideal_%\", s.parallel, "
	      "nullif(case when t.nstandins > 0 then 'emulated GPUs' else '' end || case when "
	      "s.refused then case when t.nstandins > 0 then '; ' else '' end || 'speed-up: ' || "
	      "(select why from scaling_refused) else '' end, '') as note "
	      "from swept w left join study t on t.run_id = w.run_id "
	      "left join scaled s on s.run_id = w.run_id and s.\"window\" = 'run' "
	      "where w.runs + w.failed > 0 order by w.rowid",
		out);
	return fclose(out) == 0 ? text : NULL;
}

static int row_put(const struct sweep *sweep, const struct swept *swept, size_t point,
	long long run_id, struct report_db *db)
{
	const struct study *study = sweep->study;
	const struct study_point *at = &sweep->points[point];
	char *sql = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&sql, &size);
	sqlite3_stmt *stmt = NULL;
	int n = 0, code = SQLITE_ERROR;

	if (!out)
		return -1;
	fputs("insert into swept values (?", out);
	for (size_t i = 1; i < 10 + (study->ranks.n > 0) + (study->nodes.n > 0) + study->knobs.n;
		i++)
		fputs(", ?", out);
	fputc(')', out);
	if (fclose(out) == 0 && sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL) == SQLITE_OK) {
		if (swept->ndone)
			sqlite3_bind_int64(stmt, 1, run_id);
		if (sweep->study->search)
			sqlite3_bind_int64(stmt, 2, (long long)sweep_search_place(sweep, point));
		sqlite3_bind_int64(stmt, 3, (long long)swept->ndone);
		sqlite3_bind_int64(stmt, 4, (long long)swept->nfailed);
		if (swept->nfailed)
			sqlite3_bind_int(stmt, 5, swept->status);
		if (swept->ndone) {
			sqlite3_bind_int64(stmt, 6, (long long)swept->median);
			sqlite3_bind_int64(stmt, 7, (long long)swept->least);
			sqlite3_bind_int64(stmt, 8, (long long)swept->most);
			sqlite3_bind_int64(stmt, 10, (long long)swept->nreached);
		}
		if (swept->nreached)
			sqlite3_bind_int64(stmt, 9, (long long)swept->target);
		n = 10;
		if (at->ranks)
			sqlite3_bind_int(stmt, ++n, atoi(at->ranks));
		if (at->nodes)
			sqlite3_bind_int(stmt, ++n, atoi(at->nodes));
		for (size_t i = 0; i < study->knobs.n; i++)
			sqlite3_bind_text(stmt, ++n, at->values[i], -1, SQLITE_STATIC);
		code = sqlite3_step(stmt);
	}
	sqlite3_finalize(stmt);
	free(sql);
	if (code == SQLITE_DONE)
		return 0;
	log_error("cannot sum up the study: %s", sqlite3_errmsg(db->handle));
	return -1;
}

static int rows_make(const struct sweep *sweep, const struct swept *swept, struct report_db *db)
{
	char *sql = table_sql(sweep->study);
	long long run_id = 0, *run_ids = calloc(sweep->npoints, sizeof(*run_ids));
	int ret = sql && run_ids && sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK
		? 0
		: -1;

	if (ret < 0)
		log_error("cannot sum up the study: %s",
			sql ? sqlite3_errmsg(db->handle) : "out of memory");
	/* runs are numbered as they were named */
	for (size_t i = 0; i < sweep->npoints && ret == 0; i++) {
		run_id += swept[i].ndone > 0;
		run_ids[i] = swept[i].ndone ? run_id : 0;
		ret = row_put(sweep, &swept[i], i, run_id, db);
	}
	if (ret == 0)
		ret = sweep_said_make(sweep, run_ids, db);
	free(run_ids);
	free(sql);
	return ret;
}

static int page_make(const struct sweep *sweep, const struct swept *swept, struct report_db *db)
{
	char *path = sweep_path(sweep, SWEEP_PAGE);
	struct report_options options = { .output = path };
	int n, ret = -1;
	char **runs = runs_of(sweep, swept, &n);

	if (path && runs && report_runs_open(db, runs, n) == 0) {
		ret = scaling_compute(db, SCALING_AUTO) < 0 || rows_make(sweep, swept, db) < 0 ||
				report_runs_write(db, &options) < 0
			? -1
			: 0;
		if (ret < 0)
			report_db_close(db);
	}
	runs_free(runs);
	free(path);
	return ret;
}

int sweep_result(const struct sweep *sweep, struct report_db *db)
{
	struct swept *swept = calloc(sweep->npoints, sizeof(*swept));
	int ret = swept ? 0 : -1;

	if (ret == 0 && !sweep_count(sweep, SWEEP_DONE)) {
		log_error("no run of %s succeeded: see " SWEEP_RUNS "/*.log there",
			sweep->study->folder);
		ret = -1;
	}
	for (size_t i = 0; i < sweep->npoints && ret == 0; i++)
		ret = point_sum(sweep, i, &swept[i]);
	if (ret == 0)
		ret = database_make(sweep) < 0 || page_make(sweep, swept, db) < 0 ? -1 : 0;
	free(swept);
	return ret;
}
