/*
 * sockets_load.c - ranks (RANK, WORLD_SIZE) that send each other known numbers of bytes through
 * sockets of their own: sockets_load ADDRESS FOLDER [step]. The lower of a pair listens where there is
 * a port, and writes in FOLDER which; ADDRESS has a %d where the node's number stands, which is the
 * rank's. Ranks 0 and 1 also meet at a socket of AF_UNIX in FOLDER. With a third argument they do not,
 * and have a step instead; on descriptor 2 is "RANK NS ERROR": when it began, by the clock that all
 * nodes share. Prints "FROM TO BYTES" of what it has sent.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "port.h"
#include "tacho.h"

static char block[1 << 16];

static size_t bytes_of(int from, int to)
{
	return 1000000 + 100000 * (size_t)from + 1000 * (size_t)to + 7;
}

/* Where the lower rank of a pair listens for the higher one, at whatever port. */
static struct sockaddr_in address_of(const char *format, int low)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	char text[64];

	snprintf(text, sizeof(text), format, low + 1);
	if (inet_pton(AF_INET, text, &at.sin_addr) != 1)
		fail(text);
	return at;
}

static int connect_to(int family, const void *at, socklen_t size)
{
	for (int tries = 0; tries < TRIES; tries++) {
		int fd = socket(family, SOCK_STREAM, 0);

		if (fd >= 0 && connect(fd, at, size) == 0)
			return fd;
		close(fd);
		usleep(20000);
	}
	fail("connect");
	return -1;
}

static int unix_end(int rank, const char *folder)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd;

	snprintf(at.sun_path, sizeof(at.sun_path), "%s/named", folder);
	if (rank != 0)
		return connect_to(AF_UNIX, &at, sizeof(at));
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	if (fd < 0 || bind(fd, (void *)&at, sizeof(at)) < 0 || listen(fd, 8) < 0)
		fail("listen");
	return accept(fd, NULL, NULL);
}

static int tcp_end(bool listens, struct sockaddr_in at, const char *folder, int low, int high)
{
	char path[300];

	snprintf(path, sizeof(path), "%s/port.%d.%d", folder, low, high);
	if (listens)
		return accept(port_listen(&at, path), NULL, NULL);
	port_wait(&at, path);
	return connect_to(AF_INET, &at, sizeof(at));
}

static void send_all(int fd, size_t n)
{
	for (ssize_t done; n; n -= (size_t)done) {
		done = write(fd, block, n < sizeof(block) ? n : sizeof(block));
		if (done <= 0)
			fail("write");
	}
}

static void receive_all(int fd, size_t n)
{
	for (ssize_t done; n; n -= (size_t)done) {
		done = recv(fd, block, n < sizeof(block) ? n : sizeof(block), 0);
		if (done <= 0)
			fail("recv");
	}
}

/* The lower rank sends first. */
static void exchange(int fd, int rank, int peer)
{
	for (int turn = 0; turn < 2; turn++)
		if ((turn == 0) == (rank < peer))
			send_all(fd, bytes_of(rank, peer));
		else
			receive_all(fd, bytes_of(peer, rank));
	close(fd);
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void step(int rank)
{
	long long before = now_ns(), after;

	tacho_step_begin(0);
	after = now_ns();
	tacho_step_end(0);
	fprintf(stderr, "%d %lld %lld\n", rank, before, after - before);
}

int main(int argc, char **argv)
{
	int rank = atoi(getenv("RANK")), size = atoi(getenv("WORLD_SIZE"));
	size_t sent[16] = { 0 };

	if (argc < 3 || size > 16)
		return 2;
	if (argc == 3 && rank < 2) {
		exchange(unix_end(rank, argv[2]), rank, !rank);
		sent[!rank] += bytes_of(rank, !rank);
	}
	for (int low = 0; low < size; low++)
		for (int high = low + 1; high < size; high++) {
			int peer = rank == low ? high : low;

			if (rank != low && rank != high)
				continue;
			exchange(tcp_end(rank == low, address_of(argv[1], low), argv[2], low, high),
				rank, peer);
			sent[peer] += bytes_of(rank, peer);
		}
	if (argc > 3)
		step(rank);
	for (int peer = 0; peer < size; peer++)
		if (peer != rank)
			printf("%d|%d|%zu\n", rank, peer, sent[peer]);
	return 0;
}
