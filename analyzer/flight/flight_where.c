/*
 * flight_where.c - the verdict on a job from its dumps: ranks that wait in a collective, and the
 * ranks that they wait for.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "flight/flight_verdict.h"

enum { NAMES_MOST = 4 };

void flight_ranks_put(FILE *out, const int64_t *ranks, size_t n, bool begins)
{
	if (n > NAMES_MOST) {
		fprintf(out, "%zu ranks", n);
		return;
	}
	fprintf(out, "%s ", begins ? n == 1 ? "Rank" : "Ranks" : n == 1 ? "rank" : "ranks");
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s%" PRId64, !i ? "" : i + 1 == n ? " and " : ", ", ranks[i]);
}

typedef ARRAY_OF(int64_t) ranks_type;

static void rank_add(ranks_type *ranks, int64_t rank)
{
	int64_t *at = ARRAY_ADD(ranks);

	if (at)
		*at = rank;
}

static bool is_missing(const struct flight_member *member, int64_t seq)
{
	return member->dump == UINT32_MAX || member->begun < seq;
}

static bool is_waiting(const struct flight_group *group, const struct flight_member *member)
{
	return member->dump != UINT32_MAX && member->stuck == group->stuck;
}

static size_t missing_count(const struct flight_group *group)
{
	size_t n = 0;

	for (size_t i = 0; group->stuck && i < group->members.n; i++)
		n += is_missing(&group->members.at[i], group->stuck);
	return n;
}

/* The number after the arrow of "nccl:send 0->1" or "nccl:recv 1<-0": the peer's place in the group. */
static const struct flight_member *peer_of(const struct flight_group *group,
	const struct flight_op *op)
{
	const char *arrow = strpbrk(op->name, "<>");
	size_t place = arrow ? strtoul(arrow + 1 + (*arrow == '<'), NULL, 10) : SIZE_MAX;

	return place < group->members.n ? &group->members.at[place] : NULL;
}

/* Whether the peer is in an operation on the same message. */
static bool meets(const struct flight_group *group, const struct flight_member *member,
	const struct flight_op *op, const struct flight_member *peer)
{
	bool sends = strstr(op->name, "send");

	for (size_t i = 0; i < peer->ops.n; i++) {
		const struct flight_op *other = &peer->ops.at[i];

		if (other->is_message && !other->completed &&
			(strstr(other->name, "send") != NULL) != sends &&
			peer_of(group, other) == member)
			return true;
	}
	return false;
}

/* The first message that a rank waits for without its peer being in it. NULL: none. */
static const struct flight_op *message_of(const struct flight_group *group,
	const struct flight_member *member, const struct flight_member **peer)
{
	for (size_t i = 0; i < member->ops.n; i++) {
		const struct flight_op *op = &member->ops.at[i];

		if (!op->is_message || op->completed)
			continue;
		*peer = peer_of(group, op);
		if (*peer && !meets(group, member, op, *peer))
			return op;
	}
	return NULL;
}

static void waits_find(struct flight_job *job)
{
	for (size_t i = 0; i < job->groups.n; i++) {
		struct flight_group *group = &job->groups.at[i];
		const struct flight_member *peer;
		size_t missing;

		for (size_t k = 0; k < group->members.n; k++) {
			int64_t stuck = group->members.at[k].stuck;

			if (stuck && (!group->stuck || stuck < group->stuck))
				group->stuck = stuck;
		}
		missing = missing_count(group);
		for (size_t k = 0; k < group->members.n; k++) {
			struct flight_member *member = &group->members.at[k];

			if (member->dump != UINT32_MAX &&
				((missing && group->stuck && is_waiting(group, member)) ||
					message_of(group, member, &peer)))
				job->dumps.at[member->dump].waits = true;
		}
	}
}

static const char *plain(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon ? colon + 1 : name;
}

/* ", called at train() in train.py:88", of the innermost frame that the dump has. */
static void place_put(FILE *out, const struct flight_op *op)
{
	const struct value *frame = op ? value_at(value_get(op->entry, "frames"), 0) : NULL;
	const char *file = value_string(value_get(frame, "filename"));
	const char *function = value_string(value_get(frame, "name"));
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (file && function)
		fprintf(out, ", called at %s() in %s:%" PRId64, function, slash ? slash + 1 : file,
			value_integer(value_get(frame, "line"), 0));
}

static const char *title(const struct flight_group *group)
{
	return *group->description ? group->description : group->name;
}

static const struct flight_op *stuck_op(const struct flight_group *group)
{
	for (size_t i = 0; i < group->members.n; i++)
		if (is_waiting(group, &group->members.at[i]))
			return flight_op(&group->members.at[i], group->stuck);
	return NULL;
}

/* " for rank 2, which has begun 41 collectives there, the last all_reduce, called at …" */
static void missing_put(FILE *out, const struct flight_group *group)
{
	ranks_type late = { 0 }, silent = { 0 };
	const struct flight_member *first = NULL;

	for (size_t i = 0; i < group->members.n; i++) {
		const struct flight_member *member = &group->members.at[i];

		if (!is_missing(member, group->stuck))
			continue;
		rank_add(member->dump == UINT32_MAX ? &silent : &late, member->rank);
		if (member->dump != UINT32_MAX && !first)
			first = member;
	}
	fputs(" for ", out);
	if (late.n)
		flight_ranks_put(out, late.at, late.n, false);
	if (late.n == 1 && first->begun) {
		const struct flight_op *last = flight_op(first, first->begun);

		fprintf(out, ", whose last one there is %s #%" PRId64,
			last ? plain(last->name) : "collective", first->begun);
		place_put(out, last);
	} else if (late.n == 1) {
		fputs(", whose dump has none there", out);
	} else if (late.n) {
		fputs(", which have not begun it", out);
	}
	if (silent.n) {
		fputs(late.n ? "; and for " : "", out);
		flight_ranks_put(out, silent.at, silent.n, false);
		fputs(silent.n == 1 ? ", which left no dump" : ", which left no dumps", out);
	}
	free(late.at);
	free(silent.at);
}

static void group_put(FILE *out, const struct flight_group *group)
{
	const struct flight_op *op = stuck_op(group);
	ranks_type waiting = { 0 };

	for (size_t i = 0; i < group->members.n; i++)
		if (is_waiting(group, &group->members.at[i]))
			rank_add(&waiting, group->members.at[i].rank);
	flight_ranks_put(out, waiting.at, waiting.n, true);
	fprintf(out, " %s in %s #%" PRId64 " of %s", waiting.n == 1 ? "waits" : "wait",
		op ? plain(op->name) : "collective", group->stuck, title(group));
	if (missing_count(group))
		missing_put(out, group);
	fputs(".", out);
	free(waiting.at);
}

/* True if a missing member does not wait itself: then the group's hang begins there. */
static bool is_root(const struct flight_job *job, const struct flight_group *group)
{
	for (size_t i = 0; i < group->members.n; i++) {
		const struct flight_member *member = &group->members.at[i];

		if (is_missing(member, group->stuck) &&
			(member->dump == UINT32_MAX || !job->dumps.at[member->dump].waits))
			return true;
	}
	return false;
}

static bool sizes_equal(const struct value *a, const struct value *b)
{
	if (!a || !b || a->kind != b->kind)
		return a == b;
	if (a->kind != VALUE_LIST)
		return a->number == b->number;
	if (a->items.n != b->items.n)
		return false;
	for (size_t i = 0; i < a->items.n; i++) {
		const struct value *x = a->items.at[i], *y = b->items.at[i];

		if (x->kind == VALUE_LIST ? x->items.n != y->items.n : x->number != y->number)
			return false;
		for (size_t k = 0; x->kind == VALUE_LIST && k < x->items.n; k++)
			if (x->items.at[k]->number != y->items.at[k]->number)
				return false;
	}
	return true;
}

/* Two members that call the collective in ways that cannot meet. */
static bool mismatch_put(FILE *out, const struct flight_group *group)
{
	const struct flight_member *first = NULL;
	const struct flight_op *expected = NULL;

	for (size_t i = 0; i < group->members.n; i++) {
		const struct flight_member *member = &group->members.at[i];
		const struct flight_op *op = flight_op(member, group->stuck);
		bool same_name;

		if (!op || !expected) {
			first = op ? member : first;
			expected = op ? op : expected;
			continue;
		}
		same_name = strcmp(op->name, expected->name) == 0;
		if (same_name &&
			(!strstr(op->name, "all_reduce") ||
				sizes_equal(value_get(op->entry, "input_sizes"),
					value_get(expected->entry, "input_sizes"))))
			continue;
		fprintf(out, "Collective #%" PRId64 " of %s is %s on rank %" PRId64, group->stuck,
			title(group), plain(expected->name), first->rank);
		place_put(out, expected);
		fprintf(out, ", but %s%s on rank %" PRId64, plain(op->name),
			same_name ? " of another size" : "", member->rank);
		place_put(out, op);
		fputs(".", out);
		return true;
	}
	return false;
}

/* All have begun it. Where only some GPUs have started it, the others are busy with earlier work. */
static void all_in_put(FILE *out, const struct flight_group *group)
{
	const struct flight_op *op = stuck_op(group);
	ranks_type queued = { 0 };
	bool any = false;

	for (size_t i = 0; i < group->members.n; i++) {
		const struct flight_op *own = flight_op(&group->members.at[i], group->stuck);

		any = any || (own && own->started);
		if (own && !own->started && !own->completed)
			rank_add(&queued, group->members.at[i].rank);
	}
	fprintf(out, "All members of %s have begun %s #%" PRId64, title(group),
		op ? plain(op->name) : "collective", group->stuck);
	if (any && queued.n) {
		fputs("; the GPUs of ", out);
		flight_ranks_put(out, queued.at, queued.n, false);
		fputs(" have not started it, since earlier work of its stream has not ended.", out);
	} else {
		fputs(" and it has not ended: look at the network and at GPUs.", out);
	}
	free(queued.at);
}

/* Prints ranks that wait for a message without its other side. */
static bool messages_put(const struct flight_job *job, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < job->groups.n; i++)
		for (size_t k = 0; k < job->groups.at[i].members.n; k++) {
			const struct flight_group *group = &job->groups.at[i];
			const struct flight_member *member = &group->members.at[k], *peer;
			const struct flight_op *op = message_of(group, member, &peer);

			if (!op || (peer->dump != UINT32_MAX && job->dumps.at[peer->dump].waits))
				continue;
			fprintf(out,
				"%sRank %" PRId64 " waits in %s of %s for rank %" PRId64
				", which %s.",
				any ? " " : "", member->rank, plain(op->name), title(group),
				peer->rank,
				peer->dump == UINT32_MAX ? "left no dump" : "is not in it");
			any = true;
		}
	return any;
}

static enum flight_verdict verdict_of(struct flight_job *job, FILE *out)
{
	const struct flight_group *first = NULL;
	bool any = false;

	waits_find(job);
	for (size_t i = 0; i < job->groups.n; i++)
		if (job->groups.at[i].stuck && mismatch_put(out, &job->groups.at[i]))
			return FLIGHT_MISMATCH;
	for (size_t i = 0; i < job->groups.n; i++) {
		const struct flight_group *group = &job->groups.at[i];

		if (!group->stuck)
			continue;
		first = first ? first : group;
		if (!missing_count(group) || !is_root(job, group))
			continue;
		fputs(any ? " " : "", out);
		group_put(out, group);
		any = true;
	}
	if (any || messages_put(job, out))
		return FLIGHT_LATE;
	if (first && missing_count(first)) {
		fputs("Ranks wait for each other.", out);
		for (size_t i = 0; i < job->groups.n; i++)
			if (missing_count(&job->groups.at[i])) {
				fputs(" ", out);
				group_put(out, &job->groups.at[i]);
			}
		return FLIGHT_DEADLOCK;
	}
	if (first)
		all_in_put(out, first);
	else
		fputs("No rank was in a collective: all that the dumps have are complete.", out);
	return first ? FLIGHT_ALL_IN : FLIGHT_DONE;
}

char *flight_text(struct flight_job *job, enum flight_verdict *verdict)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	*verdict = verdict_of(job, out);
	fclose(out);
	return text;
}
