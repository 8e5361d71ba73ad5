/*
 * cost.c - measures the cost of recording one call on this machine: some calls that do nothing,
 * recorded into memory without a reader.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/clock.h"
#include "core/env.h"
#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"

#define BATCHES 11
#define CALLS	20 /* of a batch: short enough to be seldom interrupted */
#define ROOM	(BATCHES * CALLS * 64 + 64)

/* As a wrapper of read() does it, the real call apart. */
static __attribute__((noinline)) void call_record(struct thread *self)
{
	struct span span = span_begin(self, REGION_read, 1);

	span_leave(&span, SPOOL_IO_PLAIN, 1, (uint64_t[]){ 4096 }, 1);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void measure(struct thread *self, uint64_t ns[BATCHES])
{
	for (int i = 0; i < BATCHES; i++) {
		uint64_t start = clock_monotonic_ns();

		for (int k = 0; k < CALLS; k++)
			call_record(self);
		ns[i] = clock_monotonic_ns() - start;
	}
	qsort(ns, BATCHES, sizeof(*ns), compare);
}

static void tell(const char *key, uint64_t batch_ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%.1f", (double)batch_ns / CALLS);
	process_define_property(key, text);
}

void cost_write(void)
{
	size_t size = SPOOL_HEAD_SIZE + ROOM;
	char *map = sys_map(size, MAP_PRIVATE | MAP_POPULATE);
	struct thread scratch = { 0 };
	uint64_t ns[BATCHES];

	if (map == MAP_FAILED)
		return;
	scratch.head = (struct spool_head *)(void *)map;
	scratch.cursor = (uint64_t)(uintptr_t)(map + SPOOL_HEAD_SIZE);
	scratch.end = scratch.cursor + ROOM;
	measure(&scratch, ns);
	sys_munmap(map, size);
	tell("process.call_cost_ns", ns[BATCHES / 2]);
	/* interquartile mean: without interrupted and lucky samples */
	tell("process.call_cost_spread_ns", ns[BATCHES - 1 - BATCHES / 4] - ns[BATCHES / 4]);
}
