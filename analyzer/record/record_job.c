/* record_job.c - see record_job.h. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "record/record_job.h"
#include "record/record_spool.h"
#include "base/rundir.h"

#define JOB_WAIT_S 60 /* for the rank that makes the folder */
#define JOB_SKEW_S 30 /* launchers start ranks within this */

/*
 * Rank and size as launchers set them. PMI covers MPICH, Intel MPI and srun --mpi=pmi2; a Slurm
 * batch script has SLURM_PROCID without a step.
 */
static const struct launcher {
	const char *rank, *size, *needs;
} launchers[] = { { "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", NULL },
	{ "PMI_RANK", "PMI_SIZE", NULL },
	{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_STEP_ID" }, { "RANK", "WORLD_SIZE", NULL },
	{ "PMIX_RANK", "PMIX_SIZE", NULL }, { 0 } };

static void token_make(char *token, size_t size)
{
	const char *pmix = getenv("PMIX_NAMESPACE"), *torch = getenv("TORCHELASTIC_RUN_ID");
	const char *job = getenv("SLURM_JOB_ID"), *step = getenv("SLURM_STEP_ID");

	token[0] = '\0';
	if (pmix)
		snprintf(token, size, "pmix %s", pmix);
	else if (job && step)
		snprintf(token, size, "slurm %s.%s", job, step);
	else if (torch)
		snprintf(token, size, "torch %s", torch);
	token[strcspn(token, "\n")] = '\0';
}

int record_job_find(struct record_job *job)
{
	bool is_told = false;

	job->rank = 0;
	job->size = 1;
	job->token[0] = '\0';
	for (const struct launcher *l = launchers; l->rank; l++) {
		const char *rank = getenv(l->rank), *size = getenv(l->size);

		if (!rank || !size || (l->needs && !getenv(l->needs)))
			continue;
		is_told = true;
		if (atoi(size) < 2)
			continue;
		job->rank = atoi(rank);
		job->size = atoi(size);
		token_make(job->token, sizeof(job->token));
		return 0;
	}
	if (is_told || !getenv("PMIX_RANK") || !getenv("PMIX_NAMESPACE"))
		return 0;
	log_error("the launcher does not state the number of ranks: put tacho before it (tacho "
		  "record -o RUN -- prterun …), or set PMIX_SIZE to their number");
	return -1;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* A folder that tacho may remove: a run's, or empty. */
static bool folder_is_ours(const char *run)
{
	static const char *const signs[] = { RUNDIR_PROPERTIES, RUNDIR_SPOOL, RUNDIR_ANCHOR,
		"ranks" };
	struct dirent *entry;
	bool empty = true;
	DIR *dir;

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		char *path = path_join(run, signs[i]);
		bool found = path && path_exists(path);

		free(path);
		if (found)
			return true;
	}
	dir = opendir(run);
	while (dir && empty && (entry = readdir(dir)))
		empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
	if (dir)
		closedir(dir);
	return dir && empty;
}

int record_folder_remove(const char *run)
{
	if (!folder_is_ours(run)) {
		log_error("%s is not a run of tacho and is not replaced: choose another -o", run);
		return -1;
	}
	if (nftw(run, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0)
		return 0;
	log_error("cannot remove %s: %s", run, strerror(errno));
	return -1;
}

/*
 * The recorder of a run has a lock on its folder until it ends, so that no other replaces it. Where the
 * file system has no locks, running processes show that the run continues. The descriptor stays open.
 */
static void run_hold(const char *run)
{
	int fd = open(run, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		flock(fd, LOCK_SH | LOCK_NB);
}

/* Whether a run is being recorded, by a tacho or by the environment alone. */
static bool run_goes_on(const char *run)
{
	int fd = open(run, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool goes_on = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;

	if (fd >= 0)
		close(fd);
	return goes_on || record_spool_wait(run, 0) > 0;
}

static int folder_replace(const char *run)
{
	if (run_goes_on(run)) {
		log_error("%s is being recorded and is not replaced: end that run first, or choose "
			  "another -o",
			run);
		return -1;
	}
	return record_folder_remove(run) < 0 ? -1 : record_folder_make(run, false);
}

int record_folder_make(const char *run, bool force)
{
	if (mkdir(run, 0700) == 0) {
		run_hold(run);
		return 0;
	}
	if (errno == EEXIST && force)
		return folder_replace(run);
	if (errno == EEXIST)
		log_error("%s exists already: choose another -o, or -f to replace it", run);
	else
		log_error("cannot make the folder %s: %s", run, strerror(errno));
	return -1;
}

/* RUN/ranks/<name> with a text, created exclusively. 0, 1 when it exists, -1 on other errors. */
static int mark(const char *run, const char *name, const char *text)
{
	char *dir = path_join(run, "ranks"), *path = dir ? path_join(dir, name) : NULL;
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
	int ret = fd >= 0 ? 0 : errno == EEXIST ? 1 : -1;

	if (fd >= 0 && write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		ret = -1;
	if (ret < 0)
		log_error("cannot create %s: %s", path ? path : run, strerror(errno));
	if (fd >= 0)
		close(fd);
	free(path);
	free(dir);
	return ret;
}

/*
 * Does RUN/job belong to this job? It holds "<size> <token>". Without a token
 * a folder made within the last seconds counts as this job's.
 */
static bool job_is_mine(const struct record_job *job, const char *run)
{
	char *path = path_join(run, "job"), line[300] = "", mine[300];
	FILE *file = path ? run_file_read(path) : NULL;
	bool is_mine = false;
	struct stat st;

	snprintf(mine, sizeof(mine), "%d %s\n", job->size, job->token);
	if (file && fgets(line, sizeof(line), file) && fstat(fileno(file), &st) == 0)
		is_mine = strcmp(line, mine) == 0 &&
			(job->token[0] || st.st_mtime + JOB_SKEW_S >= time(NULL));
	if (file)
		fclose(file);
	free(path);
	return is_mine;
}

/* Fills the fresh folder; RUN/job appears last and complete, since others wait for it. */
static int job_publish(const struct record_job *job, const char *run)
{
	char *ranks = path_join(run, "ranks"), *tmp = path_join(run, "job.tmp"),
	     *path = path_join(run, "job");
	FILE *file = NULL;
	int ret = -1;

	if (!ranks || !tmp || !path || mkdir(ranks, 0700) < 0)
		goto out;
	file = fopen(tmp, "wxe");
	if (!file)
		goto out;
	fprintf(file, "%d %s\n", job->size, job->token);
	if (fclose(file) == 0 && rename(tmp, path) == 0)
		ret = 0;
out:
	if (ret < 0)
		log_error("cannot set up %s: %s", run, strerror(errno));
	free(ranks);
	free(tmp);
	free(path);
	return ret;
}

static int job_wait(const struct record_job *job, const char *run, bool long_wait)
{
	struct timespec nap = { .tv_nsec = 20000000 };

	for (int i = 0; i < (long_wait ? JOB_WAIT_S : 5) * 50; i++) {
		if (job_is_mine(job, run))
			return 0;
		nanosleep(&nap, NULL);
	}
	log_error("%s exists already and belongs to another run: choose another -o, or -f to "
		  "replace it",
		run);
	return -1;
}

/* Under -f rank 0 alone replaces an older run; the others wait for the new one. */
static int job_make_or_join(const struct record_job *job, const char *run, bool force)
{
	if (force && job->rank != 0)
		return job_wait(job, run, true);
	if (force)
		return record_folder_make(run, true) < 0 ? -1 : job_publish(job, run);
	if (mkdir(run, 0700) == 0) {
		run_hold(run);
		return job_publish(job, run);
	}
	if (errno == EEXIST)
		return job_wait(job, run, false);
	log_error("cannot make the folder %s: %s", run, strerror(errno));
	return -1;
}

/* "<host> <core> <core> ...\n" of this process, to be freed; NULL without memory. */
static char *place_text(void)
{
	char *text = NULL, host[HOST_NAME_MAX + 1] = "";
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	cpu_set_t cores;

	if (!out)
		return NULL;
	gethostname(host, sizeof(host) - 1);
	fputs(*host ? host : "?", out);
	if (sched_getaffinity(0, sizeof(cores), &cores) == 0)
		for (int i = 0; i < CPU_SETSIZE; i++)
			if (CPU_ISSET(i, &cores))
				fprintf(out, " %d", i);
	fputc('\n', out);
	return fclose(out) == 0 ? text : NULL;
}

/* The host and cores that a rank has noted, to be freed; NULL: it has not begun. */
static char *place_of(const char *run, int rank)
{
	char name[sizeof("ranks/") + 12], *path, *line = NULL;
	size_t size = 0;
	FILE *file;

	snprintf(name, sizeof(name), "ranks/%d", rank);
	path = path_join(run, name);
	file = path ? run_file_read(path) : NULL;
	if (file && getline(&line, &size, file) <= 0) {
		free(line);
		line = NULL;
	}
	if (file)
		fclose(file);
	free(path);
	return line;
}

char *record_job_host(const char *run, int rank)
{
	char *place = place_of(run, rank);

	if (place)
		place[strcspn(place, " \n")] = '\0';
	return place;
}

/* Adds the cores of a rank, if it was on the node `host`. */
static void place_read(const char *run, int rank, const char *host, cpu_set_t *cores)
{
	char *line = place_of(run, rank);
	size_t n = strlen(host);

	if (line && strncmp(line, host, n) == 0 && line[n] == ' ')
		for (char *at = line + n, *end;; at = end) {
			long core = strtol(at, &end, 10);

			if (end == at)
				break;
			if (core >= 0 && core < CPU_SETSIZE)
				CPU_SET(core, cores);
		}
	free(line);
}

void record_job_cores(const struct record_job *job, const char *run)
{
	char host[HOST_NAME_MAX + 1] = "";
	cpu_set_t cores;

	CPU_ZERO(&cores);
	gethostname(host, sizeof(host) - 1);
	for (int rank = 0; rank < job->size && *host; rank++)
		place_read(run, rank, host, &cores);
	if (CPU_COUNT(&cores) && sched_setaffinity(0, sizeof(cores), &cores) == 0)
		log_debug("%s is finished on %d cores", run, CPU_COUNT(&cores));
}

int record_job_enter(const struct record_job *job, const char *run, bool force)
{
	char name[32], *place;
	int ret;

	if (job_make_or_join(job, run, force) < 0)
		return -1;
	snprintf(name, sizeof(name), "%d", job->rank);
	place = place_text();
	ret = mark(run, name, place ? place : "");
	free(place);
	if (ret > 0)
		log_error("%s exists already and belongs to another run: choose another -o, or -f "
			  "to replace it",
			run);
	return ret ? -1 : 0;
}

bool record_job_leave(const struct record_job *job, const char *run)
{
	char name[32];

	snprintf(name, sizeof(name), "%d.done", job->rank);
	if (mark(run, name, "") < 0)
		return false;
	for (int rank = 0; rank < job->size; rank++) {
		char *dir = path_join(run, "ranks"), *path;
		bool done;

		snprintf(name, sizeof(name), "%d.done", rank);
		path = dir ? path_join(dir, name) : NULL;
		done = path && path_exists(path);
		free(path);
		free(dir);
		if (!done)
			return false;
	}
	/* two that end together both see all done: one wins */
	return mark(run, "merge", "") == 0;
}
