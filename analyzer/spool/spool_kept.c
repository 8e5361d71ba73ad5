/* spool_kept.c - steps that a bounded spool has kept in detail, and the stretches between them (tacho/totals.h). */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/log.h"
#include "spool/spool_in.h"

#define SUMS_WORDS (sizeof(struct totals_sums) / 8)
#define FILE_MOST  (UINT64_C(1) << 47)

static int compare_kept(const void *a, const void *b)
{
	const struct spool_kept *x = a, *y = b;

	return (x->entry.nth > y->entry.nth) - (x->entry.nth < y->entry.nth);
}

bool spool_sums_pack(struct spool_thread *thread)
{
	const uint64_t *words = (const uint64_t *)(const void *)thread->sums;
	struct totals_sums *head;
	uint32_t n = 0;

	for (uint64_t i = 0; i < SUMS_WORDS; i++)
		n += words[i] != 0;
	thread->packed = malloc(((size_t)n + 1) * sizeof(*thread->packed));
	if (!thread->packed) {
		log_error("out of memory");
		return false;
	}
	for (uint64_t i = 0; i < SUMS_WORDS; i++)
		if (words[i])
			thread->packed[thread->npacked++] = (struct kept_change){ i, words[i] };
	head = realloc(thread->sums, offsetof(struct totals_sums, calls));
	if (head)
		thread->sums = head;
	return true;
}

static bool changes_apply(struct totals_sums *sums, const struct kept_change *changes, uint32_t n)
{
	uint64_t *words = (uint64_t *)(void *)sums;

	for (uint32_t i = 0; i < n; i++) {
		if (changes[i].word >= SUMS_WORDS)
			return false;
		words[changes[i].word] = changes[i].value;
	}
	return true;
}

/* The sums before an entry's records, or after them. */
static bool sums_at(const struct spool_kept *kept, bool is_after, struct totals_sums *sums)
{
	memset(sums, 0, sizeof(*sums));
	return changes_apply(sums, kept->changes, kept->entry.before) &&
		(!is_after ||
			changes_apply(sums, kept->changes + kept->entry.before, kept->entry.after));
}

/* Where in the file an entry can be. */
static bool entry_is_sane(const struct spool_thread *thread, const struct kept_entry *entry)
{
	uint64_t changes = ((uint64_t)entry->before + entry->after) * sizeof(struct kept_change);

	return entry->chunk && entry->chunk <= thread->sums->chunks && entry->words &&
		entry->offset % 8 == 0 && entry->offset >= KEPT_SIZE && entry->offset < FILE_MOST &&
		entry->words < FILE_MOST / 8 && entry->before <= SUMS_WORDS &&
		entry->after <= SUMS_WORDS &&
		entry->offset + changes + entry->words * 8 <= thread->kept_size;
}

static void entry_add(struct spool_thread *thread, const struct kept_entry *entry)
{
	const char *at = (const char *)thread->kept_map + entry->offset;
	struct spool_kept *kept = &thread->kept[thread->nkept++];

	*kept = (struct spool_kept){ .entry = *entry,
		.changes = (const struct kept_change *)(const void *)at };
	kept->at = (const uint64_t *)(const void *)(kept->changes + entry->before + entry->after);
	kept->end = kept->at + entry->words;
}

static bool calls_follow(const struct totals_sums *from, const struct totals_sums *to)
{
	for (int i = 0; i < TOTALS_CALLS; i++) {
		const struct totals_call *a = &from->calls[i], *b = &to->calls[i];

		if (!a->region)
			continue;
		if (a->region != b->region || a->how != b->how || a->phase != b->phase ||
			a->name != b->name || a->calls > b->calls || a->ticks > b->ticks ||
			a->outer > b->outer || b->outer - a->outer > b->ticks - a->ticks ||
			a->sent > b->sent || a->received > b->received || a->moved > b->moved)
			return false;
	}
	for (int i = 0; i < TOTALS_COMMS; i++)
		if (from->comms[i].comm &&
			(from->comms[i].comm != to->comms[i].comm ||
				from->comms[i].begun > to->comms[i].begun ||
				from->comms[i].nonblocking > to->comms[i].nonblocking))
			return false;
	return true;
}

/* True if `to` can be later sums of the same thread. */
static bool sums_follow(const struct totals_sums *from, const struct totals_sums *to)
{
	return from->records <= to->records && from->last <= to->last && from->spans <= to->spans &&
		from->spans_left <= to->spans_left && calls_follow(from, to);
}

/* Whether the process still keeps it, and so had not begun to wipe it. */
static bool is_kept(const struct spool_thread *thread, const struct kept_entry *entry)
{
	const struct kept_entry *entries = thread->kept_map;

	for (int i = 0; i < KEPT_ENTRIES; i++)
		if (memcmp(&entries[i], entry, sizeof(*entry)) == 0)
			return true;
	return false;
}

/* Leaves out entries that do not fit between the one before and the totals; counts them. */
static int entries_check(struct spool_thread *thread, uint32_t *damaged)
{
	struct totals_sums *sums = calloc(3, sizeof(*sums)), *last = sums, *before = sums + 1,
			   *after = sums + 2;
	uint32_t n = 0;

	if (!sums) {
		log_error("out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < thread->nkept; i++) {
		struct spool_kept *kept = &thread->kept[i];

		if (kept_check(&kept->entry, kept->changes, kept->at) != kept->entry.check ||
			!sums_at(kept, false, before) || !sums_at(kept, true, after) ||
			before->records != kept->entry.nth ||
			!spool_sums_are_sane(thread, before) ||
			!spool_sums_are_sane(thread, after) || !sums_follow(last, before) ||
			!sums_follow(before, after) || !sums_follow(after, thread->sums)) {
			*damaged += is_kept(thread, &kept->entry);
			continue;
		}
		thread->kept[n++] = *kept;
		*last = *after;
	}
	thread->nkept = n;
	free(sums);
	return 0;
}

int spool_kept_read(struct spool_thread *thread, const char *path)
{
	const struct kept_entry *entries;
	uint32_t damaged = 0;

	if (!thread->sums)
		return 0;
	thread->kept_map = spool_map(path, &thread->kept_size);
	if (!thread->kept_map)
		return 0;
	if (thread->kept_size <= KEPT_SIZE) { /* its first entry is written after its records */
		log_warn("%s is damaged: its events are in totals alone", path);
		return 0;
	}
	thread->kept = calloc(KEPT_ENTRIES, sizeof(*thread->kept));
	if (!thread->kept) {
		log_error("out of memory");
		return -1;
	}
	entries = thread->kept_map;
	for (int i = 0; i < KEPT_ENTRIES; i++) {
		const struct kept_entry entry = entries[i];

		/* of a chunk that the totals do not have all is in the spool */
		if (!entry.chunk || entry.chunk > thread->sums->chunks)
			continue;
		if (entry_is_sane(thread, &entry))
			entry_add(thread, &entry);
		else
			damaged += is_kept(thread, &entry);
	}
	qsort(thread->kept, thread->nkept, sizeof(*thread->kept), compare_kept);
	if (entries_check(thread, &damaged) < 0)
		return -1;
	if (damaged) /* no loss: the totals have it */
		log_warn("%s is damaged: of the stretches that it keeps %u are in totals alone",
			path, damaged);
	return 0;
}

void spool_kept_freeze(struct spool_thread *thread)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < thread->nkept; i++) {
		struct spool_kept *kept = &thread->kept[i];
		size_t nchanges = (size_t)kept->entry.before + kept->entry.after;
		char *copy = malloc(nchanges * sizeof(*kept->changes) + kept->entry.words * 8);

		if (!copy)
			continue;
		memcpy(copy, kept->changes,
			nchanges * sizeof(*kept->changes) + kept->entry.words * 8);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!is_kept(thread, &kept->entry)) {
			free(copy);
			continue;
		}
		kept->copy = copy;
		kept->changes = (const struct kept_change *)(const void *)copy;
		kept->at = (const uint64_t *)(const void *)(kept->changes + nchanges);
		kept->end = kept->at + kept->entry.words;
		thread->kept[n++] = *kept;
	}
	thread->nkept = n;
}

void spool_kept_free(struct spool_thread *thread)
{
	for (uint32_t i = 0; i < thread->nkept; i++)
		free(thread->kept[i].copy);
	free(thread->kept);
	if (thread->kept_map)
		munmap(thread->kept_map, thread->kept_size);
}

void spool_sums_copy(const struct spool_thread *thread, struct totals_sums *out)
{
	if (!thread->packed) {
		*out = *thread->sums;
		return;
	}
	memset(out, 0, sizeof(*out));
	changes_apply(out, thread->packed, thread->npacked);
}

uint32_t spool_stretches(const struct spool_thread *thread)
{
	return thread->sums && thread->sums->records ? thread->nkept + 1 : 0;
}

/*
 * Subtracts a call's earlier sums. Its extremes may belong to earlier calls, or to calls in detail.
 */
static void call_subtract(struct totals_call *call, const struct totals_call *before)
{
	if (!before->region)
		return;
	call->calls -= before->calls;
	call->ticks -= before->ticks;
	call->outer -= before->outer;
	call->sent -= before->sent;
	call->received -= before->received;
	call->moved -= before->moved;
	if (!call->calls) {
		*call = (struct totals_call){ 0 };
		return;
	}
	if (call->longest > call->ticks)
		call->longest = call->ticks;
	if (call->shortest > call->ticks / call->calls)
		call->shortest = call->ticks / call->calls;
}

/* Subtracts the sums at the begin of the stretch. */
static void subtract(struct spool_stretch *s, const struct totals_sums *before)
{
	struct totals_sums *sums = &s->sums;

	s->nmarks = before->nmarks;
	memcpy(s->marks, before->marks, sizeof(s->marks));
	memcpy(s->parts, before->parts, sizeof(s->parts));
	s->first_span = before->spans;
	if (!before->records)
		return;
	sums->first = before->last;
	sums->records -= before->records;
	for (int i = 0; i < TOTALS_CALLS; i++)
		if (sums->calls[i].region)
			call_subtract(&sums->calls[i], &before->calls[i]);
	for (int i = 0; i < TOTALS_COMMS; i++) {
		sums->comms[i].begun -= before->comms[i].begun;
		sums->comms[i].nonblocking -= before->comms[i].nonblocking;
	}
}

struct spool_stretch *spool_stretch(const struct spool_thread *thread, uint32_t i)
{
	struct spool_stretch *s = calloc(1, sizeof(*s));
	struct totals_sums *before = calloc(1, sizeof(*before));

	if (!s || !before) {
		log_error("out of memory");
		free(s);
		free(before);
		return NULL;
	}
	if (i < thread->nkept)
		sums_at(&thread->kept[i], false, &s->sums);
	else
		spool_sums_copy(thread, &s->sums);
	if (i)
		sums_at(&thread->kept[i - 1], true, before);
	subtract(s, before);
	free(before);
	return s;
}
