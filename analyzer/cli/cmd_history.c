/* cmd_history.c - tacho history: figures of many runs in the order in which they began, and what changed. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/terminal.h"
#include "cli/cmd.h"
#include "cli/print.h"
#include "report/history.h"
#include "report/report.h"
#include "report/report_db.h"

static struct {
	struct history_choice choice;
	double alpha;
	enum print_format format;
	const char *output;
} wanted = { .alpha = 0.01 };

static int alpha_take(const struct option *option, const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	(void)option;
	if (end == text || *end || !(percent >= 0.1 && percent <= 20))
		return usage_error(&command_history,
			"--false-alarms %s: expected a percentage from 0.1 to 20", text);
	wanted.alpha = percent / 100;
	return EXIT_OK;
}

static const struct option option_table[] = { { "output", 'o', "FILE",
						      "also write a page with plots over the runs",
						      .text = &wanted.output, .writes = true },
	{ "format", 0, PRINT_FORMATS, "output format (table)", .choice = &wanted.format },
	{ "label", 0, "TEXT", "only runs with this label", .text = &wanted.choice.label },
	{ "branch", 0, "NAME", "only runs of this branch", .text = &wanted.choice.branch },
	{ "last", 0, "N", "only the last N runs", .count = &wanted.choice.last },
	{ "false-alarms", 0, "PERCENT",
		"allowed false-alarm rate in percent of series (1); a lower rate needs longer "
		"series",
		.take = alpha_take },
	{ 0 } };

static int said_print(struct report_db *db)
{
	struct result said;
	int column;

	if (report_db_query(db, "history_said", &said) < 0)
		return -1;
	column = result_column(&said, "Sentence");
	putchar('\n');
	for (size_t row = 0; row < said.nrows; row++)
		text_wrap(result_cell(&said, row, column)->text, 0, terminal_width(stdout));
	result_free(&said);
	return 0;
}

static int history_show(struct report_db *db)
{
	struct report_options options = { .output = wanted.output };
	struct print print;
	int ret;

	print_begin(&print, wanted.format, true);
	print.less =
		"write_gbps, target_ns, gpus, branch, sent_gbps, read_gbps, samples_per_s, began, idle_%, label";
	ret = print_query(&print, db, "history_runs", "runs", "Runs");
	if (ret == 0)
		ret = print_query(&print, db, "history_changes", "changes", "Changes");
	print_end(&print);
	if (ret == 0 && wanted.format == PRINT_TABLE)
		ret = said_print(db);
	if (ret < 0 || !wanted.output)
		return ret;
	fflush(stdout);
	ret = report_history(db, &options);
	if (ret == 0 && wanted.format == PRINT_TABLE)
		printf("\n%s\n", wanted.output);
	return ret;
}

static int history(int argc, char **argv)
{
	struct report_db db;
	int ret;

	if (history_open(&db, argv, argc, &wanted.choice, wanted.alpha) < 0)
		return EXIT_FAILED;
	ret = history_show(&db);
	report_db_close(&db);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_history = {
	.name = "history",
	.summary = "Detect changes of step time, efficiencies and rates over many runs",
	.arguments = "RUN...",
	.least = 1,
	.about = "RUN is a database of many runs (tacho record --db, tacho analyze --db), or RUNs "
		 "are\n"
		 "folders or databases. The runs are ordered by their start.\n",
	.options = option_table,
	.run = history,
};
