/* replay_progress.c - a track has gone on: tracks that watch it may continue; see replay.h. */
#include "config.h"

#include "engine/engine.h"

/* The watcher may wait for an action of this track. */
static bool watcher_helped(const struct track *track, const struct watcher *watcher)
{
	const struct engine *engine = track->engine;

	return (watcher->t <= track->last || track->cursor.ended) &&
		!device_call_waits(&engine->tracks[watcher->track], track);
}

void replay_progress(struct track *track)
{
	struct replay_track *replay = &track->replay;
	size_t n = replay->watchers.n, left = 0;

	for (size_t i = 0; i < n; i++)
		if (watcher_helped(track, &replay->watchers.at[i]))
			replay_wake(track->engine, replay->watchers.at[i].track);
		else
			replay->watchers.at[left++] = replay->watchers.at[i];
	replay->watchers.n = left;
	if (track->engine->peers.n)
		track->engine->peers.calls->progress(track);
}
