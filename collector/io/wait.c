/*
 * wait.c - wrappers of the calls with which threads and processes wait for and wake each other. The
 * object states which wake ended which wait: an address within the process, an inode for the
 * descriptor that a poll finds ready, a pid for children.
 *
 * Waiting inside another recorded call (an MPI library's progress loop) is
 * that call's business and not recorded.
 */
#undef _FORTIFY_SOURCE
#include "config.h"

#include <aio.h>
#include <errno.h>
#include <mqueue.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "core/helper.h"
#include "core/child.h"
#include "core/sys.h"
#include "io/wait.h"

int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask,
	size_t room);

#define WAIT_WAIT(name, type, params, args, object)                                                \
	TACHO_WRAP(name)                                                                           \
	type name params                                                                           \
	{                                                                                          \
		struct span span = wait_enter(REGION_##name, object);                              \
		type ret;                                                                          \
                                                                                                   \
		wait_on(&span, object);                                                            \
		ret = REAL(name) args;                                                             \
		wait_off(&span, object);                                                           \
		wait_leave(&span, ret ? SPOOL_SYNC_MISS : SPOOL_SYNC_WAIT, object);                \
		return ret;                                                                        \
	}

/*
 * Takes a free semaphore. Locks made of semaphores (Python's) are mostly free, and a thread that
 * need not wait has nothing to report. Keeps errno.
 */
static bool sem_taken(sem_t *s)
{
	static int (*try)(sem_t *);
	int saved = errno, ret;

	if (unlikely(!try))
		try = (int (*)(sem_t *))real_libc("sem_trywait");
	pthread_testcancel(); /* as the waiting calls do */
	ret = try(s);
	errno = saved;
	return !ret;
}

#define WAIT_SEM(name, type, params, args, object)                                                 \
	TACHO_WRAP(name)                                                                           \
	type name params                                                                           \
	{                                                                                          \
		struct span span;                                                                  \
		type ret;                                                                          \
                                                                                                   \
		if (sem_taken(s))                                                                  \
			return 0;                                                                  \
		span = wait_enter(REGION_##name, object);                                          \
		wait_on(&span, object);                                                            \
		ret = REAL(name) args;                                                             \
		wait_off(&span, object);                                                           \
		wait_leave(&span, ret ? SPOOL_SYNC_MISS : SPOOL_SYNC_WAIT, object);                \
		return ret;                                                                        \
	}

#define WAIT_WAKE(name, type, params, args, object)                                                \
	TACHO_WRAP(name)                                                                           \
	type name params                                                                           \
	{                                                                                          \
		struct span span = wait_enter(REGION_##name, 0);                                   \
		uint64_t woken = wake_object(object);                                              \
		type ret = REAL(name) args;                                                        \
                                                                                                   \
		span_leave_wake(&span, woken);                                                     \
		return ret;                                                                        \
	}

#define WAIT_SLEEP(name, type, params, args)                                                       \
	TACHO_WRAP(name)                                                                           \
	type name params                                                                           \
	{                                                                                          \
		struct span span = wait_enter(REGION_##name, 0);                                   \
		type ret = REAL(name) args;                                                        \
                                                                                                   \
		wait_leave(&span, ret ? SPOOL_SYNC_MISS : SPOOL_SYNC_WAIT, 0);                     \
		return ret;                                                                        \
	}

#define WAIT_OWN(...)
#define CALL(name, role, shape, ...) WAIT_##shape(name, __VA_ARGS__)
#include "tacho/wait_calls.def"

/* All but the last to arrive wait; the last wakes them. */
TACHO_WRAP(pthread_barrier_wait)
int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	struct span span = wait_enter(REGION_pthread_barrier_wait, (uintptr_t)barrier);
	int ret = REAL(pthread_barrier_wait)(barrier);

	wait_leave(&span, ret == PTHREAD_BARRIER_SERIAL_THREAD ? SPOOL_SYNC_WAKE : SPOOL_SYNC_WAIT,
		(uintptr_t)barrier);
	return ret;
}

/*
 * Inode behind a descriptor, 0 when there is none, or one that all of a kind (eventfd, timers…)
 * share. Keeps errno.
 */
static uint64_t inode_of(int fd)
{
	struct stat st;
	int saved = errno;
	uint64_t inode = sys_fstat(fd, &st) < 0 || !(st.st_mode & S_IFMT) ? 0 : st.st_ino;

	errno = saved;
	return inode;
}

/*
 * Ends a call of the poll family: `ready` descriptors; `fd` is the ready one when there is just
 * one, else -1.
 */
static void poll_leave(struct span *span, enum spool_sync how, int ready, int fd)
{
	uint64_t object;

	if (!span_is_on(span))
		return;
	object = ready == 1 && fd >= 0 ? inode_of(fd) : 0;
	span_leave_fold(span, how, object, SPOOL_SYNC, how, &object, 1);
}

static int poll_ready(const struct pollfd *fds, nfds_t n, int ready)
{
	if (ready == 1)
		for (nfds_t i = 0; i < n; i++)
			if (fds[i].revents)
				return fds[i].fd;
	return -1;
}

/* Only pipes and sockets with a closed other end are ready: no thread handed anything over. */
static enum spool_sync poll_how(const struct pollfd *fds, nfds_t n, int ready)
{
	if (ready <= 0)
		return SPOOL_SYNC_MISS;
	for (nfds_t i = 0; i < n; i++)
		if (fds[i].revents && fds[i].revents != POLLHUP)
			return SPOOL_SYNC_WAIT;
	return SPOOL_SYNC_HANGUP;
}

#define POLL(name, params, args)                                                                   \
	TACHO_WRAP(name)                                                                           \
	int name params                                                                            \
	{                                                                                          \
		struct span span = wait_enter(REGION_##name, 0);                                   \
		int ret = REAL(name) args;                                                         \
                                                                                                   \
		if (span_is_on(&span))                                                             \
			poll_leave(&span, poll_how(fds, n, ret), ret, poll_ready(fds, n, ret));    \
		return ret;                                                                        \
	}

POLL(poll, (struct pollfd * fds, nfds_t n, int timeout), (fds, n, timeout))
POLL(__poll_chk, (struct pollfd * fds, nfds_t n, int timeout, size_t room), (fds, n, timeout, room))
POLL(ppoll, (struct pollfd * fds, nfds_t n, const struct timespec *t, const sigset_t *mask),
	(fds, n, t, mask))
POLL(__ppoll_chk,
	(struct pollfd * fds, nfds_t n, const struct timespec *t, const sigset_t *mask,
		size_t room),
	(fds, n, t, mask, room))

static int select_ready(int n, const fd_set *r, const fd_set *w, const fd_set *e, int ready)
{
	if (ready == 1)
		for (int fd = 0; fd < n; fd++)
			if ((r && FD_ISSET(fd, r)) || (w && FD_ISSET(fd, w)) ||
				(e && FD_ISSET(fd, e)))
				return fd;
	return -1;
}

#define SELECT(name, params, args)                                                                 \
	TACHO_WRAP(name)                                                                           \
	int name params                                                                            \
	{                                                                                          \
		struct span span = wait_enter(REGION_##name, 0);                                   \
		int ret = REAL(name) args;                                                         \
                                                                                                   \
		if (span_is_on(&span))                                                             \
			poll_leave(&span, ret > 0 ? SPOOL_SYNC_WAIT : SPOOL_SYNC_MISS, ret,        \
				select_ready(n, r, w, e, ret));                                    \
		return ret;                                                                        \
	}

SELECT(select, (int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t), (n, r, w, e, t))
SELECT(pselect,
	(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *t, const sigset_t *mask),
	(n, r, w, e, t, mask))

/* What an epoll event's data means is the program's affair, so no object is known. */
#define EPOLL(name, params, args)                                                                  \
	TACHO_WRAP(name)                                                                           \
	int name params                                                                            \
	{                                                                                          \
		struct span span = wait_enter(REGION_##name, 0);                                   \
		int ret = REAL(name) args;                                                         \
                                                                                                   \
		poll_leave(&span, ret > 0 ? SPOOL_SYNC_WAIT : SPOOL_SYNC_MISS, ret, -1);           \
		return ret;                                                                        \
	}

EPOLL(epoll_wait, (int epfd, struct epoll_event *ev, int n, int timeout), (epfd, ev, n, timeout))
EPOLL(epoll_pwait, (int epfd, struct epoll_event *ev, int n, int timeout, const sigset_t *mask),
	(epfd, ev, n, timeout, mask))
EPOLL(epoll_pwait2,
	(int epfd, struct epoll_event *ev, int n, const struct timespec *t, const sigset_t *mask),
	(epfd, ev, n, t, mask))

/* The signal that killed a child which a wait has found; 0: none. */
static int signal_of(pid_t found, const int *status)
{
	return found > 0 && WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
}

/* Waits for an unknown process to connect. */
#define ACCEPT(name, params, args)                                                                 \
	TACHO_WRAP(name)                                                                           \
	int name params                                                                            \
	{                                                                                          \
		struct span span = wait_enter(REGION_##name, 0);                                   \
		int ret = REAL(name) args;                                                         \
                                                                                                   \
		wait_leave(&span, ret < 0 ? SPOOL_SYNC_MISS : SPOOL_SYNC_WAIT, 0);                 \
		return ret;                                                                        \
	}

ACCEPT(accept, (int fd, struct sockaddr *from, socklen_t *size), (fd, from, size))
ACCEPT(accept4, (int fd, struct sockaddr *from, socklen_t *size, int flags),
	(fd, from, size, flags))

/* Before a wait for any child: the helper is one where clone()'s children count as well. */
static void hide(int options, bool is_any)
{
	if (unlikely(options & (__WALL | __WCLONE)) && is_any)
		helper_leave();
}

#define CHILD(name, params, args, pid_asked, options)                                              \
	TACHO_WRAP(name)                                                                           \
	pid_t name params                                                                          \
	{                                                                                          \
		struct span span = wait_enter(REGION_##name, 0);                                   \
		int unasked, *status = asked ? asked : &unasked;                                   \
		pid_t ret = (hide(options, (pid_asked) == -1), REAL(name) args);                   \
                                                                                                   \
		child_killed(ret, signal_of(ret, status));                                         \
		wait_leave(&span, ret > 0 ? SPOOL_SYNC_WAIT : SPOOL_SYNC_MISS,                     \
			ret > 0 ? (uint64_t)ret : 0);                                              \
		return ret;                                                                        \
	}

CHILD(wait, (int *asked), (status), -1, 0)
CHILD(waitpid, (pid_t pid, int *asked, int options), (pid, status, options), pid, options)
CHILD(wait3, (int *asked, int options, struct rusage *usage), (status, options, usage), -1, options)
CHILD(wait4, (pid_t pid, int *asked, int options, struct rusage *usage),
	(pid, status, options, usage), pid, options)

TACHO_WRAP(waitid)
int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	struct span span = wait_enter(REGION_waitid, 0);
	int ret = (hide(options, type == P_ALL), REAL(waitid)(type, id, info, options));
	uint64_t pid = !ret && info ? (uint64_t)info->si_pid : 0;

	if (pid && (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED))
		child_killed(info->si_pid, info->si_status);
	wait_leave(&span, ret ? SPOOL_SYNC_MISS : SPOOL_SYNC_WAIT, pid);
	return ret;
}

/* Launchers end a job before they wait for the child for which they do it. */
TACHO_WRAP(kill)
int kill(pid_t pid, int signal)
{
	child_kills(signal);
	return (int)syscall(SYS_kill, pid, signal);
}

TACHO_WRAP(killpg)
int killpg(pid_t group, int signal)
{
	if (group < 0) {
		errno = EINVAL;
		return -1;
	}
	return kill(-group, signal);
}
