/*
 * fold.c - short calls that a thread makes one after the other become one record, see fold.h.
 */
#include "config.h"

#include "tacho/brief.h"

#include "core/brief.h"
#include "core/burst.h"
#include "core/fold.h"
#include "core/fold_record.h"

/* Ticks: 4 to 8 µs of a time stamp counter, 16 of a clock. Longer calls have waited for something. */
#define CALL_MOST (1u << 14)
/* Ticks: a wake that enters the kernel takes longer. */
#define WAKE_MOST (1u << 10)
/* Ticks of a record from which on it is one of a loop: I/O is not between its calls. */
#define LOOP_LEAST (1u << 19)

/* Values of thread.rows: whether wakes follow each other between calls of I/O. */
enum { ROWS_NONE, ROWS_TRIED, ROWS_SEEN };

enum { FURTHER_MOST = 7 }; /* kinds for which room is taken ahead */

/* How many kinds of calls it has. */
static unsigned kinds_of(const uint64_t *record)
{
	const uint64_t *kind = record + 3, *behind = record + spool_words(record[2]);

	while (kind < behind && fold_calls(kind))
		kind += KIND_WORDS;
	return (unsigned)(kind - record - 3) / KIND_WORDS;
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
 * Extends the record, which others follow up to the cursor, by so many ticks. The thread was in no
 * call until the first of them began: the record may last until then.
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

/*
 * Adds a wake that woke no thread to a record that others follow. Handlers see `late` as 0
 * meanwhile.
 */
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
	kind = fold_kind_find(record, spool_words(record[2]), word, object);
	if (!kind || !late_stretch(record, cursor, ticks_of(record) + now - span->start) ||
		!cursor_swap(&self->cursor, cursor, cursor - CURSOR_DEPTH))
		return false;
	fold_kind_add(kind, word, object, (uint32_t)(now - span->start));
	fold_late_set(self, cursor - CURSOR_DEPTH);
	span_outside(self, 0);
	return true;
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

/*
 * A wake that became part of a record: if it woke a thread, or was in a loop, no more wakes are
 * added late.
 */
static void late_go_on(struct thread *self, const struct span *span, uint64_t object)
{
	if (spool_duration(self->fold[2]) > LOOP_LEAST || !is_nobodys(span, object, clock_ticks()))
		*(volatile uint64_t *)&self->late = 0;
	else
		fold_late_set(self, self->folded - CURSOR_DEPTH);
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
	fold_late_set(self, self->folded - CURSOR_DEPTH);
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
