/* run_lacks.c - reports missing parts of a run's folder, and the remedy; see rundir.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/rundir.h"

static bool has(const char *run, const char *part)
{
	char *path = path_join(run, part);
	bool is_there = path && path_exists(path);

	free(path);
	return is_there;
}

bool run_folder_is(const char *path)
{
	return has(path, RUNDIR_TRACE) || has(path, RUNDIR_SPOOL) || has(path, RUNDIR_PROPERTIES);
}

/* True if the run has spools: folders with names that do not begin with a dot. */
static bool has_spools(const char *run)
{
	char *path = path_join(run, RUNDIR_SPOOL);
	DIR *dir = path ? opendir(path) : NULL;
	const struct dirent *entry = NULL;

	while (dir && (entry = readdir(dir)) && entry->d_name[0] == '.')
		;
	if (dir)
		closedir(dir);
	free(path);
	return entry;
}

/* Where the run stopped, as far as its folder shows. */
static void stage_say(const char *run, const char *part)
{
	char *status = run_property(run, "exit_status");
	struct run_places places;
	bool wants_database = strcmp(part, RUNDIR_DATABASE) == 0;

	run_places_read(run, &places);
	if (strcmp(part, RUNDIR_SPOOL) == 0 && has(run, RUNDIR_ANCHOR))
		log_error("%s has no spools: it is merged already", run);
	else if (has(run, RUNDIR_ANCHOR))
		log_error("%s has a trace and no database: run tacho analyze %s first", run, run);
	else if (has_spools(run))
		log_error("%s is not merged yet: run tacho merge %s%s%s first", run, run,
			wants_database ? " and tacho analyze " : "", wants_database ? run : "");
	else if (places.elsewhere || places.n)
		log_error("the spools of %s are on the disks of its nodes (%s) until it ends: run "
			  "this there",
			run, places.n ? "this one" : places.host);
	else if (has(run, RUNDIR_PROPERTIES) && !status)
		log_error(
			"nothing is recorded in %s yet: its command has not ended, and so far " RUN_NOTHING
			": try again in a moment",
			run);
	else if (has(run, RUNDIR_PROPERTIES))
		log_error("%s is empty: its command ended with status %s, and " RUN_NOTHING, run,
			status);
	else
		log_error("%s is not the folder of a recorded run", run);
	run_places_free(&places);
	free(status);
}

/*
 * True if a file or folder cannot be read; reports the reason. Callers distinguish missing parts of
 * a run later.
 */
static bool unreadable_say(const char *path, bool may_be_missing)
{
	if (access(path, R_OK) == 0 || (may_be_missing && errno == ENOENT))
		return false;
	if (errno == ENOENT)
		log_error("%s does not exist", path);
	else
		log_error("cannot read %s: %s", path, strerror(errno));
	return true;
}

bool run_is_local(const char *run)
{
	struct run_places places;
	bool is_local = run_places_read(run, &places) == 0 && places.n > 0;

	run_places_free(&places);
	return is_local;
}

bool run_folder_lacks(const char *run, bool begun)
{
	bool lacks = true;

	if (unreadable_say(run, false))
		;
	else if (!path_is_folder(run))
		log_error("%s is not a folder", run);
	else if (begun && !has(run, RUNDIR_PROPERTIES) && !has(run, RUNDIR_SPOOL) &&
		!run_is_local(run))
		log_error("%s is not the folder of a recorded run", run);
	else
		lacks = false;
	return lacks;
}

bool run_lacks(const char *run, const char *part)
{
	char *path = path_join(run, part);
	bool lacks = true;

	if (!path || unreadable_say(run, false))
		;
	else if (!path_is_folder(run))
		lacks = false;
	else if (!unreadable_say(path, true)) {
		lacks = !path_exists(path) || (!strcmp(part, RUNDIR_SPOOL) && !has_spools(run));
		if (lacks)
			stage_say(run, part);
	}
	free(path);
	return lacks;
}
