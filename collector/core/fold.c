/*
 * fold.c - short calls that a thread makes one after the other become one record, see fold.h.
 */
#include "config.h"

#include "tacho/brief.h"
#include "tacho/fold.h"

#include "core/brief.h"
#include "core/burst.h"
#include "core/fold.h"

/* Ticks: 4 to 8 µs of a time stamp counter, 16 of a clock. Longer calls have waited for something. */
#define CALL_MOST (1u << 14)
/* Ticks: a wake that enters the kernel takes longer. */
#define WAKE_MOST (1u << 10)
/* Ticks of a record from which on it is one of a loop: I/O is not between its calls. */
#define LOOP_LEAST (1u << 19)

/* Of thread.rows: whether wakes follow each other between calls of I/O. */
enum { ROWS_NONE, ROWS_TRIED, ROWS_SEEN };

enum { KIND_WORDS = SPOOL_FOLD_WORDS, WORDS_LEAST = 3 + KIND_WORDS };
enum { FURTHER_MOST = 7 }; /* kinds for which room is taken ahead */

_Atomic uint32_t tacho_waiting[WAITING_SIZE], tacho_waiting_since[WAITING_SIZE];

/* Those of one kind have the same region, end and object. I/O that moved bytes sums these above the handle. */
static inline bool kind_is(const uint64_t *kind, uint32_t word, uint64_t object)
{
	return (uint32_t)kind[0] == word &&
		(kind[1] == object ||
			(fold_has_moved(kind) && (uint32_t)kind[1] == (uint32_t)object));
}

/*
 * Where a record of so many words sums calls of that kind, or else has room for a further kind;
 * NULL: it has neither.
 */
static uint64_t *kind_find(uint64_t *record, unsigned words, uint32_t word, uint64_t object)
{
	for (uint64_t *kind = record + 3; kind < record + words; kind += KIND_WORDS)
		if (kind_is(kind, word, object) || !fold_calls(kind))
			return kind;
	return NULL;
}

/* How many kinds of calls it has. */
static unsigned kinds_of(const uint64_t *record)
{
	const uint64_t *kind = record + 3, *behind = record + spool_words(record[2]);

	while (kind < behind && fold_calls(kind))
		kind += KIND_WORDS;
	return (unsigned)(kind - record - 3) / KIND_WORDS;
}

/* The same; searched for first is the one after that which was found last: things are asked in turn. */
static inline uint64_t *kind_find_next(const struct thread *self, uint64_t *record, unsigned words,
	uint32_t word, uint64_t object)
{
	uint64_t *next = self->fold_kind + KIND_WORDS;

	if (next >= record + words)
		next = record + 3;
	if (kind_is(next, word, object))
		return next;
	return kind_find(record, words, word, object);
}

static void kind_add(uint64_t *kind, uint32_t word, uint64_t object, uint32_t ticks)
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
static void late_set(struct thread *self, uint64_t cursor)
{
	*(volatile uint64_t *)&self->late = cursor & CURSOR_ADDRESS;
	if (*(volatile uint64_t *)&self->cursor != cursor)
		*(volatile uint64_t *)&self->late = 0;
}

/*
 * Adds the call to the record before it, which grows by a kind if need be. False: there is none
 * that takes it, or a signal handler has recorded something. A handler that comes later finds no
 * such record, so it adds nothing to this one meanwhile, late neither: both would take the same
 * free kind. What it appends is later than all of it. The record is whole at each moment: what a
 * kind is about exists before its calls are.
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
	kind = kind_find_next(self, record, words, fold_of(span->region, how), object);
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
	kind_add(kind, fold_of(span->region, how), object, (uint32_t)(now - span->start));
	self->fold_kind = kind;
	*(volatile uint64_t *)&self->folded = cursor + 8 * more;
	if (late)
		late_set(self, cursor + 8 * more - CURSOR_DEPTH);
	span_outside(self, 0);
	return true;
}

/* Nobody waited for the object in a recorded call, nor was anybody else woken. */
static bool is_nobodys(const struct span *span, uint64_t object, uint64_t now)
{
	return !object && now - span->start <= WAKE_MOST;
}

/* Only what such wakes pass is between `late`, behind the record, and the cursor. */
static bool late_review(uint64_t late, uint64_t cursor)
{
	const uint64_t *at = (const uint64_t *)(uintptr_t)late;
	const uint64_t *behind = (const uint64_t *)(uintptr_t)(cursor & CURSOR_ADDRESS);

	for (; at < behind; at += spool_words(at[2]))
		if (!brief_is_passed(at))
			return false;
	return true;
}

static uint64_t ticks_of(const uint64_t *record)
{
	uint64_t ticks = 0;

	for (const uint64_t *kind = record + 3; kind < record + spool_words(record[2]);
		kind += KIND_WORDS)
		ticks += fold_ticks(kind);
	return ticks;
}

/*
 * Makes the record, behind which others stand up to the cursor, long enough for so much. The thread
 * was in no call until the first of them began: the record may last until then.
 */
static bool late_stretch(uint64_t *record, uint64_t cursor, uint64_t ticks)
{
	unsigned words = spool_words(record[2]);
	const uint64_t *behind = record + words;

	if (ticks <= spool_duration(record[2]))
		return true;
	if ((uint64_t)(uintptr_t)behind >= (cursor & CURSOR_ADDRESS) ||
		record[1] + ticks > behind[1])
		return false;
	atomic_store_explicit((_Atomic uint64_t *)&record[2], spool_word2(ticks, words),
		memory_order_release);
	return true;
}

/* Adds a wake of nobody to a record that others follow. Handlers see `late` as 0 meanwhile. */
static bool late_add(struct thread *self, const struct span *span, uint64_t object, uint64_t now)
{
	uint64_t cursor = *(volatile uint64_t *)&self->cursor, late = self->late, *kind;
	uint32_t word = fold_of(span->region, SPOOL_SYNC_WAKE);
	uint64_t *record = self->fold;

	if (!late)
		return false;
	*(volatile uint64_t *)&self->late = 0;
	if (cursor >> 48 != 1 || now - record[1] > SPOOL_LATE_SPAN || !late_review(late, cursor))
		return false;
	kind = kind_find(record, spool_words(record[2]), word, object);
	if (!kind || !late_stretch(record, cursor, ticks_of(record) + now - span->start) ||
		!cursor_swap(&self->cursor, cursor, cursor - CURSOR_DEPTH))
		return false;
	kind_add(kind, word, object, (uint32_t)(now - span->start));
	late_set(self, cursor - CURSOR_DEPTH);
	span_outside(self, 0);
	return true;
}

/*
 * Begins such a record with the call, and room for further kinds. False: there was no room for it,
 * which is counted.
 */
static bool fold_begin(struct thread *self, const struct span *span, unsigned how, uint64_t object,
	unsigned further)
{
	unsigned words = WORDS_LEAST + further * KIND_WORDS, depth;
	uint64_t now, *record;

	record = span_take(self, words, 1, &now, &depth);
	if (!record) { /* lost, and counted */
		span_outside(self, 0);
		return false;
	}
	for (unsigned i = 3; i < words; i += KIND_WORDS)
		record[i] = 0;
	kind_add(record + 3, fold_of(span->region, how), object, (uint32_t)(now - span->start));
	record[1] = span->start;
	record[2] = spool_word2(now - span->start, words);
	span_publish(record, spool_word0(SPOOL_FOLD, depth, span->region, 0));
	self->fold = record;
	self->fold_kind = record + 3;
	*(volatile uint64_t *)&self->folded = (uint64_t)(uintptr_t)(record + words) | CURSOR_DEPTH;
	span_outside(self, 0);
	return true;
}

void fold_put(struct thread *self, const struct span *span, unsigned how, uint64_t object,
	bool goes_on)
{
	if (!goes_on || !fold_add(self, span, how, object, FOLD_CALL_MOST, SPOOL_LATE_SPAN))
		fold_begin(self, span, how, object, 0);
}

static bool is_recorded(const struct thread *self)
{
	return likely(self) &&
		atomic_load_explicit(tacho_gate, memory_order_relaxed) != GATE_UNDECIDED;
}

/* A call that is no part of the record before it. */
static inline __attribute__((always_inline)) void leave_first(struct span *span,
	enum spool_sync how, uint64_t object, unsigned type, uint32_t a, const uint64_t *payload,
	unsigned npayload)
{
	struct thread *self = span->self;
	bool is_short = clock_ticks() - span->start <= CALL_MOST;

	if (self->cursor == self->foldable && is_short) {
		self->rows = ROWS_SEEN;
		fold_begin(self, span, how, object, 0);
		return;
	}
	if (type == SPOOL_SYNC)
		span_leave_sync(span, how, payload[0]);
	else if (type == SPOOL_IO_PLAIN)
		span_leave_io(span, a, (int64_t)payload[0]);
	else
		span_leave(span, type, a, payload, npayload);
	*(volatile uint64_t *)&self->foldable = is_short && self->cursor < CURSOR_DEPTH
		? self->cursor + CURSOR_DEPTH
		: 0;
}

void span_leave_fold(struct span *span, enum spool_sync how, uint64_t object, unsigned type,
	uint32_t a, const uint64_t *payload, unsigned npayload)
{
	struct thread *self = span->self;

	if (!is_recorded(self) ||
		burst_leave(self, span->start, span->region, type, a, npayload ? payload[0] : 0))
		return;
	if (unlikely(!fold_add(self, span, how, object, CALL_MOST, SPOOL_FOLD_SPAN)))
		leave_first(span, how, object, type, a, payload, npayload);
}

/* A wake that is part of a record: of somebody, or in a loop, it ends that others come late. */
static void late_go_on(struct thread *self, const struct span *span, uint64_t object)
{
	if (spool_duration(self->fold[2]) > LOOP_LEAST || !is_nobodys(span, object, clock_ticks()))
		*(volatile uint64_t *)&self->late = 0;
	else
		late_set(self, self->folded - CURSOR_DEPTH);
}

/*
 * Begins a record with the first wake of a row already, to which late ones are added if others
 * follow: the last record begun so has more than one. As many kinds as that had may come: an
 * interpreter wakes its threads in two ways.
 */
static bool late_begin(struct thread *self, const struct span *span, uint64_t object)
{
	unsigned kinds = self->rows == ROWS_TRIED ? kinds_of(self->fold) : 1;
	unsigned further = kinds - 1;

	if (self->rows == ROWS_TRIED && !further && fold_calls(self->fold + 3) == 1)
		self->rows = ROWS_NONE;
	if (self->rows == ROWS_NONE || self->cursor == self->foldable)
		return false;
	if (further > FURTHER_MOST)
		further = FURTHER_MOST;
	if (!fold_begin(self, span, SPOOL_SYNC_WAKE, object, further)) {
		self->rows = ROWS_NONE;
		return true;
	}
	self->rows = ROWS_TRIED;
	late_set(self, self->folded - CURSOR_DEPTH);
	return true;
}

void span_leave_wake(struct span *span, uint64_t object)
{
	struct thread *self = span->self;
	uint64_t now;

	if (!is_recorded(self) ||
		burst_leave(self, span->start, span->region, SPOOL_SYNC, SPOOL_SYNC_WAKE, object))
		return;
	if (likely(fold_add(self, span, SPOOL_SYNC_WAKE, object, CALL_MOST, SPOOL_FOLD_SPAN))) {
		if (unlikely(self->late))
			late_go_on(self, span, object);
		return;
	}
	if (self->rows != ROWS_NONE) {
		now = clock_ticks();
		if (is_nobodys(span, object, now) &&
			(late_add(self, span, object, now) || late_begin(self, span, object)))
			return;
	}
	leave_first(span, SPOOL_SYNC_WAKE, object, SPOOL_SYNC, SPOOL_SYNC_WAKE, &object, 1);
}
