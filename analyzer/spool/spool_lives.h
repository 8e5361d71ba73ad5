/* spool_lives.h - whether a recorded process is still there. */
#ifndef ANALYZER_SPOOL_LIVES_H
#define ANALYZER_SPOOL_LIVES_H

#include <stdbool.h>

#include "tacho/spool.h"

/*
 * For a process of this node: true if it is neither an unreaped zombie nor another process that got
 * its number later.
 */
bool spool_process_lives(const struct spool_def_process *process);

#endif
