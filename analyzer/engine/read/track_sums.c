/* track_sums.c - events that are not in detail, or lost, and sums of waits, see track.h. */
#include "config.h"

#include "engine/engine.h"
#include "engine/read/track.h"

#define BYTES_MOST (UINT64_C(1) << 62) /* of many calls; more is damage */

void track_sum_read(struct track *track, const struct event *event, struct frame *frame)
{
	const OTF2_AttributeRef *refs = track->engine->tables.model.attributes;
	uint64_t total, outer = 0, sent = 0, received = 0;

	if (!event_number(event, refs[ATTRIBUTE_TOTAL], &total) || total > INT64_MAX)
		return;
	event_number(event, refs[ATTRIBUTE_OUTER], &outer);
	event_number(event, refs[ATTRIBUTE_SENT], &sent);
	event_number(event, refs[ATTRIBUTE_RECEIVED], &received);
	frame->total = (int64_t)total;
	if (frame->kind != KIND_USER && frame->kind != KIND_WAKE && outer && outer <= total) {
		track->summed[region_kind_states[frame->kind]] += (int64_t)outer;
		if (track->is_ahead)
			deferred_sum(track, region_kind_states[frame->kind], (int64_t)outer);
	}
	if (sent <= BYTES_MOST && received <= BYTES_MOST && (sent || received))
		track_bytes(track, frame->region, sent, received);
}

void track_sum_leave(struct track *track, const struct event *event)
{
	const OTF2_AttributeRef *refs = track->engine->tables.model.attributes;
	uint64_t sent = 0, received = 0;

	event_number(event, refs[ATTRIBUTE_SENT], &sent);
	event_number(event, refs[ATTRIBUTE_RECEIVED], &received);
	if ((sent || received) && sent <= BYTES_MOST && received <= BYTES_MOST)
		track_bytes(track,
			track->outer ? track->stack.at[track->outer - 1].region : MODEL_NONE, sent,
			received);
}

static void step_sum(struct track *track, int part, int64_t ns)
{
	track->stepped[part] += ns;
	if (track->is_ahead)
		deferred_step(track, part, ns);
}

void track_sum_step(struct track *track, const struct event *event)
{
	const OTF2_AttributeRef *refs = track->engine->tables.model.attributes;
	uint64_t ns;

	/* if there are any, the first one exists */
	if (!event->carried || !event_number(event, refs[ATTRIBUTE_STEP_IO], &ns))
		return;
	step_sum(track, STEP_SUMS_GIVEN, 1);
	for (int part = 0; part < TOTALS_PARTS; part++)
		if (event_number(event, refs[ATTRIBUTE_STEP_IO + part], &ns) && ns <= INT64_MAX / 2)
			step_sum(track, part, (int64_t)ns);
}

int64_t track_sum_end(const struct track *track, const struct frame *frame, int64_t t)
{
	return track->is_summed && frame->total > 0 ? t + frame->total : t;
}

void track_wait_count(struct track *track, const struct frame *frame, int64_t t)
{
	const struct region *region = &track->engine->tables.model.regions.at[frame->region];
	int64_t ns = t - frame->enter;

	if (region->sleeps)
		call_sum_add(track->slept_in, SLEEP_CALLS, frame->region,
			frame->total >= 0 ? frame->total : ns, t, &track->run);
	if (region->semaphore) {
		track->semaphores += ns;
		track->longest = ns > track->longest ? ns : track->longest;
	}
}
