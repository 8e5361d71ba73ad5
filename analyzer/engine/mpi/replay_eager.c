/*
 * replay_eager.c - the size up to which standard sends are eager, by pairs of nodes. It is learnt
 * before the replay from blocking sends with a late receive: a send that had returned by then was
 * eager, a send that waited was not; other sends give no information. The first events of each rank
 * are read for that, in no order between ranks; the result depends neither on this order nor on the
 * reader.
 */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"
#include "model/scorep.h"
#include "base/log.h"

enum {
	EVENTS_OF_ALL = 1 << 19,
	EVENTS_LEAST = 1 << 8, /* of one rank */
	AT_ONCE = 1 << 12,
	SIZES_MOST = 1 << 10, /* of all pairs: the first ones of more */
};

/* One side of a message. Those of a channel meet in the order of their numbers. */
struct side_seen {
	uint64_t channel, number;
	int64_t t, end; /* when it was posted; of a blocking send that alone is in its call */
	uint64_t bytes;
	uint32_t nodes; /* the pair */
	bool tells;
};

/* Sends of one size with a late receive. */
struct size_seen {
	uint32_t nodes;
	uint64_t bytes;
	uint64_t returned, waited;
};

struct learning {
	struct engine *engine;
	uint32_t process;
	const struct region *call;
	int64_t entered;
	unsigned depth, noperations; /* of regions; in the present call */
	uint64_t number;
	struct idmap posts; /* of receives: place in `times` */
	ARRAY_OF(int64_t) times;
	ARRAY_OF(struct side_seen) sends;
	ARRAY_OF(struct side_seen) receives;
	ARRAY_OF(struct size_seen) sizes;
	bool failed;
};

static uint32_t pair_of(const struct engine *engine, uint32_t from, uint32_t to)
{
	const struct model *model = &engine->tables.model;
	uint32_t a = model->processes.at[from].node, b = model->processes.at[to].node;

	return a == MODEL_NONE || b == MODEL_NONE ? MODEL_NONE : (uint32_t)(a * model->nodes.n + b);
}

/* Fills in the partners of the message; false: its partner is not in the trace. */
static bool side_place(struct learning *learning, const struct event *event, bool sends,
	struct side_seen *side)
{
	struct model *model = &learning->engine->tables.model;
	uint32_t comm = model_comm(model, event->ref), from, to, partner;

	partner = comm == MODEL_NONE ? MODEL_NONE
				     : model_peer(model, comm, learning->process, event->peer);
	if (partner == MODEL_NONE)
		return false;
	from = sends ? learning->process : partner;
	to = sends ? partner : learning->process;
	side->channel = hash_mix((uint64_t)comm << 32 | event->tag, (uint64_t)from << 32 | to);
	side->nodes = pair_of(learning->engine, from, to);
	side->bytes = event->bytes;
	return side->nodes != MODEL_NONE;
}

static void send_seen(struct learning *learning, const struct event *event)
{
	struct side_seen side = { .number = learning->number++, .t = learning->entered }, *at;

	if (!side_place(learning, event, true, &side))
		return;
	side.tells = event->kind == EVENT_SEND && learning->call &&
		learning->call->mode == SEND_STANDARD;
	at = ARRAY_ADD(&learning->sends);
	learning->failed |= !at;
	if (at)
		*at = side;
}

static void receive_seen(struct learning *learning, const struct event *event)
{
	struct side_seen side = { .number = learning->number, .t = learning->entered }, *at;
	uint32_t post;

	if (event->kind == EVENT_IRECV) {
		post = idmap_find(&learning->posts, idmap_key(event->request));
		if (post == IDMAP_NONE)
			return;
		idmap_set(&learning->posts, idmap_key(event->request), IDMAP_NONE);
		side.number = post;
		side.t = learning->times.at[post];
	} else {
		side.number = learning->times.n;
	}
	if (!side_place(learning, event, false, &side))
		return;
	at = ARRAY_ADD(&learning->receives);
	learning->failed |= !at;
	if (at)
		*at = side;
}

/* Posts are numbered: a blocking receive has the number of the next one, and is before it. */
static void receive_post(struct learning *learning, const struct event *event)
{
	int64_t *at = ARRAY_ADD(&learning->times);

	if (at)
		*at = learning->call ? learning->entered : event->t;
	learning->failed |= !at ||
		idmap_set(&learning->posts, idmap_key(event->request), learning->times.n - 1) < 0;
}

static void call_enter(struct learning *learning, const struct event *event)
{
	const struct model *model = &learning->engine->tables.model;
	uint32_t region = model_region(model, event->ref);

	if (learning->call) {
		learning->depth++;
		return;
	}
	if (region == MODEL_NONE || !kind_communicates(model->regions.at[region].kind))
		return;
	learning->call = &model->regions.at[region];
	learning->entered = event->t;
	learning->depth = 1;
	learning->noperations = 0;
}

static void call_leave(struct learning *learning, int64_t t)
{
	struct side_seen *last = learning->sends.n ? &learning->sends.at[learning->sends.n - 1]
						   : NULL;

	if (!learning->call || --learning->depth)
		return;
	learning->call = NULL;
	if (!last || !last->tells || last->end)
		return;
	last->end = t;
	last->tells = learning->noperations == 1;
}

static bool take(void *user, const struct event *event)
{
	struct learning *learning = user;
	struct event plain;

	event = scorep_plain(&learning->engine->tables.model, event, &plain);
	if (!learning->call)
		learning->entered = event->t;
	switch (event->kind) {
	case EVENT_ENTER: call_enter(learning, event); return !learning->failed;
	case EVENT_LEAVE: call_leave(learning, event->t); return !learning->failed;
	case EVENT_SEND:
	case EVENT_ISEND: send_seen(learning, event); break;
	case EVENT_RECV:
	case EVENT_IRECV: receive_seen(learning, event); break;
	case EVENT_IRECV_REQUEST: receive_post(learning, event); break;
	default: return !learning->failed;
	}
	learning->noperations++;
	return !learning->failed;
}

static void rank_read(struct learning *learning, uint32_t process, uint64_t most)
{
	const struct model *model = &learning->engine->tables.model;
	const struct location *main = &model->locations.at[model->processes.at[process].main];
	struct cursor cursor;

	learning->process = process;
	learning->call = NULL;
	cursor_open(&cursor, &learning->engine->tables.archive, main->in, take, learning);
	for (uint64_t n = 0; n < most && !cursor.ended && !learning->failed; n += AT_ONCE)
		cursor_run(&cursor, most - n < AT_ONCE ? most - n : AT_ONCE);
	cursor_close(&cursor);
	idmap_free(&learning->posts);
	learning->posts = (struct idmap){ 0 };
}

static int compare_sides(const void *a, const void *b)
{
	const struct side_seen *x = a, *y = b;

	return x->channel != y->channel	 ? (x->channel > y->channel) - (x->channel < y->channel)
		: x->number != y->number ? (x->number > y->number) - (x->number < y->number)
					 : (x->t > y->t) - (x->t < y->t);
}

static struct size_seen *size_find(struct learning *learning, uint32_t nodes, uint64_t bytes)
{
	struct size_seen *at;

	for (size_t i = 0; i < learning->sizes.n; i++)
		if (learning->sizes.at[i].nodes == nodes && learning->sizes.at[i].bytes == bytes)
			return &learning->sizes.at[i];
	if (learning->sizes.n == SIZES_MOST)
		return NULL;
	at = ARRAY_ADD(&learning->sizes);
	learning->failed |= !at;
	if (at)
		*at = (struct size_seen){ .nodes = nodes, .bytes = bytes };
	return at;
}

/* Who was under way when the receiver came, and not much longer before than after, may not have waited. */
static void pair_tells(struct learning *learning, const struct side_seen *send, int64_t receiver)
{
	struct size_seen *size;

	if (!send->tells || receiver <= send->t ||
		(receiver <= send->end && receiver - send->t <= send->end - receiver))
		return;
	size = size_find(learning, send->nodes, send->bytes);
	if (!size)
		return;
	size->returned += send->end < receiver;
	size->waited += send->end >= receiver;
}

static void sides_meet(struct learning *learning)
{
	const struct side_seen *sends = learning->sends.at, *receives = learning->receives.at;
	size_t s = 0, r = 0;

	while (s < learning->sends.n && r < learning->receives.n && !learning->failed) {
		if (sends[s].channel == receives[r].channel)
			pair_tells(learning, &sends[s++], receives[r++].t);
		else if (sends[s].channel < receives[r].channel)
			s++;
		else
			r++;
	}
}

/* A size counts as what most of its sends did. */
static void limits_set(struct learning *learning, struct eager_limit *limits)
{
	for (size_t i = 0; i < learning->sizes.n; i++) {
		const struct size_seen *size = &learning->sizes.at[i];
		struct eager_limit *limit = &limits[size->nodes];

		if (size->returned > size->waited && size->bytes + 1 > limit->eager)
			limit->eager = size->bytes + 1;
		if (size->waited > size->returned && size->bytes < limit->waits)
			limit->waits = size->bytes;
	}
}

static bool is_learnt_from(const struct model *model, size_t process)
{
	return model->processes.at[process].rank >= 0 &&
		model->processes.at[process].main != MODEL_NONE;
}

int eager_learn(struct engine *engine)
{
	const struct model *model = &engine->tables.model;
	uint64_t most = EVENTS_OF_ALL / (model->nranks + 1);
	struct learning learning = { .engine = engine };
	struct eager_limit *limits;
	size_t n = model->nodes.n * model->nodes.n;

	if (engine->tables.summary || model->nranks < 2)
		return 0;
	limits = engine->replay.limits = calloc(n + 1, sizeof(*limits));
	for (size_t i = 0; limits && i < n; i++)
		limits[i].waits = UINT64_MAX;
	for (size_t p = 0; limits && p < model->processes.n && !learning.failed; p++)
		if (is_learnt_from(model, p))
			rank_read(&learning, (uint32_t)p,
				most < EVENTS_LEAST ? EVENTS_LEAST : most);
	if (learning.sends.n)
		qsort(learning.sends.at, learning.sends.n, sizeof(struct side_seen), compare_sides);
	if (learning.receives.n)
		qsort(learning.receives.at, learning.receives.n, sizeof(struct side_seen),
			compare_sides);
	sides_meet(&learning);
	if (limits)
		limits_set(&learning, limits);
	free(learning.times.at);
	free(learning.sends.at);
	free(learning.receives.at);
	free(learning.sizes.at);
	if (limits && !learning.failed)
		return 0;
	log_error("out of memory for the messages of %u ranks", model->nranks);
	return -1;
}

enum send_mode eager_mode(const struct engine *engine, uint32_t sender, uint32_t receiver,
	uint64_t bytes)
{
	uint32_t pair = engine->replay.limits ? pair_of(engine, sender, receiver) : MODEL_NONE;
	const struct eager_limit *limit = pair == MODEL_NONE ? NULL : &engine->replay.limits[pair];

	if (!limit)
		return SEND_STANDARD;
	if (bytes < limit->eager && bytes < limit->waits)
		return SEND_EAGER;
	return bytes >= limit->waits && bytes >= limit->eager ? SEND_LONG : SEND_STANDARD;
}
