/*
 * sweep_batch.c - see sweep_batch.h. The job's name is known before it is submitted, so that one that
 * was submitted just before the sweep was killed is found again, and not submitted twice. Its exit
 * status comes in a file, as accounting is not everywhere.
 */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text.h"
#include "sweep/sweep_batch.h"
#include "sweep/sweep_signal.h"
#include "sweep/sweep_state.h"

#define POLL_S	     0.25 /* inspects the file of its status */
#define QUEUE_MOST_S 5	  /* asks Slurm, which shall not be asked often */

enum { FILE_WAIT_S = 30, NOT_WHOLE = 255 };

/* The script of the job, which notes its status when it has ended. */
static int script_write(const char *path, const char *status, const char *program, char **argv)
{
	FILE *out = fopen(path, "we");

	if (!out) {
		log_error("cannot write %s: %s", path, strerror(errno));
		return -1;
	}
	fputs("#!/bin/sh\n", out);
	text_quote(out, program);
	for (int i = 1; argv[i]; i++) {
		fputc(' ', out);
		text_quote(out, argv[i]);
	}
	fputs("\necho $? >", out);
	text_quote(out, status);
	fputs(".new && mv ", out);
	text_quote(out, status);
	fputs(".new ", out);
	text_quote(out, status);
	fputc('\n', out);
	if (fclose(out) == 0)
		return 0;
	log_error("cannot write %s: %s", path, strerror(errno));
	return -1;
}

/* The first word that a command prints, to be freed; NULL: none. *failed: it ended with a failure. */
static char *answer(const char *command, bool *failed)
{
	FILE *from = popen(command, "re");
	char *word = NULL;

	if (from && fscanf(from, "%m[0-9]", &word) != 1)
		word = NULL;
	*failed = !from || pclose(from) != 0;
	return word;
}

/* The job of this name that waits or runs; NULL: none. */
static char *job_find(const char *name, bool *failed)
{
	char *command = NULL, *job = NULL, *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	fputs("squeue -h -o %A -n ", out);
	text_quote(out, name);
	if (fclose(out) == 0)
		command = text;
	job = command ? answer(command, failed) : NULL;
	free(command);
	return job;
}

static char *job_submit(const struct study_point *point, const char *name, const char *path)
{
	char *text = NULL, *job;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool failed = true;

	if (!out)
		return NULL;
	fprintf(out, "sbatch --parsable -n %s ", point->ranks);
	if (point->nodes)
		fprintf(out, "-N %s ", point->nodes);
	fputs("-J ", out);
	text_quote(out, name);
	fputs(" -o ", out);
	text_quote(out, path);
	fputs(".log ", out);
	text_quote(out, path);
	fputs(".sh", out);
	if (fclose(out) != 0)
		return NULL;
	job = answer(text, &failed);
	free(text);
	if (job && !failed)
		return job;
	log_error("sbatch submitted no job: try it by hand: sbatch -n %s %s.sh", point->ranks,
		path);
	free(job);
	return NULL;
}

static int status_read(const char *path)
{
	FILE *file = fopen(path, "re");
	int status = -1;

	if (file && fscanf(file, "%d", &status) != 1)
		status = -1;
	if (file)
		fclose(file);
	return status;
}

/* Until it is no longer in the queue, and its status was seen; shared file systems may be late. */
static int job_wait(const char *name, const char *status)
{
	double pause = POLL_S, asked = pause, gone = 0;
	int code;

	while ((code = status_read(status)) < 0 && !sweep_signal() && gone < FILE_WAIT_S) {
		if (asked >= pause) {
			bool failed;
			char *job = job_find(name, &failed);

			gone = job || failed ? 0 : gone + asked;
			free(job);
			pause = fmin(2 * pause, QUEUE_MOST_S);
			asked = 0;
		}
		nanosleep(&(struct timespec){ 0, (long)(POLL_S * 1e9) }, NULL);
		asked += POLL_S;
	}
	return code < 0 ? NOT_WHOLE : code;
}

/* A name of the job that no other study has. */
static char *job_name(const struct sweep *sweep, const struct sweep_run *run)
{
	char *name;

	return asprintf(&name, "tacho-%08x-%s-%d", (unsigned)text_hash(sweep->folder), run->name,
		       run->tries + 1) < 0
		? NULL
		: name;
}

int sweep_batch_run(struct sweep *sweep, struct sweep_run *run, const char *program, char **argv)
{
	char *path = sweep_run_path(sweep, run), *name = job_name(sweep, run), *job = NULL;
	char *script = NULL, *status = NULL;
	bool failed = true;
	int ret = -1;

	if (!path || !name || asprintf(&script, "%s.sh", path) < 0 ||
		asprintf(&status, "%s.status", path) < 0) {
		log_error("out of memory");
		goto out;
	}
	job = job_find(name, &failed);
	if (failed) {
		log_error("squeue prints nothing: check that Slurm is running");
		goto out;
	}
	if (!job && !run->job) {
		unlink(status);
		if (sweep_run_clear(path) < 0 || script_write(script, status, program, argv) < 0 ||
			!(job = job_submit(&sweep->points[run->point], name, path)))
			goto out;
	}
	if (!run->job && sweep_state_add(sweep, "job %s %s\n", run->name, job) < 0)
		goto out;
	ret = job_wait(name, status);
out:
	free(script);
	free(status);
	free(job);
	free(name);
	free(path);
	return ret;
}
