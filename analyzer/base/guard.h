/*
 * guard.h - work on files of unknown origin, done in a child process: libotf2
 * crashes, loops or asks for all memory when an archive is damaged in the
 * right places. The child writes where it is into a page that both see; the
 * parent waits, ends it when it does not get on, and states what happened.
 */
#ifndef ANALYZER_GUARD_H
#define ANALYZER_GUARD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { GUARD_HELPERS = 256 };

enum guard_stage {
	GUARD_DEFINITIONS, /* reading them */
	GUARD_EVENTS,	   /* reading the events of `location` */
	GUARD_FIGURES,	   /* computing: no hostile input any more, but what grew from it */
	/* the database has all rows: it is put in place, however long that takes */
	GUARD_WRITING,
};

struct guard {
	volatile uint64_t progress; /* counts up whenever work got on */
	volatile uint64_t done;	    /* events read, for progress output */
	volatile uint64_t location; /* reference of the one being read */
	volatile enum guard_stage stage;
	volatile bool finished; /* the work returned */
	volatile bool alone;	/* it is to be begun anew, by one process */
	volatile bool cut;	/* … with what happened until cut_ns */
	volatile int64_t cut_ns;
	volatile bool damaged; /* the work is done, without what could not be read */
	volatile pid_t pid;    /* of a helper; 0: none */
	volatile int culprit;  /* helper that the work ended with, 0: none */
	volatile int status;   /* of a helper that is `gone`, as waitpid() gives it */
	volatile bool gone;
	char temporary[4096]; /* file to remove when the child is ended; "" = none */
};

/* The guard of this process: shared with the parent in a guarded child, private elsewhere. */
extern struct guard *guard;

/* How the child ended. */
struct guard_end {
	int status;  /* what `work` returned; -1 when the child was ended */
	bool ended;  /* by a signal, or by the parent because it did not get on */
	bool killed; /* by SIGKILL, which was not ours */
	/* "crashed (Segmentation fault)": for a sentence that continues with its activity */
	char how[160];
};

/*
 * Runs `work(argument)` in a child process. `memory` bytes (0: unlimited) limit its memory until it
 * calls guard_memory(). It is ended after TACHO_STALL_S (default 60) seconds of processor time
 * without progress. Its files, output and changes of memory are private; only *guard is shared. If
 * it was ended its temporary file is removed. `at` has its last position. Without a child process
 * (no memory for one) the work is done here.
 */
struct guard_end guard_run(int (*work)(void *argument), void *argument, uint64_t memory,
	struct guard *at);

/*
 * When set, called all the time while guard_run() waits: milliseconds that it
 * may wait for the child without calling again, -1 to end the child.
 */
extern int (*guard_between)(void);

/* Grants the child `more` bytes of memory. Does nothing outside of one. */
void guard_memory(uint64_t more);

/*
 * In a guarded child: ends it at once, as after a failure that the work has reported. Returns
 * elsewhere.
 */
void guard_fail(void);

/*
 * In a guarded child: forks a helper, which is watched like its parent and ends with it. Returns
 * the helper's pid; 0 in the helper, which has its own guard; -1 if fork fails.
 */
pid_t guard_fork(void);

/* Whether there can be helpers: this is a guarded child. What all of them have done so far. */
bool guard_has_helpers(void);
uint64_t guard_helpers_done(void);

/* How long all of them have run, and waited for a processor while they could; false: it is not known. */
bool guard_helpers_ran(uint64_t *ran_ns, uint64_t *waited_ns);

/* The helper's work is done. Does not return. */
_Noreturn void guard_helper_end(int status);

/*
 * Ends a process that was forked, at once: what its parent would do at its end is not done here. A
 * guarded one that leaves so has not finished its work. No other code ends a process but main().
 */
_Noreturn void guard_leave(int status);

/* Waits for all helpers. False: one has ended with a failure, as below. */
bool guard_helpers_wait(void);

/* Whether no helper has ended with a failure. Those that were ended are reported to the parent. */
bool guard_helpers_fine(void);

#endif
