/*
 * analyze_job.h - one analysis, as analyze_run() passes it to the process for it. A fuzzer calls
 * analyze_archive() directly.
 */
#ifndef ANALYZER_ANALYZE_JOB_H
#define ANALYZER_ANALYZE_JOB_H

#include <stddef.h>

#include "analyze/analyze.h"
#include "parallel/mpi_relay.h"
#include "otf2/otf2_in.h"

struct analyze_job {
	const char *run; /* as the user named it */
	const struct analyze_options *options;
	const char *anchor, *database;
	const struct in_skipped *skipped; /* locations that are left out */
	size_t nskipped;
	struct relay *relay; /* NULL: this process was started alone */
	bool alone;	     /* one process reads, as several waited for each other too often */
	/* a location of a rank could be read up to cut_ns, so that figures are of the time until then */
	bool is_cut;
	int64_t cut_ns;
};

/*
 * Analyses the archive of a struct analyze_job here and now. 0, with guard->damaged where a location
 * is; or -1 (reported, or guard->cut is set: the work is to be begun anew with it).
 */
int analyze_archive(void *job);

#endif
