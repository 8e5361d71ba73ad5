/*
 * record_share.h - a merge shared by the nodes of a job, when tacho is inside its launcher. On each node
 * the tacho whose rank ends first stays, and says in RUN/ranks/N.helps where it can be reached; the last
 * one of the job calls all that stayed. What they do together the last one does alone where nobody
 * comes or one of them is lost.
 */
#ifndef ANALYZER_RECORD_SHARE_H
#define ANALYZER_RECORD_SHARE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/par_net.h"
#include "record/record_job.h"

struct share {
	int listener; /* -1: this process does not stay */
	int lock;     /* held by the one of a node that stays */
	char *file;   /* RUN/ranks/N.helps */
	struct net_offer offer;
};

/* Before record_job_leave(), of a rank that ended well: makes this the process that stays, where its node has none. */
void share_offer(struct share *share, const struct record_job *job, const char *run);

/* Does not stay any more. */
void share_withdraw(struct share *share);

/* Waits to be called, for a time that goes by that of the run, and does its part of the merge. */
void share_help(struct share *share, const struct record_job *job, const char *run, int64_t run_ns);

/*
 * In the last one: merges with those that stayed, if that is worth it. Nothing is promised: finish_run()
 * does what is missing then.
 */
void share_lead(const struct record_job *job, const char *run, bool keep_spools);

#endif
