/*
 * spool_ranks.h - members of communicators. Each of n ranks defines MPI_COMM_WORLD, so what is read must
 * not take n members each: lists that are equal are one.
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
 * Of a COMM_GROUP: `size` times UINT32_MAX, and the process's own rank into *own. NULL as above.
 */
const uint32_t *spool_group_ranks(const struct spool_def_comm *comm, const void *runs,
	uint32_t *own);

#endif
