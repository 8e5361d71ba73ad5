/* collective_row.h - rows about communicators, and about what their members did, of MPI and NCCL. */
#ifndef ANALYZER_COLLECTIVE_ROW_H
#define ANALYZER_COLLECTIVE_ROW_H

#include "db/db.h"

/* `kind`: mpi or nccl; `id`: the communicator's number, of its kind. */
void communicator_put(struct db *db, const char *kind, int64_t id, const char *name, int64_t size);

struct collective_times {
	uint64_t n;		/* calls */
	int64_t wait, transfer; /* ns */
};

/* What a rank of the job spent in one operation on a communicator; added to a row that exists. */
void collective_rank_put(struct db *db, const char *kind, int64_t comm, int64_t rank,
	const char *op, const struct collective_times *sum);

#endif
