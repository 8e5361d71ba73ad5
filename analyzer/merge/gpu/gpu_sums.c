/*
 * gpu_sums.c - activities of a run within a budget that are not in detail; see gpu.h. Spools give up
 * their oldest chunks, and activities are delivered in no order: so the time that is not in detail
 * is that up to the end of all that was given up, and what else began in it is summed here.
 */
#include "config.h"

#include <string.h>

#include "base/log.h"
#include "merge/gpu/gpu.h"

/*
 * CUPTI's own work, by the numbers of its CUpti_ActivityOverheadKind. It tells of what the driver
 * does as overhead, too, which a program pays without it: compiling, loading modules and functions,
 * waiting for a full command buffer.
 */
static bool is_own_overhead(uint32_t kind)
{
	switch (kind >> 16) {
	case 1: /* flushing buffers */
	case 2: /* instrumentation */
	case 3: /* its resources */
	case 7: /* asking for buffers */
	case 8: /* unified memory */ return true;
	default: return false;
	}
}

void gpu_overhead_add(struct gpu *gpu, uint32_t kind, uint64_t ticks)
{
	if (is_own_overhead(kind))
		gpu->totals.overhead_ticks += ticks;
}

static struct gpu_sum *sum_of(struct gpu *gpu, const struct gpu_sum *kind)
{
	struct gpu_sum *sum;

	for (size_t i = 0; i < gpu->sums.n; i++) {
		sum = &gpu->sums.at[i];
		if (sum->device == kind->device && sum->stream == kind->stream &&
			sum->type == kind->type && sum->a == kind->a)
			return sum;
	}
	sum = ARRAY_ADD(&gpu->sums);
	if (!sum)
		return NULL;
	*sum = (struct gpu_sum){ .device = kind->device,
		.stream = kind->stream,
		.type = kind->type,
		.a = kind->a,
		.shortest = UINT64_MAX };
	return sum;
}

static int add(struct gpu *gpu, const struct gpu_sum *some)
{
	struct gpu_sum *sum = sum_of(gpu, some);

	if (!sum)
		return -1;
	sum->n += some->n;
	sum->ticks += some->ticks;
	sum->bytes += some->bytes;
	if (some->shortest < sum->shortest)
		sum->shortest = some->shortest;
	if (some->longest > sum->longest)
		sum->longest = some->longest;
	if (some->last_correlation > sum->last_correlation)
		sum->last_correlation = some->last_correlation;
	return 0;
}

static int spool_sums_read(struct process *p, const struct totals_sums *sums)
{
	struct gpu *gpu = p->gpu;
	int ret = 0;

	if (!gpu->summed_until || sums->first < gpu->summed_from)
		gpu->summed_from = sums->first;
	if (sums->last > gpu->summed_until)
		gpu->summed_until = sums->last;
	for (int i = 0; i < TOTALS_CALLS && ret == 0; i++) {
		const struct totals_call *call = &sums->calls[i];

		if (call->region == TOTALS_OVERHEAD)
			gpu_overhead_add(gpu, call->name, call->ticks);
		else if (call->region)
			ret = add(gpu,
				&(struct gpu_sum){ .device = call->device,
					.stream = call->phase,
					.type = call->region == TOTALS_KERNEL ? SPOOL_KERNEL
									      : SPOOL_COPY,
					.a = call->name,
					.n = call->calls,
					.ticks = call->ticks,
					.shortest = call->shortest,
					.longest = call->longest,
					.bytes = call->sent,
					.last_correlation = (uint32_t)call->received });
	}
	return ret;
}

int gpu_sums_read(struct process *p)
{
	for (uint32_t i = 0; i < p->gpu->nspools; i++) {
		const struct totals_sums *sums = p->gpu->spools[i].thread->sums;

		if (sums && sums->records && spool_sums_read(p, sums) < 0)
			return -1;
	}
	return 0;
}

int gpu_sum_add(struct process *p, const uint64_t *rec)
{
	uint64_t ticks = spool_duration(rec[2]);

	return add(p->gpu,
		&(struct gpu_sum){ .device = gpu_record_device(rec),
			.stream = gpu_record_stream(rec),
			.type = spool_type(rec[0]),
			.a = spool_a(rec[0]),
			.n = 1,
			.ticks = ticks,
			.shortest = ticks,
			.longest = ticks,
			.bytes = spool_type(rec[0]) == SPOOL_COPY ? rec[5] : 0,
			.last_correlation = (uint32_t)rec[3] });
}

const uint64_t *gpu_cut(const struct gpu *gpu, const uint64_t *rec, uint64_t room[GPU_ROOM])
{
	unsigned words = spool_words(rec[2]) < GPU_ROOM ? spool_words(rec[2]) : GPU_ROOM;

	memcpy(room, rec, words * sizeof(*room));
	room[1] = gpu->summed_until;
	room[2] = spool_word2(spool_record_end(rec) - gpu->summed_until, words);
	return room;
}
