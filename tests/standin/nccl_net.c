/*
 * nccl_net.c - sockets of the stand-in for NCCL: where ranks meet, a
 * connection between each two, and the exchange that everything is made of.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nccl_standin.h"

struct hello {
	int rank, size;
	struct address address; /* of a meeting */
	int is_control;		/* of a mesh */
};

/* The node's address that others reach; NCCL_SOCKET_IFNAME chooses by its beginning. */
static uint32_t own_ip(void)
{
	const char *wanted = getenv("NCCL_SOCKET_IFNAME");
	uint32_t found = htonl(INADDR_LOOPBACK);
	struct ifaddrs *all;

	if (getifaddrs(&all) < 0)
		return found;
	for (struct ifaddrs *i = all; i; i = i->ifa_next) {
		if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || !(i->ifa_flags & IFF_UP))
			continue;
		if (wanted ? strncmp(i->ifa_name, wanted, strlen(wanted)) != 0
			   : (i->ifa_flags & IFF_LOOPBACK) != 0)
			continue;
		found = ((struct sockaddr_in *)(void *)i->ifa_addr)->sin_addr.s_addr;
		break;
	}
	freeifaddrs(all);
	return found;
}

int net_listen(struct address *address)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = own_ip() };
	socklen_t size = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, size) < 0 || listen(fd, 128) < 0 ||
		getsockname(fd, (struct sockaddr *)&at, &size) < 0) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	*address = (struct address){ at.sin_addr.s_addr, at.sin_port, 0 };
	return fd;
}

static int move_all(int fd, void *data, size_t n, bool out)
{
	char *at = data;

	while (n) {
		ssize_t k = out ? send(fd, at, n, MSG_NOSIGNAL) : recv(fd, at, n, 0);

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return -1;
		at += k;
		n -= (size_t)k;
	}
	return 0;
}

static int net_connect(const struct address *address)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = address->ip,
		.sin_port = address->port };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof(at)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Collects the addresses of all ranks and sends all of them to all. */
static void *meeting_run(void *arg)
{
	int listener = (int)(intptr_t)arg, size = 0, *fds = NULL;
	struct address *all = NULL;
	struct hello hello;

	for (int n = 0; n < (size ? size : 1); n++) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0 || move_all(fd, &hello, sizeof(hello), false) < 0)
			break;
		if (!size) {
			size = hello.size;
			fds = malloc((size_t)size * sizeof(*fds));
			all = calloc((size_t)size, sizeof(*all));
		}
		fds[hello.rank] = fd;
		all[hello.rank] = hello.address;
		for (int i = 0; n == size - 1 && i < size; i++) {
			move_all(fds[i], all, (size_t)size * sizeof(*all), true);
			close(fds[i]);
		}
	}
	close(listener);
	free(fds);
	free(all);
	return NULL;
}

int net_meeting_start(struct address *address)
{
	int listener = net_listen(address);
	pthread_t thread;

	if (listener < 0)
		return -1;
	if (pthread_create(&thread, NULL, meeting_run, (void *)(intptr_t)listener)) {
		close(listener);
		return -1;
	}
	return pthread_detach(thread) ? -1 : 0;
}

int net_meet(const struct address *meeting, int rank, int size, const struct address *own,
	struct address *all)
{
	struct hello hello = { .rank = rank, .size = size, .address = *own };
	int fd = net_connect(meeting), ret = -1;

	if (fd < 0)
		return -1;
	if (move_all(fd, &hello, sizeof(hello), true) == 0)
		ret = move_all(fd, all, (size_t)size * sizeof(*all), false);
	close(fd);
	return ret;
}

static void socket_set(int fd)
{
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	fcntl(fd, F_SETFL, O_NONBLOCK);
}

/* Higher ranks connect to lower ones, so no circle of waits arises: the backlog holds them. */
int net_mesh(struct ncclComm *comm, int listener, const struct address *all)
{
	struct hello hello = { .rank = comm->rank };

	comm->data = malloc((size_t)comm->size * sizeof(int));
	comm->control = malloc((size_t)comm->size * sizeof(int));
	for (int i = 0; i < comm->size; i++)
		comm->data[i] = comm->control[i] = -1;
	for (int i = 0; i < comm->rank; i++)
		for (hello.is_control = 0; hello.is_control < 2; hello.is_control++) {
			int fd = net_connect(&all[i]);

			if (fd < 0 || move_all(fd, &hello, sizeof(hello), true) < 0)
				return -1;
			socket_set(fd);
			(hello.is_control ? comm->control : comm->data)[i] = fd;
		}
	for (int n = 2 * (comm->size - 1 - comm->rank); n > 0; n--) {
		int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0 || move_all(fd, &hello, sizeof(hello), false) < 0)
			return -1;
		socket_set(fd);
		(hello.is_control ? comm->control : comm->data)[hello.rank] = fd;
	}
	return 0;
}

/* The first part with a rank that is not through: a socket keeps the order. */
static struct part *part_next(struct part *parts, int n, int peer)
{
	for (int i = 0; i < n; i++)
		if (parts[i].peer == peer && parts[i].left)
			return &parts[i];
	return NULL;
}

static int part_move(struct ncclComm *comm, struct part *part, int fd, bool out)
{
	size_t most;
	ssize_t k;

	proxy_moves(comm, part->peer, out, fd, part->left);
	most = out ? link_allows(comm, part->peer, part->left) : part->left;
	if (!most)
		return 0;
	k = out ? send(fd, part->at, most, MSG_NOSIGNAL) : recv(fd, part->at, most, 0);

	if (k < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (k <= 0)
		return -1;
	part->at += k;
	part->left -= (size_t)k;
	proxy_moved(comm, part->peer, out, (size_t)k, part->left);
	return 0;
}

/* What a rank sends to itself: the i-th send is the i-th receive. */
static void exchange_own(struct ncclComm *comm, struct part *sends, int nsends,
	struct part *receives, int nreceives)
{
	struct part *from, *to;

	while ((from = part_next(sends, nsends, comm->rank)) &&
		(to = part_next(receives, nreceives, comm->rank))) {
		memmove(to->at, from->at, from->left);
		from->left = to->left = 0;
	}
}

int net_exchange(struct ncclComm *comm, const int *sockets, struct part *sends, int nsends,
	struct part *receives, int nreceives)
{
	struct pollfd *fds = calloc((size_t)comm->size, sizeof(*fds));
	int ret = fds ? 0 : -1;

	exchange_own(comm, sends, nsends, receives, nreceives);
	while (ret == 0) {
		int n = 0;

		for (int i = 0; i < comm->size; i++) {
			fds[i].fd = -1;
			fds[i].events = (short)((part_next(sends, nsends, i) ? POLLOUT : 0) |
				(part_next(receives, nreceives, i) ? POLLIN : 0));
			if (!fds[i].events)
				continue;
			fds[i].fd = sockets[i];
			n++;
		}
		if (!n || atomic_load(&comm->aborted)) {
			ret = n ? -1 : 0;
			break;
		}
		if (poll(fds, (nfds_t)comm->size, 100) < 0 && errno != EINTR)
			ret = -1;
		for (int i = 0; i < comm->size && ret == 0; i++) {
			if (fds[i].fd >= 0 && fds[i].revents & POLLOUT)
				ret = part_move(comm, part_next(sends, nsends, i), fds[i].fd, true);
			if (ret == 0 && fds[i].fd >= 0 && fds[i].revents & (POLLIN | POLLHUP) &&
				part_next(receives, nreceives, i))
				ret = part_move(comm, part_next(receives, nreceives, i), fds[i].fd,
					false);
			if (fds[i].fd >= 0 && fds[i].revents & (POLLERR | POLLNVAL))
				ret = -1;
		}
	}
	free(fds);
	return ret;
}

int net_gather_all(struct ncclComm *comm, const void *own, void *all, size_t n)
{
	struct part *parts = calloc(2 * (size_t)comm->size, sizeof(*parts));
	int ret;

	if (!parts)
		return -1;
	for (int i = 0; i < comm->size; i++) {
		parts[i] = (struct part){ i, (char *)own, n };
		parts[comm->size + i] = (struct part){ i, (char *)all + (size_t)i * n, n };
	}
	ret = net_exchange(comm, comm->control, parts, comm->size, parts + comm->size, comm->size);
	free(parts);
	return ret;
}

void net_close(struct ncclComm *comm)
{
	for (int i = 0; comm->data && comm->control && i < comm->size; i++) {
		if (comm->data[i] >= 0)
			close(comm->data[i]);
		if (comm->control[i] >= 0)
			close(comm->control[i]);
	}
	free(comm->data);
	free(comm->control);
	comm->data = comm->control = NULL;
}
