/* compare_baseline.c - see compare_baseline.h. compare_baseline.sql makes the choice. */
#include "config.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/rundir.h"
#include "base/student.h"
#include "compare/compare_baseline.h"
#include "report/history.h"
#include "report/report_db.h"

enum { LEAST_RUNS = 4 }; /* from this number on the spread is roughly known */

static int run_opened(struct report_db *db, const char *run)
{
	char *path = run_database(run);
	int ret = path ? report_db_open(db, path) : -1;

	db->path = run;
	free(path);
	return ret;
}

/* What the new run is, and how its baseline is chosen, as a table. */
static int wanted_make(struct report_db *db, const struct baseline *baseline, const char *run)
{
	static const char *const hows[] = { "last", "best", "median" };
	static const char create[] =
		"create temp table baseline_wanted(how, n, path, start_ns, nranks, ngpus)";
	static const char of_run[] =
		"select printf('insert into baseline_wanted values (%Q, %s, %Q, %s, %d, %d)', "
		"?1, ?2, path, coalesce(start_ns, 'null'), nranks, (select count(*) from device d "
		"where d.run_id = r.id)) from run r order by id desc limit 1";
	struct report_db new;
	char *n = sqlite3_mprintf("%d", baseline->n), *sql = NULL;
	int ret = -1;

	if (run_opened(&new, run) == 0) {
		sql = report_db_ask(&new, of_run, hows[baseline->how], n, NULL);
		report_db_close(&new);
		ret = sql && sqlite3_exec(db->handle, create, NULL, NULL, NULL) == SQLITE_OK &&
				sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK
			? 0
			: -1;
		if (ret < 0)
			log_error("cannot choose a baseline in %s: %s", db->path,
				sqlite3_errmsg(db->handle));
	}
	free(sql);
	sqlite3_free(n);
	return ret;
}

/* A small number of runs gives an uncertain spread: Student's t. */
static void apart_read(struct apart *apart, const struct result *chosen)
{
	double spread = result_cell(chosen, 0, 1)->number;
	int runs = (int)result_cell(chosen, 0, 2)->number;

	if (!result_cell(chosen, 0, 1)->null && runs >= LEAST_RUNS)
		*apart = (struct apart){ M_SQRT2 * spread * student_t95(runs - 2), runs };
}

static long long chosen_read(struct report_db *db, struct apart *apart)
{
	struct result chosen;
	long long id = -1;

	if (report_db_query(db, "compare_baseline", &chosen) < 0)
		return -1;
	if (chosen.nrows) {
		id = (long long)result_cell(&chosen, 0, 0)->number;
		apart_read(apart, &chosen);
	} else {
		log_error(
			"%s has no baseline: no run that ended well and is of the same size, with "
			"that label and branch (tacho history %s lists the runs)",
			db->path, db->path);
	}
	result_free(&chosen);
	return id;
}

long long baseline_choose(const struct baseline *baseline, const char *base, const char *run,
	struct apart *apart)
{
	const struct history_choice choice = { .label = baseline->label,
		.branch = baseline->branch };
	struct report_db db;
	long long id = -1;

	*apart = (struct apart){ .share = NAN };
	if (run_opened(&db, base) < 0)
		return -1;
	if (history_tables_make(&db, &choice) == 0 && wanted_make(&db, baseline, run) == 0)
		id = chosen_read(&db, apart);
	report_db_close(&db);
	return id;
}
