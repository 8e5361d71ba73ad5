/* launch.c - see launch.h. */
#include "config.h"

#include <alloca.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/guard.h"
#include "record/launch.h"
#include "tacho/launcher.h"
#include "tacho/loader.h"

static const int forwarded[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGCONT,
	SIGTSTP, SIGWINCH };
#define NFORWARDED (sizeof(forwarded) / sizeof(forwarded[0]))

static volatile sig_atomic_t child_pid;

/* The signal that is not for the command, and the process that receives it (0: none). */
static volatile sig_atomic_t kept_signal, kept_pid;

/*
 * The kernel sent a signal from the terminal (SI_KERNEL) to the whole foreground group, so the
 * command has it already. Forwards only signals sent to tacho alone.
 */
static void forward(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (sig == kept_signal && kept_pid > 0)
		kill(kept_pid, sig);
	else if (sig != kept_signal && child_pid > 0 && info->si_code <= 0)
		kill(child_pid, sig);
	errno = saved;
}

void launch_divert(int sig, pid_t to)
{
	kept_pid = to;
	kept_signal = sig;
}

static void handlers_install(struct sigaction *before)
{
	struct sigaction act = { .sa_sigaction = forward, .sa_flags = SA_SIGINFO | SA_RESTART };

	sigfillset(&act.sa_mask);
	for (size_t i = 0; i < NFORWARDED; i++) {
		sigaction(forwarded[i], NULL, &before[i]);
		if (before[i].sa_handler != SIG_IGN)
			sigaction(forwarded[i], &act, NULL);
	}
}

static void handlers_restore(const struct sigaction *before)
{
	for (size_t i = 0; i < NFORWARDED; i++)
		sigaction(forwarded[i], &before[i], NULL);
}

/* The library records this process from its start, unless it is a launcher or a shell. */
static void command_tell(void)
{
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	setenv("TACHO_COMMAND", pid, 1);
}

/* In the child. An exec that fails reports its errno through `report`. */
static _Noreturn void exec_command(char *const argv[], char *const extra[],
	const struct sigaction *before, const sigset_t *mask, int report)
{
	bool preloads = loader_of(argv[0], getenv("PATH")) != LOADER_MUSL;
	size_t room;
	int error;

	handlers_restore(before);
	sigprocmask(SIG_SETMASK, mask, NULL);
	for (int i = 0; extra[i]; i++)
		if (preloads || strncmp(extra[i], "LD_PRELOAD=", 11))
			putenv(extra[i]);
	command_tell();
	room = launcher_room(argv[0], true, argv, environ);
	if (room)
		argv = launcher_arguments(alloca(room * sizeof(*argv)), argv, environ);
	execvp(argv[0], argv);
	error = errno;
	guard_leave(write(report, &error, sizeof(error)) < 0 ? 126 : 127);
}

static void wait_for(pid_t pid, struct launch_result *result)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno == EINTR)
			continue;
		result->error = errno;
		return;
	}
	if (WIFSIGNALED(status))
		result->signal = WTERMSIG(status);
	result->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

struct launch_result launch_run(char *const argv[], char *const extra[])
{
	struct launch_result result = { 0 };
	struct sigaction before[NFORWARDED];
	sigset_t all, mask;
	int report[2], error;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0) {
		result.error = errno;
		return result;
	}
	/* Blocked until child_pid is known, so that none is lost in between. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &mask);
	handlers_install(before);
	pid = fork();
	if (pid == 0)
		exec_command(argv, extra, before, &mask, report[1]);
	child_pid = pid;
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(report[1]);
	if (pid < 0) {
		result.error = errno;
	} else {
		wait_for(pid, &result);
		if (read(report[0], &error, sizeof(error)) == (ssize_t)sizeof(error))
			result.error = error;
	}
	close(report[0]);
	child_pid = 0;
	handlers_restore(before);
	return result;
}

int launch_mirror(const struct launch_result *result)
{
	struct rlimit none = { 0 };

	if (result->signal) {
		setrlimit(RLIMIT_CORE, &none); /* the command's own core file is the useful one */
		signal(result->signal, SIG_DFL);
		raise(result->signal);
	}
	return result->status;
}
