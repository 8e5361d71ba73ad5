/* totals_merge.c - sums of one thread or process added to others' (totals.h). */
#include "config.h"

#include "core/totals.h"
#include "core/totals_tables.h"

/*
 * Whether sums can be added to others: nothing is open, and no step has ended. With `is_own`, to
 * sums of the same process; else they must contain nothing that only their own process can
 * interpret.
 */
static bool is_of_calls(const struct totals_sums *sums, bool is_own)
{
	if (sums->nmarks || sums->spans || sums->spans_left || sums->requests_left ||
		sums->channels_left || sums->comms_left || sums->children)
		return false;
	for (int i = 0; i < TOTALS_REQUESTS; i++)
		if (sums->requests[i].number)
			return false;
	for (int i = 0; i < TOTALS_CALLS && !is_own; i++)
		if (sums->calls[i].region >= REGION_COUNT || sums->calls[i].phase ||
			sums->calls[i].name)
			return false;
	for (int i = 0; i < TOTALS_CHANNELS && !is_own; i++)
		if (sums->channels[i].comm)
			return false;
	for (int i = 0; i < TOTALS_COMMS && !is_own; i++)
		if (sums->comms[i].comm)
			return false;
	return true;
}

static void call_merge(struct totals_sums *to, const struct totals_call *from)
{
	struct totals_call *call = totals_call_place(to,
		&(struct totals_call){ .region = from->region,
			.how = from->how,
			.phase = from->phase,
			.name = from->name,
			.device = from->device });

	if (!call) {
		to->calls_left += from->calls;
		to->ticks_left += from->outer;
		return;
	}
	call->calls += from->calls;
	call->ticks += from->ticks;
	call->outer += from->outer;
	call->sent += from->sent;
	call->received += from->received;
	call->moved += from->moved;
	if (from->shortest < call->shortest)
		call->shortest = from->shortest;
	if (from->longest > call->longest)
		call->longest = from->longest;
}

static void messages_merge(struct totals_sums *to, const struct totals_sums *from)
{
	for (int i = 0; i < TOTALS_CHANNELS; i++) {
		const struct totals_channel *it = &from->channels[i];
		struct totals_channel *channel = it->comm
			? totals_channel_place(to, it->comm, it->peer, it->tag)
			: NULL;

		if (!channel)
			continue;
		channel->sends += it->sends;
		channel->recvs += it->recvs;
	}
}

static void collectives_merge(struct totals_sums *to, const struct totals_sums *from)
{
	for (int i = 0; i < TOTALS_COMMS; i++) {
		struct totals_comm *comm = from->comms[i].comm
			? totals_comm_place(to, from->comms[i].comm)
			: NULL;

		if (!comm)
			continue;
		comm->begun += from->comms[i].begun;
		comm->nonblocking += from->comms[i].nonblocking;
	}
}

bool totals_merge(struct totals_sums *to, const struct totals_sums *from, bool is_own)
{
	if (!is_of_calls(from, is_own))
		return false;
	if (!from->records)
		return true;
	for (int i = 0; i < TOTALS_CALLS; i++)
		if (from->calls[i].region)
			call_merge(to, &from->calls[i]);
	messages_merge(to, from);
	collectives_merge(to, from);
	if (!to->records || from->first < to->first)
		to->first = from->first;
	if (from->last > to->last)
		to->last = from->last;
	to->records += from->records;
	to->calls_left += from->calls_left;
	to->ticks_left += from->ticks_left;
	return true;
}
