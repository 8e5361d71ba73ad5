/* guard.c - see guard.h. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guard.h"
#include "log.h"

enum { STALL_S = 60, LOOK_MS = 500 };

static struct guard own;
struct guard *guard = &own;

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
enum { NENDS = sizeof(ends) / sizeof(ends[0]) };

static volatile pid_t child_pid;

static bool limited;		/* this is a child with a limit on its memory */

/* Sanitizers map terabytes that they never touch. */
static bool memory_can_be_limited(void)
{
#ifdef __SANITIZE_ADDRESS__
	return false;
#else
	return true;
#endif
}

void guard_memory(uint64_t more)
{
	struct rlimit limit;

	if (limited && getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
		limit.rlim_cur = limit.rlim_max - limit.rlim_cur < more ? limit.rlim_max :
			limit.rlim_cur + more;
		setrlimit(RLIMIT_AS, &limit);
	}
}

static void memory_limit(uint64_t memory)
{
	struct rlimit limit;

	if (!memory || !memory_can_be_limited() || getrlimit(RLIMIT_AS, &limit) < 0 ||
		limit.rlim_cur <= memory)
		return;
	limit.rlim_cur = memory;
	limited = setrlimit(RLIMIT_AS, &limit) == 0;
}

/* The user ends us: what we made goes with us. */
static void on_end(int signal)
{
	if (child_pid > 0)
		kill(child_pid, SIGKILL);
	if (guard->temporary[0])
		unlink(guard->temporary);
	raise(signal);		/* SA_RESETHAND: now it does what it would have done */
}

static void ends_take(struct sigaction *kept)
{
	struct sigaction action = { .sa_handler = on_end, .sa_flags = SA_RESETHAND | SA_NODEFER };

	for (int i = 0; i < NENDS; i++) {
		sigaction(ends[i], NULL, &kept[i]);
		if (kept[i].sa_handler == SIG_DFL)
			sigaction(ends[i], &action, NULL);
	}
}

static void ends_restore(const struct sigaction *kept)
{
	for (int i = 0; i < NENDS; i++)
		sigaction(ends[i], &kept[i], NULL);
}

static double cpu_seconds(pid_t pid)
{
	struct timespec time;
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &time) < 0)
		return 0;
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double stall_seconds(void)
{
	const char *told = getenv("TACHO_STALL_S");
	double seconds = told ? strtod(told, NULL) : 0;

	return seconds > 0 ? seconds : STALL_S;
}

/* Waits for the end of the child, which closes the pipe. True: it was ended for not getting on. */
static bool watch(pid_t pid, int pipe)
{
	struct pollfd end = { .fd = pipe };
	uint64_t seen = guard->progress;
	double since = 0, allowed = stall_seconds();

	while (poll(&end, 1, LOOK_MS) <= 0 || !(end.revents & (POLLHUP | POLLERR))) {
		double now = cpu_seconds(pid);

		if (guard->progress != seen || guard->stage == GUARD_WRITING) {
			seen = guard->progress;
			since = now;
		} else if (now - since > allowed) {
			kill(pid, SIGKILL);
			return true;
		}
	}
	return false;
}

/* What a user or a closed pipe does to the child is meant for all of us. */
static void mirror(int signal_number)
{
	static const int mirrored[] = { SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT };

	for (size_t i = 0; i < sizeof(mirrored) / sizeof(mirrored[0]); i++)
		if (signal_number == mirrored[i]) {
			if (guard->temporary[0])
				unlink(guard->temporary);
			raise(signal_number);
		}
}

static struct guard_end end_of(pid_t pid, bool stalled)
{
	struct guard_end end = { .status = -1, .ended = true };
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	child_pid = 0;
	if (WIFSIGNALED(status))
		mirror(WTERMSIG(status));
	if (stalled)
		snprintf(end.how, sizeof(end.how), "did not get on for %.0f s of processor time",
			stall_seconds());
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		snprintf(end.how, sizeof(end.how), "was killed (signal 9; was memory short?)");
	else if (WIFSIGNALED(status))
		snprintf(end.how, sizeof(end.how), "crashed (signal %d, %s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else if (!guard->finished)
		snprintf(end.how, sizeof(end.how), "ended the program (status %d)", WEXITSTATUS(status));
	else
		end = (struct guard_end){ .status = WEXITSTATUS(status) ? -1 : 0 };
	if (end.ended && guard->temporary[0])
		unlink(guard->temporary);
	return end;
}

static void child_run(int (*work)(void *), void *argument, uint64_t memory, pid_t parent)
{
	int status;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
	memory_limit(memory);
	status = work(argument);
	guard->finished = true;
	fflush(NULL);
	_exit(status < 0);
}

struct guard_end guard_run(
	int (*work)(void *argument), void *argument, uint64_t memory, struct guard *at)
{
	struct guard *shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct guard_end end = { .status = -1 };
	struct sigaction kept[NENDS];
	pid_t parent = getpid(), pid = -1;
	int ends_pipe[2] = { -1, -1 };

	if (shared != MAP_FAILED && pipe(ends_pipe) == 0) {
		guard = shared;
		fflush(NULL);
		ends_take(kept);
		pid = fork();
	}
	if (pid == 0) {
		ends_restore(kept);
		close(ends_pipe[0]);
		child_run(work, argument, memory, parent);
	}
	if (pid > 0) {
		child_pid = pid;
		close(ends_pipe[1]);
		end = end_of(pid, watch(pid, ends_pipe[0]));
		child_pid = 0;
		close(ends_pipe[0]);
		ends_restore(kept);
	} else {
		log_debug("no child process: %s", strerror(errno));
		if (guard == shared)
			ends_restore(kept);
		end.status = work(argument);
	}
	*at = *guard;
	guard = &own;
	if (shared != MAP_FAILED)
		munmap(shared, sizeof(*shared));
	return end;
}
