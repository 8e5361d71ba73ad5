/* finish.c - see finish.h. */
#include "config.h"

#include <dirent.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/analyze.h"
#include "base/log.h"
#include "base/par.h"
#include "base/rundir.h"
#include "merge/merge.h"
#include "otf2/otf2_out.h"
#include "record/finish.h"
#include "record/interrupt.h"
#include "record/record_spool.h"
#include "report/report.h"
#include "report/summary.h"
#include "spool/spool_pack.h"

static bool is_there(const char *run, const char *part)
{
	char *path = path_join(run, part);
	bool there = path && path_exists(path);

	free(path);
	return there;
}

/* Whether `part` exists, and was made after `of`. */
static bool is_made(const char *run, const char *part, const char *of)
{
	char *path = path_join(run, part), *before = path_join(run, of);
	struct stat made, from;
	bool is = path && before && stat(path, &made) == 0 && stat(before, &from) == 0 &&
		(made.st_mtim.tv_sec > from.st_mtim.tv_sec ||
			(made.st_mtim.tv_sec == from.st_mtim.tv_sec &&
				made.st_mtim.tv_nsec >= from.st_mtim.tv_nsec));

	free(path);
	free(before);
	return is;
}

/* Whether the trace is later than all that the processes have recorded: spools may be kept. */
static bool is_merged(const char *run)
{
	char *spool = path_join(run, RUNDIR_SPOOL);
	DIR *dir = spool ? opendir(spool) : NULL;
	struct dirent *entry;
	bool merged = true;

	while (dir && merged && (entry = readdir(dir))) {
		char *part;

		if (entry->d_name[0] == '.' ||
			asprintf(&part, RUNDIR_SPOOL "/%s%s", entry->d_name,
				spool_pack_is(entry->d_name) ? "" : "/process") < 0)
			continue;
		merged = !is_there(run, part) || is_made(run, RUNDIR_ANCHOR, part);
		free(part);
	}
	if (dir)
		closedir(dir);
	free(spool);
	return merged;
}

/* Whether processes still ran when the trace was made, so that their spools may have more by now. */
static bool has_outlived(const char *run)
{
	char *path = path_join(run, RUNDIR_DATABASE);
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;
	bool has = path && path_exists(path) &&
		sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(db,
			"select 1 from not_recorded where reason = 'outlived' limit 1", -1,
			&statement, NULL) == SQLITE_OK &&
		sqlite3_step(statement) == SQLITE_ROW;

	sqlite3_finalize(statement);
	sqlite3_close(db);
	free(path);
	return has;
}

static int merge(const struct finish *finish)
{
	const struct merge_options options = { .force = true,
		.is_first = true,
		.job = finish->job,
		.delete_spools = !finish->keep_spools };

	interrupt_say(FINISH_INTERRUPTED, finish->name);
	if (merge_run(finish->run, &options) == 0)
		return 0;
	log_error("`tacho finish %s` resumes it", finish->name);
	return -1;
}

static int analyze(const struct finish *finish)
{
	interrupt_say("interrupted, the trace is complete: `tacho finish %s` resumes it",
		finish->name);
	if (analyze_run(finish->run, &(struct analyze_options){ 0 }) >= 0)
		return 0;
	log_error("the trace is kept: `tacho finish %s` resumes it", finish->name);
	return -1;
}

static int report(const struct finish *finish, bool is_new)
{
	char *database = path_join(finish->run, RUNDIR_DATABASE),
	     *page = path_join(finish->name, RUNDIR_REPORT);
	int ret = 0;

	interrupt_say("interrupted, the database is complete: `tacho finish %s` resumes it",
		finish->name);
	/* the page may take longer than all before it */
	if (log_level > LOG_QUIET && database)
		summary_print(database, stderr, NULL);
	if (is_new)
		ret = report_run(finish->run, &(struct report_options){ 0 });
	if (log_level > LOG_QUIET && page && ret == 0)
		summary_report_print(page, stderr);
	free(database);
	free(page);
	return ret;
}

/* What a merge that was killed had begun to remove. */
static void merged_remove(const char *run)
{
	char *path = path_join(run, RUNDIR_MERGED);

	if (path && path_exists(path))
		folder_remove(path);
	free(path);
}

/*
 * Removes the unfinished output of nodes that merged together, after one of them was lost: folders,
 * and the files by which they communicated.
 */
static void shared_remove(const char *run)
{
	static const struct {
		const char *folder, *begin;
	} all[] = { { ".", RUNDIR_SHARED }, { RUNDIR_RANKS, RUNDIR_HELPS } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char *folder = path_join(run, all[i].folder);
		DIR *dir = folder ? opendir(folder) : NULL;
		struct dirent *entry;

		while (dir && (entry = readdir(dir))) {
			bool is = strncmp(entry->d_name, all[i].begin, strlen(all[i].begin)) == 0;
			char *path = is ? path_join(folder, entry->d_name) : NULL;

			if (path && unlink(path) < 0)
				folder_remove(path);
			free(path);
		}
		if (dir)
			closedir(dir);
		free(folder);
	}
}

bool finish_agreed(bool mine)
{
	return par_any_failed(par_rank() == 0 && mine);
}

int finish_run(const struct finish *finish)
{
	const char *run = finish->run;
	bool is_first = par_rank() == 0, is_new = false;

	if (is_first)
		merged_remove(run);
	if (finish_agreed(
		    is_first && record_spool_any(run) && (!is_merged(run) || has_outlived(run)))) {
		if (merge(finish) < 0)
			return -1;
		is_new = true;
	}
	if (is_first)
		shared_remove(run);
	if (finish_agreed(is_new || !is_made(run, RUNDIR_DATABASE, RUNDIR_ANCHOR))) {
		if (analyze(finish) < 0)
			return -1;
		is_new = true;
	}
	return is_first ? report(finish, is_new || !is_made(run, RUNDIR_REPORT, RUNDIR_DATABASE))
			: 0;
}

static char *note_path(const char *run, int rank)
{
	char name[32];

	snprintf(name, sizeof(name), RUNDIR_LOCAL "%d", rank);
	return path_join(run, name);
}

void finish_note(const char *run, int rank, const char *local)
{
	char *path = note_path(run, rank), host[HOST_NAME_MAX + 1] = "";
	FILE *file = path ? fopen(path, "we") : NULL;

	gethostname(host, sizeof(host) - 1);
	if (file) {
		fprintf(file, "%s\n%s\n", host, local);
		fclose(file);
	}
	free(path);
}

void finish_forget(const char *run, int rank)
{
	char *path = note_path(run, rank);

	if (path)
		unlink(path);
	free(path);
}

static void spools_bring(const char *run, const char *name, const char *note)
{
	char *path = path_join(run, note);
	struct run_local local;

	if (!path)
		return;
	run_local_read(run, note, &local);
	if (!local.is_here)
		log_warn("the spools of rank %s are left in %s of %s: `tacho finish %s` there "
			 "brings them",
			note + strlen(RUNDIR_LOCAL), local.folder, local.host, name);
	else if (!*local.folder || !path_is_folder(local.folder) ||
		record_spool_bring(local.folder, run) == 0)
		unlink(path);
	free(path);
}

void finish_bring(const char *run, const char *name)
{
	DIR *dir = opendir(run);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (strncmp(entry->d_name, RUNDIR_LOCAL, strlen(RUNDIR_LOCAL)) == 0)
			spools_bring(run, name, entry->d_name);
	if (dir)
		closedir(dir);
}
