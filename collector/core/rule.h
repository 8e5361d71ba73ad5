/*
 * rule.h - the job rule: which processes are recorded. A process joins at the first MPI, CUDA, NCCL
 * or marker call, or when it imports PyTorch. A process with a rank from a launcher, and the
 * program that `tacho record` starts, join at the first recorded call of any kind, unless the
 * program only starts others. Descendants of a recorded process by fork or exec join. Without
 * TACHO_DIR, none joins.
 */
#ifndef COLLECTOR_RULE_H
#define COLLECTOR_RULE_H

#include "core/span.h"

/* The gate of a process that has not joined, at a call of `region`. Reads the run's settings. */
enum gate rule_decide(unsigned region) HIDDEN;

/*
 * In an agent of attach/, which has the process's environment: the process's rank and the run's
 * settings.
 */
void rule_attached(const char *run) HIDDEN;

/* Whether a process that has not joined would do so at any call. */
bool join_would(void) HIDDEN;

/* Whether the running program, or the script that it interprets, only starts others. */
bool program_starts_others(void) HIDDEN;

/* Whether a program of this name only starts others. */
bool program_is_ignored(const char *name) HIDDEN;

/* Kind of the starting process, in TACHO_PARENT after its folder. */
enum parent_kind { PARENT_RANK = '0', PARENT_CHILD = '1', PARENT_UNRANKED = '2' };

#endif
