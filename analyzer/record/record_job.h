/*
 * record_job.h - `tacho record` inside a launcher (mpirun … tacho record …):
 * one tacho per rank, all of one job, share a RUN folder. The first makes it,
 * the last to finish merges. They meet only in the file system: RUN/ranks
 * holds one file per rank that has begun (N) and ended (N.done).
 */
#ifndef ANALYZER_RECORD_JOB_H
#define ANALYZER_RECORD_JOB_H

#include <stdbool.h>

struct record_job {
	int rank, size; /* launcher's; size 1 when there is no launcher */
	/* names the job on all its nodes, "" when the launcher gives no name */
	char token[256];
};

/*
 * Reads the launcher's variables. 0, or -1 (reported): the launcher does not state the number of
 * ranks.
 */
int record_job_find(struct record_job *job);

/*
 * Makes the folder `run` for the job or joins the one that another rank made.
 * `force` replaces a run of another job. 0, or -1 (reported): the folder
 * belongs to another run.
 */
int record_job_enter(const struct record_job *job, const char *run, bool force);

/* Notes that the rank's command has ended. Returns true in the one process that shall merge. */
bool record_job_leave(const struct record_job *job, const char *run);

/* The node of a rank that has begun, to be freed; NULL: it has not. */
char *record_job_host(const char *run, int rank);

/*
 * Lets this process run on all cores that ranks of the job had on this node: launchers bind each rank
 * to few of them, and all ranks have ended.
 */
void record_job_cores(const struct record_job *job, const char *run);

/*
 * Makes the empty folder `run` for a single `tacho record`. An existing one is
 * refused unless `force`, which removes it when it is a run's or empty, and is not being
 * recorded. 0 or -1 (reported).
 */
int record_folder_make(const char *run, bool force);

/* Removes a run's folder with all in it. 0 or -1 (reported): it is no run's. */
int record_folder_remove(const char *run);

#endif
