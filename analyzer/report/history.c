/* history.c - see history.h. history_tables.sql lists what it follows; changes are found here. */
#include "config.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/change_points.h"
#include "base/log.h"
#include "base/median.h"
#include "base/rundir.h"
#include "report/history.h"
#include "report/report.h"
#include "report/report_db.h"

static int run_sql(struct report_db *db, const char *sql)
{
	if (sql && sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	log_error("cannot make the history of %s: %s", db->path,
		sql ? sqlite3_errmsg(db->handle) : "out of memory");
	return -1;
}

/* The same of a text of SQLite's, which is freed. */
static int run_made(struct report_db *db, char *sql)
{
	int ret = run_sql(db, sql);

	sqlite3_free(sql);
	return ret;
}

int history_tables_make(struct report_db *db, const struct history_choice *choice)
{
	char last[32] = "null";

	if (choice->last)
		snprintf(last, sizeof(last), "%d", choice->last);
	if (run_made(db,
		    sqlite3_mprintf("create temp table history_wanted as select %Q as label, "
				    "%Q as branch, %s as last",
			    choice->label, choice->branch, last)) < 0)
		return -1;
	return report_db_script(db, "history_tables");
}

/* The allowed rate of false alarms is divided: between levels by ranks, and jumps of the last runs. */
#define RANKS_SHARE 0.8

/* A figure over the runs that did not fail; `own`: the uncertainty of each value. */
struct figure_series {
	char *figure;
	size_t n;
	double *values, *own;
	long long *runs; /* their places in the history */
};

static void series_free(struct figure_series *series)
{
	free(series->figure);
	free(series->values);
	free(series->own);
	free(series->runs);
}

static int series_read(struct report_db *db, struct figure_series *series, const char *figure)
{
	static const char sql[] =
		"select v.value, v.nth, v.own from history_value v join history h on "
		"h.run_id = v.run_id where v.figure = ?1 and not h.failed "
		"order by v.nth";
	sqlite3_stmt *stmt = NULL;
	size_t room = 0;
	int ret = sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL) == SQLITE_OK ? 0 : -1;

	*series = (struct figure_series){ .figure = strdup(figure) };
	sqlite3_bind_text(stmt, 1, figure, -1, SQLITE_STATIC);
	while (ret == 0 && sqlite3_step(stmt) == SQLITE_ROW) {
		if (series->n == room) {
			room = room ? 2 * room : 64;
			series->values = reallocarray(series->values, room, sizeof(double));
			series->own = reallocarray(series->own, room, sizeof(double));
			series->runs = reallocarray(series->runs, room, sizeof(long long));
		}
		if (!series->values || !series->own || !series->runs)
			ret = -1;
		else {
			series->values[series->n] = sqlite3_column_double(stmt, 0);
			series->own[series->n] = sqlite3_column_double(stmt, 2);
			series->runs[series->n++] = sqlite3_column_int64(stmt, 1);
		}
	}
	sqlite3_finalize(stmt);
	if (ret < 0 || !series->figure)
		log_error("cannot read %s: %s", db->path, sqlite3_errmsg(db->handle));
	return series->figure ? ret : -1;
}

/* The median of the values [first, end); `room` has place for them. */
static double level_of(const struct figure_series *series, size_t first, size_t end, double *room)
{
	memcpy(room, series->values + first, (end - first) * sizeof(*room));
	return median_of(room, end - first);
}

static int level_keep(struct report_db *db, const struct figure_series *series, size_t first,
	size_t end, double level)
{
	int ret = 0;

	for (size_t i = first; i < end && ret == 0; i++)
		ret = run_made(db,
			sqlite3_mprintf("insert into history_level values (%Q, %lld, %.17g)",
				series->figure, series->runs[i], level));
	return ret;
}

/* The changes of a figure to `found`; of the last level whether its last runs leave it. */
static size_t series_changes(const struct figure_series *series, double alpha,
	struct change_point *found)
{
	size_t n = change_points_find(series->values, series->n, RANKS_SHARE * alpha, found);
	size_t first = n ? found[n - 1].at : 0;

	if (change_points_last(series->values + first, series->own + first, series->n - first,
		    (1 - RANKS_SHARE) * alpha, &found[n]))
		found[n++].at += first;
	return n;
}

/* Changes of one figure, and the levels between them. */
static int changes_keep(struct report_db *db, const struct figure_series *series, double alpha)
{
	struct change_point *found = calloc(series->n + 1, sizeof(*found));
	double *room = calloc(series->n + 1, sizeof(*room)), before = 0;
	size_t n, first = 0;
	int ret = found && room ? 0 : -1;

	if (ret < 0)
		log_error("out of memory");
	n = ret == 0 ? series_changes(series, alpha, found) : 0;
	for (size_t i = 0; i <= n && ret == 0 && series->n; i++) {
		size_t end = i < n ? found[i].at : series->n;
		double level = level_of(series, first, end, room);

		ret = level_keep(db, series, first, end, level);
		if (ret == 0 && i > 0)
			ret = run_made(db,
				sqlite3_mprintf("insert into history_change values (%Q, %lld, "
						"%.17g, %.17g, %.17g)",
					series->figure, series->runs[first], before, level,
					found[i - 1].p));
		before = level;
		first = end;
	}
	free(found);
	free(room);
	return ret;
}

static int changes_find(struct report_db *db, double alpha)
{
	struct result figures;
	int ret = run_made(db,
		sqlite3_mprintf(
			"create temp table history_change(figure, nth, before real, after real, p real);"
			"create temp table history_level(figure, nth, value);"
			"create temp table history_constant as select 'alpha' as name, "
			"%.17g as value union all select 'least', %lld",
			alpha, (long long)change_points_least(RANKS_SHARE * alpha)));

	if (ret < 0 || report_db_query(db, "history_figures", &figures) < 0)
		return -1;
	for (size_t row = 0; row < figures.nrows && ret == 0; row++) {
		struct figure_series series;

		ret = series_read(db, &series, result_cell(&figures, row, 0)->text);
		if (ret == 0)
			ret = changes_keep(db, &series, alpha);
		series_free(&series);
	}
	result_free(&figures);
	return ret;
}

/* One database is inspected as it is, others are joined. */
static int runs_open(struct report_db *db, char *const *runs, int nruns)
{
	char *path;
	int ret;

	if (nruns > 1)
		return report_runs_open(db, runs, nruns);
	path = run_database(runs[0]);
	ret = path ? report_db_open(db, path) : -1;
	db->path = runs[0];
	db->in_memory = true; /* its temporary tables are */
	free(path);
	return ret;
}

int history_open(struct report_db *db, char *const *runs, int nruns,
	const struct history_choice *choice, double alpha)
{
	char *n = NULL;

	if (runs_open(db, runs, nruns) < 0)
		return -1;
	if (history_tables_make(db, choice) == 0 && changes_find(db, alpha) == 0) {
		n = report_db_ask(db, "select 1 from history limit 1", NULL, NULL, NULL);
		if (n) {
			free(n);
			return 0;
		}
		log_error("%s has no run with that label or branch (tacho history %s lists them)",
			db->path, db->path);
	}
	report_db_close(db);
	return -1;
}
