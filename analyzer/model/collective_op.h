/*
 * collective_op.h - the operations of collectives: their names, which ranks wait for which, and the
 * factor from algorithm bandwidth to bus bandwidth.
 */
#ifndef ANALYZER_COLLECTIVE_OP_H
#define ANALYZER_COLLECTIVE_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gate { GATE_NONE, GATE_ALL, GATE_ROOT, GATE_AT_ROOT, GATE_LOWER, GATE_NEIGHBOURS };

struct collective_op {
	const char *name;
	enum gate gate; /* which ranks wait for which */
	/* bus bandwidth: 2 (n-1)/n, (n-1)/n or 1 times the algorithm's */
	int bus_doubled;
	bool bus_scaled;
};

/* Added to OTF2's operation, where only neighbours wait for each other. */
enum { OP_NEIGHBOURS = 32 };

/* Calls of MPI-IO that all ranks of a file make together; after OTF2's operations. */
enum { OP_FILES = 63, COLLECTIVE_OPS };

extern const struct collective_op collective_ops[COLLECTIVE_OPS];

/* NULL for an unknown operation. */
static inline const struct collective_op *collective_op(uint32_t op)
{
	return op < COLLECTIVE_OPS && collective_ops[op].name ? &collective_ops[op] : NULL;
}

#endif
