/*
 * launch.h - runs the user's command and stays out of its way: status,
 * output and signals pass through.
 */
#ifndef ANALYZER_LAUNCH_H
#define ANALYZER_LAUNCH_H

#include <sys/types.h>

/* How a command ended. */
struct launch_result {
	int error;  /* errno of a command that could not be started, else 0 */
	int status; /* exit status, 128 + signal when killed */
	int signal; /* that killed it, else 0 */
};

/*
 * Runs argv[0] (found by PATH) with tacho's environment and the "KEY=value" texts of `extra`
 * (NULL-terminated) added, and waits for its end. Signals sent to tacho meanwhile are forwarded to
 * it; a terminal's Ctrl-C reaches both directly and does not end tacho. Main thread only: handlers
 * are process-wide, and are restored before it returns.
 */
struct launch_result launch_run(char *const argv[], char *const extra[]);

/*
 * While launch_run() waits, `sig` (0: none) goes to the process `to` (0: to none) instead of the
 * command.
 */
void launch_divert(int sig, pid_t to);

/*
 * Ends the own process the way the command ended; does not return when a signal killed it. Returns
 * the status.
 */
int launch_mirror(const struct launch_result *result);

#endif
