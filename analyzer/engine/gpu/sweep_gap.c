/*
 * sweep_gap.c - the present gap of a device, in which it does nothing: pieces of it, between which
 * windows begin or end, and when it is over the cause of each; see sweep.h.
 */
#include "config.h"

#include "engine/engine.h"

enum { LAUNCH_LATENCY_NS = 10000 };

int gap_piece(struct engine *engine, struct device_sweep *sweep, int64_t t)
{
	struct idle_piece *piece = ARRAY_ADD(&sweep->pieces);

	if (!piece)
		return -1;
	*piece = (struct idle_piece){ t, sweep->piece_totals.n, sweep->piece_windows.n,
		sweep->open.n };
	for (size_t i = 0; i < sweep->threads.n; i++) {
		const struct track *track = &engine->tracks[sweep->threads.at[i]];
		struct cause_totals *totals = ARRAY_ADD(&sweep->piece_totals);

		if (!totals)
			return -1;
		history_advance(&engine->device.histories[track->location], &sweep->cursors[i],
			t < track->last ? t : track->last, totals);
	}
	for (size_t i = 0; i < sweep->open.n; i++) {
		struct device_window **window = ARRAY_ADD(&sweep->piece_windows);

		if (!window)
			return -1;
		*window = sweep->open.at[i].window;
		(*window)->references++;
	}
	return 0;
}

/* Why a piece was idle: host-bound until the launch, queued after it. */
struct verdict {
	/* place in the sweep's threads; SIZE_MAX: unknown */
	size_t thread;
	int64_t launched;
	const struct cause_totals *totals; /* at the launch */
	enum device_state queued;
};

/* A part of a piece of idle time, from *at on. */
static void part_add(struct engine *engine, struct device_sweep *sweep,
	const struct idle_piece *piece, enum device_state state, int64_t ns, int64_t *at)
{
	size_t device = sweep - engine->device.sweeps;

	if (!ns)
		return;
	sweep->run.ns[state] += ns;
	if (timeline_device(&engine->timelines, device, *at, ns, state) < 0)
		engine->tables.failed = true;
	*at += ns;
	for (size_t i = 0; i < piece->nwindows; i++)
		sweep->piece_windows.at[piece->windows + i]->sums[device].ns[state] += ns;
}

/* Reports the piece up to `to` as parts, one cause after the other. */
static void piece_split(struct engine *engine, struct device_sweep *sweep,
	const struct idle_piece *piece, int64_t to, const struct verdict *verdict)
{
	int64_t bound = verdict->launched < piece->t ? piece->t
		: verdict->launched > to	     ? to
						     : verdict->launched;
	int64_t left = bound - piece->t, at = piece->t;

	if (verdict->thread == SIZE_MAX) {
		part_add(engine, sweep, piece, DEVICE_IDLE_UNKNOWN, to - piece->t, &at);
		return;
	}
	if (left) {
		const struct cause_totals *from = &sweep->piece_totals
							   .at[piece->totals + verdict->thread];
		const struct cause_totals *until = bound < to
			? verdict->totals
			: &sweep->piece_totals.at[piece[1].totals + verdict->thread];

		for (int cause = 0; cause < CAUSE_NONE; cause++) {
			int64_t part = until->ns[cause] - from->ns[cause];

			part_add(engine, sweep, piece, DEVICE_IDLE_IO_WAIT + cause, part, &at);
			left -= part;
		}
	}
	part_add(engine, sweep, piece, verdict->queued, to - bound, &at);
	/* the thread had not begun, or was over */
	part_add(engine, sweep, piece, DEVICE_IDLE_UNKNOWN, left, &at);
}

static void piece_close(struct engine *engine, struct device_sweep *sweep,
	const struct idle_piece *piece, int64_t to, const struct verdict *verdict)
{
	piece_split(engine, sweep, piece, to, verdict);
	for (size_t i = 0; i < piece->nwindows; i++)
		device_window_drop(engine, sweep->piece_windows.at[piece->windows + i]);
}

size_t sweep_thread(const struct device_sweep *sweep, uint32_t location)
{
	for (size_t i = 0; i < sweep->threads.n; i++)
		if (sweep->threads.at[i] == location)
			return i;
	return SIZE_MAX;
}

/* The thread that last launched here, else the main thread. */
static size_t tail_thread(const struct engine *engine, const struct device_sweep *sweep)
{
	const struct device *device = &engine->tables.model.devices
					       .at[sweep - engine->device.sweeps];
	uint32_t process = device->uses.n ? device->uses.at[0].process : MODEL_NONE;

	if (sweep->last_thread != MODEL_NONE)
		return sweep_thread(sweep, sweep->last_thread);
	return process == MODEL_NONE
		? SIZE_MAX
		: sweep_thread(sweep, engine->tables.model.processes.at[process].main);
}

void gap_end(struct engine *engine, struct device_sweep *sweep, int64_t t,
	const struct activity_span *first)
{
	struct verdict verdict = { .launched = t };
	int64_t start = sweep->pieces.at[0].t;
	size_t n = sweep->pieces.n;

	if (!first || first->class == ACTIVITY_NONE) {
		verdict.thread = tail_thread(engine, sweep);
	} else {
		verdict.thread = first->launched == INT64_MAX ? SIZE_MAX
							      : sweep_thread(sweep, first->thread);
		verdict.launched = first->launched;
		verdict.totals = &first->totals;
		verdict.queued = t - (first->launched > start ? first->launched : start) <
				(engine->launch_latency_ns ? engine->launch_latency_ns
							   : LAUNCH_LATENCY_NS)
			? DEVICE_IDLE_LAUNCH_LATENCY
			: DEVICE_IDLE_QUEUED_OTHER;
	}
	if (gap_piece(engine, sweep, t) < 0) { /* totals at the end */
		engine->tables.failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		piece_close(engine, sweep, &sweep->pieces.at[i], sweep->pieces.at[i + 1].t,
			&verdict);
	for (size_t i = 0; i < sweep->pieces.at[n].nwindows; i++)
		device_window_drop(engine,
			sweep->piece_windows.at[sweep->pieces.at[n].windows + i]);
	sweep->pieces.n = sweep->piece_totals.n = sweep->piece_windows.n = 0;
}
