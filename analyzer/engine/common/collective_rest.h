/*
 * collective_rest.h - exact sums (by communicator, operation, size and algorithm) of collectives
 * without a row, for communicators with very many collectives (row_budget.h). The 100 longest
 * always have rows.
 */
#ifndef ANALYZER_COLLECTIVE_REST_H
#define ANALYZER_COLLECTIVE_REST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/containers.h"
#include "engine/mpi/replay.h"

struct collective_rest {
	int64_t comm, bytes; /* bytes: of each, or up to which where there are very many sizes */
	const char *variant;
	uint32_t op;
	bool nccl, gloo;
	int64_t calls, total_bytes, skew, transfer, timed, timed_ns; /* timed: with a bandwidth */
	double moved, bus_moved, bus, bus_most;			     /* moved: bytes/s × ns */
};

struct collective_rests {
	uint64_t most; /* of a communicator that have rows: 0 not set yet */
	ARRAY_OF(struct collective_rest) sums;
	struct idmap numbers;
	ARRAY_OF(struct collective_line) longest; /* of the others, shortest first */
};

/* False: it has no row, and is summed. */
bool collective_has_row(struct engine *engine, const struct collective_line *line);

/* Writes the sums. */
void collective_rests_write(struct engine *engine);

void collective_rests_free(struct collective_rests *rests);

#endif
