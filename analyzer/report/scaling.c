/*
 * scaling.c - see scaling.h. Figures are SQL's work (scaling_tables.sql), laws are fitted
 * here.
 */
#include "config.h"

#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/log.h"
#include "report/report_db.h"
#include "report/scaling.h"
#include "base/student.h"
#include "base/containers.h"

typedef ARRAY_OF(struct scaling_point) scaling_points;

#define NEGLIGIBLE   1e-9  /* of a share: what numbers are rounded by */
#define LEAST_FREE   2	   /* runs more than a law has shares */
#define UNEVEN_CORES "0.1" /* of computing time: differences that distinguish laws */

/* y = slope × x. */
static struct scaling_value slope_fit(const double *x, const double *y, int n)
{
	struct scaling_value slope = { NAN, NAN };
	double xx = 0, xy = 0, rest = 0;

	for (int i = 0; i < n; i++) {
		xx += x[i] * x[i];
		xy += x[i] * y[i];
	}
	if (!(xx > 0))
		return slope;
	slope.value = xy / xx;
	for (int i = 0; i < n; i++)
		rest += pow(y[i] - slope.value * x[i], 2);
	slope.error = n < 2 ? NAN : student_t95(n - 1) * sqrt(rest / (n - 1) / xx);
	return slope;
}

static struct scaling_value share_fit(const struct scaling_point *points, int n, bool grows)
{
	struct scaling_value share = { NAN, NAN };
	double *x = calloc(2 * (size_t)n + 1, sizeof(*x)), *y = x + n;

	for (int i = 0; x && i < n; i++) {
		x[i] = points[i].size - 1;
		y[i] = grows ? points[i].size - points[i].speedup
			     : points[i].size / points[i].speedup - 1;
	}
	if (x)
		share = slope_fit(x, y, n);
	free(x);
	return share;
}

struct scaling_value scaling_amdahl(const struct scaling_point *points, int n)
{
	return share_fit(points, n, false);
}

struct scaling_value scaling_gustafson(const struct scaling_point *points, int n)
{
	return share_fit(points, n, true);
}

/* One of both alone, the other being 0: y = value × x. */
static struct scaling_value usl_alone(const struct scaling_point *points, int n, bool coherence)
{
	struct scaling_value value = { NAN, NAN };
	double *x = calloc(2 * (size_t)n + 1, sizeof(*x)), *y = x + n;

	for (int i = 0; x && i < n; i++) {
		x[i] = (points[i].size - 1) * (coherence ? points[i].size : 1);
		y[i] = points[i].size / points[i].speedup - 1;
	}
	if (x)
		value = slope_fit(x, y, n);
	free(x);
	return value;
}

/* Neither can be below 0: what would be is 0, and the other is fitted alone. */
static void usl_bound(const struct scaling_point *points, int n, struct scaling_value *contention,
	struct scaling_value *coherence)
{
	static const struct scaling_value none = { 0, NAN };

	if (contention->value >= 0 && coherence->value >= 0)
		return;
	if (coherence->value < 0) {
		*contention = usl_alone(points, n, false);
		*coherence = none;
	} else {
		*coherence = usl_alone(points, n, true);
		*contention = none;
	}
	if (contention->value < 0)
		*contention = none;
	if (coherence->value < 0)
		*coherence = none;
}

/* Both columns of the normal equations; u and v are size - 1 and size (size - 1). */
void scaling_usl(const struct scaling_point *points, int n, struct scaling_value *contention,
	struct scaling_value *coherence)
{
	double uu = 0, uv = 0, vv = 0, uy = 0, vy = 0, rest = 0, det, t;

	*contention = *coherence = (struct scaling_value){ NAN, NAN };
	for (int i = 0; i < n; i++) {
		double u = points[i].size - 1, v = points[i].size * u;
		double y = points[i].size / points[i].speedup - 1;

		uu += u * u;
		uv += u * v;
		vv += v * v;
		uy += u * y;
		vy += v * y;
	}
	det = uu * vv - uv * uv;
	if (!(det > 1e-9 * uu * vv)) /* one size only */
		return;
	contention->value = (uy * vv - vy * uv) / det;
	coherence->value = (vy * uu - uy * uv) / det;
	for (int i = 0; i < n; i++) {
		double u = points[i].size - 1;

		rest += pow(points[i].size / points[i].speedup - 1 - contention->value * u -
				coherence->value * points[i].size * u,
			2);
	}
	if (n > 2) {
		t = student_t95(n - 2) * sqrt(rest / (n - 2) / det);
		contention->error = t * sqrt(vv);
		coherence->error = t * sqrt(uu);
	}
	usl_bound(points, n, contention, coherence);
}

/* --- in the database --- */

static int execute(struct report_db *db, const char *sql)
{
	if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	log_error("cannot compare %s: %s", db->path, sqlite3_errmsg(db->handle));
	return -1;
}

/* Statement with the texts of the present row of `row` as ?1 and ?2. NULL: reported. */
static sqlite3_stmt *of_row(struct report_db *db, const char *sql, sqlite3_stmt *row)
{
	sqlite3_stmt *stmt = NULL;

	if (sqlite3_prepare_v2(db->handle, sql, -1, &stmt, NULL) != SQLITE_OK) {
		log_error("cannot compare %s: %s", db->path, sqlite3_errmsg(db->handle));
		return NULL;
	}
	sqlite3_bind_value(stmt, 1, sqlite3_column_value(row, 0));
	sqlite3_bind_value(stmt, 2, sqlite3_column_value(row, 1));
	return stmt;
}

/* The rows of a statement, which it ends. */
static int points_take(sqlite3_stmt *stmt, scaling_points *points)
{
	int code = SQLITE_DONE;

	while (stmt && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
		struct scaling_point *point = ARRAY_ADD(points);

		if (!point)
			break;
		point->size = sqlite3_column_double(stmt, 0);
		point->speedup = sqlite3_column_double(stmt, 1);
	}
	sqlite3_finalize(stmt);
	return stmt && code == SQLITE_DONE ? 0 : -1;
}

static int points_read(struct report_db *db, sqlite3_stmt *row, scaling_points *points)
{
	return points_take(of_row(db,
				   "select times, speedup from scaled where configuration = "
				   "?1 and \"window\" = ?2 and times > 1 and speedup > 0",
				   row),
		points);
}

/* Why a share is none; NULL: it may be one. */
static const char *share_impossible(double share)
{
	return share < -NEGLIGIBLE
		? "larger runs are faster than linear: no share of the work is serial"
		: share > 1 ? "larger runs are slower than the reference: no law of shares holds"
			    : NULL;
}

/* `why`: there is none. `name` NULL: it is of the factor that the row names. */
static int fit_put(struct report_db *db, sqlite3_stmt *row, const char *name,
	struct scaling_value fit, const char *why)
{
	sqlite3_stmt *stmt = isnan(fit.value)
		? NULL
		: of_row(db,
			  name ? "insert into scaling_fit values (?1, ?2, ?3, ?4, ?5, ?6)"
			       : "insert into scaling_fit values (?1, 'factor', ?2, ?4, ?5, ?6)",
			  row);
	int code;

	if (!stmt)
		return isnan(fit.value) ? 0 : -1;
	if (name)
		sqlite3_bind_text(stmt, 3, name, -1, SQLITE_STATIC);
	/* NAN is stored as null */
	sqlite3_bind_double(stmt, 4, why ? NAN : fit.value < 0 ? 0 : fit.value);
	sqlite3_bind_double(stmt, 5, why ? NAN : fit.error);
	sqlite3_bind_text(stmt, 6, why, -1, SQLITE_STATIC);
	code = sqlite3_step(stmt);
	sqlite3_finalize(stmt);
	return code == SQLITE_DONE ? 0 : -1;
}

/*
 * Why a law with `nshares` shares is none by `n` runs beside the reference; NULL: it may be one.
 * What nearly any runs agree with has no information.
 */
static const char *law_impossible(const struct scaling_value *first, int nshares, int n)
{
	const char *why = share_impossible(first->value);

	return why || n - nshares >= LEAST_FREE ? why
		: nshares == 1 ? "at least 4 sizes are needed to distinguish the law from chance"
			       : "at least 5 sizes are needed to distinguish the law from chance";
}

/* The laws of one configuration and window. */
static int window_fit(struct report_db *db, sqlite3_stmt *row)
{
	bool grows = sqlite3_column_int(row, 2);
	/* CPU contention by other programs is no property of the program */
	const char *uneven = sqlite3_column_int(row, 3)
		? "the runs had unequal shares of their cores"
		: NULL;
	struct scaling_value serial, contention, coherence;
	scaling_points points = { 0 };
	int n, ret = points_read(db, row, &points);

	n = (int)points.n;
	serial = grows ? scaling_gustafson(points.at, n) : scaling_amdahl(points.at, n);
	scaling_usl(points.at, n, &contention, &coherence);
	if (ret == 0)
		ret = fit_put(db, row, grows ? "gustafson_serial_share" : "amdahl_serial_share",
			serial, uneven ? uneven : law_impossible(&serial, 1, n));
	if (ret == 0)
		ret = fit_put(db, row, "usl_contention", contention,
			uneven ? uneven : law_impossible(&contention, 2, n));
	if (ret == 0)
		ret = fit_put(db, row, "usl_coherence", coherence,
			uneven ? uneven : law_impossible(&contention, 2, n));
	free(points.at);
	return ret;
}

static int rows_fit(struct report_db *db, const char *sql,
	int (*fit)(struct report_db *db, sqlite3_stmt *row))
{
	sqlite3_stmt *row = NULL;
	int code = sqlite3_prepare_v2(db->handle, sql, -1, &row, NULL), ret = 0;

	while (ret == 0 && code != SQLITE_DONE) {
		code = row ? sqlite3_step(row) : code;
		ret = code == SQLITE_ROW ? fit(db, row) : code == SQLITE_DONE ? 0 : -1;
	}
	if (ret < 0)
		log_error("cannot compare %s: %s", db->path, sqlite3_errmsg(db->handle));
	sqlite3_finalize(row);
	return ret;
}

static int windows_fit(struct report_db *db)
{
	static const char sql[] =
		"select configuration, \"window\", min(abs(work / times - 1) < 0.05), "
		"max(abs(core - 1)) > " UNEVEN_CORES " from scaled group by 1, 2";

	return rows_fit(db, sql, window_fit);
}

/* Fits one of POP's factors: it falls as the law's share limits the speed-up. */
static int factor_fit(struct report_db *db, sqlite3_stmt *row)
{
	sqlite3_stmt *stmt = of_row(db,
		"select times, times * value / ref from scaling_factor where configuration = ?1 "
		"and label = ?2 and times > 1",
		row);
	const char *uneven = sqlite3_column_int(row, 2)
		? "the runs had unequal shares of their cores"
		: NULL;
	scaling_points points = { 0 };
	struct scaling_value share;
	int ret = -1;

	if (points_take(stmt, &points) == 0) {
		share = scaling_amdahl(points.at, (int)points.n);
		/* unlike a share of the time it may be above 1 */
		ret = fit_put(db, row, NULL, share,
			uneven ? uneven
			       : law_impossible(&(struct scaling_value){ fmin(share.value, 1), 0 },
					 1, (int)points.n));
	}
	free(points.at);
	return ret;
}

static int factors_fit(struct report_db *db)
{
	static const char sql[] =
		"select f.configuration, f.label, (select max(abs(s.core - 1)) > " UNEVEN_CORES
		" from scaled s where s.configuration = f.configuration and s.\"window\" = 'run') "
		"from scaling_factor f group by 1, 2";

	return rows_fit(db, sql, factor_fit);
}

int scaling_compute(struct report_db *db, enum scaling_rule rule)
{
	static const char *const rules[] = {
		[SCALING_AUTO] = "create temp table scaling_rule as select 'auto' as rule",
		[SCALING_STRONG] = "create temp table scaling_rule as select 'strong' as rule",
		[SCALING_WEAK] = "create temp table scaling_rule as select 'weak' as rule",
	};

	if (execute(db, rules[rule]) < 0 || report_db_script(db, "scaling_tables") < 0 ||
		execute(db,
			"create temp table scaling_fit "
			"(configuration, \"window\", name, value, error, why)") < 0 ||
		windows_fit(db) < 0 || factors_fit(db) < 0)
		return -1;
	return report_db_script(db, "scaling_fits");
}
