/*
 * merge_groups.c - process groups of which each member knows its own place only (PyTorch's):
 * members of a world with the same size and creation number, which is a hash of the group's name,
 * are one group, and send each other who is in it. Groups without a name (0) are put together by the
 * order in which each rank made its own, and by the order of ranks within them.
 */
#include "config.h"

#include <stddef.h>
#include <stdlib.h>

#include "base/log.h"
#include "merge/merge_model.h"

struct comm_member {
	struct spool_comm *comm;
	uint32_t world;
};

static int compare_members(const void *a, const void *b)
{
	const struct comm_member *x = a, *y = b;

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

static size_t members_gather(struct merge *m, struct comm_member *members)
{
	size_t n = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct process *p = &m->processes[i];

		for (uint32_t id = 1; p->spool && id < p->spool->comms.n; id++)
			if (is_member(p, &p->spool->comms.at[id])) {
				if (members)
					members[n] = (struct comm_member){ &p->spool->comms.at[id],
						p->world };
				n++;
			}
	}
	return n;
}

/* By rank, and the groups of each in the order in which it made them. */
static int compare_makers(const void *a, const void *b)
{
	const struct comm_member *x = a, *y = b;

	if (x->world != y->world)
		return x->world < y->world ? -1 : 1;
	if (x->comm->own != y->comm->own)
		return x->comm->own < y->comm->own ? -1 : 1;
	return (x->comm > y->comm) - (x->comm < y->comm);
}

/* The groups of one rank, and the first that is still to be numbered. */
struct rank_groups {
	struct comm_member *begin, *next, *end;
};

/* The first rank from `at` on whose next group is of this size, and which has this place in it. */
static struct rank_groups *line_find(struct rank_groups *at, const struct rank_groups *end,
	uint32_t size, uint32_t place)
{
	for (; at < end; at++)
		if (at->next < at->end && at->next->comm->def.size == size &&
			(uint32_t)at->next->comm->def.rank == place)
			return at;
	return NULL;
}

static struct rank_groups *line_take(struct rank_groups *at, uint32_t number)
{
	at->next++->comm->def.creation = number;
	return at;
}

/* Whether all others, of ascending ranks, have come to the group whose member 0 is next in `first`. */
static bool group_is_whole(struct rank_groups *first, const struct rank_groups *end)
{
	uint32_t size = first->next->comm->def.size;

	for (uint32_t place = 1; first && place < size; place++)
		first = line_find(first + 1, end, size, place);
	return first;
}

static void group_take(struct rank_groups *first, const struct rank_groups *end, uint32_t number)
{
	uint32_t size = first->next->comm->def.size;

	line_take(first, number);
	for (uint32_t place = 1; place < size; place++)
		first = line_take(line_find(first + 1, end, size, place), number);
}

/* What there is of the group that is next in `first`, in whatever order. */
static void group_take_rest(struct rank_groups *lines, const struct rank_groups *end,
	struct rank_groups *first, uint32_t number)
{
	uint32_t size = first->next->comm->def.size;

	for (uint32_t place = 0; place < size; place++) {
		struct rank_groups *found = line_find(lines, end, size, place);

		if (found)
			line_take(found, number);
	}
}

/* Those that are whole and whose member 0 made so many before it; returns the last number. */
static uint32_t level_number(struct rank_groups *lines, const struct rank_groups *end,
	ptrdiff_t level, uint32_t number)
{
	for (struct rank_groups *at = lines; at < end; at++)
		if (at->next < at->end && at->next - at->begin == level &&
			!at->next->comm->def.rank && group_is_whole(at, end))
			group_take(at, end, ++number);
	return number;
}

/*
 * Numbers the groups of a world's ranks: what was made first before what was made later, and where
 * none is whole what there is of one.
 */
static void lines_number(struct rank_groups *lines, const struct rank_groups *end)
{
	uint32_t number = 0, before;
	ptrdiff_t most = 0;

	for (const struct rank_groups *at = lines; at < end; at++)
		most = at->end - at->begin > most ? at->end - at->begin : most;
	do {
		before = number;
		for (ptrdiff_t level = 0; level < most; level++)
			number = level_number(lines, end, level, number);
		for (struct rank_groups *at = lines; number == before && at < end; at++)
			if (at->next < at->end)
				group_take_rest(lines, end, at, ++number);
	} while (number > before);
}

/* Gives numbers to those of a world that have no name. 0, or -1 without memory. */
static int nameless_number(struct comm_member *members, size_t n)
{
	struct rank_groups *lines = calloc(n + 1, sizeof(*lines)), *end = lines;

	for (size_t i = 0; lines && i < n; i++) {
		if (i && members[i].world != members[i - 1].world) {
			lines_number(lines, end);
			end = lines;
		}
		if (end == lines || members[i].comm->own != members[i - 1].comm->own)
			*end++ = (struct rank_groups){ .begin = members + i, .next = members + i };
		end[-1].end = members + i + 1;
	}
	if (lines)
		lines_number(lines, end);
	free(lines);
	return lines ? 0 : -1;
}

/* The same for all worlds; moves the members. */
static int nameless_find(struct comm_member *members, size_t n)
{
	size_t nameless = 0;

	for (size_t i = 0; i < n; i++)
		if (!members[i].comm->def.creation) {
			struct comm_member other = members[nameless];

			members[nameless++] = members[i];
			members[i] = other;
		}
	qsort(members, nameless, sizeof(*members), compare_makers);
	return nameless ? nameless_number(members, nameless) : 0;
}

static bool is_same(const struct comm_member *a, const struct comm_member *b)
{
	return a->world == b->world && a->comm->def.creation == b->comm->def.creation &&
		a->comm->def.size == b->comm->def.size;
}

/* The places of all of them, in `ranks`, which has a group's size; nobody where none was recorded. */
static void group_share(struct comm_member *members, size_t n, uint32_t *ranks)
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
static size_t group_end(const struct comm_member *members, size_t n, size_t first)
{
	size_t end = first + 1;

	while (end < n && is_same(&members[first], &members[end]))
		end++;
	return end;
}

static size_t groups_size(const struct comm_member *members, size_t n)
{
	size_t size = 0;

	for (size_t first = 0; first < n; first = group_end(members, n, first))
		size += members[first].comm->def.size;
	return size;
}

int merge_groups(struct merge *m)
{
	size_t n = members_gather(m, NULL), end, used = 0;
	struct comm_member *members = calloc(n + 1, sizeof(*members));

	if (members)
		members_gather(m, members);
	if (members && nameless_find(members, n) == 0) {
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
