/* sweep_run.c - see sweep_run.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "base/guard.h"
#include "base/log.h"
#include "sweep/sweep_batch.h"
#include "sweep/sweep_run.h"
#include "sweep/sweep_signal.h"
#include "sweep/sweep_state.h"

/* What a child needs, found before the fork. */
struct sweep_child {
	char **argv;
	char program[PATH_MAX], mark[PATH_MAX + 32];
	pid_t parent;
	int log;
};

/* In the child: a separate process group, which ends when the sweep is killed. */
static _Noreturn void child_go(const struct sweep_child *child)
{
	int nothing = open("/dev/null", O_RDONLY);

	/* first: a handler of the sweep's would take the signal of its death */
	for (int sig = 1; sig < 32; sig++)
		if (sig != SIGKILL && sig != SIGSTOP)
			signal(sig, SIG_DFL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != child->parent)
		guard_leave(1);
	putenv((char *)child->mark);
	dup2(nothing, STDIN_FILENO);
	dup2(child->log, STDOUT_FILENO);
	dup2(child->log, STDERR_FILENO);
	/* the very same program, also when another was installed meanwhile */
	execv("/proc/self/exe", child->argv);
	execv(child->program, child->argv);
	guard_leave(127);
}

/* The exit status, 128 + signal; -1: it could not be started (reported). */
static int child_run(const struct sweep_child *child)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		child_go(child);
	if (pid < 0) {
		log_error("cannot start another process: %s", strerror(errno));
		return -1;
	}
	setpgid(pid, pid);
	sweep_signal_group = pid;
	if (sweep_signal()) /* before the group was known */
		kill(-pid, SIGTERM);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	sweep_signal_group = 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int log_open(const char *path, int tries)
{
	char *name = NULL;
	int fd;

	if (asprintf(&name, tries ? "%s.%d.log" : "%s.log", path, tries + 1) < 0)
		return -1;
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		log_error("cannot write %s: %s", name, strerror(errno));
	free(name);
	return fd;
}

/* tacho record -f -o PATH --label LABEL … -- COMMAND, to be freed; its words belong to others. */
static char **record_argv(const struct sweep *sweep, const struct sweep_run *run, char *path,
	char **command)
{
	const struct study *study = sweep->study;
	const char *own[16] = { "tacho", "record", "-f", "-o", path, "--label",
		sweep->labels[run->point] };
	size_t n = 7, m = 0;
	char **argv;

	if (study->step_range) {
		own[n++] = "--step-range";
		own[n++] = study->step_range;
	}
	if (study->target) {
		own[n++] = "--target";
		own[n++] = study->target;
	}
	own[n++] = "--";

	while (command[m])
		m++;
	argv = calloc(n + m + 1, sizeof(*argv));
	if (!argv) {
		log_error("out of memory");
		return NULL;
	}
	memcpy(argv, own, n * sizeof(*own));
	memcpy(argv + n, command, m * sizeof(*argv));
	return argv;
}

static int program_find(struct sweep_child *child)
{
	ssize_t n = readlink("/proc/self/exe", child->program, sizeof(child->program) - 1);

	if (n > 0)
		child->program[n] = '\0';
	else
		log_error("cannot find tacho itself: %s", strerror(errno));
	return n > 0 ? 0 : -1;
}

int sweep_run_try(struct sweep *sweep, struct sweep_run *run, struct sweep_tried *tried)
{
	char *path = sweep_run_path(sweep, run);
	char **command = path ? study_argv(sweep->study, &sweep->points[run->point]) : NULL;
	struct sweep_child child = { .log = -1, .parent = getpid() };
	int64_t start = clock_now_ns(CLOCK_MONOTONIC);
	int ret = -1;

	snprintf(child.mark, sizeof(child.mark), SWEEP_VARIABLE "=%s", sweep->folder);
	*tried = (struct sweep_tried){ 0 };
	if (!command || program_find(&child) < 0)
		goto out;
	child.argv = record_argv(sweep, run, path, command);
	child.log = child.argv ? log_open(path, run->tries) : -1;
	if (child.log < 0)
		goto out;
	if (sweep->study->launcher == LAUNCH_SBATCH)
		tried->status = sweep_batch_run(sweep, run, child.program, child.argv);
	else
		tried->status = sweep_run_clear(path) < 0 ? -1 : child_run(&child);
	tried->seconds = (double)(clock_now_ns(CLOCK_MONOTONIC) - start) / 1e9;
	ret = tried->status < 0 ? -1 : 0;
	if (tried->status > 0)
		tried->why = "the command failed";
	else if (ret == 0)
		sweep_run_whole(sweep, run, &tried->why);
out:
	if (child.log >= 0)
		close(child.log);
	free(child.argv);
	study_argv_free(command);
	free(path);
	return ret;
}
