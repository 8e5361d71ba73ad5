/* totals_tables.c - see totals_tables.h. */
#include "config.h"

#include "core/totals_tables.h"

static bool is_of_kind(const struct totals_call *call, const struct totals_call *kind)
{
	return call->region == kind->region && call->how == kind->how &&
		call->phase == kind->phase && call->name == kind->name &&
		call->device == kind->device;
}

struct totals_call *totals_call_place(struct totals_sums *sums, const struct totals_call *kind)
{
	uint32_t hash = (kind->region * 2654435761u ^ (uint32_t)kind->how << 7 ^
				kind->phase * 40503u ^ kind->name * 97u ^ kind->device * 31u) >>
		4;

	for (unsigned i = 0; i < TOTALS_CALLS; i++) {
		struct totals_call *call = &sums->calls[(hash + i) % TOTALS_CALLS];

		if (!call->region) {
			*call = *kind;
			call->shortest = UINT64_MAX;
			return call;
		}
		if (is_of_kind(call, kind))
			return call;
	}
	return NULL;
}

struct totals_channel *totals_channel_place(struct totals_sums *sums, uint32_t comm, int32_t peer,
	int32_t tag)
{
	uint32_t hash = (comm * 2654435761u ^ (uint32_t)peer * 40503u ^ (uint32_t)tag * 97u) >> 3;

	for (unsigned i = 0; i < TOTALS_CHANNELS; i++) {
		struct totals_channel *at = &sums->channels[(hash + i) % TOTALS_CHANNELS];

		if (!at->comm)
			*at = (struct totals_channel){ .comm = comm, .peer = peer, .tag = tag };
		if (at->comm == comm && at->peer == peer && at->tag == tag)
			return at;
	}
	sums->channels_left++;
	return NULL;
}

struct totals_comm *totals_comm_place(struct totals_sums *sums, uint32_t comm)
{
	for (unsigned i = 0; comm && i < TOTALS_COMMS; i++) {
		struct totals_comm *at = &sums->comms[i];

		if (at->comm && at->comm != comm)
			continue;
		at->comm = comm;
		return at;
	}
	sums->comms_left += comm != 0;
	return NULL;
}
