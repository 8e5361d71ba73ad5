/*
 * finish.h - what follows a recorded command: merge, analysis, report and summary. `tacho record` does
 * it at the end, and `tacho finish` what is missing of it where that was ended too early.
 */
#ifndef ANALYZER_RECORD_FINISH_H
#define ANALYZER_RECORD_FINISH_H

#include <stdbool.h>

/* What who interrupts it is told until the trace exists, of the run's name. */
#define FINISH_INTERRUPTED "interrupted, the spools are kept: `tacho finish %s` resumes it"

struct finish {
	const char *run;  /* its folder */
	const char *name; /* as the user calls it */
	bool keep_spools;
	int job; /* struct merge_options */
};

/* Does what is not there yet, with the other processes of an MPI. 0, or -1 (reported). */
int finish_run(const struct finish *finish);

/* What rank 0 of the processes that share the work finds in a run: the others may see it late. */
bool finish_agreed(bool mine);

/*
 * Notes in RUN where the spools of a rank lie meanwhile (--spool), and that they were brought. A note
 * that stays tells `tacho finish` where to look.
 */
void finish_note(const char *run, int rank, const char *local);
void finish_forget(const char *run, int rank);

/* Brings spools that are on this node, and states where others are left. */
void finish_bring(const char *run, const char *name);

#endif
