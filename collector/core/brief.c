/* brief.c - calls that follow each other, in a word or two each, see brief.h. */
#include "config.h"

#include "tacho/brief.h"

#include "core/brief.h"
#include "core/burst.h"

enum { WORDS_FIRST = 4 }; /* of a record with one call of one word, and of any that begins one */

/*
 * A SPOOL_FOLD that takes late wakes knows the calls after it up to `from`; after this call
 * (fold.c), up to `to`.
 */
static void late_pass(struct thread *self, const uint64_t *from, const uint64_t *to,
	unsigned region, unsigned type)
{
	if (self->late == (uint64_t)(uintptr_t)from)
		*(volatile uint64_t *)&self->late = spool_type_is_plain(type) &&
				region_is_passed(region)
			? (uint64_t)(uintptr_t)to
			: 0;
}

/* A call that is to be recorded. */
struct brief_call {
	struct thread *self;
	uint64_t start;
	unsigned region, type;
	uint32_t a;
	uint64_t value; /* w3 */
};

/*
 * Adds the call to the record before it. False: there is none that takes it, or a signal handler has
 * recorded something. One that comes later finds another cursor than this record's.
 */
static inline __attribute__((always_inline)) bool brief_add(struct brief_call call)
{
	struct thread *self = call.self;
	uint64_t cursor = *(volatile uint64_t *)&self->cursor, words[2], now, *record, *at;
	unsigned more;

	/* a handler that changes these values now moves the cursor */
	atomic_signal_fence(memory_order_seq_cst);
	if (cursor != self->brief)
		return false;
	record = self->brief_record;
	at = (uint64_t *)(uintptr_t)(cursor & CURSOR_ADDRESS);
	now = clock_ticks();
	more = brief_put(words, call.type, call.region, call.a, call.value,
		call.start - self->brief_start, now - call.start, self->brief_handle);
	if (!more || call.start > self->brief_until || at > self->brief_room)
		return false;
	if (!cursor_swap(&self->cursor, cursor, cursor + 8 * more - CURSOR_DEPTH))
		return false;
	atomic_store_explicit((_Atomic uint64_t *)&record[2],
		spool_word2(now - record[1], (unsigned)(at - record) + more), memory_order_release);
	if (more > 1)
		at[1] = words[1];
	atomic_store_explicit((_Atomic uint64_t *)at, words[0], memory_order_release);
	if (unlikely(self->late))
		late_pass(self, at, at + more, call.region, call.type);
	self->brief_start = call.start;
	if (call.type == SPOOL_IO_PLAIN)
		self->brief_handle = call.a;
	atomic_signal_fence(memory_order_seq_cst);
	*(volatile uint64_t *)&self->brief = cursor + 8 * more;
	span_outside(self, 0);
	return true;
}

/* Further calls may be added to the record at `at`, which has one. */
static void brief_open(struct thread *self, uint64_t *at, uint32_t handle)
{
	uint64_t *end = (uint64_t *)(uintptr_t)self->end, *most = at + BRIEF_WORDS_MOST;

	self->brief_record = at;
	self->brief_start = at[1];
	self->brief_handle = handle;
	self->brief_until = at[1] + BRIEF_SPAN;
	/* two words, and one for a pad */
	self->brief_room = (most < end ? most : end) - 3;
	atomic_signal_fence(memory_order_seq_cst);
	*(volatile uint64_t *)&self->brief = (uint64_t)(uintptr_t)(at + WORDS_FIRST) | CURSOR_DEPTH;
}

/* Records the call singly, or as the first of such a record where that takes no more room. */
static __attribute__((noinline)) void brief_begin(struct brief_call call)
{
	struct thread *self = call.self;
	uint32_t handle = call.type == SPOOL_IO_PLAIN ? call.a : 0;
	unsigned words = call.type == SPOOL_CALL ? WORDS_FIRST - 1 : WORDS_FIRST, depth;
	uint64_t word[2], now, *at = span_take(self, words, 1, &now, &depth);
	bool is_brief;

	if (likely(at)) {
		at[1] = call.start;
		at[2] = spool_word2(now - call.start, words);
		is_brief = words == WORDS_FIRST && !depth &&
			brief_put(word, call.type, call.region, call.a, call.value, 0,
				now - call.start, handle) == 1;
		if (words == WORDS_FIRST)
			at[3] = is_brief ? word[0] : call.value;
		if (is_brief)
			span_publish(at, spool_word0(SPOOL_BRIEF, 0, call.region, handle));
		else
			span_publish(at, spool_word0(call.type, depth, call.region, call.a));
		if (is_brief) {
			late_pass(self, at, at + words, call.region, call.type);
			brief_open(self, at, handle);
		}
	}
	span_outside(self, depth);
}

static inline __attribute__((always_inline)) void leave(struct brief_call call)
{
	if (atomic_load_explicit(tacho_gate, memory_order_relaxed) == GATE_UNDECIDED)
		return;
	if (burst_leave(call.self, call.start, call.region, call.type, call.a, call.value))
		return;
	if (unlikely(!brief_add(call)))
		brief_begin(call);
}

void brief_leave_io(struct thread *self, uint64_t start, unsigned region, uint32_t handle,
	int64_t result)
{
	leave((struct brief_call){ self, start, region, SPOOL_IO_PLAIN, handle, (uint64_t)result });
}

void brief_leave_call(struct thread *self, uint64_t start, unsigned region)
{
	leave((struct brief_call){ self, start, region, SPOOL_CALL, 0, 0 });
}

void brief_leave_sync(struct thread *self, uint64_t start, unsigned region, enum spool_sync how,
	uint64_t object)
{
	leave((struct brief_call){ self, start, region, SPOOL_SYNC, how, object });
}
