/*
 * split_pack.c - sums of readers on their way to the writer, which takes them
 * over as if it had read everything itself. Scalars in struct track come along
 * by themselves; what else a reader adds up needs a note here. See split.h.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine.h"
#include "tables/io_file.h"
#include "base/guard.h"
#include "base/log.h"
#include "parallel/split.h"

/* --- tracks --- */

/* Its picture goes as rows. */
static void track_pack(struct engine *engine, size_t location)
{
	struct track *track = &engine->tracks[location];
	struct pack *pack = &engine->peers.pack;
	const char *damage = track->cursor.damage ? track->cursor.damage : "";

	track_timeline_write(track);
	pack_add(pack, track, sizeof(*track));
	pack_add(pack, track->cursor.places.at,
		track->cursor.places.n * sizeof(*track->cursor.places.at));
	if (track->birth)
		pack_add(pack, track->birth, sizeof(*track->birth));
	pack_add(pack, damage, strlen(damage) + 1);
	pack_send(engine, NOTE_TRACK);
}

static const char *places_unpack(struct engine *engine, struct cursor *cursor, const char *at)
{
	size_t n = cursor->places.n;

	memset(&cursor->places, 0, sizeof(cursor->places));
	for (size_t i = 0; i < n; i++) {
		struct in_place sent, *place = ARRAY_ADD(&cursor->places);

		unpack(&at, &sent, sizeof(sent));
		if (place)
			*place = sent;
		engine->tables.failed |= !place;
	}
	return at;
}

/* Pointers of the reader mean nothing here. */
static void track_unpack(struct engine *engine, const char *at)
{
	struct track track, *to;

	unpack(&at, &track, sizeof(track));
	to = &engine->tracks[track.location];
	*to = track;
	to->engine = engine;
	to->cursor.archive = &engine->tables.archive;
	to->cursor.location = engine->tables.model.locations.at[track.location].in;
	to->cursor.records = NULL;
	to->cursor.reader = NULL;
	to->cursor.user = to;
	memset(&to->stack, 0, sizeof(to->stack));
	memset(&to->windows, 0, sizeof(to->windows));
	memset(&to->past, 0, sizeof(to->past));
	memset(&to->files, 0, sizeof(to->files));
	memset(&to->open, 0, sizeof(to->open));
	memset(&to->pending, 0, sizeof(to->pending));
	memset(&to->births, 0, sizeof(to->births));
	to->deferred = NULL;
	memset(&to->replay.needs, 0, sizeof(to->replay.needs));
	memset(&to->replay.lates, 0, sizeof(to->replay.lates));
	memset(&to->replay.watchers, 0, sizeof(to->replay.watchers));
	memset(&to->replay.device_needs, 0, sizeof(to->replay.device_needs));
	to->replay.call = NULL;
	to->replay.pieces = to->replay.idle = NULL;
	at = places_unpack(engine, &to->cursor, at);
	if (track.birth && (to->birth = malloc(sizeof(*to->birth))))
		unpack(&at, to->birth, sizeof(*to->birth));
	engine->tables.failed |= track.birth && !to->birth;
	to->cursor.damage = *at ? replay_text(engine, at) : NULL;
}

/* --- calls, files, rates --- */

struct wire_place {
	uint32_t process, number;
};

struct wire_calls {
	uint32_t process, n;
	uint64_t nrecorded, ncuda, nio, io_ns;
};

/* Their rows as they will be written. */
static void calls_pack(struct engine *engine, uint32_t process)
{
	struct pack *pack = &engine->peers.pack;
	size_t n;
	const struct call_figures *figures = call_rows_figures(engine->tables.call_rows, process,
		&n);
	const struct call_table *table = &engine->tables.calls[process];
	struct wire_calls head = { process, n, table->nrecorded, table->ncuda, table->nio,
		table->io_ns };

	pack_add(pack, &head, sizeof(head));
	pack_add(pack, figures, n * sizeof(*figures));
	pack_send(engine, NOTE_CALL);
}

static void calls_take(struct engine *engine, const struct note *note)
{
	const char *at = note->data;
	struct call_table *table;
	struct wire_calls head;

	unpack(&at, &head, sizeof(head));
	table = &engine->tables.calls[head.process];
	table->nrecorded = head.nrecorded;
	table->ncuda = head.ncuda;
	table->nio = head.nio;
	table->io_ns = head.io_ns;
	call_rows_take(engine->tables.call_rows, head.process, (const struct call_figures *)at,
		head.n);
}

static void call_sums_pack(struct engine *engine)
{
	struct pack *pack = &engine->peers.pack;

	for (uint32_t place = 0; place < engine->tables.model.regions.n; place++) {
		const struct call *sum = call_rows_sum(engine->tables.call_rows, place);

		if (!sum)
			continue;
		pack_add(pack, &(uint64_t){ place }, sizeof(uint64_t));
		call_add_to_pack(pack, sum);
		pack_send(engine, NOTE_CALL_SUM);
	}
}

static void call_sum_take(struct engine *engine, const struct note *note)
{
	const char *at = note->data;
	uint64_t place;
	struct call *sum;

	unpack(&at, &place, sizeof(place));
	sum = call_unpack(at);
	if (sum)
		call_rows_add(engine->tables.call_rows, (uint32_t)place, sum);
	engine->tables.failed |= !sum;
	free(sum);
}

/* Before all else: the writer writes them while it gets the rest. */
static void calls_all_pack(struct engine *engine)
{
	const struct model *model = &engine->tables.model;

	engine->tables.call_rows = call_rows_open(&engine->tables.db, model, engine->tables.calls);
	if (!engine->tables.call_rows)
		guard_leave(1);
	for (uint32_t i = 0; i < model->processes.n; i++)
		if (!peers_is_remote(&engine->peers, i))
			calls_pack(engine, i);
	call_sums_pack(engine);
	engine->tables.failed |= engine->tables.db.failed;
}

static void file_take(struct engine *engine, const struct note *note)
{
	const char *at = note->data;
	struct wire_place place;
	struct io_use *use;

	unpack(&at, &place, sizeof(place));
	use = io_use_of(&engine->tables.files[place.process], &engine->tables.model, place.number);
	if (use) {
		unpack(&at, use, sizeof(*use));
		use->sent.room = use->sent.n;
		use->sent.at = malloc(use->sent.n * sizeof(*use->sent.at) + 1);
		use->when.room = use->when.n;
		use->when.at = malloc(use->when.n * sizeof(*use->when.at) + 1);
	}
	if (use && use->sent.at && use->when.at) {
		unpack(&at, use->sent.at, use->sent.n * sizeof(*use->sent.at));
		unpack(&at, use->when.at, use->when.n * sizeof(*use->when.at));
	}
	engine->tables.failed |= !use || !use->sent.at || !use->when.at;
}

static void process_pack(struct engine *engine, uint32_t process)
{
	const struct model *model = &engine->tables.model;
	struct pack *pack = &engine->peers.pack;

	message_pairs_write(&engine->tables.pairs[process], &engine->tables.db, model, process);
	call_paths_write(&engine->tables.paths[process], &engine->tables.db, model, process);
	for (size_t i = 0; i < engine->tables.files[process].uses.n; i++) {
		const struct io_use *use = engine->tables.files[process].uses.at[i];

		pack_add(pack, &(struct wire_place){ process, use->file },
			sizeof(struct wire_place));
		pack_add(pack, use, sizeof(struct io_use));
		pack_add(pack, use->sent.at, use->sent.n * sizeof(*use->sent.at));
		pack_add(pack, use->when.at, use->when.n * sizeof(*use->when.at));
		pack_send(engine, NOTE_FILE);
	}
}

struct wire_rates {
	uint32_t node, counted, kind, pad;
	int64_t width;
	uint64_t total;
};

static void rates_pack(struct engine *engine, uint32_t node, bool counted)
{
	const struct rates *rates = counted ? &engine->tables.counters.rates[node]
					    : &engine->tables.rates[node];

	for (uint32_t kind = 0; kind < RATE_COUNT; kind++) {
		struct wire_rates wire = { node, counted, kind, 0, rates->width,
			rates->total[kind] };

		if (!rates->bins[kind])
			continue;
		pack_add(&engine->peers.pack, &wire, sizeof(wire));
		pack_add(&engine->peers.pack, rates->bins[kind], RATE_BINS * sizeof(double));
		pack_send(engine, NOTE_RATES);
	}
}

static void rates_take(struct engine *engine, const struct note *note)
{
	const char *at = note->data;
	struct wire_rates wire;

	unpack(&at, &wire, sizeof(wire));
	if (rate_merge(wire.counted ? &engine->tables.counters.rates[wire.node]
				    : &engine->tables.rates[wire.node],
		    (enum rate_kind)wire.kind, wire.width, wire.total, (const double *)at) < 0)
		engine->tables.failed = true;
}

/* --- counters --- */

static void series_pack(struct engine *engine, const struct counter_series *series)
{
	uint32_t member = (uint32_t)(series->member - engine->tables.archive.metric_members.at);

	pack_add(&engine->peers.pack, series, sizeof(*series));
	pack_add(&engine->peers.pack, &member, sizeof(member));
	pack_send(engine, NOTE_SERIES);
}

static void series_take(struct engine *engine, const struct note *note)
{
	const char *at = note->data;
	struct counter_series *series = ARRAY_ADD(&engine->tables.counters.series);
	uint32_t member;

	engine->tables.failed |= !series;
	if (!series)
		return;
	unpack(&at, series, sizeof(*series));
	unpack(&at, &member, sizeof(member));
	series->member = &engine->tables.archive.metric_members.at[member];
}

static void counters_pack(struct engine *engine)
{
	size_t nodes = engine->tables.model.nodes.n;

	for (size_t i = 0; i < engine->tables.counters.series.n; i++)
		series_pack(engine, &engine->tables.counters.series.at[i]);
	pack_add(&engine->peers.pack, engine->tables.counters.nodes,
		nodes * sizeof(*engine->tables.counters.nodes));
	pack_send(engine, NOTE_COUNTERS);
}

static void counters_merge(struct engine *engine, const struct note *note)
{
	const char *at = note->data;
	for (size_t i = 0; i < engine->tables.model.nodes.n; i++) {
		struct counter_node from, *to = &engine->tables.counters.nodes[i];

		unpack(&at, &from, sizeof(from));
		for (int kind = 0; kind < RATE_COUNT; kind++)
			to->seen[kind] |= from.seen[kind];
		to->disks |= from.disks;
	}
}

/* --- windows --- */

struct wire_window {
	int64_t n;
	size_t nspans, nintervals, nparts, devices;
};

/* `intervals`: of a phase, else NULL. */
static void window_pack(struct engine *engine, enum note_type type, int64_t n,
	const struct span_of_ranks *spans, size_t nspans, const struct phase_window *intervals,
	const struct window_rank *ranks, const char *name, bool devices)
{
	struct wire_window head = { n, nspans,
		intervals ? phase_intervals(&engine->windows, intervals) : 0, 0, devices };
	struct pack *pack = &engine->peers.pack;

	pack_add(pack, &head, sizeof(head));
	pack_add(pack, spans, nspans * sizeof(*spans));
	if (head.nintervals)
		pack_add(pack, intervals->intervals.at, head.nintervals * sizeof(*spans));
	for (uint32_t p = 0; p < engine->tables.model.processes.n; p++) {
		struct window_part part = { p, ranks[p] };

		if (!ranks[p].any && !ranks[p].caused && !ranks[p].open && !ranks[p].instances)
			continue;
		head.nparts++;
		pack_add(pack, &part, sizeof(part));
	}
	memcpy(pack->at, &head, sizeof(head));
	pack_add(pack, name, strlen(name) + 1);
	pack_send(engine, type);
}

void split_step(struct engine *engine, const struct step_window *step)
{
	char number[32];

	snprintf(number, sizeof(number), "%" PRId64, step->n);
	window_pack(engine, NOTE_STEP, step->n, &step->span, 1, NULL, step->ranks, number,
		step->device != NULL);
}

static void window_take(struct engine *engine, const struct note *note)
{
	const char *at = note->data;
	const struct span_of_ranks *spans;
	const struct window_part *parts;
	struct wire_window head;
	const char *name;
	char *window;

	unpack(&at, &head, sizeof(head));
	spans = (const struct span_of_ranks *)at;
	parts = (const struct window_part *)(spans + head.nspans + head.nintervals);
	name = (const char *)(parts + head.nparts);
	if (note->head.type != NOTE_STEP)
		window = phase_window_name(&(struct phase_window){ .name = (char *)name });
	else if (asprintf(&window, "step:%s", name) < 0)
		window = NULL;
	if (!window) {
		engine->tables.failed = true;
		return;
	}
	if (head.devices)
		split_window_expect(engine, window);
	free(window);
	if (note->head.type == NOTE_STEP)
		window_step_merge(engine, head.n, spans, parts, head.nparts);
	else
		window_phase_merge(engine, name, spans, head.nspans, head.nintervals, parts,
			head.nparts);
}

static void held_take_all(struct engine *engine, const struct note *note)
{
	const struct held *held = (const struct held *)note->data;

	for (size_t i = 0; i < note->head.size / sizeof(*held); i++)
		window_held(engine, &held[i]);
}

/* --- replay --- */

static void totals_pack(struct engine *engine)
{
	const struct replay *replay = &engine->replay;
	struct split_counts counts = split_counts(engine);

	if (replay->sums.n) {
		pack_add(&engine->peers.pack, replay->sums.at,
			replay->sums.n * sizeof(*replay->sums.at));
		pack_send(engine, NOTE_COLLECTIVE_SUM);
	}
	if (replay->socket_sums.n) {
		pack_add(&engine->peers.pack, replay->socket_sums.at,
			replay->socket_sums.n * sizeof(*replay->socket_sums.at));
		pack_send(engine, NOTE_SOCKET_SUM);
	}
	pack_add(&engine->peers.pack, &counts, sizeof(counts));
	pack_add(&engine->peers.pack, replay->collectives_of,
		engine->tables.model.comms.n * sizeof(*replay->collectives_of));
	pack_send(engine, NOTE_TOTALS);
}

static void totals_take(struct engine *engine, const struct note *note)
{
	const char *at = note->data;
	struct split_counts counts;
	int64_t seen;

	unpack(&at, &counts, sizeof(counts));
	split_counts_set(engine, note->head.from, &counts);
	for (size_t i = 0; i < engine->tables.model.comms.n; i++) {
		unpack(&at, &seen, sizeof(seen));
		engine->replay.collectives_of[i] += seen;
	}
}

static void sums_take(struct engine *engine, const struct note *note)
{
	size_t n = note->head.size / sizeof(struct collective_sum);
	const struct collective_sum *sums = (const struct collective_sum *)note->data;

	for (size_t i = 0; i < n; i++) {
		struct collective_sum *sum = ARRAY_ADD(&engine->replay.sums);

		if (sum)
			*sum = sums[i];
		else
			engine->tables.failed = true;
	}
}

static void socket_sums_take(struct engine *engine, const struct note *note)
{
	size_t n = note->head.size / sizeof(struct socket_sum);
	const struct socket_sum *sums = (const struct socket_sum *)note->data;

	for (size_t i = 0; i < n; i++) {
		struct socket_sum *sum = ARRAY_ADD(&engine->replay.socket_sums);

		if (sum)
			*sum = sums[i];
		else
			engine->tables.failed = true;
	}
}

/* --- steps of which there are sums alone --- */

static void step_rests_pack(struct engine *engine)
{
	for (size_t i = 0; i < engine->step_rests.sums.n; i++) {
		pack_add(&engine->peers.pack, &engine->step_rests.sums.at[i],
			sizeof(struct step_rest));
		pack_send(engine, NOTE_STEP_REST);
	}
}

static void step_rest_take_note(struct engine *engine, const struct note *note)
{
	const char *at = note->data;
	struct step_rest sum;

	unpack(&at, &sum, sizeof(sum));
	step_rest_merge(engine, &sum);
}

/* --- all --- */

void split_pack(struct engine *engine)
{
	const struct model *model = &engine->tables.model;

	sweeps_finish(engine);
	if (!engine->tables.summary)
		replay_count(engine);
	calls_all_pack(engine);
	split_pack_devices(engine);
	for (size_t i = 0; i < model->locations.n; i++)
		if (peers_reads_here(&engine->peers, i))
			track_pack(engine, i);
	for (uint32_t i = 0; i < model->processes.n; i++)
		if (!peers_is_remote(&engine->peers, i))
			process_pack(engine, i);
	for (uint32_t i = 0; i < model->nodes.n; i++) {
		rates_pack(engine, i, false);
		rates_pack(engine, i, true);
	}
	counters_pack(engine);
	for (size_t i = 0; i < engine->windows.phases.n; i++) {
		const struct phase_window *phase = &engine->windows.phases.at[i];
		char *name = phase_window_name(phase);

		if (!name)
			guard_leave(1);
		window_pack(engine, NOTE_PHASE, 0, phase->instances.at, phase->instances.n, phase,
			phase->ranks, phase->name, phase->device != NULL);
		if (phase->device)
			split_window(engine, name, phase->device->sums);
		free(name);
	}
	step_rests_pack(engine);
	collective_lines_flush(engine);
	totals_pack(engine);
	pack_send(engine, NOTE_DONE);
}

static void track_take(struct engine *engine, const struct note *note)
{
	track_unpack(engine, note->data);
}

static void (*const takers[NOTE_TYPES])(struct engine *engine, const struct note *note) = {
	[NOTE_STEP] = window_take,
	[NOTE_PHASE] = window_take,
	[NOTE_STEP_REST] = step_rest_take_note,
	[NOTE_TRACK] = track_take,
	[NOTE_HELD] = held_take_all,
	[NOTE_CALL] = calls_take,
	[NOTE_CALL_SUM] = call_sum_take,
	[NOTE_FILE] = file_take,
	[NOTE_RATES] = rates_take,
	[NOTE_COUNTERS] = counters_merge,
	[NOTE_SERIES] = series_take,
	[NOTE_COLLECTIVES] = collective_lines_take,
	[NOTE_COLLECTIVE_SUM] = sums_take,
	[NOTE_SOCKET_SUM] = socket_sums_take,
	[NOTE_TOTALS] = totals_take,
	[NOTE_DEVICE_WINDOW] = split_take_window,
	[NOTE_DEVICE] = split_take_device,
	[NOTE_KERNEL] = split_take_kernel,
	[NOTE_STREAM] = split_take_stream,
	[NOTE_NCCL_COMM] = nccl_take_comm,
	[NOTE_NCCL_SUM] = nccl_take_sum,
};

void split_unpack(struct engine *engine, const struct note *note)
{
	if (note->head.type < NOTE_TYPES && takers[note->head.type])
		takers[note->head.type](engine, note);
	else
		engine->tables.failed = true;
}
