/*
 * merge.h - from spools to one OTF2 archive: RUN/spool/… → RUN/trace. Works on
 * any set of spools, of programs that ended or were killed at any instant.
 */
#ifndef ANALYZER_MERGE_H
#define ANALYZER_MERGE_H

#include <stdbool.h>

struct merge_options {
	const char *output; /* folder of the archive, NULL: RUN/trace */
	const char *spool;  /* folder of the spools, NULL: RUN/spool */
	bool force;	    /* replace an archive that exists */
	bool delete_spools; /* once the archive is complete */
	bool totals;	    /* sums of what threads recorded, no single events: merge_whole.h */
	bool is_first;	    /* the answer after a run: totals where the rest takes too long */
	int jobs;	    /* threads, 0: one per core that this process may use */
	int attempt; /* of a launcher that starts ranks anew, from 1; 0: that which got furthest */
	int job; /* of a script with several mpiruns, from 1; 0: that with most ranks, or the longest */
	bool goes_on;	/* the run may: what its processes add meanwhile is left out */
	bool snapshot;	/* so it does, and the archive says so */
	bool print;	/* the line of results on stdout */
	bool unguarded; /* in this process, whom a failure of libotf2's ends as well */
	bool shared; /* by processes that may be lost: what they have begun never gets into a later merge */
};

/* Merges. 0, or -1 (reported); an archive that was there is then untouched. */
int merge_run(const char *run, const struct merge_options *options);

#endif
