/*
 * replay_launch.c - launches of a process by their correlation: noted when their call begins, found
 * by streams and marks, let go of when no stream can still refer to them; see replay_device.h.
 */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"

/* launches: after this many it is tried with each launch, as the streams rarely allow it */
enum { RETIRE_AT = 32 };

static uint32_t *launch_slot(const struct device_process *process, uint64_t correlation)
{
	return &process->recent[correlation % RECENT_LAUNCHES];
}

uint32_t launch_find(const struct device_process *process, uint64_t correlation)
{
	uint32_t recent = process->recent ? *launch_slot(process, correlation) : 0;

	return recent && process->launches.at[recent - 1].correlation == correlation
		? recent - 1
		: idmap_find(&process->launch_numbers, idmap_key(correlation));
}

/*
 * The last ones are in a plain array: numbers count up, and most launches are over before their
 * place is taken.
 */
static int launch_note(struct device_process *process, uint64_t correlation, uint32_t number)
{
	uint32_t *slot;

	if (!process->recent &&
		!(process->recent = calloc(RECENT_LAUNCHES, sizeof(*process->recent))))
		return -1;
	slot = launch_slot(process, correlation);
	if (*slot && process->launches.at[*slot - 1].correlation != correlation &&
		idmap_set(&process->launch_numbers,
			idmap_key(process->launches.at[*slot - 1].correlation), *slot - 1) < 0)
		return -1;
	if (process->launch_numbers.nused &&
		idmap_find(&process->launch_numbers, idmap_key(correlation)) != IDMAP_NONE &&
		idmap_set(&process->launch_numbers, idmap_key(correlation), IDMAP_NONE) < 0)
		return -1;
	*slot = number + 1;
	return 0;
}

static void launch_forget(struct device_process *process, uint64_t correlation, uint32_t number)
{
	uint32_t *slot = launch_slot(process, correlation);

	if (*slot == number + 1)
		*slot = 0;
	else if (idmap_find(&process->launch_numbers, idmap_key(correlation)) == number)
		idmap_set(&process->launch_numbers, idmap_key(correlation), IDMAP_NONE);
}

/*
 * No stream of the process can still begin something launched at t: all are at later launches, or
 * are over. A launch that has not come by is later once all threads have come past t, `launcher`,
 * which is at `now` as well.
 */
static bool launch_passed(const struct track *launcher, int64_t now,
	const struct device_process *process, int64_t t)
{
	const struct engine *engine = launcher->engine;

	for (size_t i = 0; i < process->streams.n; i++) {
		const struct stream *stream = &engine->device.streams[process->streams.at[i]];
		const struct track *track = &engine->tracks[process->streams.at[i]];

		if (track->cursor.ended && stream->state == STREAM_IDLE)
			continue;
		if (stream->state == STREAM_IDLE || stream->state == STREAM_OPEN)
			return false;
		if (stream->launch == MODEL_NONE ? !stream->correlated ||
					launch_find(process, stream->correlation) != MODEL_NONE ||
					now <= t || threads_behind(launcher, process, t, true)
						 : process->launches.at[stream->launch].at.t <= t)
			return false;
	}
	return true;
}

/* Forgets the oldest launches that nothing can refer to any more. */
static void launches_retire(const struct track *launcher, int64_t now,
	struct device_process *process)
{
	while (process->oldest_at < process->oldest.n) {
		uint32_t number = process->oldest.at[process->oldest_at], *at;
		struct launch *launch = &process->launches.at[number];

		if (!launch_passed(launcher, now, process, launch->at.t) ||
			!(at = ARRAY_ADD(&process->free_launches)))
			break;
		*at = number;
		launch_forget(process, launch->correlation, number);
		process->oldest_at++;
	}
	if (process->oldest_at * 2 > process->oldest.n) {
		process->oldest.n -= process->oldest_at;
		for (size_t i = 0; i < process->oldest.n; i++)
			process->oldest.at[i] = process->oldest.at[process->oldest_at + i];
		process->oldest_at = 0;
	}
}

static void launch_set(struct launch *launch, const struct track *track, uint64_t correlation,
	int64_t t)
{
	launch->correlation = correlation;
	launch->place = (struct report_order){ t, track->nenters, track->location };
	history_totals(&track->engine->device.histories[track->location], t, &launch->totals);
	launch->phase = window_phase_open(track);
	launch->begun = false;
	if (track->engine->tables.summary)
		launch->at.t = t;
	else
		replay_moment(track, t, &launch->at);
}

bool launch_add(struct track *track, uint64_t correlation, int64_t t)
{
	struct device_process *process = &track->engine->device.processes[track->process];
	uint32_t number = launch_find(process, correlation), *at;

	if (number != MODEL_NONE && !process->launches.at[number].begun)
		return false; /* a driver call inside the runtime call that is known */
	if (process->oldest.n - process->oldest_at >= RETIRE_AT)
		launches_retire(track, t, process);
	if (process->free_launches.n) {
		number = process->free_launches.at[--process->free_launches.n];
	} else if (ARRAY_ADD(&process->launches)) {
		number = process->launches.n - 1;
	} else {
		track_fail(track);
		return false;
	}
	at = ARRAY_ADD(&process->oldest);
	if (!at || launch_note(process, correlation, number) < 0) {
		track_fail(track);
		return false;
	}
	*at = number;
	track->replay.launches = true;
	launch_set(&process->launches.at[number], track, correlation, t);
	return true;
}
