/* sweep_state.h - contents of a study's folder: the study, and its finished runs. For sweep.c. */
#ifndef ANALYZER_SWEEP_STATE_H
#define ANALYZER_SWEEP_STATE_H

#include "sweep/sweep.h"

/* Makes or opens the folder and reads its state into the runs. 0, or -1 (reported). */
int sweep_state_open(struct sweep *sweep);

/* Adds a line, on the disk when it returns. 0, or -1 (reported). */
int sweep_state_add(struct sweep *sweep, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A path in the study's folder, to be freed; NULL without memory (reported). */
char *sweep_path(const struct sweep *sweep, const char *name);

/* The folder of a run, to be freed; NULL without memory (reported). */
char *sweep_run_path(const struct sweep *sweep, const struct sweep_run *run);

/*
 * Removes the rest of an earlier try of the run. tacho record -f does not remove a folder that does
 * not resemble a run, as after a kill during its removal. 0, or -1 (reported).
 */
int sweep_run_clear(const char *path);

/*
 * Whether the run ended whole: analysed, with status 0, and no process was truncated; then its times
 * are read as well. Else *why is the reason.
 */
bool sweep_run_whole(const struct sweep *sweep, struct sweep_run *run, const char **why);

/* Ends processes that a killed sweep of this study left on this machine. */
void sweep_left_end(const struct sweep *sweep);

#endif
