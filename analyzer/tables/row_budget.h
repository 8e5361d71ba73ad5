/*
 * row_budget.h - which of very many numbered things have their own rows: the first ones, and
 * after them ever fewer evenly spaced ones, so that their number grows with the logarithm only. By
 * the number alone, so whoever reads them in whatever order.
 */
#ifndef ANALYZER_ROW_BUDGET_H
#define ANALYZER_ROW_BUDGET_H

#include <stdint.h>
#include <stdlib.h>

/* Each doubling adds 1/16 of the number up to which each has a row. */
enum { ROW_SAMPLED = 8 };

/* How many have rows where each has one: the given number, or what tests set. */
static inline uint64_t row_budget(uint64_t most)
{
	const char *set = getenv("TACHO_STEP_ROWS");
	uint64_t n = set ? strtoull(set, NULL, 10) : most;

	return n < ROW_SAMPLED ? ROW_SAMPLED : n;
}

/* Distance of rows around the n-th item: 1 up to `most`, then at first 16. */
static inline uint64_t row_apart(uint64_t most, uint64_t n)
{
	uint64_t apart = 1;

	while (n >= most && n / apart >= most / ROW_SAMPLED)
		apart *= 2;
	return apart;
}

#endif
