/* flight_verdict.h - the verdict of dumps, in a sentence or more. */
#ifndef ANALYZER_FLIGHT_VERDICT_H
#define ANALYZER_FLIGHT_VERDICT_H

#include "flight/flight_job.h"

enum flight_verdict { FLIGHT_DONE, FLIGHT_LATE, FLIGHT_DEADLOCK, FLIGHT_MISMATCH, FLIGHT_ALL_IN };

/*
 * Marks the waiting ranks, and names the ranks that they wait for. The caller frees it; NULL
 * without memory.
 */
char *flight_text(struct flight_job *job, enum flight_verdict *verdict);

#endif
