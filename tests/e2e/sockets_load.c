/*
 * sockets_load.c - ranks (RANK, WORLD_SIZE) that send each other known numbers of bytes through
 * sockets of their own: sockets_load ADDRESS PORT FOLDER. Each pair has a port from PORT on;
 * ADDRESS has a %d where the node's number stands, which is the rank's. Ranks 0 and 1 also meet at a
 * socket of AF_UNIX in FOLDER. With "-" they do not, and have a step instead; on descriptor 2 is
 * "RANK NS ERROR": when it began, by the clock that all nodes share. Prints "FROM TO BYTES" of what it
 * has sent.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "tacho.h"

static char block[1 << 16];

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static size_t bytes_of(int from, int to)
{
	return 1000000 + 100000 * (size_t)from + 1000 * (size_t)to + 7;
}

/* Where the lower rank of a pair listens for the higher one. */
static struct sockaddr_in address_of(const char *format, int port, int low, int high)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)(port + 16 * low + high)) };
	char text[64];

	snprintf(text, sizeof(text), format, low + 1);
	if (inet_pton(AF_INET, text, &at.sin_addr) != 1)
		fail(text);
	return at;
}

static int listen_at(int family, const void *at, socklen_t size)
{
	int fd = socket(family, SOCK_STREAM, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (fd < 0 || bind(fd, at, size) < 0 || listen(fd, 8) < 0)
		fail("listen");
	return fd;
}

static int connect_to(int family, const void *at, socklen_t size)
{
	for (int tries = 0; tries < 500; tries++) {
		int fd = socket(family, SOCK_STREAM, 0);

		if (fd >= 0 && connect(fd, at, size) == 0)
			return fd;
		close(fd);
		usleep(20000);
	}
	fail("connect");
	return -1;
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
	struct sockaddr_un named = { .sun_family = AF_UNIX };
	size_t sent[16] = { 0 };

	if (argc < 4 || size > 16)
		return 2;
	snprintf(named.sun_path, sizeof(named.sun_path), "%s/named", argv[3]);
	for (int low = -1; low < size; low++)
		for (int high = low < 0 ? 1 : low + 1; high < (low < 0 ? 2 : size); high++) {
			struct sockaddr_in at = address_of(argv[1], atoi(argv[2]),
				low < 0 ? 0 : low, high);
			int family = low < 0 ? AF_UNIX : AF_INET, first = low < 0 ? 0 : low;
			const void *to = low < 0 ? (const void *)&named : (const void *)&at;
			socklen_t n = low < 0 ? sizeof(named) : sizeof(at);

			if ((low < 0 && strcmp(argv[3], "-") == 0) ||
				(rank != first && rank != high))
				continue;
			exchange(rank == first ? accept(listen_at(family, to, n), NULL, NULL)
					       : connect_to(family, to, n),
				rank, rank == first ? high : first);
			sent[rank == first ? high : first] += bytes_of(rank,
				rank == first ? high : first);
		}
	if (strcmp(argv[3], "-") == 0)
		step(rank);
	for (int peer = 0; peer < size; peer++)
		if (peer != rank)
			printf("%d|%d|%zu\n", rank, peer, sent[peer]);
	return 0;
}
