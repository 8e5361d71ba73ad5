/* cmd_scaling.c - tacho scaling: a study over runs of several sizes. */
#include "config.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "base/log.h"
#include "cli/print.h"
#include "report/report.h"
#include "report/report_db.h"
#include "base/rundir.h"
#include "report/scaling.h"

#define REPORT_OF_SCALING "tacho-scaling.html"

struct scaling_choice {
	enum scaling_rule rule;
	enum print_format format;
	const char *database, *output;
};

/* The tables in their order: queries reports/scaling/scaling_NAME.sql. */
static const struct {
	const char *name, *title;
} tables[] = {
	{ "study", "Scaling" },
	{ "runs", "Runs: global efficiency = parallel efficiency x computation scalability" },
	{ "counters", "Computation scalability by hardware counters" },
	{ "phases", "Lost time of the largest run against an ideal one" },
	{ "laws", "Laws fitted to the speed-ups, with 95 % confidence" },
	{ "beyond",
		"Extrapolation, if the laws hold (at most 4 times the largest size), with 95 % "
		"confidence" },
	{ "differences", "What differs between the runs" },
};

static int tables_print(struct report_db *db, enum print_format format)
{
	struct print print;
	int ret = 0;

	print_begin(&print, format, true);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && ret == 0; i++) {
		char query[64];

		snprintf(query, sizeof(query), "scaling_%s", tables[i].name);
		ret = print_query(&print, db, query, tables[i].name, tables[i].title);
	}
	print_end(&print);
	return ret;
}

/* Runs with labels that do not make studies are one study. -1: they are none (reported). */
static int study_find(struct report_db *db)
{
	char *alone = report_db_ask(db,
		"select label from study group by configuration "
		"having count(distinct units) < 2 limit 1",
		NULL, NULL, NULL);
	char *size = NULL, *label;

	if (alone)
		free(report_db_ask(db, "update study set configuration = 'all runs' returning 1",
			NULL, NULL, NULL));
	free(alone);
	label = report_db_ask(db, "select label from study where coalesce(units, 0) = 0", NULL,
		NULL, NULL);
	if (label)
		log_error("%s has neither ranks nor GPUs: it has no size", label);
	else
		size = report_db_ask(db,
			"select max(units) || case when max(ngpus) > 0 then "
			"' GPU' else ' rank' end || case when max(units) > 1 then 's' else '' end "
			"from study having count(distinct units) < 2",
			NULL, NULL, NULL);
	if (size)
		log_error("no run differs in size, all have %s: a study needs several sizes", size);
	alone = label ? label : size;
	free(alone);
	return alone ? -1 : 0;
}

/* Their time may be shorter because they did less work, which no sample shows. */
static void failed_warn(struct report_db *db)
{
	char *labels = report_db_ask(db,
		"select group_concat(label, ', ') from (select s.label "
		"from study s join run r on r.id = s.run_id where s.counts and (r.cut <> 0 or "
		"r.exit_status <> 0) order by r.id)",
		NULL, NULL, NULL);

	if (labels)
		log_warn("truncated or failed, so that the time may be that of less work: %s",
			labels);
	free(labels);
}

static int database_keep(struct report_db *db, const char *path)
{
	int code;

	if (path_exists(path)) {
		log_error("%s already exists: give --db a new name", path);
		return -1;
	}
	free(report_db_ask(db, "vacuum into ?1", path, NULL, &code));
	if (code == SQLITE_DONE)
		return 0;
	log_error("cannot write %s: %s", path, sqlite3_errmsg(db->handle));
	return -1;
}

static int study_show(struct report_db *db, const struct scaling_choice *study)
{
	struct report_options options = { .output = study->output };

	if (study_find(db) < 0)
		return -1;
	failed_warn(db);
	if (scaling_compute(db, study->rule) < 0 ||
		(study->database && database_keep(db, study->database) < 0) ||
		tables_print(db, study->format) < 0)
		return -1;
	if (!options.output && study->format != PRINT_TABLE)
		return 0;
	if (!options.output)
		options.output = REPORT_OF_SCALING;
	fflush(stdout);
	if (report_runs_write(db, &options) < 0)
		return -1;
	if (study->format == PRINT_TABLE)
		printf("\n%s\n", options.output);
	return 0;
}

static int study_make(char **runs, int nruns, const struct scaling_choice *study)
{
	struct report_db db;
	int ret;

	if (report_runs_open(&db, runs, nruns) < 0)
		return EXIT_FAILED;
	ret = study_show(&db, study);
	report_db_close(&db);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

static struct scaling_choice wanted = { .rule = SCALING_AUTO };

static const struct option option_table[] = {
	{ "strong", 0, NULL, "assume that all runs did the same work", .set = &wanted.rule,
		.value = SCALING_STRONG },
	{ "weak", 0, NULL,
		"assume that the work grows with the size; default: by the number of samples of "
		"the marked steps, else the same work",
		.set = &wanted.rule, .value = SCALING_WEAK },
	{ "db", 0, "FILE", "write the runs and the model scaling to a new database",
		.text = &wanted.database, .writes = true },
	{ "format", 0, PRINT_FORMATS, "output format (table)", .choice = &wanted.format },
	{ "output", 'o', "FILE", "the page; " REPORT_OF_SCALING " by default (csv, json: none)",
		.text = &wanted.output, .writes = true },
	{ 0 }
};

static int scaling(int argc, char **argv)
{
	return study_make(argv, argc, &wanted);
}

const struct command command_scaling = {
	.name = "scaling",
	.summary =
		"Compare runs of different sizes: speed-up, POP scalability metrics, scaling laws",
	.arguments = "RUN...",
	.least = 1,
	.about =
		"RUNs are folders or databases of one program with different numbers of ranks or "
		"GPUs; a\ndatabase may hold several runs. The smallest run is the reference. Runs with "
		"labels that\ndiffer only in a number at the end (conv-n1, conv-n2) form one study.\n",
	.options = option_table,
	.run = scaling,
};
