/* track_training.c - which part of a training in PyTorch a thread is in; see track.h. */
#include "config.h"

#include <string.h>

#include "engine/engine.h"

void track_parts(const struct track *track, int64_t t, int64_t parts[TRAINING_COUNT])
{
	memcpy(parts, track->parts, sizeof(track->parts));
	parts[track->part] += t - track->part_since;
}

void track_training_set(struct track *track, int64_t t)
{
	const struct model *model = &track->engine->tables.model;
	enum training innermost = TRAINING_NONE;

	for (size_t i = track->stack.n; i > 0 && innermost == TRAINING_NONE; i--)
		if (track->stack.at[i - 1].region != MODEL_NONE)
			innermost = region_training(
				&model->regions.at[track->stack.at[i - 1].region]);
	track->training = innermost;
	track_part_set(track, t);
	if (track->is_ahead)
		deferred_change(track, track->state, t);
}
