/* merge_comms.h - what the files about communicators share; see merge_comms.c. */
#ifndef ANALYZER_MERGE_COMMS_H
#define ANALYZER_MERGE_COMMS_H

#include "merge/merge_model.h"

/* Finds the communicators of a kind by what makes them equal. */
struct comm_index {
	uint32_t *slots; /* comm number + 1, 0 free */
	uint32_t size;
};

/*
 * The number of the communicator like `key` (whose ranks are copied when it is new). NONE without
 * memory.
 */
uint32_t comm_number(struct merge *m, struct comm_index *index, const struct merge_comm *key);

/*
 * Both sides of an inter-communicator list their own group first; the archive, the one with the
 * smaller rank: puts c->size numbers of MPI ranks at `own` and c->nremote at `other` into `ranks`
 * and sets both sizes.
 */
void comm_order(struct merge_comm *c, uint32_t *ranks, const uint32_t *own, const uint32_t *other);

bool comm_is_inter(uint32_t kind);

/*
 * Completes communicators with members of two worlds: a process knows those of its own only. 0, or
 * -1 without memory.
 */
int merge_bridges(struct merge *m);

#endif
