/*
 * tries_load.c - two ranks (RANK) with connections by TCP. Rank 1 tries again and again to receive
 * from either of two though nothing is there, before rank 0 sends something; then it tries all ways to
 * move bytes where nothing is ready. Prints "CALL COUNT" of what rank 1 did,
 * "bytes N" that it received from rank 0, "failed N" of the tries. Ends with 1 where a try did anything
 * else than fail with EAGAIN.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { ROUNDS = 100, TRIES = 200, EACH = 2000, BROKEN = 50, MESSAGE = 8 };

static long failed;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* A try has returned `ret`, and shall have found nothing ready. */
static void tried(const char *what, long ret)
{
	if (ret != -1 || errno != EAGAIN)
		fail(what);
	failed++;
	errno = 0;
}

/* Rank 0 writes its port into the file `port`. */
static int listen_somewhere(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(at);
	FILE *file = fopen("port.new", "w");

	if (fd < 0 || !file || bind(fd, (struct sockaddr *)&at, size) < 0 || listen(fd, 8) < 0 ||
		getsockname(fd, (struct sockaddr *)&at, &size) < 0)
		fail("listen");
	fprintf(file, "%d\n", ntohs(at.sin_port));
	fclose(file);
	rename("port.new", "port");
	return fd;
}

static int port_wait(void)
{
	FILE *file;
	int port = 0;

	while (!(file = fopen("port", "r")))
		usleep(20000);
	if (fscanf(file, "%d", &port) != 1)
		fail("port");
	fclose(file);
	return port;
}

static int connect_to(int port)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0)
		fail("connect");
	return fd;
}

/* Rank 0 sends by the one and the other in turn, on request. */
static void answer(const int *data, int control)
{
	char message[MESSAGE] = { 0 };

	for (int i = 0; i < ROUNDS; i++)
		if (read(control, message, 1) != 1 ||
			send(data[i % 2], message, MESSAGE, 0) != MESSAGE)
			fail("answer");
}

static void ask(const int *data, int control)
{
	char message[MESSAGE];

	for (int i = 0; i < ROUNDS; i++) {
		for (int k = 0; k < TRIES; k++) {
			tried("recv", recv(data[0], message, MESSAGE, MSG_DONTWAIT));
			tried("recv", recv(data[1], message, MESSAGE, MSG_DONTWAIT));
		}
		if (write(control, message, 1) != 1 ||
			recv(data[i % 2], message, MESSAGE, MSG_WAITALL) != MESSAGE)
			fail("ask");
	}
	printf("bytes %d\n", ROUNDS * MESSAGE);
}

/* All that moves bytes, where there are none, or where there is no room for them. */
static void others(void)
{
	static char block[1 << 16];
	struct iovec part = { block, 1 };
	struct msghdr out = { .msg_iov = &part, .msg_iovlen = 1 }, in = out;
	struct mmsghdr many = { .msg_hdr = { .msg_iov = &part, .msg_iovlen = 1 } };
	int ends[2], empty[2], event = eventfd(0, EFD_NONBLOCK), fills = 0;
	eventfd_t value;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) < 0 ||
		pipe2(empty, O_NONBLOCK) < 0 || event < 0)
		fail("socketpair");
	while (write(ends[0], block, sizeof(block)) > 0)
		fills++;
	tried("write", -1);
	for (int i = 0; i < EACH; i++) {
		tried("write", write(ends[0], block, 1));
		tried("writev", writev(ends[0], &part, 1));
		tried("send", send(ends[0], block, 1, 0));
		tried("sendto", sendto(ends[0], block, 1, 0, NULL, 0));
		tried("sendmsg", sendmsg(ends[0], &out, 0));
		tried("read", read(ends[0], block, 1));
		tried("read", read(empty[0], block, 1));
		tried("readv", readv(ends[0], &part, 1));
		tried("recvfrom", recvfrom(ends[0], block, 1, 0, NULL, NULL));
		tried("recvmsg", recvmsg(ends[0], &in, 0));
		tried("recvmmsg", recvmmsg(ends[0], &many, 1, 0, NULL));
		tried("eventfd_read", eventfd_read(event, &value));
	}
	close(ends[1]);
	for (int i = 0; i < BROKEN; i++)
		if (sendmmsg(ends[0], &many, 1, MSG_NOSIGNAL) != -1 || errno != EPIPE)
			fail("sendmmsg");
	printf("eventfd_read %d\nread %d\nreadv %d\nrecv %d\nrecvfrom %d\nrecvmmsg %d\nrecvmsg %d\n"
	       "send %d\nsendmmsg %d\nsendmsg %d\nsendto %d\nwrite %d\nwritev %d\nfailed %ld\n",
		EACH, 2 * EACH, EACH, ROUNDS * (2 * TRIES + 1), EACH, EACH, EACH, EACH, BROKEN,
		EACH, EACH, fills + 1 + EACH + ROUNDS, EACH, failed);
}

int main(void)
{
	const char *number = getenv("RANK");
	int rank = number ? atoi(number) : -1, fds[3];
	int at = rank == 0 ? listen_somewhere() : rank == 1 ? port_wait() : -1;

	if (at < 0)
		return 2;
	for (int i = 0; i < 3; i++)
		if ((fds[i] = rank ? connect_to(at) : accept(at, NULL, NULL)) < 0)
			fail("accept");
	if (rank == 0)
		answer(fds, fds[2]);
	else
		ask(fds, fds[2]);
	if (rank == 1)
		others();
	return 0;
}
