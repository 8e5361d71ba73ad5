/*
 * cmd_record.c - `tacho record`: runs a command with libtacho preloaded, then
 * merges, analyses and sums up. Works around a launcher (tacho record --
 * mpirun …) and inside one (mpirun … tacho record -- …), see record_job.h.
 */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "cli/cmd.h"
#include "record/launch.h"
#include "base/log.h"
#include "merge/merge.h"
#include "record/record_job.h"
#include "record/record_spool.h"
#include "report/report.h"
#include "base/rundir.h"
#include "report/summary.h"

#define DEFAULT_RUN    "tacho-run"
#define RUNNING_WAIT_S 5 /* for processes that outlive a killed launcher */

static const char options_help[] =
	"  -o RUN            folder for the run; default tacho-run, tacho-run-2, …\n"
	"  -f, --force       replace an existing RUN\n"
	"  --label TEXT      name of the run in reports; default RUN's last part\n"
	"  --spool DIR       write spools to DIR (node-local storage), bring them to RUN "
	"at the end\n"
	"  --keep-spools     keep RUN/spool after the merge\n"
	"  --no-merge        only record: `tacho merge RUN` and `tacho analyze RUN` later\n"
	"  --all             record every process, also shells and launchers\n"
	"  --ranks LIST      record only these ranks: 0,4-7\n"
	"  --steps A:B       record calls only in steps A to B, both included\n"
	"  --every N, --for M\n"
	"                    record calls only in the first M (1) of every N steps\n"
	"  --start-after S   record calls only from S seconds after a process's start; with "
	"steps,\n"
	"                    from the next one on that all ranks begin after it\n"
	"  --toggle SIGNAL   end and begin recording calls at SIGUSR2 (SIGUSR1, SIGURG, SIGWINCH)\n"
	"  --exclude-paths PATTERNS\n"
	"                    record no I/O on files whose paths match, separated by colons: '/proc/*'\n"
	"  --sample-hz N     read counters N times a second (default 10, 0: never)\n"
	"  --max-spool SIZE  at most SIZE bytes (K, M, G) of spool per thread\n\n"
	"The exit status is COMMAND's; 1 when the run could not be set up, 2 for wrong use.\n";

/* A knob of libtacho: an option whose value goes into the environment, and what that may be. */
static const struct knob {
	const char *option, *variable, *value; /* value NULL: the option's argument */
	const char *pattern, *wanted;	       /* NULL: anything */
} knobs[] = {
	{ "all", "TACHO_ALL", "1", NULL, NULL },
	{ "ranks", "TACHO_RANKS", NULL, "^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$",
		"ranks like 0,4-7" },
	{ "steps", "TACHO_STEPS", NULL, "^([0-9]+:[0-9]*|:[0-9]+)$",
		"steps like 10:20, 10: or :20" },
	{ "every", "TACHO_EVERY", NULL, "^[1-9][0-9]*$", "a number of steps" },
	{ "for", "TACHO_FOR", NULL, "^[1-9][0-9]*$", "a number of steps" },
	{ "start-after", "TACHO_START_AFTER", NULL, "^[0-9]+([.][0-9]*)?$", "seconds" },
	{ "toggle", "TACHO_TOGGLE", NULL, "^(SIG)?(USR1|USR2|URG|WINCH)$",
		"SIGUSR1, SIGUSR2, SIGURG or SIGWINCH" },
	{ "exclude-paths", "TACHO_EXCLUDE_PATHS", NULL, NULL, NULL },
	{ "sample-hz", "TACHO_SAMPLE_HZ", NULL, "^(100|[0-9]{1,2})$", "a number from 0 to 100" },
	{ "max-spool", "TACHO_MAX_SPOOL", NULL, "^[0-9]+[KMG]?$", "bytes like 500M (K, M, G)" },
};
#define NKNOBS (sizeof(knobs) / sizeof(knobs[0]))

struct record {
	char *run;  /* absolute once the folder is there */
	char *name; /* the folder as the user called it */
	const char *label, *spool;
	bool force, keep_spools, no_merge;
	char *local; /* own folder below --spool */
	char *link;  /* to libtacho.so, when its path is none for LD_PRELOAD */
	struct record_job job;
	char *environment[NKNOBS + 4]; /* KEY=value, NULL-terminated */
	int nenvironment;
};

static int environment_add(struct record *record, const char *key, const char *value)
{
	char *text;

	if (asprintf(&text, "%s=%s", key, value) < 0) {
		log_error("out of memory");
		return -1;
	}
	record->environment[record->nenvironment++] = text;
	return 0;
}

/* Whether a range in the value (4-7, 10:20) ends before it begins. */
static bool has_empty_range(const char *value)
{
	for (const char *at = value; *at; at += strcspn(at, ",")) {
		unsigned long long first, last;

		at += *at == ',';
		if (sscanf(at, "%llu%*1[-:]%llu", &first, &last) == 2 && last < first)
			return true;
	}
	return false;
}

/* Whether libtacho would understand the value; `name`: the option or variable, up to the value. */
static bool knob_check(const struct knob *knob, const char *name, const char *value)
{
	regex_t pattern;
	int differs;

	if (!knob->pattern || !*value)
		return true;
	if (regcomp(&pattern, knob->pattern, REG_EXTENDED | REG_NOSUB))
		return true;
	differs = regexec(&pattern, value, 0, NULL, 0);
	regfree(&pattern);
	if (differs)
		cmd_usage("record", "%s%s: expected %s", name, value, knob->wanted);
	else if (has_empty_range(value))
		cmd_usage("record", "%s%s: a range goes from the lower number to the higher one",
			name, value);
	else
		return true;
	return false;
}

/* The variables that the user has set and no option replaces. */
static bool environment_check(const bool *given)
{
	for (size_t i = 0; i < NKNOBS; i++) {
		const char *value = getenv(knobs[i].variable);
		char name[64];

		snprintf(name, sizeof(name), "%s=", knobs[i].variable);
		if (value && !given[i] && !knob_check(&knobs[i], name, value))
			return false;
	}
	return true;
}

static void record_free(struct record *record)
{
	for (int i = 0; i < record->nenvironment; i++)
		free(record->environment[i]);
	free(record->run);
	free(record->name);
	free(record->local);
	free(record->link);
}

/* Options up to COMMAND. 0, or the exit status + 1 when the program shall end. */
static int options_read(struct record *record, int argc, char **argv)
{
	enum { LABEL = 256, SPOOL, KEEP, NO_MERGE, KNOB };
	struct option options[7 + NKNOBS] = {
		{ "force", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ "label", required_argument, NULL, LABEL },
		{ "spool", required_argument, NULL, SPOOL },
		{ "keep-spools", no_argument, NULL, KEEP },
		{ "no-merge", no_argument, NULL, NO_MERGE },
	};
	bool given[NKNOBS] = { false };
	int c;

	for (size_t i = 0; i < NKNOBS; i++)
		options[6 + i] = (struct option){ knobs[i].option,
			knobs[i].value ? no_argument : required_argument, NULL, KNOB + (int)i };
	opterr = 0;
	while ((c = getopt_long(argc, argv, "+:o:fh", options, NULL)) != -1) {
		if (c == 'o') {
			free(record->run);
			record->run = strdup(optarg);
		} else if (c == 'f') {
			record->force = true;
		} else if (c == 'h') {
			return cmd_help("record", options_help) + 1;
		} else if (c == LABEL) {
			record->label = optarg;
		} else if (c == SPOOL) {
			record->spool = optarg;
		} else if (c == KEEP) {
			record->keep_spools = true;
		} else if (c == NO_MERGE) {
			record->no_merge = true;
		} else if (c >= KNOB) {
			const struct knob *knob = &knobs[c - KNOB];

			char name[64];

			given[c - KNOB] = true;
			snprintf(name, sizeof(name), "--%s ", knob->option);
			if (optarg && !knob_check(knob, name, optarg))
				return EXIT_USAGE + 1;
			if (environment_add(record, knob->variable,
				    knob->value ? knob->value : optarg) < 0)
				return EXIT_FAILED + 1;
		} else {
			return cmd_usage("record",
				       c == ':' ? "%s needs a value" : "unknown option %s",
				       argv[optind - 1]) +
				1;
		}
	}
	return environment_check(given) ? 0 : EXIT_USAGE + 1;
}

/*
 * Without -o: the first of tacho-run, tacho-run-2, … that is free. Ranks of a job agree only on the
 * first.
 */
static char *run_choose(const struct record_job *job)
{
	char name[64] = DEFAULT_RUN;

	for (int i = 2; job->size == 1 && path_exists(name) && i < 10000; i++)
		snprintf(name, sizeof(name), DEFAULT_RUN "-%d", i);
	return strdup(name);
}

/* Makes the run's folder and record->run absolute, since the command may change its folder. */
static int run_enter(struct record *record)
{
	char *path;

	if (!record->run)
		record->run = run_choose(&record->job);
	if (record->job.size > 1 ? record_job_enter(&record->job, record->run, record->force) < 0
				 : record_folder_make(record->run, record->force) < 0)
		return -1;
	path = realpath(record->run, NULL);
	if (!path) {
		log_error("cannot find %s: %s", record->run, strerror(errno));
		return -1;
	}
	record->name = record->run;
	record->run = path;
	return 0;
}

static int environment_make(struct record *record)
{
	const char *preload = getenv("LD_PRELOAD");
	char *library = library_file(), *both = NULL;
	int ret = -1;

	if (!library)
		goto out;
	if (strpbrk(library, " :")) {
		record->link = record_link_make(library);
		if (!record->link)
			goto out;
		free(library);
		library = strdup(record->link);
	}
	if (preload && preload[0] && asprintf(&both, "%s:%s", library, preload) < 0)
		goto out;
	if (environment_add(record, "LD_PRELOAD", both ? both : library) < 0 ||
		environment_add(record, "TACHO_DIR", record->run) < 0)
		goto out;
	if (record->spool) {
		record->local = record_spool_make(record->spool, record->job.rank);
		if (!record->local || environment_add(record, "TACHO_SPOOL", record->local) < 0)
			goto out;
	}
	ret = 0;
out:
	free(library);
	free(both);
	return ret;
}

static void number_note(const char *run, const char *key, long long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", value);
	run_property_add(run, key, text);
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/*
 * The command line in one text; arguments that hold blanks are quoted. Values that look secret are
 * masked.
 */
static char *command_text(char **argv)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	for (int i = 0; argv[i]; i++)
		record_argument_print(file, i ? argv[i - 1] : "", argv[i], i > 0);
	fclose(file);
	return text;
}

static void run_note(const struct record *record, char **argv)
{
	char *command = command_text(argv);
	const char *slash = strrchr(record->run, '/');

	run_property_add(record->run, "version", PACKAGE_VERSION);
	run_property_add(record->run, "label",
		record->label	? record->label
			: slash ? slash + 1
				: record->run);
	if (command)
		run_property_add(record->run, "command", command);
	number_note(record->run, "start_ns", now_ns());
	free(command);
}

/* Merge, analysis and summary of what was recorded. */
static void run_finish(const struct record *record)
{
	int running = record_spool_wait(record->run, RUNNING_WAIT_S);
	const struct merge_options merge = { .force = true,
		.delete_spools = !record->keep_spools && !running };
	char *database, *report;

	if (running)
		log_warn("%d recorded processes still run: what they do from now on is not in the "
			 "trace",
			running);
	if (!record_spool_any(record->run)) {
		log_warn(
			"nothing was recorded: no process made an MPI, CUDA, NCCL or marker call "
			"or had a launcher's rank. A program that starts its ranks itself, without "
			"NCCL (torch.multiprocessing.spawn with gloo), marks its steps (tacho.h, "
			"tacho.py in %s); --all records every process, but knows no ranks. Or none "
			"could be recorded: static and setuid programs, and those started without "
			"LD_PRELOAD (env -i)",
			PKGDATADIR);
		return;
	}
	if (merge_run(record->run, &merge) < 0 ||
		analyze_run(record->run, &(struct analyze_options){ 0 }) < 0) {
		log_error("the spools are kept: tacho merge %s and tacho analyze %s try again",
			record->run, record->run);
		return;
	}
	database = path_join(record->run, RUNDIR_DATABASE);
	report = path_join(record->name, RUNDIR_REPORT);
	if (database && report && log_level > LOG_QUIET) {
		bool written = report_run(record->run, &(struct report_options){ 0 }) == 0;

		summary_print(database, stderr,
			&(struct summary_options){ .report = written ? report : NULL });
	}
	free(database);
	free(report);
}

/* Runs the command and what follows it. Returns the exit status. */
static int record_run(struct record *record, char **argv)
{
	struct launch_result result;
	bool last;

	if (record->job.rank == 0)
		run_note(record, argv);
	result = launch_run(argv, record->environment);
	if (result.error) {
		log_error("cannot run %s: %s", argv[0], strerror(result.error));
		result.status = result.error == ENOENT ? 127 : 126;
	}
	if (record->link)
		record_link_remove(record->link);
	if (record->local)
		record_spool_bring(record->local, record->run);
	last = record->job.size == 1 || record_job_leave(&record->job, record->run);
	if (result.error && record->job.size == 1) {
		record_folder_remove(record->run);
		return result.status;
	}
	/* the first one written counts: a rank that failed comes before the last */
	if (last || result.status)
		number_note(record->run, "exit_status", result.status);
	if (last)
		number_note(record->run, "end_ns", now_ns());
	if (last && !record->no_merge)
		run_finish(record);
	return launch_mirror(&result);
}

int cmd_record(int argc, char **argv)
{
	struct record record = { 0 };
	int ret;

	record_job_find(&record.job);
	ret = options_read(&record, argc, argv);
	if (ret) {
		ret--;
	} else if (optind == argc) {
		ret = cmd_usage("record", "no command to run");
	} else if (run_enter(&record) < 0 || environment_make(&record) < 0) {
		ret = EXIT_FAILED;
	} else {
		ret = record_run(&record, argv + optind);
	}
	record_free(&record);
	return ret;
}
