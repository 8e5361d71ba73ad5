/* track_training.c - which part of a training in PyTorch a thread is in; see track.h. */
#include "config.h"

#include <string.h>

#include "engine/engine.h"

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

/* Optimizers of one step count once; a step may end within one. */
static void optimizer_leave(struct track *track, const struct frame *frame)
{
	bool *stepped = frame->enter < track->step_end ? &track->was_stepped : &track->is_stepped;

	track->nstepped += !*stepped;
	*stepped = true;
}

void track_saved_look(struct track *track, const struct frame *frame, int64_t t)
{
	const struct region *region = &track->engine->tables.model.regions.at[frame->region];

	if (region->mark == MARK_STEP) {
		track->step_end = t;
		track->was_stepped = track->is_stepped;
		track->is_stepped = false;
	} else if (region_training(region) == TRAINING_OPTIMIZER) {
		optimizer_leave(track, frame);
	} else if (region_training(region) == TRAINING_SAVING) {
		track->saved_steps = track->nstepped;
		track->has_saved = track->nstepped > 0;
	}
}
