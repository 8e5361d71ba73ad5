/*
 * spool_ranks.c - members of communicators as runs: any list comes back, equal ones are one, false
 * ones are refused.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spool/spool_ranks.h"

#define MOST 64

static int ntests, failed;

static void check(int ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++ntests, what);
	failed |= !ok;
}

/* A list of pieces: repeated, up, down, anything. Returns its length. */
static uint32_t list_make(uint32_t *list)
{
	uint32_t n = (uint32_t)rand() % MOST, at = 0;

	while (at < n) {
		uint32_t first = (uint32_t)rand() % 100, step = (uint32_t)(rand() % 5 - 2),
			 left = 1 + (uint32_t)rand() % 9;

		if (rand() % 4 == 0)
			first = UINT32_MAX;
		for (; left-- && at < n; first += step)
			list[at++] = first;
	}
	return n;
}

static int comes_back(void)
{
	struct spool_run runs[MOST / 2 + 1];
	uint32_t list[MOST];

	for (int i = 0; i < 20000; i++) {
		uint32_t n = list_make(list), nruns = runs_make(runs, list, n);
		const uint32_t *members = spool_ranks(runs, nruns, n);

		if (nruns > (n + 1) / 2 || !members ||
			memcmp(members, list, n * sizeof(*list)) != 0)
			return 0;
	}
	return 1;
}

static int world_is_one(void)
{
	static uint32_t world[8192];
	struct spool_run runs[4097], again[4097];
	uint32_t nruns;

	for (uint32_t i = 0; i < 8192; i++)
		world[i] = i;
	nruns = runs_make(runs, world, 8192);
	runs_make(again, world, 8192);
	return nruns == 1 && spool_ranks(runs, 1, 8192) == spool_ranks(again, 1, 8192);
}

static int lies_are_refused(void)
{
	struct spool_run all = { 0, 1, UINT32_MAX }, two[] = { { 0, 1, 4 }, { 9, 0, 3 } };

	return !spool_ranks(&all, 1, UINT32_MAX) && !spool_ranks(two, 2, 8) &&
		!spool_ranks(two, 1, 7) && spool_ranks(two, 2, 7);
}

static int groups_know_their_own(void)
{
	struct spool_run runs[] = { { UINT32_MAX, 0, 2 }, { 5, 0, 1 }, { UINT32_MAX, 0, 1 } };
	struct spool_def_comm comm = { .kind = COMM_GROUP, .rank = 2, .size = 4, .nruns = 3 };
	uint32_t own = 0, none = 0;
	const uint32_t *ranks = spool_group_ranks(&comm, runs, &own);

	comm.rank = 3;
	return ranks && ranks[2] == UINT32_MAX && own == 5 &&
		spool_group_ranks(&comm, runs, &none) == ranks && none == UINT32_MAX;
}

int main(void)
{
	srand(1);
	check(comes_back(), "20,000 lists come back as they were, in half as many runs at most");
	check(world_is_one(), "a world of 8,192 is one run, and one list for all ranks");
	check(lies_are_refused(), "sizes that the runs have not are refused");
	check(groups_know_their_own(), "of a group the process's own rank is known");
	printf("1..%d\n", ntests);
	return failed;
}
