/*
 * attach_socket.c - see attach_socket.h. A line of /proc/PID/net/tcp: number, local and remote address in
 * hexadecimal words of the machine's byte order, state, queues, timer, retransmissions, user, timeout, inode.
 */
#include "config.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "attach/attach_socket.h"
#include "core/proc_file.h"

#define WORD 8 /* digits */

/* "ADDRESS:PORT" of an address as the file has it. False: it is none. */
static bool address_text(const char *digits, char *text, size_t size)
{
	uint32_t words[4];
	char name[INET6_ADDRSTRLEN];
	unsigned n = 0, port;

	while (n < 4 && sscanf(digits + n * WORD, "%8" SCNx32, &words[n]) == 1) {
		n++;
		if (digits[n * WORD] == ':')
			break;
	}
	if ((n != 1 && n != 4) || sscanf(digits + n * WORD, ":%4x", &port) != 1)
		return false;
	if (n == 4 && !words[0] && !words[1] && words[2] == htonl(0xffff))
		inet_ntop(AF_INET, &words[3], name, sizeof(name));
	else
		inet_ntop(n == 1 ? AF_INET : AF_INET6, words, name, sizeof(name));
	snprintf(text, size, strchr(name, ':') ? "[%s]:%u" : "%s:%u", name, port);
	return true;
}

static bool line_is(const char *line, uint64_t inode, char *text, size_t size)
{
	char local[48], remote[48], ends[2][64];
	uint64_t found;

	if (sscanf(line, "%*d: %47s %47s %*s %*s %*s %*s %*s %*s %" SCNu64, local, remote,
		    &found) != 3 ||
		found != inode || !address_text(local, ends[0], sizeof(ends[0])) ||
		!address_text(remote, ends[1], sizeof(ends[1])))
		return false;
	snprintf(text, size, "socket:tcp %s - %s", ends[0], ends[1]);
	return true;
}

bool socket_name(uint64_t inode, char *text, size_t size)
{
	static const char *const files[] = { "/proc/self/net/tcp", "/proc/self/net/tcp6" };

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *lines = file_text_once(files[i]);

		for (const char *line = lines ? lines : ""; *line; line = line_next(line))
			if (line_is(line, inode, text, size))
				return true;
	}
	return false;
}
