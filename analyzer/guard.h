/*
 * guard.h - work on files of unknown origin, done in a child process: libotf2
 * crashes, loops or asks for all memory when an archive is damaged in the
 * right places. The child writes where it is into a page that both see; the
 * parent waits, ends it when it does not get on, and says what happened.
 */
#ifndef ANALYZER_GUARD_H
#define ANALYZER_GUARD_H

#include <stdbool.h>
#include <stdint.h>

enum guard_stage {
	GUARD_DEFINITIONS,	/* reading them */
	GUARD_EVENTS,		/* reading those of `location` */
	GUARD_FIGURES,		/* computing: no hostile input any more, but what grew from it */
	GUARD_WRITING,		/* the database has all rows: it is put in place, however long that takes */
};

struct guard {
	volatile uint64_t progress;	/* counts up whenever work got on */
	volatile uint64_t location;	/* reference of the one being read */
	volatile enum guard_stage stage;
	volatile bool finished;		/* the work returned */
	char temporary[4096];		/* file to remove when the child is ended; "" = none */
};

/* Of this process: shared with the parent in a guarded child, its own elsewhere. */
extern struct guard *guard;

/* How the child ended. */
struct guard_end {
	int status;		/* what `work` returned; -1 when the child was ended */
	bool ended;		/* by a signal, or by the parent because it did not get on */
	char how[160];		/* "crashed (Segmentation fault)": for a sentence about what it was at */
};

/*
 * Runs `work(argument)` in a child process whose memory is limited to `memory`
 * bytes (0: not at all) until it calls guard_memory(), and which is ended after TACHO_STALL_S (default
 * 60) seconds of processor time without progress. Its files, output and
 * changes of memory are its own; only *guard is shared. When it was ended
 * its temporary file is removed. `at` tells where it was. Without a child process (no memory for one)
 * the work is done here.
 */
struct guard_end guard_run(
	int (*work)(void *argument), void *argument, uint64_t memory, struct guard *at);

/* Grants the child `more` bytes of memory. Does nothing outside of one. */
void guard_memory(uint64_t more);

#endif
