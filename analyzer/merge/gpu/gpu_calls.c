/*
 * gpu_calls.c - launches that CUPTI reports by records, which come with the activities of devices: they
 * are calls of the threads that made them; see gpu.h. Memory: 40 bytes for each.
 */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "merge/gpu/gpu.h"

static int out_of_memory(void)
{
	log_error("out of memory");
	return -1;
}

int gpu_call_add(struct gpu *gpu, const uint64_t *rec)
{
	struct merge_launch *call = ARRAY_ADD(&gpu->calls);

	if (!call)
		return out_of_memory();
	*call = (struct merge_launch){ { spool_word0(SPOOL_CUDA, 0, spool_region(rec[0]),
						 spool_a(rec[0])),
					       rec[1], spool_word2(spool_duration(rec[2]), 4),
					       spool_pair(SPOOL_STREAM_NONE, SPOOL_DEVICE_NONE) },
		(uint32_t)rec[3] };
	return 0;
}

/* A launch begins before its activity, and comes first. */
int gpu_site_add(struct gpu *gpu, const uint64_t *rec)
{
	struct gpu_site *site;

	if (!gpu->calls.n || !(uint32_t)rec[3])
		return 0;
	site = ARRAY_ADD(&gpu->sites);
	if (!site)
		return out_of_memory();
	*site = (struct gpu_site){ (uint32_t)rec[3],
		spool_pair(gpu_record_stream(rec), gpu_record_device(rec)) };
	return 0;
}

static int compare_calls(const void *a, const void *b)
{
	const struct merge_launch *x = a, *y = b;
	uint64_t x_end = spool_record_end(x->rec), y_end = spool_record_end(y->rec);

	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->rec[1] != y->rec[1])
		return x->rec[1] < y->rec[1] ? -1 : 1;
	return (x_end < y_end) - (x_end > y_end);
}

static int compare_sites(const void *a, const void *b)
{
	const struct gpu_site *x = a, *y = b;

	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* Whether it is the driver's call inside of a call of the runtime: the same launch. */
static bool is_inner(const struct merge_launch *outer, const struct merge_launch *call)
{
	return outer->thread == call->thread && call->rec[1] < spool_record_end(outer->rec) &&
		spool_a(outer->rec[0]) == spool_a(call->rec[0]);
}

static bool has_location(const struct process *p, uint32_t thread)
{
	for (uint32_t i = 0; i < p->nlocations; i++)
		if (p->locations[i].thread && p->locations[i].thread->head.tid == thread)
			return true;
	return false;
}

/* The first launch of this thread at this time or later. */
static const struct merge_launch *call_find(const struct gpu *gpu, uint32_t thread, uint64_t start)
{
	size_t low = 0, high = gpu->calls.n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct merge_launch *call = &gpu->calls.at[middle];

		if (call->thread < thread || (call->thread == thread && call->rec[1] < start))
			low = middle + 1;
		else
			high = middle;
	}
	return gpu->calls.at + low;
}

static uint64_t first_of(const struct location *l)
{
	struct spool_cursor cursor;
	const uint64_t *rec;

	spool_cursor_start(&cursor, l->thread);
	rec = spool_next(&cursor);
	return rec ? rec[1] : UINT64_MAX;
}

/* The system gives numbers of threads again: a launch belongs to the latest thread that had begun. */
static void launches_give(struct location *l)
{
	const struct process *p = l->process;
	uint64_t from = 0, until = UINT64_MAX, first = UINT64_MAX;
	uint32_t thread = l->thread ? l->thread->head.tid : 0;

	if (!thread)
		return;
	for (uint32_t i = 0; i < p->nlocations; i++) {
		const struct location *other = &p->locations[i];
		uint64_t begin;

		if (other == l || !other->thread || other->thread->head.tid != thread)
			continue;
		first = first_of(l);
		begin = first_of(other);
		if (begin < first || (begin == first && other < l))
			from = first;
		else if (begin < until)
			until = begin;
	}
	l->launches = call_find(p->gpu, thread, from);
	l->launches_behind = call_find(p->gpu, thread, until);
}

int gpu_calls_close(struct process *p)
{
	struct gpu *gpu = p->gpu;
	bool is_known = false;
	size_t n = 0;

	if (!gpu->calls.n)
		return 0;
	qsort(gpu->calls.at, gpu->calls.n, sizeof(*gpu->calls.at), compare_calls);
	if (gpu->sites.n)
		qsort(gpu->sites.at, gpu->sites.n, sizeof(*gpu->sites.at), compare_sites);
	for (size_t i = 0; i < gpu->calls.n; i++) {
		struct merge_launch *call = &gpu->calls.at[i];
		struct gpu_site key = { .correlation = spool_a(call->rec[0]) }, *site = NULL;

		if (!i || call->thread != call[-1].thread)
			is_known = has_location(p, call->thread);
		gpu->totals.nuntimed += !is_known;
		if (!is_known || (n && is_inner(&gpu->calls.at[n - 1], call)))
			continue;
		if (key.correlation && gpu->sites.n)
			site = bsearch(&key, gpu->sites.at, gpu->sites.n, sizeof(key),
				compare_sites);
		if (site)
			call->rec[3] = site->word;
		gpu->calls.at[n++] = *call;
	}
	gpu->calls.n = n;
	for (uint32_t i = 0; i < p->nlocations; i++)
		launches_give(&p->locations[i]);
	return 0;
}
