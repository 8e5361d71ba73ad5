/*
 * attach_native.c - see attach_native.h. A running thread counts as unknown, since only the kernel
 * has its registers. The stack of a waiting thread does not change; it is sampled twice to be sure.
 */
#include "config.h"

#include <stdio.h>
#include <time.h>

#include "attach/attach_calls.h"
#include "attach/attach_native.h"
#include "attach/attach_threads.h"
#include "attach/attach_unwind.h"
#include "core/proc_file.h"
#include "core/process.h"
#include "core/sys.h"
#include "python/python_code.h"
#include "python/python_tally.h"

#define DEFAULT_HZ   50
#define MAX_HZ	     1000
#define COST_SHARE   100	 /* a sample costs at most this part of the time to the next */
#define ALL_NS	     1000000000u /* between searches for new threads */
#define THREADS_MOST 128
#define TRIES	     3

static struct {
	uint64_t period_ns, due_ns, last_ns, all_ns, spent_ns;
} native;

static uint64_t cpu_ns(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

int native_begin(void)
{
	uint32_t asked = tacho_process.asked.python_hz, n = asked == ASKED_NOT ? DEFAULT_HZ : asked;

	if (!n)
		return -1;
	native.period_ns = 1000000000u / (n > MAX_HZ ? MAX_HZ : n);
	return code_start() < 0 ? -1 : tally_start((uint32_t)(native.period_ns / 1000));
}

/* Whether a thread that is in no call runs; else it has ended. */
static bool lives(uint32_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%u", tid);
	return file_exists(path);
}

size_t native_frames(uint32_t tid, struct attach_frame frames[ATTACH_FRAMES])
{
	struct call_place before, after;
	size_t n;

	for (int i = 0; i < TRIES; i++) {
		if (!call_place(tid, &before))
			return 0;
		n = unwind(before.sp, before.pc, frames);
		if (call_place(tid, &after) && after.sp == before.sp && after.pc == before.pc)
			return n;
	}
	return 0;
}

/* The number of the stack of a thread that waits. */
static uint32_t stack_of(uint32_t tid)
{
	struct attach_frame frames[ATTACH_FRAMES];
	size_t n = native_frames(tid, frames);
	uint32_t stack = n ? 0 : SPOOL_PYTHON_UNREAD;

	while (n-- > 0) {
		const struct attach_frame *frame = &frames[n];
		uint32_t code = code_number(frame->function[0] ? frame->function : "?",
			frame->file);

		stack = tally_stack(stack, code, 0);
		if (stack == SPOOL_PYTHON_OTHERS)
			return stack;
	}
	return stack;
}

static void look(uint64_t ns)
{
	const struct spool_head *head;

	for (unsigned i = 0; i < THREADS_MOST && (head = threads_nth(i)); i++) {
		struct spool_python_key key = { .thread = head->number,
			.stack = stack_of(head->tid),
			.region = atomic_load(&head->inside[0].region) };

		if (key.stack == SPOOL_PYTHON_UNREAD && !lives(head->tid))
			continue;
		if (key.stack != SPOOL_PYTHON_UNREAD)
			tally_last(key.thread, key.stack);
		tally_add(&key, ns);
	}
}

uint64_t native_tick(void)
{
	uint64_t now = clock_monotonic_ns(), begin, cost, wait_ns;

	if (now < native.due_ns)
		return native.due_ns;
	if (now >= native.all_ns) {
		threads_meet_all();
		native.all_ns = now + ALL_NS;
	}
	begin = cpu_ns();
	look(native.last_ns ? now - native.last_ns : native.period_ns);
	native.last_ns = now;
	cost = cpu_ns() - begin;
	native.spent_ns += cost;
	tally_cost(native.spent_ns);
	wait_ns = cost * COST_SHARE;
	native.due_ns = now + (wait_ns < native.period_ns ? native.period_ns : wait_ns);
	return native.due_ns;
}
