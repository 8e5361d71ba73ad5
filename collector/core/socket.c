/*
 * socket.c - the other end of a socket: both addresses of a connection, or for AF_UNIX the process,
 * as the kernel reports them.
 */
#include "config.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/handle.h"
#include "core/define.h"
#include "core/process.h"

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_storage room;
};

/* "ADDRESS:PORT"; an IPv4 address is written so in whichever family it comes. False: another one. */
static bool address_text(const union address *address, char *text, size_t size)
{
	static const unsigned char mapped[12] = { [10] = 0xff, [11] = 0xff };
	const unsigned char *six = address->v6.sin6_addr.s6_addr;
	char name[INET6_ADDRSTRLEN];
	unsigned port;

	if (address->any.sa_family == AF_INET) {
		inet_ntop(AF_INET, &address->v4.sin_addr, name, sizeof(name));
		port = ntohs(address->v4.sin_port);
	} else if (address->any.sa_family == AF_INET6) {
		if (memcmp(six, mapped, sizeof(mapped)) == 0)
			inet_ntop(AF_INET, six + sizeof(mapped), name, sizeof(name));
		else
			inet_ntop(AF_INET6, six, name, sizeof(name));
		port = ntohs(address->v6.sin6_port);
	} else {
		return false;
	}
	snprintf(text, size, strchr(name, ':') ? "[%s]:%u" : "%s:%u", name, port);
	return true;
}

static bool unix_text(int fd, char *text, size_t size)
{
	struct ucred peer = { 0 };
	socklen_t n = sizeof(peer);

	if (syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) < 0 || peer.pid <= 0)
		return false;
	snprintf(text, size, "unix %d", (int)peer.pid);
	return true;
}

void socket_define(uint32_t handle, int fd)
{
	union address ends[2];
	char local[64], remote[64], text[160];
	socklen_t n[] = { sizeof(ends[0]), sizeof(ends[1]) }, ntype = sizeof(int);
	int type = 0;

	if (syscall(SYS_getsockname, fd, &ends[0], &n[0]) < 0 ||
		syscall(SYS_getpeername, fd, &ends[1], &n[1]) < 0)
		return; /* it listens, or is not connected */
	if (ends[0].any.sa_family == AF_UNIX) {
		if (!unix_text(fd, text, sizeof(text)))
			return;
	} else {
		if (!address_text(&ends[0], local, sizeof(local)) ||
			!address_text(&ends[1], remote, sizeof(remote)) ||
			syscall(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &ntype) < 0)
			return;
		snprintf(text, sizeof(text), "%s %s %s", type == SOCK_STREAM ? "tcp" : "udp", local,
			remote);
	}
	process_define(&(struct def){ .type = DEF_SOCKET, .id = handle, .text = text });
}
