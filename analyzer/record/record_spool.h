/* record_spool.h - spools on node-local storage, and the command line as it may be shown. */
#ifndef ANALYZER_RECORD_SPOOL_H
#define ANALYZER_RECORD_SPOOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * Makes a folder of one's own below `dir` for the spools of this tacho's
 * command. Returns its absolute path (caller frees), or NULL (reported).
 */
char *record_spool_make(const char *dir, int rank);

/*
 * Moves all spools in `local` to RUN/spool, from another file system into the node's pack there, and removes
 * `local`. 0, or -1 (reported): what could not be moved stays.
 */
int record_spool_bring(const char *local, const char *run);

/*
 * LD_PRELOAD splits at blanks and colons: makes a link to `library` in a fresh folder of $TMPDIR,
 * at a path without them. Returns the link's path (caller frees), or NULL (reported).
 */
char *record_link_make(const char *library);

/* Removes the link and its folder. */
void record_link_remove(const char *link);

/* Has any process of the run left a spool? */
bool record_spool_any(const char *run);

/* What all processes left. */
struct record_spools {
	int nodes;
	uint64_t bytes;
};
void record_spools_read(const char *run, struct record_spools *spools);

/* Tells people by which one command all nodes of a run merge and analyze it: after --no-merge, or before a long merge. */
void record_spools_say(const struct record_spools *spools, const char *name, bool merges);

/*
 * Waits up to `seconds` for the processes of this host that left spools to
 * end: killing a launcher leaves its ranks alive for a moment. Returns how
 * many still run.
 */
int record_spool_wait(const char *run, int seconds);

#endif
