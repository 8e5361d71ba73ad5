/*
 * fold_record.h - the record of calls that are summed (SPOOL_FOLD): its kinds, and how a call is added
 * to the last one. For fold.c and burst.c.
 */
#ifndef COLLECTOR_FOLD_RECORD_H
#define COLLECTOR_FOLD_RECORD_H

#include "tacho/fold.h"

#include "core/span.h"

enum { KIND_WORDS = SPOOL_FOLD_WORDS };

/*
 * Ends an outermost call, of at most FOLD_CALL_MOST ticks, as part of such a record, of the one
 * before if that `goes_on`. `how`: enum spool_sync, or FOLD_MOVED with handle:32 | bytes:32 in
 * `object`.
 */
void fold_put(struct thread *self, const struct span *span, unsigned how, uint64_t object,
	bool goes_on) HIDDEN;

/*
 * Begins such a record with the call, and room for further kinds. False: there was no room for it,
 * which is counted.
 */
bool fold_begin(struct thread *self, const struct span *span, unsigned how, uint64_t object,
	unsigned further) HIDDEN;

/*
 * Where a record of so many words sums calls of that kind, or else has room for a further kind;
 * NULL: it has neither.
 */
uint64_t *fold_kind_find(uint64_t *record, unsigned words, uint32_t word, uint64_t object) HIDDEN;

/* Those of one kind have the same region, end and object. I/O that moved bytes sums these above the handle. */
static inline bool fold_kind_is(const uint64_t *kind, uint32_t word, uint64_t object)
{
	return (uint32_t)kind[0] == word &&
		(kind[1] == object ||
			(fold_has_moved(kind) && (uint32_t)kind[1] == (uint32_t)object));
}

/* The same, beginning after the kind found last, since objects are polled in turn. */
static inline uint64_t *fold_kind_find_next(const struct thread *self, uint64_t *record,
	unsigned words, uint32_t word, uint64_t object)
{
	uint64_t *next = self->fold_kind + KIND_WORDS;

	if (next >= record + words)
		next = record + 3;
	if (fold_kind_is(next, word, object))
		return next;
	return fold_kind_find(record, words, word, object);
}

static inline void fold_kind_add(uint64_t *kind, uint32_t word, uint64_t object, uint32_t ticks)
{
	uint32_t least = fold_shortest(kind), most = fold_longest(kind);

	if (!fold_calls(kind)) {
		kind[1] = object;
		kind[2] = fold_times(ticks, ticks, ticks);
		atomic_store_explicit((_Atomic uint64_t *)kind, word | (uint64_t)1 << 32,
			memory_order_release);
		return;
	}
	kind[2] = fold_times(fold_ticks(kind) + ticks, ticks < least ? ticks : least,
		ticks > most ? ticks : most);
	if (fold_has_moved(kind))
		kind[1] += object >> 32 << 32;
	kind[0] += (uint64_t)1 << 32;
}

/* The record may be added to late, unless a handler has recorded something since. */
static inline void fold_late_set(struct thread *self, uint64_t cursor)
{
	*(volatile uint64_t *)&self->late = cursor & CURSOR_ADDRESS;
	if (*(volatile uint64_t *)&self->cursor != cursor)
		*(volatile uint64_t *)&self->late = 0;
}

/*
 * Adds the call to the record before it, which grows by a kind if need be. False: no record takes
 * it, or a signal handler has recorded something. A handler that comes later finds no such record,
 * so it adds nothing to this one meanwhile, late neither: both would take the same free kind. Its
 * own records are later than all of this one. The record is complete at each moment: the object of
 * a kind is written before its calls.
 */
static inline __attribute__((always_inline)) bool fold_add(struct thread *self,
	const struct span *span, unsigned how, uint64_t object, uint64_t call_most,
	uint64_t span_most)
{
	uint64_t cursor = *(volatile uint64_t *)&self->cursor, now, *kind, *record = self->fold,
		 late;
	unsigned words, more = 0;

	if (cursor != self->folded)
		return false;
	now = clock_ticks();
	words = spool_words(record[2]);
	kind = fold_kind_find_next(self, record, words, fold_of(span->region, how), object);
	if (now - span->start > call_most || now - record[1] > span_most)
		return false;
	if (unlikely(!kind)) {
		more = KIND_WORDS;
		kind = record + words;
		if (words + more > 3 + SPOOL_FOLD_KINDS * KIND_WORDS ||
			self->end - (uint64_t)(uintptr_t)kind <= 8 * more)
			return false;
	}
	*(volatile uint64_t *)&self->folded = 0;
	late = self->late;
	*(volatile uint64_t *)&self->late = 0;
	if (!cursor_swap(&self->cursor, cursor, cursor + 8 * more - CURSOR_DEPTH))
		return false;
	atomic_store_explicit((_Atomic uint64_t *)&record[2],
		spool_word2(now - record[1], words + more), memory_order_release);
	fold_kind_add(kind, fold_of(span->region, how), object, (uint32_t)(now - span->start));
	self->fold_kind = kind;
	*(volatile uint64_t *)&self->folded = cursor + 8 * more;
	if (late)
		fold_late_set(self, cursor + 8 * more - CURSOR_DEPTH);
	span_outside(self, 0);
	return true;
}

#endif
