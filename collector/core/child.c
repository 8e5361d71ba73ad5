/* child.c - see child.h. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/child.h"
#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"
#include "tacho/host.h"

/* Places of numbers in /proc/PID/stat, counted from the one after the state. */
enum { STAT_FLAGS = 6, STAT_PENDING = 28, STAT_STATUS = 49 };

#define IS_EXITING 4u /* PF_EXITING of the kernel's flags */
#define IS_KILLED  (1ul << (SIGKILL - 1))

/* A child that a signal killed (pid 0: still to be found), and the known state of its siblings. */
struct death {
	int pid, parent, signal;
	const char *run;
	int nliving, ndying;
};

static ssize_t text_read(const char *path, char *text, size_t size)
{
	int fd = sys_open(path, O_RDONLY, 0);
	ssize_t n = fd < 0 ? -1 : sys_read(fd, text, size - 1);

	if (fd >= 0)
		sys_close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n;
}

/* Whether a child has ended or is about to; the signal that has killed it, where it is known. */
static bool is_dying(long pid, int *signal)
{
	char path[64], text[1024], *at;
	bool dies;

	*signal = 0;
	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	if (text_read(path, text, sizeof(text)) <= 0 || !(at = strrchr(text, ')')) || !at[1])
		return true;
	dies = at[2] == 'Z' || at[2] == 'X';
	at += 3;
	for (int i = 1; i <= STAT_STATUS && *at; i++) {
		unsigned long number = strtoul(at, &at, 10);

		dies |= i == STAT_FLAGS && number & IS_EXITING;
		dies |= i == STAT_PENDING && number & IS_KILLED;
		if (i == STAT_STATUS)
			*signal = (int)(number & 0x7f);
	}
	return dies;
}

/* Inspects the children that the process's first thread has made. */
static void children_look(struct death *death)
{
	long own = syscall(SYS_gettid), pid;
	char path[64], text[8192], *at = text;
	int signal;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", death->parent, death->parent);
	if (text_read(path, text, sizeof(text)) < 0)
		return;
	while ((pid = strtol(at, &at, 10)) > 0) {
		if (pid == own || pid == death->pid)
			continue;
		if (!is_dying(pid, &signal)) {
			death->nliving++;
			continue;
		}
		death->ndying++;
		if (!death->signal && signal) {
			death->pid = (int)pid;
			death->signal = signal;
			death->ndying--;
		}
	}
}

/* Opens `state` of the program that the process ran last; -1: it is not recorded. */
static int state_open(const struct death *death)
{
	char path[PATH_MAX], host[HOST_ROOM];
	int last = -1;

	host_name(host);
	for (int k = 0;; k++) {
		int fd;

		if (snprintf(path, sizeof(path), "%s/spool/%s.%d.%d/state", death->run, host,
			    death->pid, k) >= (int)sizeof(path))
			return last;
		fd = sys_open(path, O_WRONLY | O_NOFOLLOW, 0);
		if (fd < 0)
			return last;
		if (last >= 0)
			sys_close(last);
		last = fd;
	}
}

/*
 * Writes the signal into the state of the killed child, unless siblings are ending as well:
 * whatever ends a whole job kills its processes shortly after each other.
 */
static void death_note(void *arg)
{
	const struct timespec moment = { .tv_nsec = 5000000 };
	struct death *death = arg;
	uint32_t signal;
	int fd = -1;

	syscall(SYS_nanosleep, &moment, NULL);
	children_look(death);
	if (death->pid && death->signal && !death->ndying)
		fd = state_open(death);
	if (fd < 0)
		return;
	signal = (uint32_t)death->signal;
	syscall(SYS_pwrite64, fd, &signal, sizeof(signal), offsetof(struct spool_state, killed_by));
	sys_close(fd);
}

/* Once in a process that is not recorded. */
static void launcher_note(int pid, int signal)
{
	static atomic_flag was_told = ATOMIC_FLAG_INIT;
	struct death death = { .pid = pid,
		.parent = (int)sys_pid(),
		.signal = signal,
		.run = getenv("TACHO_DIR") };
	int saved = errno;

	if (death.run && *death.run && !atomic_flag_test_and_set(&was_told))
		task_run(death_note, &death);
	errno = saved;
}

void child_kills(int signal)
{
	if ((signal == SIGKILL || signal == SIGTERM) && !tacho_process.is_open)
		launcher_note(0, 0);
}

void child_killed(int pid, int signal)
{
	struct spool_def_child_end end = { .pid = (uint32_t)pid, .signal = signal };
	struct statfs shm;
	int saved = errno;

	if (!signal)
		return;
	if (!tacho_process.is_open) {
		launcher_note(pid, signal);
		return;
	}
	end.ticks = clock_ticks();
	if (!syscall(SYS_statfs, "/dev/shm", &shm)) {
		end.shm_bytes = (uint64_t)shm.f_blocks * (uint64_t)shm.f_bsize;
		end.shm_used = (uint64_t)(shm.f_blocks - shm.f_bfree) * (uint64_t)shm.f_bsize;
	}
	process_define(&(struct def){ .type = DEF_CHILD_END, .body = &end, .nbody = sizeof(end) });
	errno = saved;
}
