/*
 * track_bytes.c - the bytes that calls have moved: to which call they belong, to which partner they
 * went, which values are impossible; see track.h.
 */
#include "config.h"

#include "engine/engine.h"
#include "engine/read/track.h"

void track_bytes(struct track *track, uint32_t region, uint64_t sent, uint64_t received)
{
	if (region != MODEL_NONE && track->process != MODEL_NONE &&
		call_add_bytes(&track->engine->tables.calls[track->process],
			&track->engine->tables.model, region, sent, received) < 0)
		track_fail(track);
}

void track_message(struct track *track, const struct event *event, uint32_t region)
{
	struct model *model = &track->engine->tables.model;
	uint32_t comm = model_comm(model, event->ref);
	uint32_t peer = comm == MODEL_NONE || track->process == MODEL_NONE
		? MODEL_NONE
		: model_peer(model, comm, track->process, event->peer);

	if (peer != MODEL_NONE &&
		message_pair_add(&track->engine->tables.pairs[track->process], model, peer,
			region == MODEL_NONE ? KIND_MPI : model->regions.at[region].kind,
			event->bytes) < 0)
		track_fail(track);
}

void track_one_sided(struct track *track, const struct event *event)
{
	struct model *model = &track->engine->tables.model;
	const struct archive *archive = model->archive;
	bool taken = event->kind == EVENT_RMA_BEGIN && !event->tag;
	uint32_t comm = MODEL_NONE, peer;
	struct message_pairs *pairs;

	for (size_t i = 0; i < archive->windows.n && comm == MODEL_NONE; i++)
		if (archive->windows.at[i].ref == event->ref)
			comm = model_comm(model, archive->windows.at[i].comm);
	if (comm == MODEL_NONE || track->process == MODEL_NONE)
		return;
	pairs = &track->engine->tables.pairs[track->process];
	peer = model_peer(model, comm, track->process, event->peer);
	if (peer == MODEL_NONE)
		return;
	if (message_pair_add(pairs, model, peer, taken ? MESSAGE_TAKE : MESSAGE_PUT, event->bytes) <
		0)
		track_fail(track);
	/* the value that an atomic operation found there */
	if (event->kind == EVENT_RMA_ATOMIC && event->received &&
		message_pair_add(pairs, model, peer, MESSAGE_TAKE, event->received) < 0)
		track_fail(track);
}

static bool moves_bytes(enum event_kind kind)
{
	switch (kind) {
	case EVENT_SEND:
	case EVENT_ISEND:
	case EVENT_RECV:
	case EVENT_IRECV:
	case EVENT_COLLECTIVE_END:
	case EVENT_COLLECTIVE_COMPLETE:
	case EVENT_RMA_BEGIN:
	case EVENT_RMA_ATOMIC: return true;
	default: return false;
	}
}

/* The event, with no bytes where it reports more than a process can hold: it is damaged. */
const struct event *track_bytes_possible(struct track *track, const struct event *event,
	struct event *without)
{
	if ((event->bytes <= TRACK_BYTES_MOST && event->received <= TRACK_BYTES_MOST) ||
		!moves_bytes(event->kind))
		return event;
	*without = *event;
	without->bytes = without->received = 0;
	track->nimpossible++;
	return without;
}

void track_proc_count(struct track *track, uint32_t mode, uint64_t bytes)
{
	uint32_t region = track->stack.n ? track->stack.at[track->stack.n - 1].region : MODEL_NONE;

	if (region == MODEL_NONE || !track->engine->tables.model.regions.at[region].proc_counts)
		return;
	if (mode == OTF2_IO_OPERATION_MODE_WRITE)
		track->proc_written += bytes;
	else if (mode == OTF2_IO_OPERATION_MODE_READ)
		track->proc_read += bytes;
}

bool track_in_split_begin(const struct track *track)
{
	uint32_t region = track->stack.n ? track->stack.at[track->stack.n - 1].region : MODEL_NONE;

	return region != MODEL_NONE && track->engine->tables.model.regions.at[region].file_begins;
}
