/*
 * track_poll.c - the time that belongs to waiting by polls, see track.h: the time between two calls
 * that find nothing is waiting as well, where it is brief or the thread sleeps. The rest is work
 * that the thread does meanwhile.
 */
#include "config.h"

#include "engine/engine.h"
#include "engine/read/track.h"

/*
 * Longest time between two polls, in ns: the recorder's own time, a loop's, a yield of the core, an
 * interpreter's. Where the archive has polls as one summed call, their time between comes after it.
 */
enum { BETWEEN_MOST = 2000 };

bool track_polls_on(struct track *track, const struct region *region, enum region_kind kind,
	int64_t t)
{
	bool is_brief = track->since == track->polled && t - track->polled <= track->polls_most;

	if (!kind_communicates(kind) &&
		!(kind == KIND_WAIT && region->sleeps && !region->times_out))
		is_brief = false;
	if (!is_brief)
		track->polls_most = 0;
	return is_brief;
}

void track_polled(struct track *track, const struct frame *frame, int64_t t)
{
	const struct region *region = frame->region == MODEL_NONE
		? NULL
		: &track->engine->tables.model.regions.at[frame->region];
	bool sleeps = track->polls_most && frame->kind == KIND_WAIT;

	if (!sleeps && (!region || !region->polls || track->finds)) {
		track->polls_most = 0;
		return;
	}
	track->polled = t;
	track->polls_most = BETWEEN_MOST * (track->run.calls > 1 ? (int64_t)track->run.calls : 1);
}
