/*
 * cmd_record.c - `tacho record`: runs a command with libtacho preloaded, then
 * merges, analyses and sums up. Works around a launcher (tacho record --
 * mpirun …) and inside one (mpirun … tacho record -- …), see record_job.h.
 */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyze/roofs.h"
#include "base/text.h"
#include "base/clock_now.h"
#include "cli/cmd.h"
#include "record/command.h"
#include "record/commit.h"
#include "db/db_merge.h"
#include "record/attach.h"
#include "record/finish.h"
#include "record/interrupt.h"
#include "record/launch.h"
#include "base/log.h"
#include "record/record_job.h"
#include "record/record_share.h"
#include "record/record_spool.h"
#include "record/sanitizer.h"
#include "record/status.h"
#include "tacho/loader.h"
#include "base/rundir.h"
#include "tacho/totals.h"

#define DEFAULT_RUN    "tacho-run"
#define DEFAULT_SIZE   "512M/rank" /* 50 minutes of PyTorch over gloo with 10 steps a second */
#define RUNNING_WAIT_S 5	   /* for processes that outlive a killed launcher */

enum { ENVIRONMENT_MOST = 32 };

struct record {
	const char *output; /* RUN of the user */
	char *run;	    /* absolute once the folder exists */
	char *name;	    /* the folder as the user called it */
	const char *label, *spool, *database, *roofs;
	const char *flops_per_sample, *flops_per_step, *peak_flops, *target;
	bool force, keep_spools, no_merge, no_git;
	struct keep keep;
	int64_t status;		     /* ns between lines on stderr, 0: none */
	const char *pids, *for_text; /* of --pid and --for */
	char *local;		     /* own folder below --spool */
	char *link;		     /* to libtacho.so, when its path is none for LD_PRELOAD */
	struct record_job job;
	int which_job; /* of a script with several mpiruns; 0: tacho chooses */
	char *environment[ENVIRONMENT_MOST + 1]; /* KEY=value, NULL-terminated */
	int nenvironment;
};

/* The last value of a variable counts. */
static int environment_add(struct record *record, const char *key, const char *value)
{
	size_t length = strlen(key);
	char *text;
	int at = 0;

	if (asprintf(&text, "%s=%s", key, value) < 0) {
		log_error("out of memory");
		return -1;
	}
	while (at < record->nenvironment && strncmp(record->environment[at], text, length + 1) != 0)
		at++;
	free(record->environment[at]);
	record->environment[at] = text;
	record->nenvironment += at == record->nenvironment;
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

/* Whether a budget has no room for a rank's files before the first event. 0: there is no budget. */
static bool budget_is_too_small(const char *value)
{
	static const char units[] = "KMG";
	char *end;
	unsigned long long size = strtoull(value, &end, 10);
	const char *unit = *end ? strchr(units, *end) : NULL;

	return size && size < TOTALS_BUDGET_LEAST &&
		(!unit || size << 10 * (unit - units + 1) < TOTALS_BUDGET_LEAST);
}

/* Whether libtacho would understand the value; `name`: the option or variable, up to the value. */
static bool knob_check(const struct option *option, const char *name, const char *value)
{
	if (!option_value_check(&command_record, option, name, value))
		return false;
	if (option->pattern && has_empty_range(value)) {
		usage_error(&command_record,
			"%s%s: a range goes from the lower number to the higher one", name, value);
		return false;
	}
	if (option->variable && strcmp(option->variable, "TACHO_MAX_SIZE") == 0 &&
		budget_is_too_small(value)) {
		usage_error(&command_record,
			"%s%s: a rank's files take %uK before the first event: %uK is the least, "
			"0 is no limit",
			name, value, TOTALS_BUDGET_LEAST >> 10, TOTALS_BUDGET_LEAST >> 10);
		return false;
	}
	return true;
}

static struct record wanted;

/* An option of libtacho goes into the environment. */
static int knob_take(const struct option *option, const char *text)
{
	char name[64];

	snprintf(name, sizeof(name), "--%s ", option->name);
	if (text && !knob_check(option, name, text))
		return EXIT_USAGE;
	return environment_add(&wanted, option->variable, text ? text : "1") < 0 ? EXIT_FAILED
										 : EXIT_OK;
}

static int python_never(const struct option *option, const char *text)
{
	(void)option, (void)text;
	return environment_add(&wanted, "TACHO_PYTHON_HZ", "0") < 0 ? EXIT_FAILED : EXIT_OK;
}

static bool for_is_steps(const char *text)
{
	return !text || !text[strcspn(text, "smh.")];
}

/* A number of steps, or with --pid a time. */
static int for_take(const struct option *option, const char *text)
{
	wanted.for_text = text;
	return for_is_steps(text) ? knob_take(option, text) : EXIT_OK;
}

static int keep_take(const struct option *option, const char *text)
{
	(void)option;
	return keep_read(&wanted.keep, text)
		? EXIT_OK
		: usage_error(&command_record, "--keep-on %s: hang, slow-step, SIGUSR1 or SIGUSR2",
			  text);
}

static const struct option option_table[] = {
	{ "output", 'o', "RUN", "run folder; default: tacho-run, tacho-run-2, …",
		.text = &wanted.output },
	{ "force", 'f', NULL, "replace an existing RUN", .flag = &wanted.force },
	{ "label", 0, "TEXT", "name of the run in reports; default: last part of RUN",
		.text = &wanted.label },
	{ "db", 0, "FILE", "add the run to FILE, a database of many runs, for tacho history",
		.text = &wanted.database, .writes = true },
	{ "roofs", 0, "FILE",
		"output of `tacho doctor --format json` on these nodes: reports show rates as "
		"shares of these limits",
		.text = &wanted.roofs },
	{ "pid", 0, "PID,...",
		"record processes in progress and their children from outside: counters, Python "
		"lines, waiting calls; without COMMAND",
		.text = &wanted.pids },
	{ "no-git", 0, NULL, "do not store the commit and branch of the working folder",
		.flag = &wanted.no_git },
	OPTIONS_FLOPS(wanted), OPTION_TARGET(wanted.target),
	{ "spool", 0, "DIR",
		"write spools to DIR on node-local storage; move them to RUN at the end",
		.text = &wanted.spool },
	{ "job", 0, "N", "report the N-th MPI job of a script with several mpiruns",
		.count = &wanted.which_job },
	{ "keep-spools", 0, NULL, "keep RUN/spool after the merge", .flag = &wanted.keep_spools },
	{ "no-merge", 0, NULL, "only record; run `tacho merge RUN` and `tacho analyze RUN` later",
		.flag = &wanted.no_merge },
	{ "status", 0, "TIME", "print a status line on stderr every TIME", .time = &wanted.status },
	{ "keep-on", 0, "hang,slow-step,SIGNAL",
		"save a snapshot in RUN/kept-N on each of these events", .take = keep_take },
	{ "all", 0, NULL, "record every process, including shells and launchers", .take = knob_take,
		.variable = "TACHO_ALL" },
	{ "no-command", 0, NULL, "do not store any command line", .take = knob_take,
		.variable = "TACHO_NO_COMMAND" },
	{ "ranks", 0, "LIST", "record only these ranks: 0,4-7", .take = knob_take,
		.variable = "TACHO_RANKS", .pattern = "^[0-9]+(-[0-9]+)?(,[0-9]+(-[0-9]+)?)*$",
		.wanted = "ranks like 0,4-7" },
	{ "steps", 0, "A:B", "record calls only in steps A to B, inclusive", .take = knob_take,
		.variable = "TACHO_STEPS", .pattern = "^([0-9]+:[0-9]*|:[0-9]+)$",
		.wanted = "steps like 10:20, 10: or :20" },
	{ "every", 0, "N", "record calls only in the first of every N steps", .take = knob_take,
		.variable = "TACHO_EVERY", .pattern = "^[1-9][0-9]*$",
		.wanted = "a number of steps" },
	{ "for", 0, "M",
		"with --every: in the first M steps of every N; with --pid: end after M seconds (30, 10m)",
		.take = for_take, .variable = "TACHO_FOR",
		.pattern = "^[1-9][0-9]*([.][0-9]+)?[smh]?$",
		.wanted = "a number of steps, or with --pid a time like 30 or 10m" },
	{ "step-range", 0, "NAME",
		"count NVTX ranges of this name as steps, for example the requests of a server",
		.take = knob_take, .variable = "TACHO_STEP_RANGE" },
	{ "start-after", 0, "S",
		"start recording calls S seconds after process start; with steps, at the next "
		"step that all ranks begin",
		.take = knob_take, .variable = "TACHO_START_AFTER",
		.pattern = "^[0-9]+([.][0-9]*)?s?$", .wanted = "seconds" },
	{ "toggle", 0, "SIGNAL",
		"stop and restart recording of calls on SIGUSR2, SIGUSR1, SIGURG or SIGWINCH",
		.take = knob_take, .variable = "TACHO_TOGGLE",
		.pattern = "^(SIG)?(USR1|USR2|URG|WINCH)$",
		.wanted = "SIGUSR1, SIGUSR2, SIGURG or SIGWINCH" },
	{ "stopped", 0, NULL, "record no calls until `tacho control RUN start`", .take = knob_take,
		.variable = "TACHO_STOPPED" },
	{ "exclude-paths", 0, "PATTERNS",
		"record no I/O on files with matching paths; separate patterns by colons: "
		"'/proc/*'",
		.take = knob_take, .variable = "TACHO_EXCLUDE_PATHS" },
	{ "sample-hz", 0, "N", "read counters N times a second (default 10, 0: never)",
		.take = knob_take, .variable = "TACHO_SAMPLE_HZ", .pattern = "^(100|[0-9]{1,2})$",
		.wanted = "a number from 0 to 100" },
	{ "python-hz", 0, "N",
		"sample the Python line of each thread N times a second (default 50)",
		.take = knob_take, .variable = "TACHO_PYTHON_HZ", .pattern = "^(1000|[0-9]{1,3})$",
		.wanted = "a number from 0 to 1000" },
	{ "no-python", 0, NULL, "do not sample Python lines", .take = python_never },
	{ "max-spool", 0, "SIZE", "limit each thread's spool to SIZE bytes (K, M, G)",
		.take = knob_take, .variable = "TACHO_MAX_SPOOL", .pattern = "^(0|[0-9]+[KMG])$",
		.wanted = "bytes like 500M (K, M, G)" },
	{ "max-size", 0, "SIZE",
		"limit the events of all ranks to SIZE bytes (K, M, G), or SIZE/rank of each "
		"(default " DEFAULT_SIZE
		", 0: no limit); keep the last ones, the slowest steps and a sample in detail, "
		"and totals of all",
		.take = knob_take, .variable = "TACHO_MAX_SIZE",
		.pattern = "^(0|[0-9]+[KMG])(/rank)?$",
		.wanted = "bytes like 2G or 512M/rank (K, M, G)" },
	{ "max-cost", 0, "PERCENT",
		"limit what it costs to record the GPU's kernels to PERCENT of the steps' time "
		"(default 2, 0: no limit); above it, record them in a sample of steps",
		.take = knob_take, .variable = "TACHO_MAX_COST",
		.pattern = "^[0-9]{1,2}([.][0-9]+)?%?$", .wanted = "percent like 2 or 0.5" },
	{ "keep-last", 0, "TIME",
		"with --max-size: keep only the last TIME of the run in detail (10m; s, m, h; "
		"default unit: seconds)",
		.take = knob_take, .variable = "TACHO_KEEP_LAST",
		.pattern = "^[0-9]+([.][0-9]*)?[smh]?$",
		.wanted = "a time like 10m (s, m, h), or seconds" },
	{ 0 }
};

static bool environment_has(const struct record *record, const char *key)
{
	size_t length = strlen(key);

	for (int i = 0; i < record->nenvironment; i++)
		if (strncmp(record->environment[i], key, length) == 0 &&
			record->environment[i][length] == '=')
			return true;
	return false;
}

/* What no run may fill a disk with, unless the user has set a limit of some kind. */
static int size_limit(struct record *record)
{
	if (environment_has(record, "TACHO_MAX_SIZE") || getenv("TACHO_MAX_SIZE") ||
		environment_has(record, "TACHO_MAX_SPOOL") || getenv("TACHO_MAX_SPOOL"))
		return 0;
	return environment_add(record, "TACHO_MAX_SIZE", DEFAULT_SIZE);
}

/* The variables that the user has set and no option replaces. */
static bool environment_check(const struct record *record)
{
	for (const struct option *option = option_table; option->name; option++) {
		const char *value = option->variable ? getenv(option->variable) : NULL;
		char name[64];

		snprintf(name, sizeof(name), "%s=", option->variable ? option->variable : "");
		if (value && !environment_has(record, option->variable) &&
			!knob_check(option, name, value))
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
	char *path, *roofs = record->roofs ? roofs_read(record->roofs) : NULL;
	int ret;

	if (record->roofs && !roofs)
		return -1;

	record->run = record->output ? strdup(record->output) : run_choose(&record->job);
	if (!record->run) {
		log_error("out of memory");
		return -1;
	}
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
	/* of several tacho's inside a launcher the first rank's */
	ret = roofs && record->job.rank == 0 ? roofs_keep(path, roofs) : 0;
	free(roofs);
	return ret;
}

/*
 * How many filters limit the system calls of this process (a container's): the library stays inert
 * in programs that begin with more.
 */
static int filters_tell(struct record *record)
{
	char line[256], text[32] = "0";
	FILE *status;
	long n = 0;

	if (getenv("TACHO_FILTERS"))
		return 0;
	status = fopen("/proc/self/status", "r");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "Seccomp: %ld", &n) == 1 ||
			sscanf(line, "Seccomp_filters: %ld", &n) == 1)
			snprintf(text, sizeof(text), "%ld", n);
	if (status)
		fclose(status);
	return environment_add(record, "TACHO_FILTERS", text);
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
		environment_add(record, "TACHO_DIR", record->run) < 0 || size_limit(record) < 0 ||
		filters_tell(record) < 0)
		goto out;
	if (record->spool) {
		record->local = record_spool_make(record->spool, record->job.rank);
		if (!record->local || environment_add(record, "TACHO_SPOOL", record->local) < 0)
			goto out;
		finish_note(record->run, record->job.rank, record->local);
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

static void text_note(const char *run, const char *key, const char *text)
{
	if (text)
		run_property_add(run, key, text);
}

static void commit_note(const char *run)
{
	struct commit commit;

	commit_find(&commit, ".");
	text_note(run, "commit", commit.hash[0] ? commit.hash : NULL);
	text_note(run, "branch", commit.branch[0] ? commit.branch : NULL);
}

static void run_note(const struct record *record, char **argv)
{
	char *command = environment_has(record, "TACHO_NO_COMMAND") || getenv("TACHO_NO_COMMAND")
		? NULL
		: command_text(argv);
	const char *slash = strrchr(record->run, '/');

	run_property_add(record->run, "version", PACKAGE_VERSION);
	run_property_add(record->run, "label",
		record->label	? record->label
			: slash ? slash + 1
				: record->run);
	text_note(record->run, "command", command);
	text_note(record->run, "flops_per_sample", record->flops_per_sample);
	text_note(record->run, "flops_per_step", record->flops_per_step);
	text_note(record->run, "peak_flops", record->peak_flops);
	text_note(record->run, "target", record->target);
	if (!record->no_git)
		commit_note(record->run);
	number_note(record->run, "start_ns", clock_now_ns(CLOCK_REALTIME));
	free(command);
}

/* The needs of the program itself, and warnings about settings it cannot have. */
static int program_prepare(const char *run, char **argv)
{
	if (loader_of(argv[0], getenv("PATH")) == LOADER_MUSL)
		log_warn("%s is not recorded: it is linked with musl, and libtacho with glibc",
			argv[0]);
	return sanitizer_prepare(run, argv);
}

#define NOT_RECORDABLE                                                                             \
	". Other reasons: static, musl and setuid programs, and programs started without "         \
	"LD_PRELOAD (env -i), cannot be recorded"

static bool records_all(const struct record *record)
{
	const char *all = getenv("TACHO_ALL");

	for (size_t i = 0; i < (size_t)record->nenvironment; i++)
		if (strcmp(record->environment[i], "TACHO_ALL=1") == 0)
			return true;
	return all && strcmp(all, "1") == 0;
}

static void nothing_say(const struct record *record)
{
	char *markers = markers_file();

	if (records_all(record))
		log_warn("nothing was recorded: no process made a call that tacho "
			 "records" NOT_RECORDABLE);
	else
		log_warn("nothing was recorded: " RUN_NOTHING
			 ". Other programs mark their steps (tacho.h, %s)" NOT_RECORDABLE,
			markers ? markers : "tacho.py");
	free(markers);
}

static bool history_keep(const struct record *record)
{
	char *database = path_join(record->run, RUNDIR_DATABASE);
	bool kept = database && db_keep(record->database, database) == 0;

	free(database);
	return kept;
}

/* Whether the spools became an archive: nodes that merge together remove them then. */
static bool trace_is_there(const char *run)
{
	char *path = path_join(run, RUNDIR_ANCHOR);
	bool there = path && path_exists(path);

	free(path);
	return there;
}

/* After --no-merge: how to continue where several nodes can do it. */
static void spools_say(const struct record *record)
{
	struct record_spools spools;

	record_spools_read(record->run, &spools);
	record_spools_say(&spools, record->name, false);
}

/*
 * Merge, analysis and summary of the recorded run. Returns whether the database of --db has the
 * run, if --db was given.
 */
static bool run_finish(const struct record *record)
{
	struct record_spools spools;
	int running = record->pids ? 0 : record_spool_wait(record->run, RUNNING_WAIT_S);

	if (running)
		log_warn("%d recorded process%s still run%s: what they do from now on is not in "
			 "the trace; `tacho finish %s` adds it when they have ended",
			running, running == 1 ? "" : "es", running == 1 ? "s" : "", record->name);
	record_spools_read(record->run, &spools);
	record_spools_say(&spools, record->name, true);
	if (record->job.size > 1)
		share_lead(&record->job, record->run, spools.bytes, record->keep_spools || running);
	if (!record_spool_any(record->run) && !trace_is_there(record->run)) {
		nothing_say(record);
		return true;
	}
	return finish_run(&(struct finish){ record->run, record->name,
		       record->keep_spools || running, record->which_job }) == 0
		? !record->database || history_keep(record)
		: !record->database;
}

/* Runs the command, then merge and analysis. Returns the exit status. */
static int record_run(struct record *record, char **argv)
{
	struct launch_result result;
	struct share share = { .lock = -1 };
	int64_t began = clock_now_ns(CLOCK_MONOTONIC);
	pid_t status = -1;
	bool last, kept = true;

	if (record->job.rank == 0) {
		run_note(record, argv);
		record->keep.run = record->run;
		if (!record->local || record->keep.on)
			status = status_begin(record->run, record->name, record->status,
				&record->keep);
	}
	interrupt_take();
	/* the command takes signals while it runs; the next one is for merge and analysis */
	if (record->local)
		interrupt_say(
			"interrupted, spools are left in %s: `tacho finish %s` on this node brings "
			"them and goes on",
			record->local, record->name);
	else
		interrupt_say(FINISH_INTERRUPTED, record->name);
	launch_divert(record->keep.signal, status > 0 ? status : 0);
	result = launch_run(argv, record->environment);
	status_end(status);
	/* from here on a write to too large a file fails, and does not end tacho */
	signal(SIGXFSZ, SIG_IGN);
	if (result.error) {
		log_error("cannot run %s: %s", argv[0], strerror(result.error));
		result.status = result.error == ENOENT ? 127 : 126;
	}
	if (record->link)
		record_link_remove(record->link);
	if (record->local && record_spool_bring(record->local, record->run) == 0)
		finish_forget(record->run, record->job.rank);
	interrupt_say(FINISH_INTERRUPTED, record->name);
	/* a launcher ends the others when one has failed: that one must not stay */
	if (record->job.size > 1 && !result.error && !result.status && !record->no_merge)
		share_offer(&share, &record->job, record->run);
	last = record->job.size == 1 || record_job_leave(&record->job, record->run);
	if (last)
		share_withdraw(&share);
	if (result.error && record->job.size == 1) {
		record_folder_remove(record->run);
		return result.status;
	}
	/* the first one written counts: a rank that failed comes before the last */
	if (last || result.status)
		number_note(record->run, "exit_status", result.status);
	if (last)
		number_note(record->run, "end_ns", clock_now_ns(CLOCK_REALTIME));
	if (last && !record->no_merge) {
		record_job_cores(&record->job, record->run);
		kept = run_finish(record);
	} else if (last) {
		spools_say(record);
	}
	share_help(&share, &record->job, record->run, clock_now_ns(CLOCK_MONOTONIC) - began);
	return kept || result.status ? launch_mirror(&result) : EXIT_FAILED;
}

/* Options that only libtacho inside the process could follow: the first that was given, or NULL. */
static const struct option *inside_find(const struct record *record)
{
	static const char *const outside[] = { "TACHO_SAMPLE_HZ", "TACHO_PYTHON_HZ",
		"TACHO_NO_COMMAND", "TACHO_FOR" };

	for (const struct option *option = option_table; option->name; option++) {
		bool fits = !option->variable || !environment_has(record, option->variable);

		for (size_t i = 0; i < sizeof(outside) / sizeof(*outside) && !fits; i++)
			fits = strcmp(option->variable, outside[i]) == 0;
		if (!fits)
			return option;
	}
	return NULL;
}

/* The time of --for, in ns; 0: none was given. -1: it is no time (reported). */
static int64_t for_time(const char *text)
{
	int64_t ns = 0;
	char seconds[64];

	if (!text)
		return 0;
	snprintf(seconds, sizeof(seconds), "%ss", text);
	if (text_time(text, &ns) || text_time(seconds, &ns))
		return ns;
	usage_error(&command_record, "--for %s: with --pid a time like 30, 30s or 10m", text);
	return -1;
}

static void attached_note(const struct record *record)
{
	run_property_add(record->run, "version", PACKAGE_VERSION);
	run_property_add(record->run, "label",
		record->label ? record->label : strrchr(record->run, '/') + 1);
	run_property_add(record->run, "attached", record->pids);
	number_note(record->run, "start_ns", clock_now_ns(CLOCK_REALTIME));
}

/* Records processes that run already, until they end or the user interrupts it. */
static int record_attached(struct record *record)
{
	pid_t pids[ATTACH_MOST];
	int npids = attach_pids(record->pids, pids, ATTACH_MOST), n;
	int64_t for_ns = for_time(record->for_text);
	const struct option *inside = inside_find(record);

	if (for_ns < 0)
		return EXIT_USAGE;
	if (!npids)
		return usage_error(&command_record, "--pid %s: numbers of processes like 4711,4712",
			record->pids);
	if (inside)
		return usage_error(&command_record,
			"--%s needs libtacho inside the process: it cannot be used with --pid",
			inside->name);
	if (!attach_check(pids, npids) || run_enter(record) < 0)
		return EXIT_FAILED;
	attached_note(record);
	if (environment_add(record, "TACHO_DIR", record->run) < 0)
		return EXIT_FAILED;
	n = attach_run(&(struct attach_job){ .run = record->run,
		.pids = pids,
		.npids = npids,
		.for_ns = for_ns,
		.extra = record->environment });
	number_note(record->run, "end_ns", clock_now_ns(CLOCK_REALTIME));
	if (n == 0)
		log_error("nothing was recorded: no process of %s or its children does more than "
			  "start others, or all had ended",
			record->pids);
	if (n <= 0) {
		record_folder_remove(record->run);
		return EXIT_FAILED;
	}
	interrupt_say(FINISH_INTERRUPTED, record->name);
	if (record->no_merge)
		return EXIT_OK;
	return run_finish(record) ? EXIT_OK : EXIT_FAILED;
}

static int record(int argc, char **argv)
{
	int status = EXIT_FAILED;

	if (wanted.pids)
		status = argc ? usage_error(&command_record, "--pid is without COMMAND")
			      : record_attached(&wanted);
	else if (!argc)
		status = usage_error(&command_record,
			"an argument is missing: tacho record [--] COMMAND...");
	if (wanted.pids || !argc) {
		record_free(&wanted);
		return status;
	}
	if (!for_is_steps(wanted.for_text) || !for_is_steps(getenv("TACHO_FOR"))) {
		record_free(&wanted);
		return usage_error(&command_record,
			"--for takes a number of steps; a time needs --pid");
	}
	if (record_job_find(&wanted.job) < 0)
		return EXIT_FAILED;
	if (!environment_check(&wanted))
		status = EXIT_USAGE;
	else if (wanted.database && db_keep_lacks(wanted.database))
		status = EXIT_FAILED;
	else if (run_enter(&wanted) == 0 && environment_make(&wanted) == 0 &&
		program_prepare(wanted.run, argv) == 0)
		status = record_run(&wanted, argv);
	record_free(&wanted);
	return status;
}

const struct command command_record = {
	.name = "record",
	.group = "Record",
	.summary = "Run and record a command; merge, analyze and summarize the run",
	.arguments = "[--] COMMAND...",
	.wraps = true,
	.notes = "The exit status is COMMAND's; 1 when the run could not be set up or kept in "
		 "--db, 2 for wrong use.\n",
	.options = option_table,
	.run = record,
};
