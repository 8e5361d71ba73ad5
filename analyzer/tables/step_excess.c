/* step_excess.c - see step_excess.h. */
#include "config.h"

#include <stdlib.h>

#include "model/states.h"
#include "tables/step_excess.h"
#include "tables/window_rank.h"

struct step_owner {
	int64_t own;
	size_t at;
};

static int compare_owners(const void *a, const void *b)
{
	const struct step_owner *x = a, *y = b;

	return x->own != y->own ? (x->own > y->own) - (x->own < y->own)
				: (x->at > y->at) - (x->at < y->at);
}

static int64_t captured(const struct window_rank *rank)
{
	return rank->here - host_absent(rank->spent);
}

bool step_is_captured(const struct window_rank *rank)
{
	return rank->any && (captured(rank) > 0 || !host_absent(rank->spent));
}

size_t step_excess_set(struct window_rank *ranks, size_t n)
{
	struct step_owner *owners = calloc(n + 1, sizeof(*owners));
	size_t there = 0, middle;

	for (size_t i = 0; owners && i < n; i++)
		if (step_is_captured(&ranks[i]))
			owners[there++] = (struct step_owner){
				captured(&ranks[i]) - ranks[i].waited, i
			};
	if (there > 1)
		qsort(owners, there, sizeof(*owners), compare_owners);
	middle = there > 1 ? (there - 2) / 2 : 0; /* of the others */
	for (size_t i = 0; i < there && there > 1; i++) {
		const struct step_owner *other = &owners[middle + (middle >= i)];

		ranks[owners[i].at].excess = owners[i].own - other->own;
		ranks[owners[i].at].against = (uint32_t)other->at;
	}
	free(owners);
	return there;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

void step_parts(const struct window_rank *rank, int64_t ns[PART_COUNT])
{
	int64_t wait = rank->spent[HOST_WAIT], slept = least(rank->slept, wait),
		sockets = least(rank->in_sockets, wait - slept),
		readers = least(rank->waited_readers, wait - slept - sockets);

	ns[PART_COMPUTE] = rank->spent[HOST_USEFUL];
	ns[PART_HOST] = ns[PART_QUEUE] = ns[PART_COPIES] = 0;
	ns[PART_CUDA] = rank->spent[HOST_CUDA];
	ns[PART_WAIT] = wait - slept - readers - sockets;
	ns[PART_OMP] = rank->spent[HOST_OMP_IDLE];
	ns[PART_IO] = rank->spent[HOST_IO] - rank->waited_io;
	ns[PART_LINK] = rank->spent[HOST_MPI] + rank->spent[HOST_GLOO] + sockets -
		(rank->waited - rank->waited_io);
	ns[PART_SLEEP] = slept;
	ns[PART_READERS] = readers;
}

int64_t parts_sum(const int64_t ns[PART_COUNT])
{
	int64_t sum = 0;

	for (int part = 0; part < PART_COUNT; part++)
		sum += ns[part];
	return sum;
}
