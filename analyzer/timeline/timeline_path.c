/*
 * timeline_path.c - the critical path through one step, walked back from the rank that left it
 * last: at a call that waited the path continues in the partner of the wait.
 */
#include "config.h"

#include <stdlib.h>

#include "tables/tables.h"
#include "base/containers.h"
#include "model/family.h"
#include "timeline/timeline_step.h"
#include "tables/timeline_path.def"
#include "tables/timeline_message.def"

enum { TRAIL_MOST = 16, PARTS_MOST = 5000, MESSAGES_MOST = 2000 };

/* Where the path continues: that location, at that time. MODEL_NONE: it does not leave its location.
 */
struct origin {
	size_t look;
	int64_t t;
	int64_t since; /* when the call that leads there was entered */
};

static const struct origin stays = { .look = SIZE_MAX };

/* It continues with a rank that was not inspected. */
#define AWAY (SIZE_MAX - 1)

struct path_walk {
	struct tables *tables;
	struct looks *looks;
	uint32_t *of_location; /* index in looks, MODEL_NONE = not inspected */
	struct instances instances;
};

static size_t look_of_process(const struct path_walk *walk, uint32_t process)
{
	const struct model *model = &walk->tables->model;
	uint32_t main = process == MODEL_NONE ? MODEL_NONE : model->processes.at[process].main;
	uint32_t place = main == MODEL_NONE ? MODEL_NONE : walk->of_location[main];

	return place == MODEL_NONE ? SIZE_MAX : place;
}

static const struct location *location_of(const struct path_walk *walk, size_t look)
{
	return &walk->tables->model.locations.at[walk->looks->at.at[look].location];
}

static uint32_t process_of_rank(const struct model *model, int64_t rank)
{
	for (size_t i = 0; i < model->processes.n; i++)
		if (model->processes.at[i].rank == rank)
			return i;
	return MODEL_NONE;
}

/* To the member that came last to the collective that a call ended. */
static struct origin gate_of_collective(struct path_walk *walk, const struct piece *piece)
{
	const struct instance *instance = instance_of(&walk->instances, walk->tables, walk->looks,
		piece);
	size_t look;

	if (!instance)
		return stays;
	look = look_of_process(walk, process_of_rank(&walk->tables->model, instance->rank));
	return (struct origin){ look == SIZE_MAX ? AWAY : look, instance->last, 0 };
}

/* First come, first served: the first send of the peer's that no earlier receive has taken; NULL:
 * none. */
static struct piece *send_of(const struct path_walk *walk, size_t look, const struct piece *piece)
{
	uint32_t self = location_of(walk, look)->process;
	size_t from = look_of_process(walk, piece->peer);

	for (size_t i = 0; from != SIZE_MAX && i < walk->looks->at.at[from].pieces.n; i++) {
		struct piece *other = &walk->looks->at.at[from].pieces.at[i];

		if (other->kind == PIECE_SEND && !other->matched && other->peer == self &&
			other->tag == piece->tag && other->comm == piece->comm &&
			other->enter < piece->leave)
			return other;
	}
	return NULL;
}

/* The last activity of a process that ended by t, but not before `since`. */
static struct origin activity_before(const struct path_walk *walk, uint32_t process, int64_t since,
	int64_t t)
{
	struct origin gate = stays;

	gate.t = since;
	for (size_t k = 0; k < walk->looks->at.n; k++) {
		const struct look *look = &walk->looks->at.at[k];
		const struct location *at = location_of(walk, k);

		if (at->device == MODEL_NONE || at->process != process)
			continue;
		for (size_t i = look->pieces.n; i > 0; i--)
			if (look->pieces.at[i - 1].leave <= t) {
				if (look->pieces.at[i - 1].leave > gate.t)
					gate = (struct origin){ k, look->pieces.at[i - 1].leave,
						0 };
				break;
			}
	}
	return gate;
}

/* The first piece of a location that is left after t. */
static size_t piece_after(const struct look *look, int64_t t)
{
	return LOWER_BOUND(i, 0, look->pieces.n, look->pieces.at[i].leave <= t);
}

/*
 * When a location last woke this waiter, from the wait's start to its end; INT64_MIN: it did not.
 */
static int64_t wake_last(const struct look *look, const struct piece *wait)
{
	size_t i = piece_after(look, wait->leave);
	int64_t last = INT64_MIN;

	while (i < look->pieces.n && look->pieces.at[i].enter <= wait->leave)
		i++; /* a call that continued after it */
	for (; i > 0 && look->pieces.at[i - 1].leave > wait->enter; i--) {
		const struct piece *piece = &look->pieces.at[i - 1];

		if (piece->kind == PIECE_WAKE && piece->sync == wait->sync &&
			piece->process_wide == wait->process_wide && piece->sent <= wait->leave &&
			piece->sent > last)
			last = piece->sent;
	}
	return last;
}

/* The thread that ended a wait by its call: of the same process or a relative. */
static struct origin waker_of(const struct path_walk *walk, size_t look, const struct piece *piece)
{
	const struct model *model = &walk->tables->model;
	uint32_t self = location_of(walk, look)->process;
	struct origin gate = stays;

	gate.t = piece->enter;
	for (size_t k = 0;
		walk->looks->known->handovers && self != MODEL_NONE && k < walk->looks->at.n; k++) {
		uint32_t other = location_of(walk, k)->process;
		int64_t t;

		if (k == look || other == MODEL_NONE ||
			location_of(walk, k)->device != MODEL_NONE ||
			(piece->process_wide ? other != self
					     : process_ancestor(model, other) !=
						process_ancestor(model, self)))
			continue;
		t = wake_last(&walk->looks->at.at[k], piece);
		if (t > gate.t)
			gate = (struct origin){ k, t, 0 };
	}
	return gate;
}

/* The member of an NCCL operation that began last. */
static struct origin member_last(const struct path_walk *walk, const struct piece *piece)
{
	struct origin gate = stays;

	for (size_t k = 0; piece->communicates && k < walk->looks->at.n; k++)
		for (size_t i = 0; i < walk->looks->at.at[k].pieces.n; i++) {
			const struct piece *other = &walk->looks->at.at[k].pieces.at[i];

			if (other->communicates && other->comm == piece->comm &&
				other->seq == piece->seq &&
				(gate.look == SIZE_MAX || other->enter > gate.t))
				gate = (struct origin){ k, other->enter, 0 };
		}
	return gate;
}

/* The call of a process's threads that launched it. */
static struct origin launch_of(const struct path_walk *walk, uint32_t process,
	const struct piece *piece)
{
	for (size_t k = 0; piece->correlation && k < walk->looks->at.n; k++) {
		const struct look *look = &walk->looks->at.at[k];

		if (location_of(walk, k)->process != process)
			continue;
		for (size_t i = 0; i < look->pieces.n; i++)
			if (look->pieces.at[i].kind == PIECE_LAUNCH &&
				look->pieces.at[i].correlation == piece->correlation)
				return (struct origin){ k, look->pieces.at[i].enter, 0 };
	}
	return stays;
}

/* From the end of an activity at t: to the member that began last, to what went before, or to its
 * launch. From the beginning of one, as which a member is come to, the latter two. */
static struct origin stream_back(const struct path_walk *walk, size_t look, int64_t t)
{
	const struct look *at = &walk->looks->at.at[look];
	uint32_t process = location_of(walk, look)->process;
	struct origin before, launch, member;
	size_t i = at->pieces.n;
	bool begins;

	while (i > 0 && at->pieces.at[i - 1].enter > t)
		i--;
	begins = i > 0 && at->pieces.at[i - 1].enter == t && at->pieces.at[i - 1].leave > t;
	if (begins) {
		before = activity_before(walk, process, INT64_MIN, t);
		begins = before.look != look || before.t != t; /* else it continues there */
	}
	while (i > 0 && !begins && at->pieces.at[i - 1].enter >= t)
		i--;
	if (!i)
		return stays;
	member = begins ? stays : member_last(walk, &at->pieces.at[i - 1]);
	if (member.look != SIZE_MAX && member.look != look &&
		member.t > at->pieces.at[i - 1].enter && member.t < t)
		return member;
	before = activity_before(walk, process, INT64_MIN, at->pieces.at[i - 1].enter);
	launch = launch_of(walk, process, &at->pieces.at[i - 1]);
	if (launch.look == SIZE_MAX || (before.look != SIZE_MAX && before.t > launch.t))
		return before;
	return launch;
}

static struct origin piece_gate(struct path_walk *walk, size_t look, const struct piece *piece)
{
	switch (piece->kind) {
	case PIECE_ALL: return piece->comm == MODEL_NONE ? stays : gate_of_collective(walk, piece);
	case PIECE_RECEIVE:
		return (struct origin){ look_of_process(walk, piece->peer), piece->sent, 0 };
	case PIECE_WAIT: return waker_of(walk, look, piece);
	case PIECE_SYNC:
		return activity_before(walk, location_of(walk, look)->process, piece->enter,
			piece->leave);
	default: return stays;
	}
}

/* From t back to the last call that waited for another thread. */
static struct origin thread_back(struct path_walk *walk, size_t look, int64_t t)
{
	const struct look *at = &walk->looks->at.at[look];
	struct origin best = stays;

	for (size_t i = at->pieces.n; i > 0; i--) {
		const struct piece *piece = &at->pieces.at[i - 1];
		struct origin gate;

		if (piece->leave > t)
			continue;
		if (best.look != SIZE_MAX && piece->leave < best.t)
			break;
		if (piece->leave <= walk->looks->from)
			break;
		gate = piece_gate(walk, look, piece);
		if (gate.look != SIZE_MAX && gate.look != look && gate.t > piece->enter &&
			gate.t <= piece->leave && gate.t < t &&
			(best.look == SIZE_MAX || gate.t > best.t)) {
			best = gate;
			best.since = piece->enter;
		}
	}
	return best;
}

static bool is_rank(const struct path_walk *walk, size_t look)
{
	const struct location *at = location_of(walk, look);

	return at->is_main && walk->tables->model.processes.at[at->process].rank >= 0;
}

/* The end of the helper's last wait of unknown cause before t; INT64_MIN: none. */
static int64_t blind_before(struct path_walk *walk, size_t look, int64_t t)
{
	const struct look *at = &walk->looks->at.at[look];

	for (size_t i = at->pieces.n; i > 0; i--) {
		const struct piece *piece = &at->pieces.at[i - 1];

		if (piece->kind == PIECE_WAIT && piece->leave <= t &&
			piece->leave - piece->enter >= PATH_WAIT_LEAST &&
			waker_of(walk, look, piece).look == SIZE_MAX)
			return piece->leave;
	}
	return INT64_MIN;
}

/*
 * Helpers to which the walk has come from a thread that waited for them: it leads no further back
 * in them than to a wait of unknown cause, or to the begin of the wait that they ended
 * (critical.h).
 */
struct trail {
	struct origin at[TRAIL_MOST];
	uint32_t n;
};

static void trail_keep(struct trail *trail, const struct path_walk *walk, size_t from,
	const struct origin *to)
{
	if (to->look >= AWAY || location_of(walk, to->look)->device != MODEL_NONE ||
		is_rank(walk, to->look) || trail->n == TRAIL_MOST)
		trail->n = 0;
	else
		trail->at[trail->n++] = (struct origin){ .look = from, .since = to->since };
}

static struct origin helper_back(struct path_walk *walk, struct trail *trail,
	const struct origin *at)
{
	struct origin next = thread_back(walk, at->look, at->t), caller;
	int64_t blind;

	if (!is_rank(walk, at->look) && trail->n) {
		blind = blind_before(walk, at->look, at->t);
		if (blind > INT64_MIN && (next.look == SIZE_MAX || blind > next.t)) {
			caller = trail->at[--trail->n];
			caller.t = blind > caller.since ? blind : caller.since;
			return caller;
		}
	}
	trail_keep(trail, walk, at->look, &next);
	return next;
}

/* Messages are matched in order; a receive keeps when its send began. */
static void message_put(const struct path_walk *walk, size_t receiver, const struct piece *piece,
	const struct piece *send)
{
	static const struct db_table table = DB_TABLE(timeline_message, "insert",
		TIMELINE_MESSAGE_COLUMNS);
	const struct look *to = &walk->looks->at.at[receiver];
	const struct look *from = &walk->looks->at.at[look_of_process(walk, piece->peer)];

	db_put_row(&walk->tables->db, &table, DB_ROW(TIMELINE_MESSAGE_COLUMNS));
}

static void messages_match(struct path_walk *walk)
{
	uint32_t written = 0;

	for (size_t k = 0; k < walk->looks->at.n; k++)
		for (size_t i = 0; i < walk->looks->at.at[k].pieces.n; i++) {
			struct piece *piece = &walk->looks->at.at[k].pieces.at[i], *send;

			if (piece->kind != PIECE_RECEIVE)
				continue;
			send = send_of(walk, k, piece);
			piece->sent = send ? send->enter : INT64_MIN;
			if (!send)
				continue;
			send->matched = true;
			if (written++ < MESSAGES_MOST)
				message_put(walk, k, piece, send);
		}
}

/* Whoever of the ranks left the step last. */
static struct origin walk_begin(const struct path_walk *walk)
{
	int64_t end,
		location = step_number(walk->tables->db.handle,
			"select l.id, s.end_ns from step s join location l on "
			"l.process_id = s.process_id and l.is_main = 1 where "
			"s.run_id = 1 and s.n = ? and s.process_id in "
			"(select id from process where run_id = 1) order by "
			"s.end_ns desc, s.process_id limit 1",
			walk->looks->step, 0, &end);
	uint32_t place = location == INT64_MIN ? MODEL_NONE : walk->of_location[location - 1];

	return place == MODEL_NONE ? stays : (struct origin){ place, end, 0 };
}

static void path_walk(struct path_walk *walk)
{
	struct origin at = walk_begin(walk);
	static const struct db_table table = DB_TABLE(timeline_path, "insert",
		TIMELINE_PATH_COLUMNS);
	struct trail trail = { .n = 0 };
	const struct look *look;

	for (int64_t n = 0; at.look < AWAY && at.t > walk->looks->from && n < PARTS_MOST; n++) {
		struct origin next = location_of(walk, at.look)->device == MODEL_NONE
			? helper_back(walk, &trail, &at)
			: stream_back(walk, at.look, at.t);
		int64_t start = next.look == SIZE_MAX || next.t < walk->looks->from
			? walk->looks->from
			: next.t;

		look = &walk->looks->at.at[at.look];
		db_put_row(&walk->tables->db, &table, DB_ROW(TIMELINE_PATH_COLUMNS));
		if (next.look != SIZE_MAX && next.t >= at.t && next.look == at.look)
			break;
		at = next;
	}
}

void timeline_path_write(struct tables *tables, struct looks *looks)
{
	size_t n = tables->model.locations.n;
	struct path_walk walk = { .tables = tables,
		.looks = looks,
		.of_location = malloc((n + 1) * sizeof(uint32_t)) };

	if (!walk.of_location) {
		tables->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		walk.of_location[i] = MODEL_NONE;
	for (size_t k = 0; k < looks->at.n; k++)
		walk.of_location[looks->at.at[k].location] = k;
	messages_match(&walk);
	path_walk(&walk);
	members_write(&walk.instances, tables, looks);
	launches_write(tables, looks);
	instances_free(&walk.instances);
	free(walk.of_location);
}
