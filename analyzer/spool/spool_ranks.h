/*
 * spool_ranks.h - members of communicators. Each of n ranks defines MPI_COMM_WORLD, so the reader
 * must not store n members for each: equal lists are stored once.
 */
#ifndef ANALYZER_SPOOL_RANKS_H
#define ANALYZER_SPOOL_RANKS_H

#include <stdint.h>

#include "tacho/runs.h"
#include "tacho/spool.h"

/*
 * The `n` members that `nruns` struct spool_run at `runs` (not aligned) list; they stay until the program
 * ends. NULL: the runs do not have `n`, or there is no memory.
 */
const uint32_t *spool_ranks(const void *runs, uint32_t nruns, uint64_t n);

/*
 * For a COMM_GROUP: `size` times UINT32_MAX, and the process's world rank in *own. NULL as above.
 */
const uint32_t *spool_group_ranks(const struct spool_def_comm *comm, const void *runs,
	uint32_t *own);

#endif
