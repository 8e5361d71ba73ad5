/*
 * collector_waits.c - a main thread that blocks for 200 ms in a read that is no storage, one way
 * per first argument; "file" writes and reads a file instead. Exit status 77: not possible here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "tacho.h"

#define WAIT_US 200000

static int other = -1; /* the file that the other thread writes to after a while */
static char path[4096];

static void *writes_late(void *arg)
{
	uint64_t one = 1;

	(void)arg;
	usleep(WAIT_US);
	if (other < 0)
		other = open(path, O_WRONLY | O_CREAT, 0600);
	return write(other, other >= 0 ? (void *)&one : NULL, sizeof(one)) == sizeof(one) ? path
											  : NULL;
}

/* Reads while another thread writes to `to` (-1: opens the path and writes). */
static int read_other(int from, int to)
{
	pthread_t thread;
	char buf[4096];
	ssize_t n;

	other = to;
	if (pthread_create(&thread, NULL, writes_late, NULL))
		return 1;
	if (from < 0)
		from = open(path, O_RDONLY);
	n = read(from, buf, sizeof(buf));
	pthread_join(thread, NULL);
	return n <= 0;
}

static int wait_eventfd(void)
{
	int fd = eventfd(0, 0);

	return read_other(fd, fd);
}

static int wait_timerfd(void)
{
	struct itimerspec t = { .it_value = { .tv_nsec = WAIT_US * 1000L } };
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);
	uint64_t n;

	timerfd_settime(fd, 0, &t, NULL);
	return read(fd, &n, sizeof(n)) != sizeof(n);
}

static int wait_signalfd(void)
{
	struct itimerval t = { .it_value = { .tv_usec = WAIT_US } };
	struct signalfd_siginfo info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
	return read(signalfd(-1, &set, 0), &info, sizeof(info)) != sizeof(info);
}

static int wait_inotify(void)
{
	int fd = inotify_init1(0);

	snprintf(path, sizeof(path), "%s/new", getenv("TMPDIR"));
	return inotify_add_watch(fd, getenv("TMPDIR"), IN_CREATE) < 0 || read_other(fd, -1);
}

static int wait_fifo(void)
{
	snprintf(path, sizeof(path), "%s/fifo", getenv("TMPDIR"));
	return mkfifo(path, 0600) < 0 || read_other(-1, -1);
}

static int wait_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY), slave;

	if (master < 0 || grantpt(master) || unlockpt(master))
		return 77;
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	return slave < 0 ? 77 : read_other(master, slave);
}

/* Nobody writes to it: the read ends without data. */
static int wait_netlink(void)
{
	struct sockaddr_nl name = { .nl_family = AF_NETLINK };
	struct timeval t = { .tv_usec = WAIT_US };
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	char c;

	if (fd < 0 || bind(fd, (struct sockaddr *)&name, sizeof(name)))
		return 77;
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	return read(fd, &c, 1) >= 0;
}

/* Waits for a child twice: it writes, and it ends, well after the news that this was read. */
static int wait_hangup(void)
{
	struct pollfd from = { .events = POLLIN };
	int ends[2], back[2];
	char c;

	if (pipe(ends) || pipe(back))
		return 1;
	switch (fork()) {
	case -1: return 1;
	case 0:
		usleep(WAIT_US / 4);
		if (write(ends[1], "x", 1) != 1 || read(back[0], &c, 1) != 1)
			_exit(1);
		usleep(WAIT_US);
		_exit(0);
	}
	from.fd = ends[0];
	close(ends[1]);
	return poll(&from, 1, -1) != 1 || read(ends[0], &c, 1) != 1 || write(back[1], &c, 1) != 1 ||
		poll(&from, 1, -1) != 1;
}

/* The counterpart: enough writing that its state is I/O. */
static int wait_file(void)
{
	char *buf = calloc(1, 1 << 20);
	int fd;

	snprintf(path, sizeof(path), "%s/file", getenv("TMPDIR"));
	fd = open(path, O_RDWR | O_CREAT, 0600);
	for (int i = 0; i < 64; i++)
		if (pwrite(fd, buf, 1 << 20, 0) < 0 || pread(fd, buf, 1 << 20, 0) < 0)
			return 1;
	free(buf);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} waits[] = {
		{ "eventfd", wait_eventfd },
		{ "hangup", wait_hangup },
		{ "timerfd", wait_timerfd },
		{ "signalfd", wait_signalfd },
		{ "inotify", wait_inotify },
		{ "FIFO", wait_fifo },
		{ "terminal", wait_terminal },
		{ "netlink", wait_netlink },
		{ "file", wait_file },
	};
	int ret = 2;

	tacho_phase_begin("train");
	for (size_t i = 0; argc > 1 && i < sizeof(waits) / sizeof(*waits); i++)
		if (!strcmp(argv[1], waits[i].name))
			ret = waits[i].run();
	tacho_phase_end();
	return ret;
}
