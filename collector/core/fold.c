/*
 * fold.c - short calls that a thread makes one after the other become one record, see fold.h.
 */
#include "config.h"

#include "core/fold.h"

/* Ticks: 4 to 8 µs of a time stamp counter, 16 of a clock. Longer calls have waited for something. */
#define CALL_MOST (1u << 14)
/* From the first to the last call: about a millisecond, by which the time of one may be wrong. */
#define SPAN_MOST (1u << 21)

enum { KIND_WORDS = SPOOL_FOLD_WORDS, WORDS_LEAST = 3 + KIND_WORDS };

static uint64_t kind_word(const struct span *span, enum spool_sync how)
{
	return span->region | (uint64_t)how << 16;
}

/* Where a record of so many words sums calls of that kind; NULL: it has others. */
static uint64_t *kind_find(uint64_t *record, unsigned words, uint64_t word, uint64_t object)
{
	for (uint64_t *kind = record + 3; kind < record + words; kind += KIND_WORDS)
		if ((uint32_t)kind[0] == word && kind[1] == object)
			return kind;
	return NULL;
}

static void kind_add(uint64_t *kind, uint64_t word, uint64_t object, uint64_t ticks)
{
	uint32_t least = (uint32_t)kind[3], most = kind[3] >> 32;

	if (!(kind[0] >> 32)) {
		kind[1] = object;
		kind[2] = ticks;
		kind[3] = spool_pair((uint32_t)ticks, (uint32_t)ticks);
		atomic_store_explicit((_Atomic uint64_t *)kind, word | (uint64_t)1 << 32,
			memory_order_release);
		return;
	}
	kind[2] += ticks;
	if (ticks < least || ticks > most)
		kind[3] = spool_pair(ticks < least ? (uint32_t)ticks : least,
			ticks > most ? (uint32_t)ticks : most);
	kind[0] += (uint64_t)1 << 32;
}

static void outside(struct thread *self)
{
	atomic_store_explicit(&self->head->inside[0].region, 0, memory_order_release);
}

/*
 * Adds the call to the record before it, which grows by a kind if need be. False: there is none
 * that takes it, or a signal handler has recorded something. A handler that comes later finds no
 * such record, so it adds nothing to this one meanwhile, and what it appends is later than all of
 * it. The record is whole at each moment: what a kind is about is there before its calls are.
 */
static bool fold_add(struct thread *self, const struct span *span, enum spool_sync how,
	uint64_t object)
{
	uint64_t cursor = *(volatile uint64_t *)&self->cursor, now, *kind, *record = self->fold;
	unsigned words, more = 0;

	if (cursor != self->folded)
		return false;
	now = clock_ticks();
	words = spool_words(record[2]);
	kind = kind_find(record, words, kind_word(span, how), object);
	if (now - span->start > CALL_MOST || now - record[1] > SPAN_MOST)
		return false;
	if (unlikely(!kind)) {
		more = KIND_WORDS;
		kind = record + words;
		if (words + more > 3 + SPOOL_FOLD_KINDS * KIND_WORDS ||
			self->end - (uint64_t)(uintptr_t)kind <= 8 * more)
			return false;
	}
	*(volatile uint64_t *)&self->folded = 0;
	if (!cursor_swap(&self->cursor, cursor, cursor + 8 * more - CURSOR_DEPTH))
		return false;
	atomic_store_explicit((_Atomic uint64_t *)&record[2],
		spool_word2(now - record[1], words + more), memory_order_release);
	kind_add(kind, kind_word(span, how), object, now - span->start);
	*(volatile uint64_t *)&self->folded = cursor + 8 * more;
	outside(self);
	return true;
}

/* Begins such a record with the call. False: it is recorded otherwise. */
static bool fold_begin(struct thread *self, const struct span *span, enum spool_sync how,
	uint64_t object)
{
	uint64_t now, *record;
	unsigned depth;

	if (self->cursor != self->foldable || clock_ticks() - span->start > CALL_MOST)
		return false;
	record = span_take(self, WORDS_LEAST, 1, &now, &depth);
	if (!record) { /* lost, and counted */
		outside(self);
		return true;
	}
	record[3] = 0;
	kind_add(record + 3, kind_word(span, how), object, now - span->start);
	record[1] = span->start;
	record[2] = spool_word2(now - span->start, WORDS_LEAST);
	span_publish(record, spool_word0(SPOOL_FOLD, depth, span->region, 0));
	self->fold = record;
	*(volatile uint64_t *)&self->folded = (uint64_t)(uintptr_t)(record + WORDS_LEAST) |
		CURSOR_DEPTH;
	outside(self);
	return true;
}

void span_leave_fold(struct span *span, enum spool_sync how, uint64_t object, unsigned type,
	uint32_t a, const uint64_t *payload, unsigned npayload)
{
	struct thread *self = span->self;
	bool is_short;

	if (unlikely(!self) ||
		atomic_load_explicit(tacho_gate, memory_order_relaxed) == GATE_UNDECIDED)
		return;
	if (likely(fold_add(self, span, how, object)) || fold_begin(self, span, how, object))
		return;
	is_short = clock_ticks() - span->start <= CALL_MOST;
	span_leave(span, type, a, payload, npayload);
	*(volatile uint64_t *)&self->foldable = is_short && self->cursor < CURSOR_DEPTH
		? self->cursor + CURSOR_DEPTH
		: 0;
}
