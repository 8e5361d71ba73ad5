/* guard.c - see guard.h. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
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

#include "base/guard.h"
#include "base/log.h"

enum {
	STALL_S = 60,
	LOOK_MS = 500,
	MEMORY_AHEAD = 64 << 20,
	GUARDS_BYTES = (GUARD_HELPERS + 1) * sizeof(struct guard)
};

static struct guard own;
struct guard *guard = &own;

int (*guard_between)(void);

static struct guard *guards; /* shared: the child's, then its helpers' */

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
enum { NENDS = sizeof(ends) / sizeof(ends[0]) };

static volatile pid_t child_pid;

static struct sigaction kept_ends[NENDS]; /* actions before guard_run() */

static bool limited; /* this is a child with a limit on its memory */

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
	/* granted, and not asked for yet: thousands ask for little each */
	static uint64_t ahead;
	struct rlimit limit;

	if (more > ahead && limited && getrlimit(RLIMIT_AS, &limit) == 0 &&
		limit.rlim_cur != RLIM_INFINITY) {
		ahead = more + MEMORY_AHEAD;
		limit.rlim_cur = limit.rlim_max - limit.rlim_cur < ahead ? limit.rlim_max
									 : limit.rlim_cur + ahead;
		setrlimit(RLIMIT_AS, &limit);
	}
	ahead -= more < ahead ? more : ahead;
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

static void ends_restore(void)
{
	for (int i = 0; i < NENDS; i++)
		sigaction(ends[i], &kept_ends[i], NULL);
}

/* In the child: the parent's handlers would print or clean up a second time. */
static void ends_default(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	for (int i = 0; i < NENDS; i++)
		sigaction(ends[i], kept_ends[i].sa_handler == SIG_IGN ? &kept_ends[i] : &action,
			NULL);
}

/* On a signal of the user: end the children, then remove their temporary files. */
static void on_end(int signal)
{
	if (child_pid > 0) {
		kill(child_pid, SIGKILL);
		waitpid(child_pid, NULL, 0);
	}
	if (guard->temporary[0])
		unlink(guard->temporary);
	ends_restore();
	raise(signal); /* with SA_NODEFER the default action takes place now */
}

/* Blocks them, until the child is known: on_end() ends it. */
static void ends_take(sigset_t *mask)
{
	struct sigaction action = { .sa_handler = on_end, .sa_flags = SA_NODEFER };
	sigset_t blocked;

	sigemptyset(&blocked);
	for (int i = 0; i < NENDS; i++)
		sigaddset(&blocked, ends[i]);
	sigprocmask(SIG_BLOCK, &blocked, mask);
	for (int i = 0; i < NENDS; i++) {
		sigaction(ends[i], NULL, &kept_ends[i]);
		if (kept_ends[i].sa_handler != SIG_IGN)
			sigaction(ends[i], &action, NULL);
	}
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
	const char *set = getenv("TACHO_STALL_S");
	double seconds = set ? strtod(set, NULL) : 0;

	return seconds > 0 ? seconds : STALL_S;
}

/* What was seen of a process the last time. */
struct process_look {
	uint64_t progress;
	double since;
};

/* True: it has not got on for longer than is allowed. */
static bool stands_still(struct process_look *look, const struct guard *at, pid_t pid,
	double allowed)
{
	double now = cpu_seconds(pid);

	if (at->progress == look->progress && at->stage != GUARD_WRITING)
		return now - look->since > allowed;
	*look = (struct process_look){ at->progress, now };
	return false;
}

/* The first that does not get on is ended. True: one was. */
static bool stalled_end(pid_t child)
{
	static struct process_look looks[GUARD_HELPERS + 1];
	static pid_t looked_at;
	double allowed = stall_seconds();

	if (looked_at != child)
		memset(looks, 0, sizeof(looks));
	looked_at = child;
	for (int i = 0; i <= GUARD_HELPERS; i++) {
		pid_t pid = i ? guards[i].pid : child;

		if (!pid || guards[i].finished ||
			!stands_still(&looks[i], &guards[i], pid, allowed))
			continue;
		kill(pid, SIGKILL);
		return true;
	}
	return false;
}

/*
 * Waits for the end of the child, which closes the pipe. True: it or a helper was ended for not
 * getting on.
 */
static bool watch(pid_t child, int pipe)
{
	struct pollfd end = { .fd = pipe };
	bool stalled = false, unwanted = false;
	time_t looked = time(NULL);

	for (;;) {
		int wait = guard_between && !unwanted ? guard_between() : LOOK_MS;

		unwanted |= wait < 0;
		if (wait < 0)
			kill(child, SIGKILL);
		if (poll(&end, 1, wait < 0 ? LOOK_MS : wait) > 0 &&
			(end.revents & (POLLHUP | POLLERR)))
			return stalled;
		if (wait < LOOK_MS && time(NULL) == looked)
			continue;
		looked = time(NULL);
		stalled = stalled || stalled_end(child);
	}
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
	const struct guard *at = guard;
	int status = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	child_pid = 0;
	if (WIFSIGNALED(status))
		mirror(WTERMSIG(status));
	if (guard->culprit) {
		at = &guards[guard->culprit];
		status = at->status;
	}
	if (stalled)
		snprintf(end.how, sizeof(end.how), "did not get on for %.0f s of processor time",
			stall_seconds());
	else if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		snprintf(end.how, sizeof(end.how), "was killed (signal 9; was memory short?)");
	else if (WIFSIGNALED(status))
		snprintf(end.how, sizeof(end.how), "crashed (signal %d, %s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	else if (!at->finished)
		snprintf(end.how, sizeof(end.how), "ended the program (status %d)",
			WEXITSTATUS(status));
	else
		end = (struct guard_end){ .status = WEXITSTATUS(status) ? -1 : 0 };
	end.killed = end.ended && !stalled && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	if (end.ended && guard->temporary[0])
		unlink(guard->temporary);
	return end;
}

void guard_leave(int status)
{
	_exit(status);
}

pid_t guard_fork(void)
{
	pid_t parent = getpid(), pid = -1;
	int helper;

	for (helper = 1; guards && helper <= GUARD_HELPERS && guards[helper].pid; helper++)
		;
	if (guards && helper <= GUARD_HELPERS) {
		fflush(NULL);
		pid = fork();
	}
	if (pid > 0)
		guards[helper].pid = pid;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			guard_leave(1);
		guard = &guards[helper];
	}
	return pid;
}

bool guard_has_helpers(void)
{
	return guards != NULL;
}

uint64_t guard_helpers_done(void)
{
	uint64_t done = 0;

	for (int i = 1; guards && i <= GUARD_HELPERS && guards[i].pid; i++)
		done += guards[i].done;
	return done;
}

/* Adds the run-queue figures of one process, by the kernel's account. */
static bool helper_ran(pid_t pid, uint64_t *ran_ns, uint64_t *waited_ns)
{
	char path[64];
	uint64_t ran, waited;
	bool is_known;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/schedstat", (int)pid);
	file = fopen(path, "r");
	is_known = file && fscanf(file, "%" SCNu64 " %" SCNu64, &ran, &waited) == 2;
	if (file)
		fclose(file);
	if (!is_known)
		return false;
	*ran_ns += ran;
	*waited_ns += waited;
	return true;
}

bool guard_helpers_ran(uint64_t *ran_ns, uint64_t *waited_ns)
{
	*ran_ns = *waited_ns = 0;
	for (int i = 1; guards && i <= GUARD_HELPERS && guards[i].pid; i++)
		if (!helper_ran(guards[i].pid, ran_ns, waited_ns))
			return false;
	return guards != NULL;
}

void guard_helper_end(int status)
{
	guard->finished = true;
	fflush(NULL);
	guard_leave(status < 0);
}

static bool helpers_look(int options)
{
	for (int i = 1; guards && i <= GUARD_HELPERS && guards[i].pid; i++) {
		int status;

		if (guards[i].gone || waitpid(guards[i].pid, &status, options) != guards[i].pid)
			continue;
		guards[i].status = status;
		guards[i].gone = true;
		if (!guards[i].finished)
			guard->culprit = i;
		if (status || guard->culprit)
			return false;
	}
	return true;
}

bool guard_helpers_fine(void)
{
	return helpers_look(WNOHANG);
}

/* The first to end may be any of them. */
bool guard_helpers_wait(void)
{
	siginfo_t ended;

	while (waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) == 0)
		if (!helpers_look(WNOHANG))
			return false;
	return true;
}

void guard_fail(void)
{
	if (!guards)
		return;
	guard->finished = true;
	fflush(NULL);
	guard_leave(1);
}

static _Noreturn void child_run(int (*work)(void *), void *argument, uint64_t memory, pid_t parent)
{
	int status;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		guard_leave(1);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0 });
	signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is a failed write like others */
	memory_limit(memory);
	status = work(argument);
	guard->finished = true;
	fflush(NULL);
	guard_leave(status < 0);
}

struct guard_end guard_run(int (*work)(void *argument), void *argument, uint64_t memory,
	struct guard *at)
{
	struct guard *shared = mmap(NULL, GUARDS_BYTES, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct guard_end end = { .status = -1 };
	sigset_t mask;
	pid_t parent = getpid(), pid = -1;
	int ends_pipe[2] = { -1, -1 };

	if (shared != MAP_FAILED && pipe(ends_pipe) == 0) {
		guard = guards = shared;
		fflush(NULL);
		ends_take(&mask);
		pid = fork();
		child_pid = pid > 0 ? pid : 0;
		if (pid == 0)
			ends_default();
		sigprocmask(SIG_SETMASK, &mask, NULL);
	}
	if (pid == 0) {
		close(ends_pipe[0]);
		child_run(work, argument, memory, parent);
	}
	if (pid > 0) {
		close(ends_pipe[1]);
		end = end_of(pid, watch(pid, ends_pipe[0]));
		child_pid = 0;
		close(ends_pipe[0]);
		ends_restore();
	} else {
		log_debug("no child process: %s", strerror(errno));
		if (guard == shared)
			ends_restore();
		guards = NULL;
		end.status = work(argument);
	}
	*at = guard->culprit && guards ? guards[guard->culprit] : *guard;
	guard = &own;
	guards = NULL;
	if (shared != MAP_FAILED)
		munmap(shared, GUARDS_BYTES);
	return end;
}
