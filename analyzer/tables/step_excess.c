/* step_excess.c - see step_excess.h. */
#include "config.h"

#include <stdlib.h>

#include "model/states.h"
#include "tables/step_excess.h"
#include "tables/window_rank.h"

static int compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int64_t captured(const struct window_rank *rank)
{
	return rank->here - host_absent(rank->spent);
}

bool step_is_captured(const struct window_rank *rank)
{
	return rank->any && (captured(rank) > 0 || !host_absent(rank->spent));
}

static int64_t own_time(const struct window_rank *rank)
{
	return captured(rank) - rank->waited;
}

size_t step_excess_set(struct window_rank *ranks, size_t n)
{
	int64_t *own = calloc(n + 1, sizeof(*own));
	size_t there = 0, middle;

	for (size_t i = 0; own && i < n; i++)
		if (step_is_captured(&ranks[i]))
			own[there++] = own_time(&ranks[i]);
	if (there > 1)
		qsort(own, there, sizeof(*own), compare_ns);
	middle = there > 1 ? (there - 2) / 2 : 0; /* of the others */
	for (size_t i = 0; i < n && there > 1; i++)
		if (step_is_captured(&ranks[i])) {
			int64_t mine = own_time(&ranks[i]);

			ranks[i].excess = mine -
				(own[middle] < mine ? own[middle] : own[middle + 1]);
		}
	free(own);
	return there;
}
