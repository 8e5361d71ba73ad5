/*
 * device_window.c - the time of devices in a window: which ranks enter and leave it, and when it is
 * complete; see ../gpu/sweep.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"

struct device_window *device_window_new(struct engine *engine)
{
	struct device_window *window = engine->device.any ? calloc(1, sizeof(*window)) : NULL;

	if (!window)
		return NULL;
	window->sums = calloc(engine->tables.model.devices.n, sizeof(*window->sums));
	if (window->sums)
		return window;
	free(window);
	return NULL;
}

void device_window_free(struct device_window *window)
{
	if (!window)
		return;
	free(window->name);
	free(window->sums);
	free(window);
}

void device_window_drop(struct engine *engine, struct device_window *window)
{
	window->references--;
	if (window->references || !window->closed)
		return;
	if (engine->peers.self)
		engine->peers.calls->window(engine, window->name, window->sums);
	else
		engine->sink->devices(engine, window->name, window->measured, window->replayed,
			window->sums);
	device_window_free(window);
}

void device_window_close(struct engine *engine, struct device_window *window, const char *name,
	int64_t measured, const int64_t replayed[SCENARIO_COUNT])
{
	if (peers_writes_here(&engine->peers))
		engine->peers.calls->window_close(engine, name, measured, replayed);
	if (!window)
		return;
	window->name = strdup(name);
	if (!window->name)
		engine->tables.failed = true;
	window->measured = measured;
	memcpy(window->replayed, replayed, sizeof(window->replayed));
	window->closed = true;
	window->references++;
	device_window_drop(engine, window);
}

/* In order of time; processes that share a device report theirs in any order. */
static bool cut_add(struct device_sweep *sweep, const struct cut *cut)
{
	size_t i;

	if (sweep->next_cut > 64 && sweep->next_cut * 2 > sweep->cuts.n) {
		sweep->cuts.n -= sweep->next_cut;
		memmove(sweep->cuts.at, sweep->cuts.at + sweep->next_cut,
			sweep->cuts.n * sizeof(*sweep->cuts.at));
		sweep->next_cut = 0;
	}
	if (!ARRAY_ADD(&sweep->cuts))
		return false;
	for (i = sweep->cuts.n - 1; i > sweep->next_cut && sweep->cuts.at[i - 1].t > cut->t; i--)
		sweep->cuts.at[i] = sweep->cuts.at[i - 1];
	sweep->cuts.at[i] = *cut;
	return true;
}

void device_window_cut(struct track *track, struct device_window *window, int64_t t, bool begins)
{
	struct engine *engine = track->engine;
	const struct device_process *process = window ? &engine->device.processes[track->process]
						      : NULL;

	for (size_t i = 0; window && i < process->launched_on.n; i++) {
		window->references += begins;
		if (!cut_add(&engine->device.sweeps[process->launched_on.at[i]],
			    &(struct cut){ t, window, begins }))
			engine->tables.failed = true;
	}
}
