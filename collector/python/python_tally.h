/*
 * python_tally.h - what the samples add up to: seconds by thread, stack, call and phase, in the
 * file `python` of the process's folder (struct spool_python), which is mapped, so a killed
 * process leaves them. Bounded: what comes beyond goes to SPOOL_PYTHON_OTHERS.
 */
#ifndef COLLECTOR_PYTHON_TALLY_H
#define COLLECTOR_PYTHON_TALLY_H

#include "core/span.h"

/* Begins the file for this process. 0, or -1 when there is no room. */
int tally_start(uint32_t period_us) HIDDEN;

/* In a forked child: lets go of the parent's. */
void tally_forked(void) HIDDEN;

/*
 * Number of the stack that `line` of the code object `code` makes on `parent` (0: the outermost).
 */
uint32_t tally_stack(uint32_t parent, uint32_t code, uint32_t line) HIDDEN;

/* The same of the name of a module; `parent` where there is little room left. */
uint32_t tally_module(uint32_t parent, uint32_t code) HIDDEN;

/* Adds a sample that represents `ns`. */
void tally_add(const struct spool_python_key *key, uint64_t ns) HIDDEN;

/* Notes what sampling has cost so far, in ns on a core. */
void tally_cost(uint64_t ns) HIDDEN;

/* Keeps where a thread (number of its spool) was seen last, for who asks while it hangs. */
void tally_last(uint32_t thread, uint32_t stack) HIDDEN;

#endif
