/*
 * split.c - the life of readers and of the writer: their begin, who can continue, their end; see
 * split.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/engine.h"
#include "parallel/writer_cpu.h"
#include "parallel/mpi_relay.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/par.h"
#include "engine/read/schedule.h"
#include "parallel/split.h"
#include "parallel/split_crowd.h"
#include "parallel/split_plan.h"

enum {
	EVENTS_LEAST = 500000, /* below that one process is as fast */
	/* without a note, until a reader states that it cannot continue */
	QUIET_MS = 2,
	/*
	 * Before that it searches for notes. Who sleeps is awake again 0.1 to 0.5 ms later on a
	 * virtual machine, and then the other one has gone to sleep.
	 */
	LOOK_US = 2000,
	/* … for what the board shows, until it asks, and where all that it reads is over */
	ASK_US = 50,
	ASK_RUNS = 64, /* times that tracks were run, until it asks all the same */
	RUNS = 4,      /* of tracks, between searches for news while there are some */
	LOOK_MS = 100, /* of the writer after its readers */
	/*
	 * times that nobody can continue: so many at the end of a killed run, and for each
	 * location
	 */
	FORCED = 128,
	FORCED_OF_LOCATION = 2,
	/* of memory that the writer may take for one that others read */
	LOCATION_BYTES = 1 << 20,
};

/*
 * What a reader states when it cannot continue: what it sent and received so far, and whom it would
 * force.
 */
struct idle {
	uint64_t sent, received, done;
	uint32_t probe; /* the last one it got */
	/* parked, of which the call ends first; MODEL_NONE: none is */
	uint32_t location;
	int64_t leave;
	uint64_t present; /* see nccl_present() */
};

/* A reader, as the writer knows it. */
struct split_reader {
	struct idle idle;
	bool any, done;
	ARRAY_OF(const char *) statements;
};

/* --- begin and end --- */

/* All that may read, on all machines. */
static int readers_wished(const struct engine *engine, int jobs, const struct relay *relay)
{
	int n;

	if (jobs < 0 || !guard_has_helpers() || engine->tables.model.locations.n < 2)
		return 1;
	if (jobs <= 0 && split_plan_events(engine) < EVENTS_LEAST)
		return 1;
	if (!relay) {
		n = par_jobs(jobs);
		return n < GUARD_HELPERS ? n : GUARD_HELPERS;
	}
	return (int)relay_readers_all(relay);
}

static int reader_begin(struct engine *engine, uint32_t number)
{
	struct split *split = engine->peers.split;

	engine->peers.self = number;
	/* as the writer's rows have them */
	for (size_t i = 0; i < engine->tables.model.processes.n; i++)
		engine->tables.model.processes.at[i].id = (int64_t)i + 1;
	for (size_t i = 0; i < engine->tables.model.processes.n; i++)
		engine->peers.nranks += engine->tables.model.processes.at[i].rank >= 0 &&
			engine->peers.process_owners[i] == number;
	engine->tables.db.sink = split_row;
	engine->tables.db.sink_user = engine;
	engine->tables.archive.unread = calloc(engine->tables.model.locations.n + 1, sizeof(bool));
	for (size_t i = 0; engine->tables.archive.unread && i < engine->tables.model.locations.n;
		i++)
		engine->tables.archive.unread[i] = engine->peers.owners[i] != number;
	if (engine->tables.archive.unread &&
		link_join(&split->link, link_place(&split->link, number), number) == 0)
		return split_plan_comms(engine);
	log_error("out of memory for %zu locations", engine->tables.model.locations.n);
	return -1;
}

/* The rings, and which readers are started here: from *first on, so many. */
static uint32_t slots_take(struct engine *engine, const struct relay *relay, uint32_t *first)
{
	struct split *split = engine->peers.split;
	uint32_t n = engine->peers.n;

	*first = 1;
	if (!relay) {
		guard_memory(link_bytes(n + 1));
		if (link_open(&split->link, n + 1) < 0)
			return 0;
		link_slot(&split->link, 0, 0, n + 1);
		return n;
	}
	n = relay_readers(relay, relay->rank, first);
	split->link = relay->link;
	split->link.inboxes = NULL;
	split->link.outboxes = NULL;
	return *first > engine->peers.n		   ? 0
		: n < engine->peers.n + 1 - *first ? n
						   : engine->peers.n + 1 - *first;
}

static const struct peer_calls calls = {
	.publish = split_publish,
	.ask = split_ask,
	.progress = split_progress,
	.arrived = split_arrived,
	.left = split_left,
	.dropped = split_unreported_drop,
	.step = split_step,
	.window = split_window,
	.window_close = split_window_close,
	.nccl_arrived = split_nccl_arrived,
	.nccl_left = split_nccl_left,
	.nccl_ask = split_nccl_ask,
	.send = pack_send,
	.send_all = split_send_all,
	.await = split_await,
};

int split_begin(struct engine *engine, int jobs, const struct relay *relay)
{
	struct split *split = engine->peers.split;
	int n = readers_wished(engine, jobs, relay);
	uint32_t first, nhere;
	bool leads = !relay || !relay->rank;

	if (n > 1)
		n = split_plan(engine, n);
	split->is_idle = n < 2 && !leads;
	if (n < 2)
		return n < 0 ? -1 : 0;
	engine->peers.n = (uint32_t)n;
	engine->peers.calls = &calls;
	split->oversees = !leads;
	split->is_here = !relay;
	split->readers = calloc((uint32_t)n + 1, sizeof(*split->readers));
	split->counts = calloc((uint32_t)n + 1, sizeof(*split->counts));
	nhere = slots_take(engine, relay, &first);
	link_board(&split->link, engine->tables.model.processes.n);
	if (!split->readers || !split->counts || !split->link.shared || nhere > GUARD_HELPERS)
		return -1;
	if (leads)
		log_debug("%d processes read %zu locations", n, engine->tables.model.locations.n);
	for (uint32_t i = 0; i < nhere; i++) {
		pid_t pid = guard_fork();

		if (pid == 0)
			return reader_begin(engine, first + i);
		if (pid < 0) {
			log_error("cannot start process %u of %u: try --jobs 1", i + 1, nhere);
			return -1;
		}
	}
	return leads ? link_join(&split->link, 0, 0) : 0;
}

void split_end(struct engine *engine)
{
	struct split *split = engine->peers.split;

	for (uint32_t i = 0; split->readers && i <= engine->peers.n; i++)
		free(split->readers[i].statements.at);
	free(split->readers);
	free(split->counts);
	free(split->asks.at);
	free(split->unreported.at);
	free(split->unasked.at);
	split_windows_free(engine);
	free(split->watches.at);
	free(split->looks.at);
	free(split->statements.at);
	free(engine->peers.pack.at);
	free(engine->tables.archive.unread);
	link_close(&split->link); /* a relay's own mapping is another one */
	split_plan_free(engine);
}

/* --- rows --- */

/* Statements are literals: sent once, then called by their number. */
static uint32_t statement_number(struct engine *engine, const char *sql)
{
	struct split *split = engine->peers.split;
	const char **at;

	for (uint32_t i = 0; i < split->statements.n; i++)
		if (split->statements.at[i] == sql)
			return i;
	at = ARRAY_ADD(&split->statements);
	if (!at)
		guard_leave(1);
	*at = sql;
	link_post(&split->link, 0, NOTE_SQL, sql, strlen(sql) + 1);
	return (uint32_t)split->statements.n - 1;
}

void split_row(void *user, const char *sql, const char *types, const union db_value *values)
{
	struct engine *engine = user;
	struct pack *row = &engine->peers.pack;
	uint32_t number = statement_number(engine, sql);

	pack_add(row, &number, sizeof(number));
	pack_add(row, types, strlen(types) + 1);
	for (; *types; types++, values++) {
		if (*types == 's') {
			uint32_t n = values->s ? (uint32_t)strlen(values->s) + 1 : 0;

			pack_add(row, &n, sizeof(n));
			pack_add(row, values->s ? values->s : "", n);
		} else {
			pack_add(row, values, sizeof(values->i));
		}
	}
	link_post(&engine->peers.split->link, 0, NOTE_ROW, row->at, row->n);
	row->n = 0;
}

/* Equal statements of all readers are one. */
static void take_sql(struct engine *engine, const struct note *note)
{
	struct split *split = engine->peers.split;
	const char **at = ARRAY_ADD(&split->readers[note->head.from].statements), **all;

	if (!at)
		return;
	for (size_t i = 0; i < split->statements.n && !*at; i++)
		if (strcmp(split->statements.at[i], note->data) == 0)
			*at = split->statements.at[i];
	if (!*at && (all = ARRAY_ADD(&split->statements)))
		*at = *all = replay_text(engine, note->data);
}

static void take_row(struct engine *engine, const struct note *note)
{
	const struct split_reader *peer = &engine->peers.split->readers[note->head.from];
	uint32_t number;

	memcpy(&number, note->data, sizeof(number));
	if (number < peer->statements.n && peer->statements.at[number])
		db_put_packed(&engine->tables.db, peer->statements.at[number],
			note->data + sizeof(number));
	else
		engine->tables.failed = true;
}

/* --- notes --- */

/* What readers send each other. False: it is something else. */
static bool take_of_reader(struct engine *engine, const struct note *note)
{
	static void (*const takers[NOTE_TYPES])(struct engine *, const struct note *) = {
		[NOTE_FOUND] = steps_found_take,
		[NOTE_AGREED] = steps_agreed_take,
		[NOTE_MESSAGE] = split_take_message,
		[NOTE_WATCH] = split_take_watch,
		[NOTE_PASSED] = split_take_passed,
		[NOTE_ARRIVED] = split_take_arrived,
		[NOTE_LEFT] = split_take_left,
		[NOTE_NCCL_ARRIVED] = split_take_nccl,
		[NOTE_NCCL_LEFT] = split_take_nccl_left,
		[NOTE_NCCL_ASK] = split_take_nccl_ask,
		[NOTE_NCCL_PASSED] = split_take_nccl_passed,
	};

	if (note->head.type >= NOTE_TYPES || !takers[note->head.type])
		return false;
	engine->peers.split->received++;
	takers[note->head.type](engine, note);
	return true;
}

/* --- a reader --- */

struct reader {
	struct schedule schedule;
	struct idle sent; /* what was sent last */
	uint32_t probe;
	bool soon; /* others are stuck: say at once when this one is as well */
	bool rest; /* the rest is stuck again and again: the same for good */
	bool over;
	uint32_t runs; /* since NCCL instances were asked for */
};

static void take_in_reader(struct engine *engine, struct reader *reader, const struct note *note)
{
	uint32_t number = 0;

	if (take_of_reader(engine, note))
		return;
	if (note->head.size == sizeof(number))
		memcpy(&number, note->data, sizeof(number));
	reader->soon = true;
	reader->sent.probe = UINT32_MAX; /* whatever it was, the writer wants an answer */
	switch (note->head.type) {
	case NOTE_PROBE:
		reader->probe = number;
		split_unreported_send(engine);
		break;
	case NOTE_REST:
		reader->rest = true;
		schedule_rest(&reader->schedule);
		break;
	case NOTE_FORCE:
		if (peers_reads_here(&engine->peers, number))
			schedule_force(&reader->schedule, &engine->tracks[number]);
		break;
	case NOTE_FLUSH: split_flush(engine); break;
	default: reader->over = true;
	}
}

static void idle_send(struct engine *engine, struct reader *reader)
{
	const struct track *stuck = schedule_stuck(&reader->schedule);
	struct idle idle = { .sent = engine->peers.split->sent,
		.received = engine->peers.split->received,
		.done = reader->schedule.done,
		.probe = reader->probe,
		.location = stuck ? stuck->location : MODEL_NONE,
		.leave = stuck ? stuck->replay.leave : 0,
		.present = stuck ? nccl_present(stuck) : 0 };

	if (memcmp(&idle, &reader->sent, sizeof(idle)) == 0)
		return;
	reader->sent = idle;
	reader->soon = false;
	link_send(&engine->peers.split->link, 0, NOTE_IDLE, &idle, sizeof(idle));
}

static bool notes_take(struct engine *engine, struct reader *reader)
{
	struct note note;
	bool any = false;

	while (!reader->over && link_receive(&engine->peers.split->link, &note)) {
		take_in_reader(engine, reader, &note);
		schedule_wake(&reader->schedule);
		any = true;
	}
	return any;
}

static void all_take(void *user)
{
	struct reader *reader = user;

	notes_take(reader->schedule.engine, reader);
}

/* What came, by notes or on the board. */
static bool news_take(struct engine *engine, struct reader *reader)
{
	bool any = notes_take(engine, reader);

	if (!engine->peers.split->looks.n || !split_looks_take(engine, all_take, reader))
		return any;
	schedule_wake(&reader->schedule);
	return true;
}

static bool is_news(void *user)
{
	struct engine *engine = ((struct reader *)user)->schedule.engine;

	return link_has_come(&engine->peers.split->link) || split_looks_there(engine);
}

/* Meanwhile events are read that will be wanted. */
static enum link_found news_there(void *user)
{
	struct reader *reader = user;

	if (split_looks_there(reader->schedule.engine))
		return LINK_THERE;
	return schedule_ahead(&reader->schedule, is_news, reader) ? LINK_USEFUL : LINK_NOTHING;
}

/* Notes were lost: nothing that waits for one would continue. */
static void link_check(const struct link *link)
{
	if (!link_failed(link))
		return;
	log_error("out of memory for messages between processes");
	guard_leave(1);
}

int split_await(struct engine *engine, const uint32_t *count, uint32_t wanted)
{
	struct link *link = &engine->peers.split->link;
	struct note note;

	while (*count < wanted && !engine->tables.failed) {
		if (link_receive(link, &note))
			take_of_reader(engine, &note);
		else
			link_wait(link, LOOK_MS);
		link_check(link);
	}
	return engine->tables.failed ? -1 : 0;
}

/* Some of those that can continue. False: none can. */
static bool tracks_run(struct engine *engine, struct reader *reader)
{
	int n = 0;

	while (n < RUNS && !engine->tables.failed && schedule_run(&reader->schedule))
		n++;
	if (engine->peers.split->unasked.n && ++reader->runs >= ASK_RUNS) {
		split_nccl_ask_now(engine);
		reader->runs = 0;
	}
	link_flush(&engine->peers.split->link);
	if (n)
		link_show_core(&engine->peers.split->link,
			(double)reader->schedule.done / ((double)reader->schedule.total + 1));
	return n > 0;
}

int split_read(struct engine *engine)
{
	struct reader reader = { .sent.probe = UINT32_MAX };
	struct link *link = &engine->peers.split->link;
	int ret = -1;

	if (archive_open_events(&engine->tables.archive) < 0 ||
		schedule_open(&reader.schedule, engine) < 0 || steps_find(engine) < 0 ||
		eager_learn(engine) < 0)
		goto out;
	while (!reader.over && !engine->tables.failed) {
		link_check(link);
		if (notes_take(engine, &reader) || tracks_run(engine, &reader) ||
			news_take(engine, &reader))
			continue;
		if (engine->peers.split->looks.n || engine->peers.split->unasked.n) {
			if (!link_look(link, ASK_US, news_there, &reader)) {
				split_looks_ask(engine);
				split_nccl_ask_now(engine);
			}
			continue;
		}
		if (!reader.soon && !reader.rest &&
			!link_look(link, reader.schedule.nopen ? LOOK_US : ASK_US, news_there,
				&reader) &&
			reader.schedule.nopen)
			link_wait(link, QUIET_MS);
		if (notes_take(engine, &reader))
			continue;
		idle_send(engine, &reader);
		link_wait(link, LOOK_MS);
	}
	if (!engine->tables.failed)
		split_pack(engine);
	link_flush(link);
	link_check(link);
	ret = engine->tables.failed ? -1 : 0;
out:
	schedule_close(&reader.schedule);
	return ret;
}

/* --- the writer --- */

enum stage { STAGE_FIRST, STAGE_REST, STAGE_FLUSH, STAGE_GATHER };

struct collecting {
	enum stage stage;
	uint32_t probe; /* number of the present one */
	/* by all, when it was sent; UINT64_MAX: none is under way */
	uint64_t sent;
	uint32_t ndone;
	uint64_t nforced;
};

static void readers_send(struct engine *engine, enum note_type type, uint32_t number)
{
	for (uint32_t i = 1; i <= engine->peers.n; i++) {
		engine->peers.split->readers[i].any = false;
		link_send(&engine->peers.split->link, i, type, &number, sizeof(number));
	}
}

/* Of all parked tracks the one whose call ends first; MODEL_NONE: none is. */
static uint32_t stuck_first(const struct engine *engine)
{
	const struct split *split = engine->peers.split;
	const struct idle *first = NULL;

	for (uint32_t i = 1; i <= engine->peers.n; i++) {
		const struct idle *at = &split->readers[i].idle;

		if (at->location == MODEL_NONE)
			continue;
		if (!first || at->leave < first->leave ||
			(at->leave == first->leave &&
				(at->present > first->present ||
					(at->present == first->present &&
						at->location < first->location))))
			first = at;
	}
	return first ? first->location : MODEL_NONE;
}

static void go_on_alone(const char *why)
{
	log_debug("%s: one process reads on alone", why);
	guard->alone = true;
	guard_leave(1);
}

/*
 * Forces a track whose call waits for what is not in the archive. Where that happens again and
 * again, as every collective lacks a rank whose records are lost, all have to come to rest each
 * time: one process, which need not ask anybody, is much faster.
 */
static void force(struct engine *engine, struct collecting *collecting, uint32_t stuck)
{
	if (++collecting->nforced >
		FORCED + FORCED_OF_LOCATION * (uint64_t)engine->tables.model.locations.n)
		go_on_alone("so much is missing");
	readers_send(engine, NOTE_FORCE, stuck);
}

/* Nobody can continue and nothing is under way. */
static void all_quiet(struct engine *engine, struct collecting *collecting)
{
	uint32_t stuck = stuck_first(engine);

	if (collecting->stage == STAGE_FIRST) {
		collecting->stage = STAGE_REST;
		readers_send(engine, NOTE_REST, 0);
	} else if (collecting->stage == STAGE_REST && stuck != MODEL_NONE) {
		force(engine, collecting, stuck);
	} else if (collecting->stage == STAGE_REST) {
		collecting->stage = STAGE_FLUSH;
		readers_send(engine, NOTE_FLUSH, 0);
	} else {
		collecting->stage = STAGE_GATHER;
		readers_send(engine, NOTE_GATHER, 0);
	}
}

/*
 * All readers say that they are idle, and as many notes were received as sent:
 * if a second round finds the same numbers, nothing was under way in between
 * (Mattern's four counters).
 */
static void idle_look(struct engine *engine, struct collecting *collecting)
{
	const struct split *split = engine->peers.split;
	uint64_t sent = 0, received = 0;

	for (uint32_t i = 1; i <= engine->peers.n; i++) {
		if (!split->readers[i].any)
			return;
		sent += split->readers[i].idle.sent;
		received += split->readers[i].idle.received;
	}
	if (sent != received || collecting->stage == STAGE_GATHER)
		return;
	for (uint32_t i = 1; i <= engine->peers.n; i++)
		if (split->readers[i].idle.probe != collecting->probe || collecting->sent != sent) {
			collecting->sent = sent;
			readers_send(engine, NOTE_PROBE, ++collecting->probe);
			return;
		}
	collecting->sent = UINT64_MAX;
	all_quiet(engine, collecting);
}

static void take_in_writer(struct engine *engine, struct collecting *collecting,
	const struct note *note)
{
	struct split_reader *peer = &engine->peers.split->readers[note->head.from];

	switch (note->head.type) {
	case NOTE_SQL: take_sql(engine, note); break;
	case NOTE_ROW: take_row(engine, note); break;
	case NOTE_IDLE:
		memcpy(&peer->idle, note->data, sizeof(peer->idle));
		peer->any = true;
		idle_look(engine, collecting);
		break;
	case NOTE_FOUND:
	case NOTE_AGREED: take_of_reader(engine, note); break;
	case NOTE_DONE: collecting->ndone++; break;
	default: split_unpack(engine, note);
	}
}

static int all_collect(struct engine *engine, struct core *core)
{
	struct collecting collecting = { .sent = UINT64_MAX };
	struct split *split = engine->peers.split;
	uint64_t events = split_plan_events(engine);
	bool is_worth = split->is_here && events >= EVENTS_LEAST;
	struct crowd crowd = { 0 };
	struct note note;

	while (collecting.ndone < engine->peers.n) {
		uint32_t rung = link_rung(&split->link);

		writer_cpu_choose(core, &split->link);
		while (link_receive(&split->link, &note)) {
			guard->progress++;
			take_in_writer(engine, &collecting, &note);
		}
		link_check(&split->link);
		if (engine->tables.failed || engine->tables.db.failed || !guard_helpers_fine())
			return -1;
		log_progress("analyzing", guard_helpers_done(), events);
		if (is_worth && guard_helpers_done() < events / 2 && crowd_is_there(&crowd))
			go_on_alone("other programs take the processors");
		/* looking for news would take a core from a reader, for whom the others wait */
		if (collecting.ndone < engine->peers.n)
			link_sleep(&split->link, rung, LOOK_MS);
	}
	log_progress("analyzing", events, events);
	return engine->tables.failed ? -1 : 0;
}

int split_collect(struct engine *engine)
{
	struct core core;
	int ret;

	/* a step's stretch is read here in the end; meanwhile others read */
	if (archive_open_events(&engine->tables.archive) < 0 || steps_find(engine) < 0)
		return -1;
	guard->stage = GUARD_FIGURES;
	guard_memory((uint64_t)engine->tables.model.locations.n * LOCATION_BYTES);
	writer_cpu_begin(&core);
	ret = all_collect(engine, &core);
	writer_cpu_end(&core);
	return ret;
}
