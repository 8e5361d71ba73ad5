/* spool_sums.c - whether totals can be believed; see spool_in.h. */
#include "config.h"

#include "spool/spool_in.h"

/* Whether a spool has calls of that region: one of a device has its activities alone. */
static bool region_is_sane(const struct spool_thread *thread, uint16_t region)
{
	if (thread->head.kind == SPOOL_KIND_GPU)
		return region >= TOTALS_OVERHEAD && region <= TOTALS_KERNEL;
	return region < REGION_COUNT || region >= TOTALS_STEP;
}

bool spool_calls_are_sane(const struct spool_thread *thread, const struct totals_sums *sums)
{
	for (int i = 0; i < TOTALS_CALLS; i++) {
		const struct totals_call *call = &sums->calls[i];

		if (!call->region)
			continue;
		if (!region_is_sane(thread, call->region) || !call->calls ||
			call->calls > COUNT_MOST || call->outer > call->ticks ||
			call->ticks > TICKS_MOST || call->shortest > call->longest ||
			call->longest > call->ticks || call->sent > TICKS_MOST ||
			call->received > TICKS_MOST || call->moved > TICKS_MOST)
			return false;
	}
	return true;
}

bool spool_sums_are_sane(const struct spool_thread *thread, const struct totals_sums *sums)
{
	uint64_t room = thread->sums->spans;

	/* before the first chunk is given up whole it is none */
	return (!sums->chunks && !sums->records) ||
		(sums->spans <= room && sums->nmarks <= TOTALS_MARKS &&
			sums->last <= thread->process->latest &&
			spool_calls_are_sane(thread, sums));
}
