/* sweep_run.h - one run of a study, as a separate tacho record. For sweep.c. */
#ifndef ANALYZER_SWEEP_RUN_H
#define ANALYZER_SWEEP_RUN_H

#include "sweep/sweep.h"

struct sweep_tried {
	int status;	 /* exit status, 128 + signal; 0 */
	double seconds;	 /* that it took */
	const char *why; /* it does not count; NULL: it does */
};

/*
 * Records the run and waits for its end. 0, or -1 (reported) when it could not be started; then no
 * other can be either.
 */
int sweep_run_try(struct sweep *sweep, struct sweep_run *run, struct sweep_tried *tried);

#endif
