/*
 * analyze_run.c - see analyze.h: finds the input and the database, and runs the analysis in a child
 * process.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/analyze_job.h"
#include "analyze/roofs.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/par.h"
#include "base/rundir.h"

enum {
	/* locations that may be left out before the archive is given up */
	SKIPPED_MOST = 16,
	DEFINITION_BYTES = 64, /* memory that a byte of definitions may become */
};
static const uint64_t memory_base = UINT64_C(2) << 30;

/* The anchor of a run's folder, or the given file itself. */
static char *anchor_of(const char *run, bool *is_run)
{
	*is_run = path_is_folder(run);
	return *is_run ? path_join(run, RUNDIR_ANCHOR) : strdup(run);
}

static char *database_of(const char *run, bool is_run, const struct analyze_options *options)
{
	size_t len = strlen(run);
	char *path;

	if (options->database)
		return strdup(options->database);
	if (is_run || (len > 5 && strcmp(run + len - 5, ".otf2") == 0))
		return run_database(run);
	return asprintf(&path, "%s.db", run) < 0 ? NULL : path;
}

/* Memory for the definitions; what locations take is granted as they are opened. */
static uint64_t memory_of(const char *anchor)
{
	size_t len = strlen(anchor);
	struct stat st;
	char *path;
	uint64_t size = 0;

	if (len > 5 && asprintf(&path, "%.*s.def", (int)(len - 5), anchor) >= 0) {
		size = stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
		free(path);
	}
	return memory_base + DEFINITION_BYTES * size;
}

/*
 * The location at which the child ended is left out of the next attempt. False: it was not at one.
 */
static bool skip(struct analyze_job *job, struct in_skipped *skipped, const struct guard *at,
	const struct guard_end *end)
{
	if (at->stage != GUARD_EVENTS || end->killed || job->nskipped == SKIPPED_MOST)
		return false;
	for (size_t i = 0; i < job->nskipped; i++)
		if (skipped[i].ref == at->location)
			return false;
	if (!job->relay || !job->relay->rank)
		log_warn("reading location %lu of %s %s: the archive is damaged, and this location "
			 "is left out",
			(unsigned long)at->location, job->anchor, end->how);
	skipped[job->nskipped++] = (struct in_skipped){ at->location,
		"reading it crashed or looped inside libotf2: it was left out" };
	return true;
}

/* Several processes waited for each other too often: one does it. */
static bool go_alone(struct analyze_job *job, const struct guard *at)
{
	bool is_new = at->alone && !job->alone;

	job->alone |= at->alone;
	return is_new;
}

/* A rank's location is damaged: all of them end where it does. */
static bool go_cut(struct analyze_job *job, const struct guard *at)
{
	if (!at->cut || job->is_cut)
		return false;
	job->is_cut = true;
	job->cut_ns = at->cut_ns;
	return true;
}

/* One attempt, of all processes together. */
static struct guard_end attempt(struct analyze_job *job, struct guard *at)
{
	struct guard_end end = { .status = -1 };

	if (job->relay && relay_begin(job->relay) < 0)
		return end;
	end = guard_run(analyze_archive, job, memory_of(job->anchor), at);
	if (job->relay)
		relay_end(job->relay, &end, at);
	return end;
}

static int run_guarded(struct analyze_job *job)
{
	static const char *const doing[] = {
		[GUARD_DEFINITIONS] = "reading the definitions of",
		[GUARD_EVENTS] = "reading the events of",
		[GUARD_FIGURES] = "computing the figures of",
		[GUARD_WRITING] = "writing the database of",
	};
	struct in_skipped skipped[SKIPPED_MOST];
	struct guard_end end;
	struct guard at = { 0 };

	job->skipped = skipped;
	do {
		end = attempt(job, &at);
	} while (go_cut(job, &at) ||
		(end.ended && (go_alone(job, &at) || skip(job, skipped, &at, &end))));
	if (end.ended && (!job->relay || !job->relay->rank))
		log_error("%s %s %s%s", doing[at.stage], job->anchor, end.how,
			end.killed || at.stage > GUARD_EVENTS ? "" : ": the archive is damaged");
	if (end.status < 0 || !at.damaged)
		return end.status;
	if (job->is_cut)
		log_warn("%s is damaged: its figures are of the part until %.3f s", job->run,
			(double)job->cut_ns / 1e9);
	return 1;
}

/* Under mpirun all have to find the archive; rank 0 speaks for them. */
static int run_together(struct analyze_job *job)
{
	struct relay relay = { 0 };
	int ret = -1, slots;

	if (par_size() == 1)
		return run_guarded(job);
	job->relay = &relay;
	slots = par_jobs(job->options->jobs);
	if (relay_open(&relay, slots < GUARD_HELPERS ? (uint32_t)slots : GUARD_HELPERS,
		    job->options->jobs > 0) == 0)
		ret = run_guarded(job);
	relay_close(&relay);
	return ret;
}

int analyze_run(const char *run, const struct analyze_options *given)
{
	static const struct analyze_options none = { 0 };
	struct analyze_options options = given ? *given : none;
	char *anchor, *database = NULL, *roofs = NULL;
	bool is_run;
	int ret = -1;

	anchor = anchor_of(run, &is_run);
	if (anchor)
		database = database_of(run, is_run, &options);
	if (!anchor || !database)
		log_error("out of memory");
	else if (!run_lacks(run, RUNDIR_ANCHOR)) {
		if (is_run && !options.roofs)
			options.roofs = roofs = roofs_kept(run);
		ret = run_together(&(struct analyze_job){ .run = run,
			.options = &options,
			.anchor = anchor,
			.database = database });
	}
	free(roofs);
	free(anchor);
	free(database);
	return ret;
}
