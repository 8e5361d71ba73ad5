/*
 * span.h - the hot path of libtacho: the time around one wrapped call becomes one record in the
 * thread's spool. No lock, no system call, no allocation; errno is left alone. The slow paths, for
 * a new spool or a full chunk, are out of line in thread_spool.c.
 *
 * A wrapper reads:
 *
 *	struct span span = span_enter(REGION_MPI_Barrier, comm);
 *	int ret = real(args);
 *
 *	span_leave(&span, SPOOL_COLL, comm, (uint64_t[]){ 0 }, 1);
 *	return ret;
 */
#ifndef COLLECTOR_SPAN_H
#define COLLECTOR_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tacho/regions.h"
#include "tacho/spool.h"

#define TACHO_EXPORT __attribute__((visibility("default")))
#define likely(x)    __builtin_expect(!!(x), 1)
#define unlikely(x)  __builtin_expect(!!(x), 0)

#define HIDDEN __attribute__((visibility("hidden")))

/*
 * Whether this process records. The word is in a page that fork and raw
 * clone wipe (MADV_WIPEONFORK), so a child finds GATE_UNDECIDED and decides
 * for itself; until the page exists the pointer leads to a constant.
 */
enum gate {
	GATE_UNDECIDED = 0,
	GATE_OPEN = 1,	 /* every call is recorded */
	GATE_CLOSED = 2, /* for good */
	/* no launcher's rank: the first MPI, CUDA, NCCL or marker call opens it */
	GATE_MPI = 3,
	GATE_PAUSED = 4, /* outside the capture window, see capture.h */
};
extern const _Atomic uint32_t *tacho_gate HIDDEN;

/*
 * A thread's data, as far as the hot path needs them. struct spool of thread_spool.h has the rest
 * after this.
 *
 * RATIONALE: a signal handler may record calls at any instruction of the code below. Position and
 * depth therefore share one word, which changes by one instruction, a compare-and-swap without lock
 * prefix, after the begin or end of the call was timed. A handler that recorded in between has
 * moved the word, so the swap fails and the time is taken anew: calls nest, records are in the
 * order of their ends, and no two share a place. The room is marked as a pad at once, so that what
 * a handler appends after it can be read even if the handler never returns.
 */
struct thread {
	uint64_t cursor; /* depth << 48 | address of the next record */
	/* address up to which records may be written without asking */
	uint64_t end;
	struct spool_head *head; /* first page of the spool, mapped while the thread lives */
	/*
	 * fold.c: the cursor within a call while the record before it sums calls that are like it, or
	 * is one that may be followed by such a record; 0: there is none
	 */
	uint64_t folded, foldable;
	/*
	 * fold.c: such a record takes wakes that woke no thread even with I/O after it. Address up
	 * to which the records after it are known to allow that; 0: it takes none
	 */
	uint64_t late;
	unsigned rows; /* fold.c: whether such a record is worth while */
	/*
	 * burst.c: whether the thread carries data for others (enum carries); the next transfer
	 * needs a separate record; number of steps and phases at the last call
	 */
	uint8_t carries;
	bool single;
	uint32_t marks;
	/*
	 * that record, and its kind to which a call was added last
	 */
	uint64_t *fold, *fold_kind;
	/*
	 * brief.c: the cursor within a call while the record before it takes further calls, 0: it does
	 * not; that record, the start and handle of its last call, until when others may begin, and
	 * up to which address
	 */
	uint64_t brief, *brief_record, *brief_room, brief_start, brief_until;
	uint32_t brief_handle;
	/* unwind.c: the stack pointers of the wrappers that are open, or SPAN_NO_FRAME */
	uintptr_t frames[SPOOL_MAX_DEPTH];
};

#define SPAN_NO_FRAME UINTPTR_MAX /* a call that begins and ends in separate functions */

#define CURSOR_DEPTH   ((uint64_t)1 << 48)
#define CURSOR_ADDRESS (CURSOR_DEPTH - 1)

/*
 * Initial-exec: a preloaded library has room for it, and reading it is one
 * instruction without a call (a call could allocate).
 */
extern __thread struct thread *tacho_self HIDDEN __attribute__((tls_model("initial-exec")));

/* A call in progress; self is NULL when it is not recorded. Keep it on the stack. */
struct span {
	struct thread *self;
	uint64_t start;
	uint16_t region;
};

/*
 * Out of line: decides whether the process joins (see join.c), makes the
 * thread's spool. `region` 0 is a marker. Returns NULL when the call shall not
 * be recorded. Keeps errno.
 */
struct thread *thread_join(unsigned region) HIDDEN;

/*
 * Out of line: makes room for `words` words at the cursor, by taking the next
 * chunk. Returns false when there is none (the loss has been counted). Keeps
 * errno.
 */
bool thread_room(struct thread *self, unsigned words) HIDDEN;

/*
 * Out of line: ends the calls that the thread seems to be inside of: where the
 * program marks a step it is in no call.
 */
void thread_unwind(struct thread *self) HIDDEN;

/* The same of the innermost one, which there is. */
void thread_end_innermost(struct thread *self) HIDDEN;

/*
 * Out of line: ends the calls that were left by longjmp, an exception or otherwise, now that the
 * thread's stack pointer is `now`. Keeps errno.
 */
void thread_left(struct thread *self, uintptr_t now) HIDDEN;

/* The stack pointer; inlined, so the wrapper's. */
static inline __attribute__((always_inline)) uintptr_t span_frame(void)
{
	uintptr_t frame;

#if defined(__x86_64__)
	__asm__("movq %%rsp, %0" : "=r"(frame));
#elif defined(__aarch64__)
	__asm__("mov %0, sp" : "=r"(frame));
#else
	frame = (uintptr_t)__builtin_frame_address(0);
#endif
	return frame;
}

/* The function that this is inlined in is asked when the stack is unwound through it (unwind.c). */
#if defined(TACHO_LIBRARY) && (defined(__x86_64__) || defined(__aarch64__))
#define SPAN_UNWOUND() __asm__ volatile(".cfi_personality 0x1b, tacho_personality")
#else
#define SPAN_UNWOUND() ((void)0)
#endif

/* Whether the thread is inside a call that has not been left, at a call from the frame `now`. */
static inline bool span_is_inside(struct thread *self, uintptr_t now)
{
	uint64_t depth = self->cursor >> 48;

	if (likely(!depth))
		return false;
	if (unlikely(depth <= SPOOL_MAX_DEPTH && self->frames[depth - 1] < now))
		thread_left(self, now);
	return self->cursor >= CURSOR_DEPTH;
}

/* Now, in ticks of the process's clock (clock.c chooses it before any record). */
extern bool tacho_clock_is_tsc HIDDEN;
uint64_t clock_monotonic_ns(void) HIDDEN;

static inline uint64_t clock_ticks(void)
{
#if defined(__x86_64__)
	if (likely(tacho_clock_is_tsc))
		return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	if (likely(tacho_clock_is_tsc)) {
		uint64_t ticks;

		__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
		return ticks;
	}
#endif
	return clock_monotonic_ns();
}

/* Adds to the cursor in one instruction: atomic towards the thread's own signal handlers. */
static inline void cursor_add(uint64_t *cursor, uint64_t value)
{
#if defined(__x86_64__)
	__asm__ volatile("addq %1, %0" : "+m"(*cursor) : "er"(value) : "cc", "memory");
#else
	__atomic_fetch_add(cursor, value, __ATOMIC_RELAXED);
#endif
}

/* Sets the cursor if it still is `old`, in one instruction. */
static inline bool cursor_swap(uint64_t *cursor, uint64_t old, uint64_t value)
{
#if defined(__x86_64__)
	bool done;

	__asm__ volatile("cmpxchgq %3, %0"
			 : "+m"(*cursor), "+a"(old), "=@ccz"(done)
			 : "r"(value)
			 : "memory");
	return done;
#else
	return __atomic_compare_exchange_n(cursor, &old, value, false, __ATOMIC_RELAXED,
		__ATOMIC_RELAXED);
#endif
}

/*
 * Markers, MPI's start and end are recorded outside the capture window as well, since they place it
 * in the run.
 */
static inline bool region_is_kept(unsigned region)
{
	return region == REGION_NONE || region == REGION_MPI_Init ||
		region == REGION_MPI_Init_thread || region == REGION_MPI_Finalize;
}

/* The calling thread when calls are being recorded, else NULL. */
static inline __attribute__((always_inline)) struct thread *thread_self(unsigned region)
{
	uint32_t gate = atomic_load_explicit(tacho_gate, memory_order_relaxed);

	if (likely(gate == GATE_OPEN && tacho_self))
		return tacho_self;
	if (gate == GATE_PAUSED && (tacho_self || !region_is_kept(region)))
		return region_is_kept(region) ? tacho_self : NULL;
	if (gate == GATE_CLOSED || (gate == GATE_MPI && !region_joins(region)))
		return NULL;
	return thread_join(region);
}

/*
 * Begins a call of a thread that records, with its known facts in case it never returns: `arg` as
 * of struct spool_inside, `bytes` of a collective or 0. `frame`: the stack pointer of its wrapper.
 */
static inline __attribute__((always_inline)) struct span span_begin_at(struct thread *self,
	unsigned region, uint64_t arg, uint64_t bytes, uintptr_t frame)
{
	struct span span = { .self = self, .region = (uint16_t)region };
	struct spool_inside *inside;
	uint64_t cursor;
	unsigned depth;

	do {
		cursor = *(volatile uint64_t *)&self->cursor;
		span.start = clock_ticks();
	} while (unlikely(!cursor_swap(&self->cursor, cursor, cursor + CURSOR_DEPTH)));
	depth = cursor >> 48;
	if (likely(depth < SPOOL_MAX_DEPTH)) {
		inside = &self->head->inside[depth];
		inside->start = span.start;
		inside->arg = arg;
		inside->bytes = bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes;
		self->frames[depth] = frame;
		atomic_store_explicit(&inside->region, region, memory_order_release);
	}
	return span;
}

/* The same from a wrapper that has asked span_is_inside(). */
static inline __attribute__((always_inline)) struct span span_begin_asked(struct thread *self,
	unsigned region, uint64_t arg)
{
	SPAN_UNWOUND();
	return span_begin_at(self, region, arg, 0, span_frame());
}

/* The same from a wrapper, after any calls that were left by a jump. */
static inline __attribute__((always_inline)) struct span span_begin_sized(struct thread *self,
	unsigned region, uint64_t arg, uint64_t bytes)
{
	uintptr_t frame = span_frame();

	SPAN_UNWOUND();
	span_is_inside(self, frame);
	return span_begin_at(self, region, arg, bytes, frame);
}

/* span_enter without the question whether the thread records. */
static inline __attribute__((always_inline)) struct span span_begin(struct thread *self,
	unsigned region, uint64_t arg)
{
	return span_begin_sized(self, region, arg, 0);
}

/*
 * Begins a call: notes where the thread is and since when. `arg` is the
 * communicator or handle shown if the call never returns (0: none).
 */
static inline __attribute__((always_inline)) struct span span_enter(unsigned region, uint64_t arg)
{
	struct thread *self = thread_self(region);

	return likely(self) ? span_begin(self, region, arg) : (struct span){ 0 };
}

/*
 * Takes room for a record of `words` words and the time, lowering the depth by
 * `leave` (0 or 1; a call that thread_unwind ended already lowers nothing). Returns the record, a
 * pad until span_publish, or NULL when there is no room. `depth` is set to the depth that the
 * record shall have.
 */
static inline __attribute__((always_inline)) uint64_t *span_take(struct thread *self,
	unsigned words, unsigned leave, uint64_t *now, unsigned *depth)
{
	uint64_t cursor, at;

	do {
		cursor = *(volatile uint64_t *)&self->cursor;
		at = cursor & CURSOR_ADDRESS;
		leave &= cursor >= CURSOR_DEPTH;
		*depth = (cursor >> 48) - leave;
		*now = clock_ticks();
		if (unlikely(self->end - at <= words * 8)) { /* one word stays for a pad */
			if (!thread_room(self, words)) {
				cursor_add(&self->cursor, -(uint64_t)leave * CURSOR_DEPTH);
				return NULL;
			}
			cursor = ~(uint64_t)0; /* read it again */
		}
	} while (unlikely(
		!cursor_swap(&self->cursor, cursor, cursor + words * 8 - leave * CURSOR_DEPTH)));
	atomic_store_explicit((_Atomic uint64_t *)at, spool_word0(SPOOL_PAD, 0, 0, words * 8),
		memory_order_relaxed);
	return (uint64_t *)at;
}

/* The thread is in no call of that depth any more. */
static inline void span_outside(struct thread *self, unsigned depth)
{
	if (likely(depth < SPOOL_MAX_DEPTH))
		atomic_store_explicit(&self->head->inside[depth].region, 0, memory_order_release);
}

/* Makes the record at `at`, with words 1… already written, valid. */
static inline void span_publish(uint64_t *at, uint64_t word0)
{
	atomic_store_explicit((_Atomic uint64_t *)at, word0, memory_order_release);
}

/*
 * Records something that is not the end of a call (SPOOL_BEGIN, SPOOL_END,
 * SPOOL_DONE_MORE…) at the thread's present depth, with duration 0.
 */
static inline void span_record(struct thread *self, unsigned type, unsigned region, uint32_t a,
	const uint64_t *payload, unsigned npayload)
{
	unsigned words = 3 + npayload, depth;
	uint64_t now, *at = span_take(self, words, 0, &now, &depth);

	if (unlikely(!at))
		return;
	at[1] = now;
	at[2] = spool_word2(0, words);
	for (unsigned i = 0; i < npayload; i++)
		at[3 + i] = payload[i];
	span_publish(at, spool_word0(type, depth, region, a));
}

/*
 * Ends the call that `span` began and records it: `type` and `a` as in
 * spool.h, `payload` holds the record's words from w3 on. A span that is not
 * recorded is passed over, so wrappers need not test; use span_is_on() to
 * spare work that only a record needs. So is a span that a fork inside the
 * call brought into a child: it is the parent's.
 */
static inline void span_leave(struct span *span, unsigned type, uint32_t a, const uint64_t *payload,
	unsigned npayload)
{
	struct thread *self = span->self;
	unsigned words = 3 + npayload, depth;
	uint64_t now, *at;

	if (unlikely(!self) ||
		atomic_load_explicit(tacho_gate, memory_order_relaxed) == GATE_UNDECIDED)
		return;
	at = span_take(self, words, 1, &now, &depth);
	if (likely(at)) {
		at[1] = span->start;
		at[2] = spool_word2(now - span->start, words);
		for (unsigned i = 0; i < npayload; i++)
			at[3 + i] = payload[i];
		span_publish(at, spool_word0(type, depth, span->region, a));
	}
	span_outside(self, depth);
}

static inline bool span_is_on(const struct span *span)
{
	return span->self != NULL;
}

#endif
