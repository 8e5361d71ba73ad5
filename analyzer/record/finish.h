/*
 * finish.h - the stages after a recorded command: merge, analysis, report and summary. `tacho
 * record` runs them at its end; `tacho finish` resumes them after an interruption.
 */
#ifndef ANALYZER_RECORD_FINISH_H
#define ANALYZER_RECORD_FINISH_H

#include <stdbool.h>

/* Message for an interrupt before the trace exists; %s: the run's name. */
#define FINISH_INTERRUPTED "interrupted, the spools are kept: `tacho finish %s` resumes it"

struct finish {
	const char *run;  /* its folder */
	const char *name; /* as the user calls it */
	bool keep_spools;
	int job; /* struct merge_options */
};

/* Runs the missing stages, with the other processes of an MPI job. 0, or -1 (reported). */
int finish_run(const struct finish *finish);

/* What rank 0 of the processes that share the work finds in a run: the others may see it late. */
bool finish_agreed(bool mine);

/*
 * Notes in RUN the temporary folder of a rank's spools (--spool), and that they were brought. A
 * remaining note gives `tacho finish` the folder.
 */
void finish_note(const char *run, int rank, const char *local);
void finish_forget(const char *run, int rank);

/* Brings spools that are on this node, and states where others are left. */
void finish_bring(const char *run, const char *name);

#endif
