/*
 * rule.h - the job rule: which processes are recorded. A process joins at the first MPI, CUDA, NCCL or
 * marker call, or when it imports PyTorch; where a launcher has given a rank, and in the program that
 * `tacho record` starts itself, at the first recorded call of any kind, unless the program is one of those
 * that only start others; in whatever descends from a recorded process by fork or exec. Without TACHO_DIR,
 * never.
 */
#ifndef COLLECTOR_RULE_H
#define COLLECTOR_RULE_H

#include "core/span.h"

/* The gate of a process that has not joined, at a call of `region`. Reads what the run asks for. */
enum gate rule_decide(unsigned region) HIDDEN;

/* In an agent of attach/, whose environment is the process's: where it is in the job, and what is asked. */
void rule_attached(const char *run) HIDDEN;

/* Whether a process that has not joined would do so at any call. */
bool join_would(void) HIDDEN;

/* Whether the running program, or the script that it interprets, only starts others. */
bool program_starts_others(void) HIDDEN;

/* Whether a program of this name only starts others. */
bool program_is_ignored(const char *name) HIDDEN;

/* What TACHO_PARENT says of the process that starts a program, after its folder. */
enum parent_kind { PARENT_RANK = '0', PARENT_CHILD = '1', PARENT_UNRANKED = '2' };

#endif
