/*
 * replay_rooted.c - waits of a collective's members for members that do not gate them; see
 * replay.h. Neither a root nor a sender to it has to wait; but where data do not fit into a buffer
 * their calls last until the other side has come. This is known when all have left.
 */
#include "config.h"

#include <stdlib.h>

#include "base/containers.h"
#include "engine/engine.h"

bool held_begin(const struct engine *engine, struct collective *collective)
{
	const struct comm *comm = &engine->tables.model.comms.at[collective->comm];
	enum gate gate = collective->gate;

	if (gate == GATE_ALL || gate == GATE_NONE || gate == GATE_NEIGHBOURS ||
		collective->size < 2 || comm->self || comm->inter)
		return true;
	for (uint32_t i = 0; i < collective->size; i++)
		if (comm->members[i] == MODEL_NONE) /* they will never have left all */
			return true;
	collective->calls = calloc(collective->size, sizeof(*collective->calls));
	return collective->calls;
}

void held_leave(struct track *track, struct collective *collective, uint32_t member, int64_t posted,
	int64_t since, int64_t t)
{
	struct step_window *step = since < t ? window_step(track) : NULL;

	if (!collective->calls)
		return;
	collective->calls[member] = (struct member_call){ .member = member,
		.left = true,
		.in_step = step != NULL,
		.posted = posted,
		.since = since,
		.end = t,
		.step = step ? step->n : 0 };
	if (!step)
		return;
	step->ranks[track->process].open++;
	step->nopen++;
}

static int compare_calls(const void *a, const void *b)
{
	const struct member_call *x = a, *y = b;

	return x->posted != y->posted ? (x->posted > y->posted) - (x->posted < y->posted)
				      : (x->member < y->member) - (x->member > y->member);
}

/* Who came last before t; of several at one time the one with the least rank. */
static const struct member_call *last_before(const struct member_call *calls, uint32_t n, int64_t t)
{
	uint32_t low = LOWER_BOUND(i, 0, n, calls[i].posted <= t);

	return low ? &calls[low - 1] : NULL;
}

static void held_report(struct engine *engine, const struct collective *collective,
	const struct member_call *call)
{
	const uint32_t *members = engine->tables.model.comms.at[collective->comm].members;
	const struct member_call *last = last_before(collective->calls, collective->size,
		call->end);
	struct held held = { .step = call->step, .process = members[call->member] };

	if (last && last->posted > call->since) {
		held.ns = last->posted - call->since;
		held.by = members[last->member];
	}
	if (engine->peers.n)
		pack_add(&engine->peers.pack, &held, sizeof(held));
	else
		window_held(engine, &held);
}

void held_end(struct engine *engine, struct collective *collective)
{
	if (!collective->calls)
		return;
	qsort(collective->calls, collective->size, sizeof(*collective->calls), compare_calls);
	for (uint32_t i = 0; i < collective->size; i++)
		if (collective->calls[i].in_step)
			held_report(engine, collective, &collective->calls[i]);
	if (engine->peers.pack.n)
		engine->peers.calls->send(engine, NOTE_HELD);
}

void held_pack(const struct collective *collective, struct pack *pack)
{
	for (uint32_t i = 0; collective->calls && i < collective->size; i++)
		if (collective->calls[i].left)
			pack_add(pack, &collective->calls[i], sizeof(collective->calls[i]));
}

void held_take(struct collective *collective, const char *at, size_t n)
{
	struct member_call call;

	for (; collective->calls && n >= sizeof(call); n -= sizeof(call)) {
		unpack(&at, &call, sizeof(call));
		if (call.member < collective->size)
			collective->calls[call.member] = call;
	}
}
