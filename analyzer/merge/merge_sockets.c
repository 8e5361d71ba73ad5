/*
 * merge_sockets.c - the ends of connections between recorded processes: two sockets of which each
 * has the other's addresses. Addresses of the loopback mean something on their node only. Where a
 * pair of ports was used again, the later socket belongs to the later one.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/merge_model.h"

struct socket_end {
	char from[72], to[72]; /* the ends, with their node where they are of the loopback */
	uint64_t inode;	       /* they are numbered as they are made */
	uint32_t file;
	bool udp;
};

static bool is_loopback(const char *address)
{
	return strncmp(address, "127.", 4) == 0 || strncmp(address, "[::1]", 5) == 0;
}

static bool end_read(const struct merge *m, uint32_t file, struct socket_end *end)
{
	char protocol[8], local[64], remote[64], node[16] = "";
	unsigned long long inode = 0;

	if (!m->files[file].socket ||
		sscanf(m->files[file].socket, "%7s %63s %63s", protocol, local, remote) != 3)
		return false;
	sscanf(m->files[file].path, "socket:[%llu]", &inode);
	if (is_loopback(local) || is_loopback(remote))
		snprintf(node, sizeof(node), "@%u", m->files[file].node);
	*end = (struct socket_end){ .file = file, .inode = inode, .udp = protocol[0] == 'u' };
	snprintf(end->from, sizeof(end->from), "%.55s%s", local, node);
	snprintf(end->to, sizeof(end->to), "%.55s%s", remote, node);
	return true;
}

static int compare_addresses(const struct socket_end *a, const char *from, const char *to, bool udp)
{
	int order = strcmp(a->from, from);

	if (!order)
		order = strcmp(a->to, to);
	return order ? order : a->udp - udp;
}

static int compare_ends(const void *a, const void *b)
{
	const struct socket_end *x = a, *y = b;
	int order = compare_addresses(x, y->from, y->to, y->udp);

	return order ? order : (x->inode > y->inode) - (x->inode < y->inode);
}

/* The first end that has these addresses; n: there is none. */
static size_t end_find(const struct socket_end *ends, size_t n, const char *from, const char *to,
	bool udp)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare_addresses(&ends[middle], from, to, udp) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < n && compare_addresses(&ends[low], from, to, udp) == 0 ? low : n;
}

static void ends_pair(struct merge *m, const struct socket_end *ends, size_t n)
{
	for (size_t i = 0, nth = 0; i < n; i++) {
		size_t other = end_find(ends, n, ends[i].to, ends[i].from, ends[i].udp);

		nth = i &&
				compare_addresses(&ends[i - 1], ends[i].from, ends[i].to,
					ends[i].udp) == 0
			? nth + 1
			: 0;
		if (other + nth < n &&
			compare_addresses(&ends[other + nth], ends[i].to, ends[i].from,
				ends[i].udp) == 0)
			m->files[ends[i].file].other = ends[other + nth].file;
	}
}

int merge_sockets(struct merge *m)
{
	struct socket_end *ends;
	size_t n = 0;

	for (uint32_t i = 0; i < m->nfiles; i++)
		n += m->files[i].socket != NULL;
	ends = malloc((n + 1) * sizeof(*ends));
	if (!ends) {
		log_error("out of memory");
		return -1;
	}
	n = 0;
	for (uint32_t i = 0; i < m->nfiles; i++)
		n += end_read(m, i, &ends[n]);
	qsort(ends, n, sizeof(*ends), compare_ends);
	ends_pair(m, ends, n);
	free(ends);
	return 0;
}
