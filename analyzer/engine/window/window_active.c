/*
 * window_active.c - from the end of MPI_Init to the begin of MPI_Finalize: what starting and ending
 * MPI takes is no property of the program, as TALP has it; see window.h.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/window/window.h"

/*
 * A program may start MPI once. Where that took init_ns among sums, the sums are over all calls
 * until the next one in detail, in any order: all but MPI_Init belong to the window.
 */
void window_active_enter(struct track *track, int64_t t, int64_t init_ns)
{
	struct engine *engine = track->engine;
	uint32_t number = window_phase_find(engine, ACTIVE_NAME);
	struct window_rank *rank;

	if (number == MODEL_NONE) {
		engine->tables.failed = true;
		return;
	}
	rank = &engine->windows.phases.at[number].ranks[track->process];
	if (rank->instances)
		return;
	rank->instances = 1;
	track->active = (struct open_window){ .mark = MARK_PHASE, .number = number };
	track->in_active = true;
	window_open(track, &track->active, t + init_ns);
	if (!init_ns)
		return;
	memset(track->active.summed, 0, sizeof(track->active.summed));
	track->active.summed[HOST_MPI] = init_ns;
}

void window_active_leave(struct track *track, int64_t t)
{
	struct engine *engine = track->engine;
	struct phase_window *phase;
	struct moment end;

	if (!track->in_active)
		return;
	track->in_active = false;
	device_window_cut(track, track->active.device, t, false);
	if (engine->tables.failed)
		return;
	phase = &engine->windows.phases.at[track->active.number];
	if (!phase->instances.n && !ARRAY_ADD(&phase->instances)) {
		engine->tables.failed = true;
		return;
	}
	replay_moment(track, t, &end);
	window_rank_add(&phase->ranks[track->process], track, &track->active, t);
	window_span_add(&phase->instances.at[0], &track->active.start, &end);
}
