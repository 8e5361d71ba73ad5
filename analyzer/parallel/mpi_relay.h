/*
 * mpi_relay.h - several `tacho analyze` that mpirun started, as one. In each the
 * work is done in guarded children as ever; the process itself, which alone
 * knows MPI, passes their notes on to those of other ranks, and in the end all
 * agree on what happened.
 */
#ifndef ANALYZER_MPI_RELAY_H
#define ANALYZER_MPI_RELAY_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/guard.h"
#include "base/shm_ring.h"

/* What a rank reports of itself. */
struct relay_rank {
	uint64_t machine;
	cpu_set_t cpus;
	uint32_t slots;
	pid_t pid;
};

/* The least rank on its machine; its first reader's number. */
struct relay_slot {
	int leader;
	uint32_t first;
};

struct relay {
	/*
	 * Between the workers of this machine, whichever rank started them, and the process of
	 * its least rank, which is in the last place and passes on what is for other machines.
	 */
	struct link link;
	int rank, size;
	struct relay_rank *ranks;
	struct relay_slot *places; /* by rank */
	/* bytes for each rank; of each; for each of the `nin` places here */
	struct relay_queue {
		char *at;
		size_t first, n, cap;
	} * out, *from, *in;
	uint32_t nin;
	int nended;  /* ranks whose child has ended */
	bool failed; /* a child of any rank has */
};

/*
 * How many processes may read on this rank, at most; every rank says its own. Those of a machine
 * are not more than it has cores for them, unless it is `wished`. 0, or -1 (reported by all).
 */
int relay_open(struct relay *relay, uint32_t slots, bool wished);
void relay_close(struct relay *relay);

/* All readers; the numbers of those that sit at a rank: from *first on, so many. */
uint32_t relay_readers_all(const struct relay *relay);
uint32_t relay_readers(const struct relay *relay, int rank, uint32_t *first);

/* Before each attempt: everybody forgets the one before. 0, or -1 (reported). */
int relay_begin(struct relay *relay);

/*
 * The own child has ended as reported by `end` and `at`: passes on what it left,
 * waits for all others, and states how the attempt ended for all: as for the
 * first rank whose child was ended, if any was.
 */
void relay_end(struct relay *relay, struct guard_end *end, struct guard *at);

#endif
