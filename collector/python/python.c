/* python.c - when threads are inspected, and what is added up; see python.h. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/loss.h"
#include "core/mark.h"
#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"
#include "core/thread.h"
#include "python/python.h"
#include "core/memory.h"
#include "python/python_module.h"
#include "python/python_stack.h"
#include "python/python_tally.h"

#define DEFAULT_HZ	  50
#define MAX_HZ		  1000
#define COST_SHARE	  333 /* a look costs at most this part of the time until the next one */
#define INTERPRETERS_MOST 8
#define THREADS_MOST	  128
#define THREAD_ROOM	  256 /* bytes of a thread's state that are inspected */
#define TRIES		  2
#define THREADS_SEEN	  64
#define IDLE_PERIODS	  4 /* at most between looks while no thread runs */

static struct {
	uint64_t begun; /* start of the process that it is of */
	bool over;
	struct python_runtime python;
	uint64_t period_ns, due_ns;
	uint64_t last_ns;	    /* of the last look; 0: what came before it is not known */
	uint64_t spent_ns, cost_ns; /* on a core: in all; of a look, smoothed */
	uint64_t ran_ns;	    /* CPU time of the program at the last look */
	unsigned idle;		    /* periods until the next look, while no thread runs */
} sampler;

/* What the last look has counted. */
static struct spool_python_key keys[THREADS_MOST];
static unsigned nkeys;

static struct python_stack stack;

/* Stacks of threads at the last look. */
static struct seen {
	uint64_t thread; /* address of its state; 0: none */
	uint64_t look;
	struct python_stack stack;
} * seen;
static uint64_t nlooks;

static uint64_t cpu_ns(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Whether memory can be read: a filter of system calls may forbid it. */
static bool may_read(void)
{
	uint64_t word;

	if (memory_read(sampler.python.runtime, &word, sizeof(word)) == 0)
		return true;
	say_once(SAY_PYTHON, "lines of Python are not sampled, as process_vm_readv fails: %s",
		strerror(errno));
	return false;
}

static int seen_start(void)
{
	void *map;

	if (seen)
		sys_munmap(seen, THREADS_SEEN * sizeof(*seen));
	map = sys_map(THREADS_SEEN * sizeof(*seen), MAP_PRIVATE | MAP_NORESERVE);
	seen = map == MAP_FAILED ? NULL : map;
	return seen ? 0 : -1;
}

/* 0, or -1 when there is nothing to sample, or no way to. */
static int start(void)
{
	uint32_t asked = tacho_process.asked.python_hz, n = asked == ASKED_NOT ? DEFAULT_HZ : asked;
	enum python_found found = n ? python_find(&sampler.python) : PYTHON_NONE;

	if (found == PYTHON_STRANGE)
		say_once(SAY_PYTHON,
			"lines of Python are not sampled, as the layout of Python %s is not known",
			sampler.python.version);
	if (found == PYTHON_FREE_THREADED)
		say_once(SAY_PYTHON,
			"lines of Python are not sampled, as this build of Python %s is free-threaded",
			sampler.python.version);
	if (found != PYTHON_FOUND || !may_read())
		return -1;
	sampler.period_ns = 1000000000u / (n > MAX_HZ ? MAX_HZ : n);
	if (seen_start() < 0 || code_start() < 0 || module_start() < 0 ||
		tally_start((uint32_t)(sampler.period_ns / 1000)) < 0) {
		process_lose(loss_of_error(errno));
		return -1;
	}
	process_define_property("process.python", sampler.python.version);
	return 0;
}

/* Bytes from its first instruction on. */
static uint32_t instruction_offset(const struct python_layout *layout,
	const struct python_frame *frame)
{
	int64_t offset = (int64_t)frame->instruction;

	if (layout->code_instructions != LAYOUT_NONE)
		offset -= (int64_t)frame->code + layout->code_instructions;
	else if (layout->minor == 10) /* counted in code units */
		offset *= 2;
	return offset < 0 || offset > UINT32_MAX ? 0 : (uint32_t)offset;
}

/* The call of a module by another one has the name of the module as its caller. */
static uint32_t module_number(uint32_t number, uint64_t *caller, struct python_frame *frame)
{
	uint64_t parent = *caller;
	uint32_t name;

	frame->module = module_of_local(&sampler.python, frame->local);
	if (!frame->module || frame->module == parent)
		return number;
	*caller = frame->module;
	name = parent ? module_name(&sampler.python, parent, frame->module) : 0;
	return name ? tally_module(number, name) : number;
}

/* Number of the stack that was read; SPOOL_PYTHON_UNREAD where an object in it is no code. */
static uint32_t stack_number(void)
{
	uint32_t number = 0;
	uint64_t module = 0;

	for (unsigned i = stack.n; i-- > 0;) {
		struct python_frame *frame = &stack.frame[i];
		const struct python_code *code;

		if (frame->is_known && frame->caller != number)
			return SPOOL_PYTHON_UNREAD; /* its code was not read */
		if (frame->is_known) {
			module = frame->module ? frame->module : module;
			number = frame->number;
			continue;
		}
		frame->caller = frame->number = number;
		frame->is_lasting = true;
		if (frame->owner >= OWNER_C)
			continue;
		code = code_find(&sampler.python, frame->code, &frame->print);
		if (!code)
			return SPOOL_PYTHON_UNREAD;
		frame->is_lasting = code->is_lasting;
		if (code->hidden && number)
			continue;
		if (code->calls_module)
			number = module_number(number, &module, frame);
		number = tally_stack(number, code->id,
			code_line(&sampler.python, code,
				instruction_offset(&sampler.python.layout, frame)));
		frame->number = number;
		if (number == SPOOL_PYTHON_OTHERS)
			break;
	}
	return number;
}

/* Names count that were read while the stack stood. */
static uint32_t stack_number_sure(void)
{
	uint32_t number = stack_number();
	bool stood = true;

	if (code_is_new() || module_is_new()) {
		stood = stack_stands(&sampler.python, &stack);
		code_settle(stood);
		module_settle(stood);
	}
	return stood ? number : SPOOL_PYTHON_UNREAD;
}

static void stack_copy(struct python_stack *to, const struct python_stack *from)
{
	to->n = from->n;
	to->is_cut = from->is_cut;
	memcpy(to->frame, from->frame, from->n * sizeof(*from->frame));
}

/* The outermost call that a thread is in, by a copy of its spool's head. */
static uint32_t region_of(const struct spool_head *head)
{
	for (int i = 0; i < SPOOL_MAX_DEPTH; i++)
		if (head->inside[i].region)
			return head->inside[i].region;
	return 0;
}

/* Where the thread was seen at the last look, or a place for it; the one not seen for longest. */
static struct seen *seen_find(uint64_t thread)
{
	struct seen *oldest = &seen[0];

	for (int i = 0; i < THREADS_SEEN; i++) {
		if (seen[i].thread == thread)
			return &seen[i];
		if (seen[i].look < oldest->look)
			oldest = &seen[i];
	}
	oldest->thread = thread;
	oldest->stack.n = 0;
	return oldest;
}

static void thread_sample(uint64_t thread, uint64_t id, uint64_t ns)
{
	static struct spool_head head;
	struct stack_beside beside = { .to = &head, .size = sizeof(head) };
	struct spool_python_key key = { .thread = SPOOL_PYTHON_NO_THREAD,
		.stack = SPOOL_PYTHON_UNREAD,
		.phase = atomic_load_explicit(&tacho_mark_phase, memory_order_relaxed) };
	struct seen *at = seen_find(thread);

	at->look = nlooks;
	memset(&head, 0, sizeof(head));
	beside.at = thread_head(id);
	if (!beside.at || tacho_task.is_attached)
		beside.size = 0;
	if (beside.at &&
		tacho_task.is_attached) /* in this process's memory, and not in that one's */
		memcpy(&head, beside.at, sizeof(head));
	/* the second time names are known that took too long to read */
	for (int i = 0; i < TRIES && key.stack == SPOOL_PYTHON_UNREAD; i++) {
		if (stack_read(&sampler.python, thread, &stack, &at->stack, &beside) < 0)
			continue;
		if (stack.n == 0)
			return;
		key.stack = stack_number_sure();
		if (key.stack == SPOOL_PYTHON_UNREAD || key.stack == SPOOL_PYTHON_OTHERS)
			at->stack.n = 0;
		else
			stack_copy(&at->stack, &stack);
	}
	if (beside.at) {
		key.thread = head.number;
		key.region = region_of(&head);
	}
	if (beside.at && key.stack != SPOOL_PYTHON_UNREAD)
		tally_last(head.number, key.stack);
	tally_add(&key, ns);
	if (nkeys < THREADS_MOST)
		keys[nkeys++] = key;
}

static void last_add(uint64_t ns)
{
	for (unsigned i = 0; i < nkeys; i++)
		tally_add(&keys[i], ns);
}

/*
 * A thread ran at some moment of an interval that idling has stretched: on average, half of it was
 * before that. Returns the rest.
 */
static uint64_t idle_end(uint64_t ns)
{
	if (sampler.idle <= 1 || nkeys == THREADS_MOST)
		return ns;
	last_add(ns / 2);
	return ns - ns / 2;
}

/*
 * Counts the last look again where no thread of the program has run since: all are where they were. Where the clock
 * counts the helper's time too, that is not known.
 */
static bool count_again(uint64_t ns)
{
	uint64_t before = sampler.ran_ns;

	sampler.ran_ns = task_is_here() ? sys_ran_ns(0) : 0;
	if (!sampler.ran_ns || sampler.ran_ns != before || !nkeys || nkeys == THREADS_MOST)
		return false;
	last_add(ns);
	return true;
}

static uint64_t word_at(const unsigned char *bytes, int offset)
{
	uint64_t word;

	memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

/* All threads of an interpreter: the list is not locked, so each must say that it belongs to it. */
static void interpreter_sample(uint64_t interpreter, uint64_t ns)
{
	const struct python_layout *layout = &sampler.python.layout;
	unsigned char bytes[THREAD_ROOM];
	uint64_t thread;

	if (memory_read(interpreter + (uint64_t)layout->interpreter_thread, &thread,
		    sizeof(thread)) < 0)
		return;
	for (int i = 0; thread && i < THREADS_MOST; i++) {
		if (memory_read(thread, bytes, (size_t)layout->thread_id + 8) < 0 ||
			word_at(bytes, layout->thread_interpreter) != interpreter)
			return;
		thread_sample(thread, word_at(bytes, layout->thread_id), ns);
		thread = word_at(bytes, layout->thread_next);
	}
}

static void sample(uint64_t ns)
{
	const struct python_layout *layout = &sampler.python.layout;
	uint64_t interpreter,
		place = sampler.python.runtime + (uint64_t)layout->runtime_interpreter;

	for (int i = 0; i < INTERPRETERS_MOST; i++) {
		if (memory_read(place, &interpreter, sizeof(interpreter)) < 0 || !interpreter)
			return;
		interpreter_sample(interpreter, ns);
		place = interpreter + (uint64_t)layout->interpreter_next;
	}
}

/* A look. It represents the time since the last look. */
static void look(uint64_t now)
{
	uint64_t ns = sampler.last_ns ? now - sampler.last_ns : sampler.period_ns;
	uint32_t places = atomic_load(&tacho_process.ids[DEF_PYTHON_STACK]);
	uint64_t begin, cost;

	if (sampler.last_ns && count_again(ns)) {
		sampler.last_ns = now;
		sampler.idle = sampler.idle < IDLE_PERIODS ? 2 * sampler.idle : IDLE_PERIODS;
		return;
	}
	begin = cpu_ns();
	ns = idle_end(ns);
	sampler.idle = 1;
	nlooks++;
	nkeys = 0;
	sample(ns);
	sampler.last_ns = now;
	cost = cpu_ns() - begin;
	sampler.spent_ns += cost;
	if (places == atomic_load(&tacho_process.ids[DEF_PYTHON_STACK])) /* naming is done once */
		sampler.cost_ns = sampler.cost_ns ? (7 * sampler.cost_ns + cost) / 8 : cost;
	tally_cost(sampler.spent_ns);
}

/* The first time in a process, a forked one included. */
static void begin(void)
{
	tally_forked();
	memset(&sampler, 0, sizeof(sampler));
	nkeys = 0;
	sampler.begun = tacho_process.start_ticks;
	sampler.idle = 1;
	sampler.over = start() < 0;
}

static uint64_t python_tick(void)
{
	uint64_t now = clock_monotonic_ns(), wait_ns;

	if (sampler.begun != tacho_process.start_ticks)
		begin();
	if (sampler.over || tacho_process.ended)
		return UINT64_MAX;
	if (now < sampler.due_ns)
		return sampler.due_ns;
	if (atomic_load_explicit(tacho_gate, memory_order_relaxed) == GATE_OPEN)
		look(now);
	else
		sampler.last_ns = 0;
	wait_ns = sampler.cost_ns * COST_SHARE;
	if (wait_ns < sampler.idle * sampler.period_ns)
		wait_ns = sampler.idle * sampler.period_ns;
	/* from the time it was due, so that intervals hold on average */
	sampler.due_ns += wait_ns;
	if (sampler.due_ns < now)
		sampler.due_ns = now + wait_ns;
	return sampler.due_ns;
}

const struct source tacho_python_source = { .tick = python_tick };
