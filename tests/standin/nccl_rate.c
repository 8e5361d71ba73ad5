/*
 * nccl_rate.c - by which algorithm the stand-in for NCCL states that it sums, and how fast that is
 * at most: STANDIN_NCCL_TREE_BELOW, STANDIN_NCCL_TREE_GBS, STANDIN_NCCL_RING_GBS, and the user's
 * NCCL_ALGO. The bytes take the same way by both.
 */
#include <stdlib.h>
#include <string.h>

#include "nccl_standin.h"
#include "standin.h"

static double number(const char *name, double otherwise)
{
	const char *text = getenv(name);

	return text && *text ? atof(text) : otherwise;
}

/* NCCL_ALGO=ring or tree,ring: these; ^tree: all but these. */
static bool is_allowed(const char *algorithm)
{
	const char *text = getenv("NCCL_ALGO");

	return !text || !*text || (*text == '^') == !strcasestr(text, algorithm);
}

bool is_by_tree(const struct task *t)
{
	if (t->function != FUNCTION_ALLREDUCE || !is_allowed("tree"))
		return false;
	return !is_allowed("ring") ||
		(double)(t->count * type_size(t->type)) < number("STANDIN_NCCL_TREE_BELOW", 4096);
}

void rate_wait(const struct task *t, uint64_t start)
{
	double gbs = number(is_by_tree(t) ? "STANDIN_NCCL_TREE_GBS" : "STANDIN_NCCL_RING_GBS", 0);
	double size = t->comm->size;

	/* A rank's link carries 2 (n - 1) / n of the bytes: the bus rate counts these. */
	if (t->function == FUNCTION_ALLREDUCE && gbs > 0)
		standin_wait_until(start +
			(uint64_t)((double)(t->count * type_size(t->type)) * 2 * (size - 1) / size /
				gbs));
}
