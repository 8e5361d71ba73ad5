/*
 * sweep_state.c - see sweep_state.h. The state is lines that are only ever added, each with one write,
 * so that a kill leaves at most a last line without its end, which is no line. What a run left in its
 * folder does not count before its line does.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/rundir.h"
#include "report/report_db.h"
#include "sweep/sweep_state.h"

char *sweep_path(const struct sweep *sweep, const char *name)
{
	return path_join(sweep->folder, name);
}

char *sweep_run_path(const struct sweep *sweep, const struct sweep_run *run)
{
	char *path;

	if (asprintf(&path, "%s/" SWEEP_RUNS "/%s", sweep->folder, run->name) >= 0)
		return path;
	log_error("out of memory");
	return NULL;
}

static double number_ask(struct report_db *db, const char *sql)
{
	char *text = report_db_ask(db, sql, NULL, NULL, NULL);
	double number = text ? atof(text) : NAN;

	free(text);
	return number;
}

/* The median over steps and ranks, so that the first steps do not count. */
static void times_read(const struct sweep *sweep, struct sweep_run *run, struct report_db *db)
{
	const struct study *study = sweep->study;

	run->ns = number_ask(db, "select duration_ns from run order by id desc limit 1");
	run->measure = run->ns;
	run->target_ns = number_ask(db,
		"select value from metric where model = 'training' and "
		"name = 'time_to_target' order by run_id desc limit 1");
	if (study->search == SEARCH_TARGET)
		run->measure = isnan(run->target_ns) ? INFINITY : run->target_ns;
	if (study->search == SEARCH_STEP)
		run->measure = number_ask(db,
			"select median(end_ns - start_ns) from step where cut = 0");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
	(void)st, (void)type, (void)walk;
	return remove(path);
}

int sweep_run_clear(const char *path)
{
	if (nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0 || errno == ENOENT)
		return 0;
	log_error("cannot remove %s: %s", path, strerror(errno));
	return -1;
}

/*
 * Whether it had as many ranks as the launcher was asked for, where ranks are known: a job whose
 * command starts none has one. Without a launcher {ranks} may be something else, threads for
 * example.
 */
static bool ranks_agree(const struct sweep *sweep, const struct sweep_run *run,
	struct report_db *db)
{
	double nranks = number_ask(db, "select nranks from run order by id desc limit 1");

	return sweep->study->launcher == LAUNCH_NONE || !(nranks > 0) ||
		nranks == atof(sweep->points[run->point].ranks);
}

bool sweep_run_whole(const struct sweep *sweep, struct sweep_run *run, const char **why)
{
	char *path = sweep_run_path(sweep, run);
	char *database = path ? path_join(path, RUNDIR_DATABASE) : NULL, *said = NULL;
	struct report_db db;

	*why = "nothing was recorded";
	if (database && path_exists(database) && report_db_open(&db, database) == 0) {
		said = report_db_ask(&db,
			"select case when coalesce(exit_status, 0) <> 0 then 'status' "
			"when cut then 'cut' else 'whole' end from run order by id desc limit 1",
			NULL, NULL, NULL);
		if (said && strcmp(said, "whole") == 0)
			times_read(sweep, run, &db);
		if (said)
			*why = strcmp(said, "cut") == 0	       ? "a process did not end by itself"
				: strcmp(said, "whole") != 0   ? "the command failed"
				: ranks_agree(sweep, run, &db) ? NULL
							       : "it had another number of ranks";
		report_db_close(&db);
	}
	if (!*why && isnan(run->measure))
		*why = "it has no steps";
	free(said);
	free(database);
	free(path);
	return !*why;
}

int sweep_state_add(struct sweep *sweep, const char *format, ...)
{
	char *line = NULL;
	va_list args;
	int n, ret;

	va_start(args, format);
	n = vasprintf(&line, format, args);
	va_end(args);
	ret = n >= 0 && write(sweep->state, line, (size_t)n) == n && fdatasync(sweep->state) == 0
		? 0
		: -1;
	if (ret < 0)
		log_error("cannot write %s/" SWEEP_STATE ": %s", sweep->folder, strerror(errno));
	if (n >= 0)
		free(line);
	return ret;
}

/* The run that a line of the state names; NULL: none of this study. */
static struct sweep_run *run_find(const struct sweep *sweep, const char *name)
{
	const char *dash = strrchr(name, '-');
	unsigned long point = strtoul(name, NULL, 10), repetition;
	struct sweep_run *run;

	if (!dash || dash[1] != 'r' || point < 1 || point > sweep->npoints)
		return NULL;
	repetition = strtoul(dash + 2, NULL, 10);
	if (repetition < 1 || repetition > sweep->depth)
		return NULL;
	run = &sweep->runs[(point - 1) * sweep->depth + repetition - 1];
	return strcmp(run->name, name) == 0 ? run : NULL;
}

static void line_read(const struct sweep *sweep, const char *line)
{
	char word[16], name[256], rest[256] = "";
	struct sweep_run *run;

	if (sscanf(line, "%15s %255s %255[^\n]", word, name, rest) < 2 ||
		!(run = run_find(sweep, name)))
		return;
	if (strcmp(word, "job") == 0) {
		free(run->job);
		run->job = strdup(rest);
		return;
	}
	if (strcmp(word, "begin") == 0)
		return;
	free(run->job);
	run->job = NULL;
	if (strcmp(word, "done") == 0) {
		run->end = SWEEP_DONE;
		sscanf(rest, "%lf", &run->seconds);
	} else if (strcmp(word, "failed") == 0) {
		run->end = SWEEP_FAILED;
		run->tries++;
		sscanf(rest, "%d %lf", &run->status, &run->seconds);
	}
}

/* A finished run counts as long as its folder exists. */
static void runs_look(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->nruns; i++) {
		struct sweep_run *run = &sweep->runs[i];
		const char *why;

		if (run->end == SWEEP_DONE && !sweep_run_whole(sweep, run, &why)) {
			log_warn("%s was done and is not there any more (%s): it is done again",
				run->name, why);
			run->end = SWEEP_OPEN;
		}
	}
}

static int state_read(struct sweep *sweep)
{
	char *path = sweep_path(sweep, SWEEP_STATE), *line = NULL;
	FILE *file = NULL;
	size_t size = 0;
	off_t whole = 0;
	ssize_t n;

	sweep->state = path ? open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
	if (sweep->state < 0 || !(file = fopen(path, "re"))) {
		log_error("cannot open %s: %s", path ? path : SWEEP_STATE, strerror(errno));
		free(path);
		return -1;
	}
	while ((n = getline(&line, &size, file)) > 0 && line[n - 1] == '\n') {
		whole += n;
		line_read(sweep, line);
	}
	free(line);
	fclose(file);
	free(path);
	if (ftruncate(sweep->state, whole) < 0) {
		log_error("cannot write %s/" SWEEP_STATE ": %s", sweep->folder, strerror(errno));
		return -1;
	}
	runs_look(sweep);
	return 0;
}

/* --- the study that the folder is of --- */

/* Puts the text in place at once, so that there is never half of it. */
static int study_write(const char *path, const char *text)
{
	char *temporary;
	FILE *file = NULL;
	int ret = -1;

	if (asprintf(&temporary, "%s.new", path) < 0)
		return -1;
	file = fopen(temporary, "we");
	if (file) {
		ret = fputs(text, file) < 0 || fflush(file) != 0 || fsync(fileno(file)) < 0 ? -1
											    : 0;
		ret = fclose(file) != 0 ? -1 : ret;
	}
	if (ret < 0 || rename(temporary, path) < 0) {
		log_error("cannot write %s: %s", path, strerror(errno));
		ret = -1;
	}
	free(temporary);
	return ret;
}

static char *file_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;

	if (file && getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = strdup("");
	}
	if (file)
		fclose(file);
	return text;
}

/* The first line in which two studies differ, from *a on; its end. False: they differ in `repeat` at most. */
static bool differs(const char **a, const char *b)
{
	while (**a && strncmp(*a, "repeat =", 8) != 0) {
		size_t n = strcspn(*a, "\n"), m = strcspn(b, "\n");

		if (n != m || strncmp(*a, b, n) != 0)
			return true;
		*a += n + ((*a)[n] != '\0');
		b += m + (b[m] != '\0');
	}
	return strncmp(b, "repeat =", 8) != 0;
}

static int study_match(struct sweep *sweep)
{
	char *path = sweep_path(sweep, SWEEP_STUDY), *text = study_text(sweep->study);
	char *kept = path ? file_text(path) : NULL;
	const char *at = kept;
	int ret = -1;

	if (!path || !text)
		log_error("out of memory");
	else if (kept && differs(&at, text))
		log_error("%s holds another study, which has: %.*s: give -o another folder",
			sweep->folder, (int)strcspn(at, "\n"), at);
	else
		ret = kept && strcmp(kept, text) == 0 ? 0 : study_write(path, text);
	free(path);
	free(text);
	free(kept);
	return ret;
}

static int lock_take(struct sweep *sweep)
{
	char *path = sweep_path(sweep, SWEEP_LOCK);

	sweep->lock = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	free(path);
	if (sweep->lock >= 0 && flock(sweep->lock, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (sweep->lock >= 0 && errno == EWOULDBLOCK)
		log_error("another tacho sweep works on %s", sweep->folder);
	else
		log_error("cannot lock %s: %s", sweep->folder, strerror(errno));
	return -1;
}

/* A folder with other things in it is left alone. */
static int folder_check(const char *folder)
{
	char *study = path_join(folder, SWEEP_STUDY), *lock = path_join(folder, SWEEP_LOCK);
	bool ours = study && lock && (path_exists(study) || path_exists(lock));

	free(study);
	free(lock);
	if (ours || rmdir(folder) == 0)
		return ours ? 0 : mkdir(folder, 0700);
	log_error("%s exists but is not the folder of a study: choose another one with -o", folder);
	return -1;
}

int sweep_state_open(struct sweep *sweep)
{
	const char *folder = sweep->study->folder;
	char *runs;
	int ret;

	if (mkdir(folder, 0700) < 0 && errno != EEXIST) {
		log_error("cannot make the folder %s: %s", folder, strerror(errno));
		return -1;
	}
	if (folder_check(folder) < 0)
		return -1;
	sweep->folder = realpath(folder, NULL);
	if (!sweep->folder) {
		log_error("cannot find %s: %s", folder, strerror(errno));
		return -1;
	}
	if (lock_take(sweep) < 0 || study_match(sweep) < 0)
		return -1;
	runs = sweep_path(sweep, SWEEP_RUNS);
	ret = runs && (mkdir(runs, 0700) == 0 || errno == EEXIST) ? 0 : -1;
	if (ret < 0)
		log_error("cannot make %s/" SWEEP_RUNS ": %s", sweep->folder, strerror(errno));
	free(runs);
	return ret < 0 ? -1 : state_read(sweep);
}
