/*
 * attach.c - see attach.h.
 *
 * RATIONALE: an agent per process, since libtacho.so knows one process: its folder, clock and tables. So all
 * that it does for a process from inside, as looking at Python's stacks, it does from outside with the same
 * code. No agent traces its process (ptrace), as that stops it.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/ptrace_scope.h"
#include "base/rundir.h"
#include "record/attach.h"
#include "record/attach_family.h"
#include "tacho/attach.h"
#include "tacho/host.h"

#define LOOK_MS	     100
#define FAMILY_MS    1000 /* between searches for new children */
#define GRACE_MS     5000 /* for agents to end */
#define ENVIRON_MOST (1 << 20)

struct agent {
	pid_t pid; /* 0: it has ended */
	enum attach_end end;
};

struct attaching {
	const struct attach_job *job;
	struct family family;
	struct agent agents[ATTACH_MOST];
	int nagents;
	volatile int *is_asked; /* shared with all agents */
	char *library, *spools;
};

static volatile sig_atomic_t interrupted;

static void interrupt(int sig)
{
	(void)sig;
	interrupted = 1;
}

int attach_pids(const char *text, pid_t *pids, int most)
{
	int n = 0;

	for (const char *at = text; n < most; at++) {
		char *end;
		long pid = strtol(at, &end, 10);

		if (end == at || pid <= 0 || pid > INT32_MAX || (*end && *end != ','))
			return 0;
		pids[n++] = (pid_t)pid;
		at = end;
		if (!*at)
			return n;
	}
	return 0;
}

/*
 * True if the kernel lets this process read the other's memory. A missing process is a separate
 * error.
 */
static bool may_read(pid_t pid)
{
	char byte;
	struct iovec here = { &byte, 1 }, there = { (void *)1, 1 };

	return process_vm_readv(pid, &here, 1, &there, 1, 0) >= 0 || errno == EFAULT;
}

static void memory_warn(pid_t pid)
{
	int scope = ptrace_scope();

	if (scope)
		log_warn(
			"process %d: only counters are recorded, as kernel.yama.ptrace_scope is %d: as "
			"root, or with 0 there, also Python lines and calls are",
			(int)pid, scope);
	else
		log_warn(
			"process %d: only counters are recorded, as the kernel forbids reading its "
			"memory: root, or the capability SYS_PTRACE, may",
			(int)pid);
}

bool attach_check(const pid_t *pids, int npids)
{
	for (int i = 0; i < npids; i++) {
		char path[32];
		struct stat st;

		snprintf(path, sizeof(path), "/proc/%d", (int)pids[i]);
		if (stat(path, &st) < 0) {
			log_error("there is no process %d", (int)pids[i]);
			return false;
		}
		if (geteuid() && st.st_uid != geteuid()) {
			log_error("process %d is another user's: only root can record it",
				(int)pids[i]);
			return false;
		}
		if (!may_read(pids[i]))
			memory_warn(pids[i]);
	}
	return true;
}

/* Replaces the environment by the other process's, then adds the run's variables. */
static int environment_take(pid_t pid, char *const *extra)
{
	static char text[ENVIRON_MOST];
	char path[64];
	ssize_t n = 0, done = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && done < ENVIRON_MOST - 1 &&
		(n = read(fd, text + done, (size_t)(ENVIRON_MOST - 1 - done))) > 0)
		done += n;
	if (fd >= 0)
		close(fd);
	clearenv();
	for (char *at = text; at < text + done; at += strlen(at) + 1)
		if (strncmp(at, "TACHO_", 6) && strncmp(at, "LD_", 3))
			putenv(at);
	for (; *extra; extra++)
		putenv(*extra);
	return 0;
}

/* In the agent. */
static _Noreturn void agent_run(const struct attaching *a, const struct family_member *member)
{
	struct attach attach = { .pid = (uint32_t)member->pid,
		.is_child = member->parent != 0,
		.spools = a->spools,
		.is_asked = a->is_asked };
	char parent[HOST_ROOM + 32] = "", host[HOST_ROOM], rank[16], size[16];
	attach_function *function;
	void *library;

	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	host_name(host);
	if (member->parent)
		snprintf(parent, sizeof(parent), "%s.%d.0", host, (int)member->parent);
	attach.parent = parent;
	/* before the run's variables are set: the library itself is no part of the run */
	clearenv();
	library = dlopen(a->library, RTLD_NOW | RTLD_LOCAL);
	function = library ? (attach_function *)dlsym(library, ATTACH_FUNCTION) : NULL;
	if (!function) {
		log_error("cannot load %s: %s", a->library, dlerror());
		guard_leave(ATTACH_FAILED);
	}
	environment_take(member->pid, a->job->extra);
	if (member->number >= 0) {
		snprintf(rank, sizeof(rank), "%d", member->number);
		snprintf(size, sizeof(size), "%d", a->job->npids);
		setenv("RANK", rank, 1);
		setenv("WORLD_SIZE", size, 1);
	}
	guard_leave(function(&attach));
}

static void agent_start(struct attaching *a, struct family_member *member)
{
	struct agent *agent;
	pid_t pid;

	if (member->starts || a->nagents == ATTACH_MOST)
		return;
	pid = fork();
	if (pid == 0)
		agent_run(a, member);
	if (pid < 0) {
		log_error("cannot record process %d: %s", (int)member->pid, strerror(errno));
		return;
	}
	agent = &a->agents[a->nagents++];
	*agent = (struct agent){ .pid = pid };
}

static void agents_reap(struct attaching *a)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		for (int i = 0; i < a->nagents; i++)
			if (a->agents[i].pid == pid) {
				a->agents[i].pid = 0;
				a->agents[i].end = WIFEXITED(status)
					? (enum attach_end)WEXITSTATUS(status)
					: ATTACH_FAILED;
			}
}

static int agents_left(const struct attaching *a)
{
	int n = 0;

	for (int i = 0; i < a->nagents; i++)
		n += a->agents[i].pid != 0;
	return n;
}

static int agents_worked(const struct attaching *a)
{
	int n = 0;

	for (int i = 0; i < a->nagents; i++)
		n += a->agents[i].end == ATTACH_ASKED || a->agents[i].end == ATTACH_OVER;
	return n;
}

/* Starts agents for new processes. */
static void family_follow(struct attaching *a)
{
	int n = a->family.n;

	family_look(&a->family);
	for (; n < a->family.n; n++)
		agent_start(a, &a->family.at[n]);
}

static void rest(void)
{
	poll(NULL, 0, LOOK_MS);
}

/* Until there is nothing left to record, the time is over, or a signal comes. */
static void watch(struct attaching *a)
{
	int64_t begin = clock_now_ns(CLOCK_MONOTONIC), looked = begin, now = begin;

	for (int i = 0; i < a->family.n; i++)
		agent_start(a, &a->family.at[i]);
	family_follow(a);
	while (!interrupted && family_lives(&a->family) &&
		(!a->job->for_ns || now - begin < a->job->for_ns)) {
		rest();
		agents_reap(a);
		now = clock_now_ns(CLOCK_MONOTONIC);
		if (now - looked >= FAMILY_MS * 1000000ll) {
			family_follow(a);
			looked = now;
		}
	}
	*a->is_asked = 1;
	for (int i = 0; agents_left(a) && i < GRACE_MS / LOOK_MS; i++) {
		rest();
		agents_reap(a);
	}
}

static void handlers_install(void)
{
	struct sigaction act = { .sa_handler = interrupt };

	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	sigaction(SIGHUP, &act, NULL);
}

int attach_run(const struct attach_job *job)
{
	struct attaching *a = calloc(1, sizeof(*a));
	int ret = -1;

	if (!a || !(a->library = library_file()) ||
		!(a->spools = job->spool ? strdup(job->spool) : path_join(job->run, "spool")))
		goto out;
	a->job = job;
	a->is_asked = mmap(NULL, sizeof(*a->is_asked), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (a->is_asked == MAP_FAILED || (mkdir(a->spools, 0700) < 0 && errno != EEXIST)) {
		log_error("cannot make %s: %s", a->spools, strerror(errno));
		goto out;
	}
	family_begin(&a->family, job->pids, job->npids);
	handlers_install();
	watch(a);
	ret = agents_worked(a);
out:
	if (a) {
		free(a->library);
		free(a->spools);
		family_free(&a->family);
	}
	free(a);
	return ret;
}
