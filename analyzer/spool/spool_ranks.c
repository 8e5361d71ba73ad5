/* spool_ranks.c - see spool_ranks.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "spool/spool_ranks.h"

#define MEMBERS_MOST (1u << 22) /* more are damage */

/* A list of members, with the runs that it was made from, end to end. */
struct list {
	void *runs;
	size_t size; /* bytes of them */
	uint32_t *members;
};

static ARRAY_OF(struct list) lists;
static struct idmap by_hash; /* of the runs → index of a list */

static struct spool_run run_at(const void *runs, uint32_t i)
{
	struct spool_run run;

	memcpy(&run, (const char *)runs + i * sizeof(run), sizeof(run));
	return run;
}

static uint64_t runs_hash(const void *runs, size_t size)
{
	const unsigned char *at = runs;
	uint64_t hash = size;

	for (size_t i = 0; i < size; i++)
		hash = hash_mix(hash, at[i]);
	return idmap_key(hash);
}

static uint64_t members_count(const void *runs, uint32_t nruns)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < nruns; i++)
		n += run_at(runs, i).n;
	return n;
}

static void members_write(uint32_t *members, const void *runs, uint32_t nruns)
{
	for (uint32_t i = 0; i < nruns; i++) {
		struct spool_run run = run_at(runs, i);

		for (uint32_t k = 0; k < run.n; k++)
			*members++ = run.first + k * run.step;
	}
}

static const struct list *list_add(const void *runs, uint32_t nruns, uint64_t n)
{
	size_t size = nruns * sizeof(struct spool_run);
	struct list *list = ARRAY_ADD(&lists);

	if (!list)
		return NULL;
	*list = (struct list){ malloc(size + 1), size, malloc(n * sizeof(uint32_t) + 1) };
	if (!list->runs || !list->members) {
		free(list->runs);
		free(list->members);
		lists.n--;
		return NULL;
	}
	memcpy(list->runs, runs, size);
	members_write(list->members, runs, nruns);
	return list;
}

const uint32_t *spool_ranks(const void *runs, uint32_t nruns, uint64_t n)
{
	size_t size = nruns * sizeof(struct spool_run);
	uint64_t hash = runs_hash(runs, size);
	uint32_t known = idmap_find(&by_hash, hash);
	const struct list *list = known == IDMAP_NONE ? NULL : &lists.at[known];

	if (n > MEMBERS_MOST || members_count(runs, nruns) != n)
		return NULL;
	if (list && list->size == size && memcmp(list->runs, runs, size) == 0)
		return list->members;
	list = list_add(runs, nruns, n);
	if (list && idmap_set(&by_hash, hash, (uint32_t)lists.n - 1) < 0)
		return NULL;
	return list ? list->members : NULL;
}

const uint32_t *spool_group_ranks(const struct spool_def_comm *comm, const void *runs,
	uint32_t *own)
{
	struct spool_run none = { UINT32_MAX, 0, comm->size };
	uint64_t end = 0;

	if (comm->nremote || members_count(runs, comm->nruns) != comm->size)
		return NULL;
	*own = UINT32_MAX;
	for (uint32_t i = 0; i < comm->nruns; i++) {
		struct spool_run run = run_at(runs, i);
		uint64_t place = (uint64_t)comm->rank - end;

		if (place < run.n)
			*own = run.first + (uint32_t)place * run.step;
		end += run.n;
	}
	return spool_ranks(&none, 1, comm->size);
}
