/*
 * merge_groups.c - process groups of which each member knows its own place only (PyTorch's):
 * members of a world with the same size and creation number are one group, and send each other
 * who is in it.
 */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "merge/merge_model.h"

struct member {
	struct spool_comm *comm;
	uint32_t world;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->world != y->world)
		return x->world < y->world ? -1 : 1;
	if (x->comm->def.creation != y->comm->def.creation)
		return x->comm->def.creation < y->comm->def.creation ? -1 : 1;
	if (x->comm->def.size != y->comm->def.size)
		return x->comm->def.size < y->comm->def.size ? -1 : 1;
	return (x->comm->def.rank > y->comm->def.rank) - (x->comm->def.rank < y->comm->def.rank);
}

static bool is_member(const struct process *p, const struct spool_comm *c)
{
	return p->in_world && c->ranks && c->def.kind == COMM_GROUP && c->def.rank >= 0 &&
		(uint32_t)c->def.rank < c->def.size;
}

static size_t members_gather(struct merge *m, struct member *members)
{
	size_t n = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];

		for (uint32_t id = 1; p->spool && id < p->spool->comms.n; id++)
			if (is_member(p, &p->spool->comms.at[id])) {
				if (members)
					members[n] = (struct member){ &p->spool->comms.at[id],
						p->world };
				n++;
			}
	}
	return n;
}

static bool is_same(const struct member *a, const struct member *b)
{
	return a->world == b->world && a->comm->def.creation == b->comm->def.creation &&
		a->comm->def.size == b->comm->def.size;
}

/* The places of all of them, in `ranks`, which has a group's size; nobody where none was recorded. */
static void group_share(struct member *members, size_t n, uint32_t *ranks)
{
	for (uint32_t i = 0; i < members->comm->def.size; i++)
		ranks[i] = UINT32_MAX;
	for (size_t i = 0; i < n; i++) {
		uint32_t place = (uint32_t)members[i].comm->def.rank;

		ranks[place] = members[i].comm->own;
	}
	for (size_t i = 0; i < n; i++)
		members[i].comm->ranks = ranks;
}

/* The end of the group that begins at `first`. */
static size_t group_end(const struct member *members, size_t n, size_t first)
{
	size_t end = first + 1;

	while (end < n && is_same(&members[first], &members[end]))
		end++;
	return end;
}

static size_t groups_size(const struct member *members, size_t n)
{
	size_t size = 0;

	for (size_t first = 0; first < n; first = group_end(members, n, first))
		size += members[first].comm->def.size;
	return size;
}

int merge_groups(struct merge *m)
{
	size_t n = members_gather(m, NULL), end, used = 0;
	struct member *members = calloc(n + 1, sizeof(*members));

	if (members) {
		members_gather(m, members);
		qsort(members, n, sizeof(*members), compare_members);
		m->group_ranks = malloc(sizeof(uint32_t) * (groups_size(members, n) + 1));
	}
	for (size_t first = 0; m->group_ranks && first < n; first = end) {
		end = group_end(members, n, first);
		group_share(members + first, end - first, m->group_ranks + used);
		used += members[first].comm->def.size;
	}
	free(members);
	if (!m->group_ranks)
		log_error("out of memory");
	return m->group_ranks ? 0 : -1;
}
