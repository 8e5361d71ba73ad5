/* cmd_explain.c - tacho explain: the diagnosis of a run in a few lines, with its evidence. */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/rundir.h"
#include "cli/cmd.h"
#include "cli/near.h"
#include "report/explain.h"

static bool json;

static const struct option option_table[] = {
	{ "json", 0, NULL, "print one JSON object instead of Markdown", .flag = &json }, { 0 }
};

static int statement_lacks(const struct explain *explain, const char *run, const char *key)
{
	struct near near = { .word = key };

	for (size_t i = 0; i < explain->n; i++)
		near_try(&near, explain->statements[i].key);
	log_error("%s has no statement %s%s; tacho explain %s lists them", run, key,
		near_words(&near, ""), run);
	return EXIT_USAGE;
}

static int explain(int argc, char **argv)
{
	char *database = run_database(argv[0]);
	const struct statement *statement = NULL;
	struct explain of_run;
	int status = EXIT_FAILED;

	if (!database || explain_open(&of_run, database) < 0)
		goto out;
	if (argc > 1)
		statement = explain_find(&of_run, argv[1]);
	if (argc > 1 && !statement)
		status = statement_lacks(&of_run, argv[0], argv[1]);
	else if (explain_print(&of_run, statement, json, stdout) == 0)
		status = EXIT_OK;
	explain_close(&of_run);
out:
	free(database);
	return status;
}

const struct command command_explain = {
	.name = "explain",
	.summary = "Print a diagnosis of at most 4 KB, with evidence for each sentence",
	.arguments = "RUN [KEY]",
	.least = 1,
	.most = 2,
	.about = "For a ticket, a chat or an assistant. Each sentence has a key, the query on "
		 "tacho.db\n"
		 "that proves it, and the first rows of the result. KEY shows one statement in "
		 "detail: rank.1,\n"
		 "late.1, account, cause.1, phase.train, steps, gpu.0, calls, network, storage,\n"
		 "quality.1, finding.RULE. Keys stay the same from version to version.\n",
	.options = option_table,
	.run = explain,
};
