/* merge_buckets.c - see merge_buckets.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "merge/merge_buckets.h"
#include "merge/merge_model.h"
#include "merge/merge_pieces.h"
#include "tacho/trace.h"

/* Nanoseconds of a sum of ticks, by the clock as it was at the process's start. */
static int64_t ns_of(const struct merge *m, const struct process *p, uint64_t ticks)
{
	const struct clock *clock = &m->nodes[p->node].clock;
	uint64_t start = p->spool->def.start.ticks;
	int hint = 0;

	return clock_ns(clock, start + ticks, &hint) - clock_ns(clock, start, &hint);
}

static void bucket_put(struct pieces *pieces, const struct merge *m, const struct process *p,
	const struct spool_bucket *bucket)
{
	char order[16] = "-";

	if (bucket->order != UINT32_MAX)
		snprintf(order, sizeof(order), "%" PRIu32, bucket->order);
	pieces_print(pieces, "%s %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 "\n", order,
		bucket->bytes, (uint64_t)bucket->exchanges, ns_of(m, p, bucket->ticks),
		ns_of(m, p, bucket->exposed));
	pieces_line(pieces);
}

void buckets_define(const struct merge *m, struct strings *s)
{
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];
		const struct spool_buckets *buckets = p->spool ? p->spool->buckets : NULL;
		struct pieces pieces = { .s = s, .key = PROPERTY_BUCKETS, .process = i };

		if (!buckets || !buckets->passes)
			continue;
		pieces_print(&pieces, "all 0 %" PRIu64 " %" PRId64 " %" PRId64 "\n",
			(uint64_t)buckets->passes, ns_of(m, p, buckets->ticks),
			ns_of(m, p, buckets->exposed));
		pieces_line(&pieces);
		for (uint32_t k = 0; k < SPOOL_BUCKETS_MOST; k++)
			if (buckets->at[k].exchanges)
				bucket_put(&pieces, m, p, &buckets->at[k]);
		pieces_end(&pieces);
	}
}
