/* burst.c - see burst.h. */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include "tacho/fold.h"

#include "core/burst.h"
#include "core/fold.h"
#include "core/fold_record.h"
#include "core/mark.h"
#include "core/memory.h"

/* Ticks, 0.3 to 0.5 ms of a time stamp counter: from then on a wait is a long one. */
#define WAIT_LONG FOLD_CALL_MOST

/* Words of the stack that are inspected, so many at a time; bytes of a function. */
enum { STACK_MOST = 2048, STACK_PIECE = 128, FUNCTION_MOST = 16384, FUNCTIONS = 4 };

enum carries { CARRIES_UNKNOWN, CARRIES_NOTHING, CARRIES_DATA };

_Atomic bool tacho_burst_known;

static _Atomic uintptr_t functions[FUNCTIONS];

void burst_know(const void *function)
{
	uintptr_t none;

	for (int i = 0; function && i < FUNCTIONS; i++) {
		none = 0;
		if (atomic_compare_exchange_strong(&functions[i], &none, (uintptr_t)function) ||
			none == (uintptr_t)function) {
			atomic_store(&tacho_burst_known, true);
			return;
		}
	}
}

/* Whether it is where one of the functions continues. */
static bool is_in_function(uintptr_t address)
{
	Dl_info info;

	for (int i = 0; i < FUNCTIONS; i++) {
		uintptr_t at = atomic_load_explicit(&functions[i], memory_order_relaxed);

		if (at && address > at && address - at < FUNCTION_MOST)
			return dladdr((void *)address, &info) && (uintptr_t)info.dli_saddr == at;
	}
	return false;
}

/*
 * Searches the callers for one of the functions, once per thread. The stack of a thread ends at
 * pthread_self(), but not the main thread's. A coroutine or a signal handler may run on another
 * stack, which ends earlier, so a system call reads the words.
 */
static bool carries_data(const struct thread *self)
{
	uintptr_t at = (uintptr_t)__builtin_frame_address(0), words[STACK_PIECE],
		  end = at + STACK_MOST * sizeof(*words), top = (uintptr_t)pthread_self();
	bool found = false;
	int saved = errno;

	if (self->head->is_main || top < at)
		return false;
	for (end = top < end ? top : end;
		at < end && !found && memory_read(at, words, sizeof(words)) == 0;
		at += sizeof(words))
		for (int i = 0; i < STACK_PIECE && !found; i++)
			found = is_in_function(words[i]);
	errno = saved;
	return found;
}

/* What a wake ends has lasted long. */
static bool ends_long_wait(uint64_t object, uint64_t start)
{
	unsigned place = waiting_place(object);
	uint32_t since = atomic_load_explicit(&tacho_waiting_since[place], memory_order_relaxed);

	return object &&
		(uint32_t)(start >> WAITING_SINCE_SHIFT) - since >= WAIT_LONG >>
		WAITING_SINCE_SHIFT;
}

/* Whether the call needs a separate record: then the next transfer may need one as well. */
static bool is_single(struct thread *self, uint64_t start, uint64_t now, unsigned type, uint32_t a,
	uint64_t value)
{
	bool moves = type == SPOOL_IO_PLAIN && (int64_t)value > 0;

	if (type == SPOOL_SYNC && a == SPOOL_SYNC_WAKE)
		return ends_long_wait(value, start);
	if (type == SPOOL_SYNC && now - start >= WAIT_LONG) {
		self->single = true;
		return true;
	}
	if (moves && self->single) {
		self->single = false;
		return true;
	}
	return type == SPOOL_CALL || now - start > FOLD_CALL_MOST ||
		(type == SPOOL_IO_PLAIN && !moves && (value != UINT64_MAX || errno != EAGAIN)) ||
		(moves && value > INT32_MAX) || (type == SPOOL_SYNC && a == SPOOL_SYNC_HANGUP);
}

bool burst_put(struct thread *self, uint64_t start, unsigned region, unsigned type, uint32_t a,
	uint64_t value)
{
	struct span span = { .self = self, .start = start, .region = (uint16_t)region };
	uint32_t marks;
	bool goes_on;

	if (unlikely(self->carries == CARRIES_UNKNOWN))
		self->carries = carries_data(self) ? CARRIES_DATA : CARRIES_NOTHING;
	if (self->carries != CARRIES_DATA || self->cursor >> 48 != 1 ||
		is_single(self, start, clock_ticks(), type, a, value))
		return false;
	/* bytes moved in a step or phase are in no other's record */
	marks = atomic_load_explicit(&tacho_mark_changes, memory_order_relaxed);
	goes_on = marks == self->marks;
	self->marks = marks;
	if (type == SPOOL_SYNC)
		fold_put(self, &span, a, 0, goes_on);
	else if ((int64_t)value > 0)
		fold_put(self, &span, FOLD_MOVED, a | value << 32, goes_on);
	else
		fold_put(self, &span, 0, a, goes_on);
	return true;
}
