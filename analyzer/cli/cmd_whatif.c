/*
 * cmd_whatif.c - tacho whatif: the time that the steps of a run would take without a cause of their
 * time.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "base/log.h"
#include "base/rundir.h"
#include "base/text.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "db/query.h"
#include "report/report_db.h"
#include "whatif/ladder.h"
#include "whatif/stay.h"

enum { QUESTIONS_MOST = 64, EAGER = 64 << 10 };

static struct {
	unsigned format;
	const char *without[QUESTIONS_MOST];
	int nwithout;
	int64_t median[QUESTIONS_MOST]; /* ranks that compute as long as the median of the others */
	int nmedian;
	double storage, bandwidth, latency, cpu; /* so many times; 0: not asked for */
	int64_t eager;				 /* bytes up to which the latency counts */
} wanted = { .storage = 1, .eager = EAGER };

static int without_take(const struct option *option, const char *text)
{
	(void)option;
	if (wanted.nwithout == QUESTIONS_MOST)
		return usage_error(&command_whatif, "--without: at most %d of them",
			QUESTIONS_MOST);
	wanted.without[wanted.nwithout++] = text;
	return EXIT_OK;
}

static int rank_take(const struct option *option, const char *text)
{
	(void)option;
	if (wanted.nmedian == QUESTIONS_MOST)
		return usage_error(&command_whatif, "--rank: at most %d of them", QUESTIONS_MOST);
	wanted.median[wanted.nmedian++] = strtoll(text, NULL, 10);
	return EXIT_OK;
}

static int factor_take(const struct option *option, const char *text, double *factor)
{
	*factor = strtod(text, NULL);
	if (*factor > 0)
		return EXIT_OK;
	return usage_error(&command_whatif, "--%s %s: expected a factor above 0, like 2x",
		option->name, text);
}

static int storage_take(const struct option *option, const char *text)
{
	return factor_take(option, text, &wanted.storage);
}

static int bandwidth_take(const struct option *option, const char *text)
{
	return factor_take(option, text, &wanted.bandwidth);
}

static int cpu_take(const struct option *option, const char *text)
{
	return factor_take(option, text, &wanted.cpu);
}

static int latency_take(const struct option *option, const char *text)
{
	return factor_take(option, text, &wanted.latency);
}

/* In each step; 0, or -1 where the run has no such rank (reported). */
static int medians_take(const struct ladder *ladder, struct step_left *left)
{
	for (int i = 0; i < wanted.nmedian; i++) {
		int rank = rank_find(&ladder->model, wanted.median[i]);

		if (rank < 0) {
			log_error("--rank %lld=median: the run has no such rank",
				(long long)wanted.median[i]);
			return -1;
		}
		left[rank].part[OWN_COMPUTE] = (struct part_share){ 0, 0 };
	}
	return 0;
}

/* The questions into `left`. How many there are, -1 where one is wrong (reported). */
static int questions_take(const struct ladder *ladder, struct step_left *left)
{
	int n = wanted.nwithout + wanted.nmedian + (wanted.storage != 1);

	if (medians_take(ladder, left) < 0)
		return -1;

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
	for (size_t r = 0; wanted.storage != 1 && r < ladder->model.ranks.n; r++) {
		left[r].part[OWN_IO].usual /= wanted.storage;
		left[r].part[OWN_IO].rare /= wanted.storage;
	}
	return n;
}

/* The place of a rank's slow computing is that of its finding. */
static const char place_sql[] =
	"select place from finding where run_id = cast(?1 as integer) and rule = 'step_compute'"
	" and culprit_rank = ?2";

/* What the step model does not show: communication, phases, devices. */
static const char others_sql[] =
	"select iif(is_bound, '≤ ', '') || printf('%.3g s: ', seconds) || brief from finding where run_id = ?1 and seconds > 0 and brief is not null"
	" and rule not in ('step_wait', 'step_compute', 'outside_more') order by n";

static void cause_put(struct result *table, struct report_db *db, const struct cause *cause,
	size_t n)
{
	char run[24], *place = NULL;

	snprintf(run, sizeof(run), "%lld", db->run);
	if (!cause->place && cause->part == OWN_COMPUTE)
		place = report_db_ask(db, place_sql, run, cause->rank_list, NULL);
	result_put_whole(table, (int64_t)n);
	result_put(table, "%s", own_part_names[cause->part]);
	result_put(table, "%s", cause->rank_list);
	result_put(table, "%s", cause->place ? cause->place : place ? place : "");
	free(place);
	result_put_whole(table, llround(cause->steps));
	result_put_whole(table, (int64_t)cause->first);
	result_put_whole(table, (int64_t)cause->last);
	result_put_whole(table, (int64_t)(cause->own_s * 1e9));
	result_put_whole(table, (int64_t)(cause->after_s * 1e9));
	result_put_whole(table, (int64_t)((cause->before_s - cause->after_s) * 1e9));
}

static int others_print(struct report_db *db)
{
	bool failed = false;
	sqlite3_stmt *row = query_prepare(db->handle, others_sql, db->run, &failed);

	for (int n = 0; query_row_next(row, &failed); n++) {
		char *clean = text_clean((const char *)sqlite3_column_text(row, 0),
			(size_t)sqlite3_column_bytes(row, 0));

		printf("%s  %s\n", n ? "" : "\nother findings, which may be about the same time:\n",
			clean ? clean : "");
		free(clean);
	}
	sqlite3_finalize(row);
	if (failed)
		log_error("cannot print the findings: %s", sqlite3_errmsg(db->handle));
	return failed ? -1 : 0;
}

static int ladder_print(struct report_db *db, const struct ladder *ladder, double now_s)
{
	static const char *const columns[] = { "n", "without", "ranks", "place", "steps",
		"first_step", "last_step", "own_ns", "takes_ns", "saves_ns" };
	struct result table;
	char title[160];
	int ret = 0;

	result_columns(&table, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < ladder->n; i++)
		cause_put(&table, db, &ladder->causes.at[i], i + 1);
	snprintf(title, sizeof(title), "%.0f steps of %zu ranks take %.4g s (measured: %.4g s)",
		ladder->model.count, ladder->model.ranks.n, now_s, ladder->model.measured_s);
	if (wanted.format == PRINT_TABLE && !ladder->n)
		printf("%s; no cause takes 1 %% of it or more\n", title);
	else
		ret = print_result(wanted.format, &table,
			wanted.format == PRINT_TABLE ? title : NULL);
	result_free(&table);
	if (ret == 0 && wanted.format == PRINT_TABLE)
		ret = others_print(db);
	return ret;
}

/* Figures for programs: the columns of one row. */
static void figures_print(const char *const *names, const double *values, int n)
{
	struct json json = { .out = stdout };
	struct result row;

	result_columns(&row, names, n);
	for (int i = 0; i < n; i++)
		result_put_number(&row, values[i]);
	if (wanted.format == PRINT_JSON)
		result_json_row(&json, NULL, &row, 0);
	else
		print_result(wanted.format, &row, NULL);
	result_free(&row);
}

static double run_s(struct report_db *db)
{
	bool failed = false;
	sqlite3_stmt *run = query_prepare(db->handle,
		"select duration_ns / 1e9 from run where id = ?1", db->run, &failed);
	double s = query_row_next(run, &failed) ? sqlite3_column_double(run, 0) : 0;

	sqlite3_finalize(run);
	return s;
}

/* The answer to the questions: the time, and what would limit it then. */
static void answer_print(struct report_db *db, const struct ladder *ladder, struct step_left *left,
	double now_s, double outside_s)
{
	double then_s = step_model_time(&ladder->model, left), after_s,
	       then_outside_s = step_model_time_of(&ladder->model, left, OWN_SLEEP_OUTSIDE);
	const struct cause *next = ladder_next(ladder, left, &after_s);
	static const char *const names[] = { "now_s", "then_s", "now_outside_s", "then_outside_s" };

	if (wanted.format != PRINT_TABLE) {
		figures_print(names, (double[]){ now_s, then_s, outside_s, then_outside_s }, 4);
		return;
	}
	if (ladder->model.steps.n)
		printf("the steps would take %.4g instead of %.4g s (%.3g %% less)\n", then_s,
			now_s, now_s > 0 ? 100 * (1 - then_s / now_s) : 0);
	if (then_outside_s != outside_s)
		printf("outside of steps the run would take %.4g instead of %.4g s\n",
			then_outside_s, outside_s);
	printf("run time: %.4g instead of %.4g s\n",
		run_s(db) - (now_s - then_s) - (outside_s - then_outside_s), run_s(db));
	if (next)
		printf("next cause: %s of rank %s%s%s (without it as well: %.4g s)\n",
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
	if (!ladder.model.steps.n && !ladder.n)
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
		ret = ladder_print(db, &ladder, now_s);
	if (n > 0) {
		answer_print(db, &ladder, left, now_s, outside_s);
		ret = 0;
	}
out:
	free(left);
	ladder_free(&ladder);
	return ret;
}

/* --- another network --- */

/* Run time and that on an ideal network, in s, as the database has them. */
static const char times_sql[] =
	"select i.value / e.value / 1e9, i.value / 1e9 from metric i join metric e on e.run_id = i.run_id"
	" and e.\"window\" = i.\"window\" and e.model = i.model and e.subject = i.subject"
	" and e.name = 'transfer_efficiency' where i.run_id = ?1 and i.\"window\" = 'run'"
	" and i.model = 'mpi' and i.subject = '' and i.name = 'ideal_network_runtime' and e.value > 0";

/* Why the replay cannot be of another network. */
static const char refused_sql[] =
	"select case when exists (select 1 from process_device d join process p on p.id = d.process_id"
	" where p.run_id = ?1) then 'the replay of another network covers runs without GPUs only'"
	" when exists (select 1 from metric where run_id = ?1 and \"window\" = 'run'"
	" and name = 'not_in_detail' and value > 0) then 'a part of the run has sums only, and another"
	" network needs all calls: record with --max-size 0' end";

static bool times_read(sqlite3 *handle, int64_t run, double *now_s, double *ideal_s)
{
	bool failed = false, any;
	sqlite3_stmt *times = query_prepare(handle, times_sql, run, &failed);

	any = query_row_next(times, &failed);
	if (any) {
		*now_s = sqlite3_column_double(times, 0);
		*ideal_s = sqlite3_column_double(times, 1);
	}
	sqlite3_finalize(times);
	return any && !failed;
}

/* Replays the archive into a separate database: the ideal run time there is the ideal network's. */
static bool network_replay(const char *run, const char *path, double *then_s)
{
	const struct analyze_options options = { .database = path,
		.network_latency = wanted.latency > 0 ? wanted.latency : 1,
		.network_transfer = wanted.bandwidth > 0 ? 1 / wanted.bandwidth : 1,
		.processor_gain = wanted.cpu > 0 ? 1 - 1 / wanted.cpu : 0,
		.network_eager = (uint64_t)wanted.eager };
	enum log_level level = log_level;
	struct report_db db;
	double then_now_s;
	bool done = false;

	log_level = LOG_QUIET;
	if (analyze_run(run, &options) >= 0 && report_db_open(&db, path) == 0) {
		done = times_read(db.handle, db.run, &then_now_s, then_s);
		report_db_close(&db);
	}
	log_level = level;
	return done;
}

static void network_print(double now_s, double then_s, double ideal_s)
{
	static const char *const names[] = { "now_s", "then_s", "ideal_s" };

	if (wanted.format != PRINT_TABLE)
		figures_print(names, (double[]){ now_s, then_s, ideal_s }, 3);
	else
		printf("the run would take %.4g instead of %.4g s (%.3g %% %s); %.4g s on an ideal "
		       "network\n",
			then_s, now_s, 100 * fabs(1 - then_s / now_s),
			then_s > now_s ? "more" : "less", ideal_s);
}

static int network_answer(const char *run, struct report_db *db)
{
	char folder[] = "/tmp/tacho.XXXXXX", path[sizeof(folder) + 16], run_id[24], *refused;
	double now_s, ideal_s, then_s;
	int ret = -1;

	snprintf(run_id, sizeof(run_id), "%lld", db->run);
	refused = report_db_ask(db, refused_sql, run_id, NULL, NULL);
	if (refused)
		log_error("%s: %s", run, refused);
	else if (!times_read(db->handle, db->run, &now_s, &ideal_s))
		log_error("%s has no communication between ranks that can be replayed", run);
	else if (!mkdtemp(folder))
		log_error("cannot make a folder in /tmp");
	else {
		snprintf(path, sizeof(path), "%s/whatif.db", folder);
		if (network_replay(run, path, &then_s)) {
			network_print(now_s, then_s, ideal_s);
			ret = 0;
		} else {
			log_error("%s: the archive cannot be replayed", run);
		}
		unlink(path);
		rmdir(folder);
	}
	free(refused);
	return ret;
}

static int whatif(int argc, char **argv)
{
	bool is_network = wanted.bandwidth > 0 || wanted.latency > 0 || wanted.cpu > 0;
	char *database = run_database(argv[0]);
	struct report_db db;
	int ret = -1;

	(void)argc;
	if (is_network && (wanted.nwithout || wanted.nmedian || wanted.storage != 1)) {
		free(database);
		return usage_error(&command_whatif,
			"--bandwidth, --latency and --cpu: ask for them without --without, --rank and --storage");
	}
	if (database && report_db_open(&db, database) == 0) {
		ret = is_network ? network_answer(argv[0], &db) : answer(&db);
		report_db_close(&db);
	}
	free(database);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

static const struct option option_table[] = {
	{ "without", 0, "WHAT",
		"remove the causes that match cause=N, rank=N, part=NAME, line=TEXT (may be repeated)",
		.take = without_take },
	{ "rank", 0, "N=median",
		"let rank N compute as long as the median of the others in each step",
		.take = rank_take, .pattern = "^[0-9]+=median$",
		.wanted = "a rank, as in 3=median" },
	{ "storage", 0, "Nx", "make the I/O of all ranks N times as fast", .take = storage_take,
		.pattern = "^[0-9]+([.][0-9]*)?x$", .wanted = "a factor like 2x" },
	{ "bandwidth", 0, "Nx", "give the network N times the bandwidth", .take = bandwidth_take,
		.pattern = "^[0-9]+([.][0-9]*)?x$", .wanted = "a factor like 2x" },
	{ "latency", 0, "Nx", "give the network N times the latency", .take = latency_take,
		.pattern = "^[0-9]+([.][0-9]*)?x$", .wanted = "a factor like 0.5x" },
	{ "cpu", 0, "Nx", "give all ranks N times as fast processors", .take = cpu_take,
		.pattern = "^[0-9]+([.][0-9]*)?x$", .wanted = "a factor like 2x" },
	{ "eager", 0, "BYTES",
		"with --bandwidth or --latency: bytes up to which the latency counts, "
		"default 65536",
		.number = &wanted.eager },
	{ "format", 0, PRINT_FORMATS, "output format", .choice = &wanted.format }, { 0 }
};

const struct command command_whatif = {
	.name = "whatif",
	.summary = "Predict the step time of a run without the causes that slow it down",
	.arguments = "RUN",
	.least = 1,
	.most = 1,
	.about =
		"Without options: the causes of the steps' time. Each row gives the time that the "
		"steps\n"
		"would take without that cause and all causes above it. Parts: sleep, readers "
		"(waiting for\n"
		"data-loader workers), wait (for threads, children, sockets, locks), io, "
		"omp_idle, compute\n"
		"(beyond the median of the other ranks). own: the time that its ranks had in it, mean;\n"
		"saves: how much less the steps take. With --bandwidth, --latency or --cpu: the run "
		"time\n"
		"on another machine, by a replay of the archive.\n",
	.options = option_table,
	.run = whatif,
};
