/*
 * crew.h - several `tacho analyze` that mpirun started, as one. In each the
 * work is done in guarded children as ever; the process itself, which alone
 * knows MPI, passes their notes on to those of other ranks, and in the end all
 * agree on what happened.
 */
#ifndef ANALYZER_CREW_H
#define ANALYZER_CREW_H

#include <stdbool.h>
#include <stdint.h>

#include "guard.h"
#include "link.h"

struct crew {
	/* between the workers of this machine and this process, which is in the last place */
	struct link link;
	int rank, size;
	uint32_t *seats;		/* readers that each rank offers */
	struct crew_queue { char *at; size_t first, n, cap; } *out, *in;	/* bytes for each rank; for each place */
	int nended;			/* ranks whose child has ended */
	bool failed;			/* a child of any rank has */
};

/* How many processes may read on this rank; every rank tells. 0, or -1 (reported by all). */
int crew_open(struct crew *crew, uint32_t seats);
void crew_close(struct crew *crew);

/* Numbers of the readers that sit at a rank: from *first on, so many. */
uint32_t crew_readers(const struct crew *crew, int rank, uint32_t *first);

/* Before each attempt: everybody forgets the one before. 0, or -1 (reported). */
int crew_begin(struct crew *crew);

/*
 * The own child has ended as told by `end` and `at`: passes on what it left,
 * waits for all others, and says how the attempt ended for all: as for the
 * first rank whose child was ended, if any was.
 */
void crew_end(struct crew *crew, struct guard_end *end, struct guard *at);

#endif
