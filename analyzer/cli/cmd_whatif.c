/* cmd_whatif.c - tacho whatif: what the steps of a run would take without a cause of their time. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/rundir.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "db/query.h"
#include "report/report_db.h"
#include "whatif/ladder.h"

enum { QUESTIONS_MOST = 64 };

static struct {
	unsigned format;
	const char *without[QUESTIONS_MOST];
	int nwithout;
	double storage; /* so many times as fast */
} wanted = { .storage = 1 };

static int without_take(const struct option *option, const char *text)
{
	(void)option;
	if (wanted.nwithout == QUESTIONS_MOST)
		return usage_error(&command_whatif, "--without: at most %d of them",
			QUESTIONS_MOST);
	wanted.without[wanted.nwithout++] = text;
	return EXIT_OK;
}

static int storage_take(const struct option *option, const char *text)
{
	(void)option;
	wanted.storage = strtod(text, NULL);
	if (wanted.storage > 0)
		return EXIT_OK;
	return usage_error(&command_whatif, "--storage %s: expected a factor above 0, like 2x",
		text);
}

/* The questions into `left`. How many there are, -1 where one is wrong (reported). */
static int questions_take(const struct ladder *ladder, struct step_left *left)
{
	int n = wanted.nwithout + (wanted.storage != 1);

	for (int i = 0; i < wanted.nwithout; i++) {
		int fitting = ladder_without(ladder, wanted.without[i], left);

		if (fitting < 0)
			return -1;
		if (fitting == 0) {
			log_error("--without '%s' fits no cause of the run; tacho whatif RUN lists "
				  "them",
				wanted.without[i]);
			return -1;
		}
	}
	for (size_t r = 0; wanted.storage != 1 && r < ladder->model.ranks.n; r++)
		left[r].part[OWN_IO] = left[r].part[OWN_IO] / wanted.storage;
	return n;
}

static const char table_sql[] =
	"create temp table ladder(n integer, part text, ranks text, place text, steps real,"
	" first_step integer, last_step integer, own_ns integer, takes_ns integer, saves_ns "
	"integer)";

static const char row_sql[] =
	"insert into temp.ladder values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

static const char rows_sql[] =
	"select n, part as without, ranks, coalesce(place, '') as place, printf('%.0f', steps) as "
	"steps,"
	" first_step, last_step, own_ns, takes_ns, saves_ns from temp.ladder order by n";

static void row_bind(sqlite3_stmt *row, const struct ladder *ladder, size_t i)
{
	const struct cause *cause = &ladder->causes.at[i];

	sqlite3_bind_int64(row, 1, (sqlite3_int64)i + 1);
	sqlite3_bind_text(row, 2, own_part_names[cause->part], -1, SQLITE_STATIC);
	sqlite3_bind_text(row, 3, cause->rank_list, -1, SQLITE_STATIC);
	sqlite3_bind_text(row, 4, cause->place, -1, SQLITE_STATIC);
	sqlite3_bind_double(row, 5, cause->steps);
	sqlite3_bind_int64(row, 6, cause->first);
	sqlite3_bind_int64(row, 7, cause->last);
	sqlite3_bind_int64(row, 8, (sqlite3_int64)(cause->own_s * 1e9));
	sqlite3_bind_int64(row, 9, (sqlite3_int64)(cause->after_s * 1e9));
	sqlite3_bind_int64(row, 10, (sqlite3_int64)((cause->before_s - cause->after_s) * 1e9));
}

static int ladder_print(sqlite3 *handle, const struct ladder *ladder, double now_s)
{
	bool failed = sqlite3_exec(handle, table_sql, NULL, NULL, NULL) != SQLITE_OK;
	sqlite3_stmt *row = failed ? NULL : query_prepare(handle, row_sql, 0, &failed), *rows;
	struct print print;
	char title[160];

	for (size_t i = 0; row && i < ladder->n; i++) {
		row_bind(row, ladder, i);
		query_row_put(row, &failed);
	}
	sqlite3_finalize(row);
	rows = failed ? NULL : query_prepare(handle, rows_sql, 0, &failed);
	snprintf(title, sizeof(title), "%.0f steps of %zu ranks take %.4g s (measured: %.4g s)",
		ladder->model.count, ladder->model.ranks.n, now_s, ladder->model.measured_s);
	if (wanted.format == PRINT_TABLE && !ladder->n)
		printf("%s; no cause takes 1 %% of it or more\n", title);
	else {
		print_begin(&print, wanted.format, wanted.format == PRINT_TABLE);
		failed = failed || print_rows(&print, rows, "ladder", title) < 0;
		print_end(&print);
	}
	if (failed)
		log_error("cannot print the causes: %s", sqlite3_errmsg(handle));
	sqlite3_finalize(rows);
	return failed ? -1 : 0;
}

/* The answer to the questions: the time, and what would limit it then. */
static void answer_print(const struct ladder *ladder, struct step_left *left, double now_s,
	double outside_s)
{
	double then_s = step_model_time(&ladder->model, left), after_s,
	       then_outside_s = step_model_time_of(&ladder->model, left, OWN_SLEEP_OUTSIDE);
	const struct cause *next = ladder_next(ladder, left, &after_s);

	if (wanted.format != PRINT_TABLE) {
		printf(wanted.format == PRINT_JSON
				? "{ \"now_s\": %.9g, \"then_s\": %.9g, \"now_outside_s\": %.9g,"
				  " \"then_outside_s\": %.9g }\n"
				: "now_s,then_s,now_outside_s,then_outside_s\n%.9g,%.9g,%.9g,%.9g\n",
			now_s, then_s, outside_s, then_outside_s);
		return;
	}
	if (ladder->model.steps.n)
		printf("the steps would take %.4g instead of %.4g s (%.3g %% less)\n", then_s,
			now_s, now_s > 0 ? 100 * (1 - then_s / now_s) : 0);
	if (then_outside_s != outside_s)
		printf("outside of steps the run would take %.4g instead of %.4g s\n",
			then_outside_s, outside_s);
	if (next)
		printf("then limited by: %s of rank %s%s%s (without it too: %.4g s)\n",
			own_part_names[next->part], next->rank_list, next->place ? " in " : "",
			next->place ? next->place : "", after_s);
}

static int answer(struct report_db *db)
{
	struct step_left *left = NULL;
	struct ladder ladder;
	int ret = -1, n;
	double now_s, outside_s;

	if (ladder_make(&ladder, db->handle, db->run) < 0)
		goto out;
	if (ladder.model.has_devices)
		log_error("%s: the step model covers runs without GPUs only", db->path);
	else if (!ladder.model.steps.n && !ladder.n)
		log_error("%s has no steps: mark them in the program (tacho.h, tacho.py)",
			db->path);
	else
		left = ladder_all_left(&ladder);
	if (!left)
		goto out;
	now_s = step_model_time(&ladder.model, left);
	outside_s = step_model_time_of(&ladder.model, left, OWN_SLEEP_OUTSIDE);
	n = questions_take(&ladder, left);
	if (n == 0)
		ret = ladder_print(db->handle, &ladder, now_s);
	if (n > 0) {
		answer_print(&ladder, left, now_s, outside_s);
		ret = 0;
	}
out:
	free(left);
	ladder_free(&ladder);
	return ret;
}

static int whatif(int argc, char **argv)
{
	char *database = run_database(argv[0]);
	struct report_db db;
	int ret = -1;

	(void)argc;
	if (database && report_db_open(&db, database) == 0) {
		ret = answer(&db);
		report_db_close(&db);
	}
	free(database);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

static const struct option option_table[] = {
	{ "without", 0, "WHAT",
		"remove the causes that match rank=N, part=NAME, line=TEXT (may be repeated)",
		.take = without_take },
	{ "storage", 0, "Nx", "make the I/O of all ranks N times as fast", .take = storage_take,
		.pattern = "^[0-9]+([.][0-9]*)?x$", .wanted = "a factor like 2x" },
	{ "format", 0, PRINT_FORMATS, "output format", .choice = &wanted.format }, { 0 }
};

const struct command command_whatif = {
	.name = "whatif",
	.summary = "Predict the step time of a run without the causes that slow it down",
	.arguments = "RUN",
	.least = 1,
	.most = 1,
	.about = "Without options: the causes of the steps' time. Each row gives the time that the "
		 "steps\n"
		 "would take without that cause and all causes above it. Parts: sleep, readers "
		 "(waiting for\n"
		 "data-loader workers), wait (for threads, children, sockets, locks), io, "
		 "omp_idle, compute\n"
		 "(beyond the median of the other ranks).\n",
	.options = option_table,
	.run = whatif,
};
