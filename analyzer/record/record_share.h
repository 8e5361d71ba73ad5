/*
 * record_share.h - a merge shared by the nodes of a job, when tacho runs inside its launcher. On
 * each node the tacho process of the first rank to end stays as a helper and writes
 * RUN/ranks/N.helps. The last tacho of the job, the leader, calls the helpers, and they exchange
 * their parts by files (par_files.h). Without helpers, or if one is lost, the leader merges alone.
 */
#ifndef ANALYZER_RECORD_SHARE_H
#define ANALYZER_RECORD_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "record/record_job.h"

struct share {
	int lock;   /* held by the one of a node that stays; -1: this process does not */
	char *file; /* RUN/ranks/N.helps */
};

/* Before record_job_leave(), of a rank that ended well: makes this the process that stays, where its node has none. */
void share_offer(struct share *share, const struct record_job *job, const char *run);

/* Does not stay any more. */
void share_withdraw(struct share *share);

/*
 * Waits for the leader's call, for a time in proportion to the run's, and does its part of the
 * merge.
 */
void share_help(struct share *share, const struct record_job *job, const char *run, int64_t run_ns);

/*
 * In the leader: merges with the helpers, if that is worth it for so many bytes of spools. The merge may fail: finish_run()
 * merges alone then.
 */
void share_lead(const struct record_job *job, const char *run, uint64_t bytes, bool keep_spools);

#endif
