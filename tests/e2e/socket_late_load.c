/*
 * socket_late_load.c - two ranks (RANK 0 and 1) joined by a socket: socket_late_load tcp|unix FOLDER [thread].
 * In each of STEPS rank 1 sleeps, then sends BYTES, for which rank 0 waits
 * in one of WAYS. Then rank 0 sends one byte back. It prints "LEAST MOST", in ns: for how long it can
 * have waited, in all steps, until rank 1 began to send. With a third argument a thread of its own
 * receives all, and there are no steps.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "port.h"
#include "tacho.h"

enum way { RECV, WAIT_ALL, POLL, SELECT, EPOLL, WAYS };
enum { STEPS = 2 * WAYS, BYTES = 300000, SLEEP_MS = 20 };

static char block[BYTES];

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* What this thread has waited for a core so far, in ns. */
static long long delay_ns(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "r");
	long long ran = 0, waited = 0;

	if (file && fscanf(file, "%lld %lld", &ran, &waited) != 2)
		waited = 0;
	if (file)
		fclose(file);
	return waited;
}

static int unix_end(int rank, const char *folder)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/late", folder);
	if (rank == 0) {
		if (bind(fd, (void *)&at, sizeof(at)) < 0 || listen(fd, 1) < 0)
			fail("listen");
		return accept(fd, NULL, NULL);
	}
	for (int i = 0; i < TRIES && connect(fd, (void *)&at, sizeof(at)) < 0; i++)
		usleep(20000);
	return fd;
}

static int tcp_end(int rank, const char *folder)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "%s/port", folder);
	if (rank == 0)
		return accept(port_listen(&at, path), NULL, NULL);
	port_wait(&at, path);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(fd, (void *)&at, sizeof(at)) < 0)
		fail("connect");
	return fd;
}

static void until_ready(int fd, enum way way)
{
	static int epoll = -1;
	struct epoll_event event = { .events = EPOLLIN };
	struct pollfd one = { .fd = fd, .events = POLLIN };
	fd_set set;

	FD_ZERO(&set);
	FD_SET(fd, &set);
	if (way == POLL)
		poll(&one, 1, -1);
	if (way == SELECT)
		select(fd + 1, &set, NULL, NULL, NULL);
	if (way != EPOLL)
		return;
	if (epoll < 0) {
		epoll = epoll_create1(0);
		epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	}
	epoll_wait(epoll, &event, 1, -1);
}

static void receive(int fd, void *to, size_t n, int flags)
{
	for (ssize_t done; n; n -= (size_t)done, to = (char *)to + done) {
		done = recv(fd, to, n, flags);
		if (done <= 0)
			fail("recv");
	}
}

static void send_all(int fd, const void *from, size_t n)
{
	for (ssize_t done; n; n -= (size_t)done, from = (const char *)from + done) {
		done = send(fd, from, n, 0);
		if (done <= 0)
			fail("send");
	}
}

static sem_t wanted, there;
static long long receiver_delayed;

/* Receives each block when it is wanted. */
static void *receiver(void *fd)
{
	for (int i = 0; i < STEPS; i++) {
		sem_wait(&wanted);
		receive(*(int *)fd, block, sizeof(block), 0);
		receiver_delayed = delay_ns();
		sem_post(&there);
	}
	return NULL;
}

static long long positive(long long ns)
{
	return ns > 0 ? ns : 0;
}

int main(int argc, char **argv)
{
	int rank = atoi(getenv("RANK")), fd, marks = argc == 3;
	pthread_t thread;
	long long least = 0, most = 0;

	if (argc < 3)
		return 2;
	fd = strcmp(argv[1], "tcp") ? unix_end(rank, argv[2]) : tcp_end(rank, argv[2]);
	if (!marks && rank == 0 && pthread_create(&thread, NULL, receiver, &fd) != 0)
		fail("pthread_create");
	for (int i = 0; i < STEPS; i++) {
		long long sent[2] = { 0 }, asked, delayed, answered;
		char byte = 0;

		if (marks)
			tacho_step_begin(i);
		if (rank == 1) {
			usleep(SLEEP_MS * 1000);
			sent[0] = now_ns();
			send_all(fd, block, sizeof(block));
			sent[1] = now_ns();
			receive(fd, &byte, 1, 0);
			send_all(fd, sent, sizeof(sent));
			if (marks)
				tacho_step_end(0);
			continue;
		}
		delayed = delay_ns();
		asked = now_ns();
		if (marks) {
			until_ready(fd, i % WAYS);
			receive(fd, block, sizeof(block), i % WAYS == WAIT_ALL ? MSG_WAITALL : 0);
		} else {
			delayed += receiver_delayed;
			sem_post(&wanted);
			sem_wait(&there);
			delayed -= receiver_delayed;
		}
		delayed = delay_ns() - delayed;
		answered = now_ns();
		send_all(fd, &byte, 1);
		receive(fd, sent, sizeof(sent), MSG_WAITALL);
		if (marks)
			tacho_step_end(0);
		least += positive(sent[0] - asked - delayed);
		most += positive(sent[1] - asked) + now_ns() - answered;
	}
	if (rank == 0)
		printf("%lld %lld\n", least, most);
	close(fd);
	return 0;
}
