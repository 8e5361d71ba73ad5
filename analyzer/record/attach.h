/*
 * attach.h - recording processes that run already (`tacho record --pid`), from outside: each by an agent, a
 * child process that works with libtacho.so as the library works inside a process it is loaded into.
 */
#ifndef ANALYZER_RECORD_ATTACH_H
#define ANALYZER_RECORD_ATTACH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define ATTACH_MOST 4096 /* processes, children included */

struct attach_job {
	const char *run;   /* folder of the run, absolute */
	const char *spool; /* directory of spools, absolute; NULL: the run's */
	const pid_t *pids;
	int npids;
	int64_t for_ns;	    /* 0: until they have ended */
	char *const *extra; /* KEY=value, NULL-terminated: variables for libtacho */
};

/* Takes PID,PID,… apart into `pids`. How many; 0: that is no such list. */
int attach_pids(const char *text, pid_t *pids, int most);

/* True if all of them can be recorded; reports obstacles and limits. */
bool attach_check(const pid_t *pids, int npids);

/*
 * Records them until they have ended, the time is over, or the user interrupts it. How many processes were
 * recorded; -1 (reported).
 */
int attach_run(const struct attach_job *job);

#endif
