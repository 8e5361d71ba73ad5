/* status.h - the output of `tacho watch`, while `tacho record` waits for its command. */
#ifndef ANALYZER_RECORD_STATUS_H
#define ANALYZER_RECORD_STATUS_H

#include <stdint.h>
#include <sys/types.h>

#include "record/snapshot.h"

/*
 * Begins to show it, of the run in `run` that the user calls `name`: on a terminal in its title, and,
 * where `every` (ns) is not 0, as a line on stderr. Takes
 * the snapshots that are to be kept. Returns what status_end() takes; nothing is shown where it
 * cannot be.
 */
pid_t status_begin(const char *run, const char *name, int64_t every, struct keep *keep);
void status_end(pid_t status);

#endif
