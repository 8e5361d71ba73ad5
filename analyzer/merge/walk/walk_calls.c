/* walk_calls.c - see walk_calls.h. */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "merge/walk/walk_calls.h"

uint64_t group_start(const struct group *g)
{
	uint64_t ticks = UINT64_MAX;

	for (uint32_t i = 0; i < g->n; i++)
		if (g->entries[i].start < ticks)
			ticks = g->entries[i].start;
	return ticks;
}

static struct entry entry_of(const struct merge_launch *call)
{
	return (struct entry){ .rec = call->rec,
		.start = call->rec[1],
		.end = spool_record_end(call->rec),
		.region = spool_region(call->rec[0]),
		.type = SPOOL_CUDA };
}

static int reserve(struct group *g, uint32_t n)
{
	struct entry *grown;

	if (n <= g->size)
		return 0;
	grown = realloc(g->entries, n * sizeof(*grown));
	if (!grown) {
		log_error("out of memory");
		return -1;
	}
	g->entries = grown;
	g->size = n;
	return 0;
}

static void swap(struct walk_thread *t)
{
	struct group g = t->group;
	uint64_t end = t->end;

	t->group = t->next;
	t->end = t->next_end;
	t->next = g;
	t->next_end = end;
}

void calls_next_take(struct walk_thread *t)
{
	swap(t);
	t->has_next = false;
}

static int next_read(struct walk_thread *t, int (*read)(struct walk_thread *))
{
	int ret;

	if (t->has_next)
		return 0;
	swap(t);
	ret = read(t);
	swap(t);
	t->has_next = t->next.n > 0;
	return ret;
}

static int next_append(struct walk_thread *t)
{
	struct group *g = &t->group;

	if (reserve(g, g->n + t->next.n) < 0)
		return -1;
	for (uint32_t i = 0; i < t->next.n; i++)
		g->entries[g->n++] = t->next.entries[i];
	t->end = t->next_end;
	t->has_next = false;
	return 0;
}

/* A group with the launch alone, before the loaded one. */
static int alone(struct walk_thread *t)
{
	struct group *g = &t->group;

	t->has_next = g->n > 0;
	swap(t);
	if (reserve(g, 1) < 0)
		return -1;
	g->nrequests = 0;
	g->is_kept = false;
	g->n = 1;
	g->entries[0] = entry_of(t->call++);
	t->end = g->entries[0].end;
	return 0;
}

/* Whether the launch can be a call inside this one. */
static bool encloses(const struct entry *e, const struct entry *call)
{
	return e->start <= call->start && e->region && e->type != SPOOL_FOLD &&
		e->type != SPOOL_GAP && e->type != SPOOL_BEGIN && e->type != SPOOL_END;
}

/* Backwards, since a call follows the calls inside it. */
static void depths_set(struct entry *entries, uint32_t n, const struct merge_launch *calls,
	uint32_t ncalls)
{
	const struct entry *open[SPOOL_MAX_DEPTH] = { NULL };
	uint64_t start = UINT64_MAX; /* of the launch met last */
	uint32_t nopen = 0;

	for (uint32_t i = n; i-- > 0;) {
		struct entry *e = &entries[i];

		if (ncalls && e->rec == calls[ncalls - 1].rec) {
			while (nopen && (!open[nopen - 1] || !encloses(open[nopen - 1], e)))
				nopen--;
			e->depth = nopen;
			start = e->start;
			ncalls--;
			continue;
		}
		if (e->depth < SPOOL_MAX_DEPTH) {
			nopen = e->depth + 1u;
			open[e->depth] = e;
		}
		e->depth += e->start >= start;
	}
}

/* Both are in the order of their ends. */
static int merge(struct walk_thread *t, uint32_t n)
{
	struct group *g = &t->group;
	uint32_t i = g->n, k = n;

	if (reserve(g, g->n + n) < 0)
		return -1;
	g->n += n;
	for (struct entry *to = g->entries + g->n; k;) {
		struct entry call = entry_of(&t->call[k - 1]);
		const struct entry *e = i ? &g->entries[i - 1] : NULL;

		if (e && (e->end > call.end || (e->end == call.end && e->start < call.start))) {
			*--to = *e;
			i--;
		} else {
			*--to = call;
			k--;
		}
	}
	depths_set(g->entries, g->n, t->call, n);
	t->call += n;
	return 0;
}

int calls_insert(struct walk_thread *t, int (*read)(struct walk_thread *))
{
	uint64_t end;
	uint32_t n = 0;

	/* a stretch with sums only */
	if (t->group.n == 1 && t->group.entries[0].type == ENTRY_SUMS) {
		while (t->call < t->calls_behind && t->call->rec[1] < t->end)
			t->call++;
		return 0;
	}
	end = spool_record_end(t->call->rec);
	if (end <= group_start(&t->group))
		return alone(t);
	while (t->call + n < t->calls_behind && t->call[n].rec[1] < t->end) {
		end = spool_record_end(t->call[n++].rec);
		/* calls in the launch */
		while (end > t->end) {
			if (next_read(t, read) < 0)
				return -1;
			if (!t->has_next || group_start(&t->next) >= end)
				break;
			if (next_append(t) < 0)
				return -1;
		}
		if (end > t->end)
			t->end = end;
	}
	return n ? merge(t, n) : 0;
}
