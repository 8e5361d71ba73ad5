/*
 * attach.c - records a process that runs already: see include/tacho/attach.h. The caller is an agent, a
 * process of tacho's own. It takes the place of the helper that the process would have inside, so the other
 * folders work for that process: sys_pid() is its number, /proc/self its folder, and memory_read() its
 * memory. Nothing is written there, and nothing stops.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach_image.h"
#include "attach/attach_native.h"
#include "attach/attach_symbols.h"
#include "attach/attach_threads.h"
#include "core/clock.h"
#include "core/define.h"
#include "core/env.h"
#include "core/gate.h"
#include "core/memory.h"
#include "core/proc_file.h"
#include "core/process.h"
#include "core/rule.h"
#include "core/sys.h"
#include "core/thread.h"
#include "counters/nvml.h"
#include "counters/sampler.h"
#include "python/python.h"
#include "python/python_layout.h"
#include "tacho/attach.h"

#define BEAT_NS	    100000000u /* between heartbeats */
#define CLOCK_BEATS 10

attach_function tacho_attach TACHO_EXPORT;
attach_stack_function tacho_attach_stack TACHO_EXPORT;

static struct python_symbols symbols;

/* The agent takes the role that the helper has in a recorded process. */
static void place_take(const struct attach *attach)
{
	struct process *p = &tacho_process;

	tacho_task = (struct task_self){ .pid = attach->pid,
		.tid = attach->pid,
		.stays = true,
		.is_attached = true };
	tacho_table_is_own = true;
	thread_is_helper();
	process_prepare();
	snprintf(p->proc, sizeof(p->proc), "/proc/%u", attach->pid);
	p->is_child = attach->is_child;
	snprintf(p->parent, sizeof(p->parent), "%s", attach->parent);
	tacho_head_asked = threads_head;
}

/* The start of the process, in the kernel's ticks: another process of its number has another. 0: it is over. */
static uint64_t birth(void)
{
	const char *text = file_text_once("/proc/self/stat"),
		   *at = text ? strrchr(text, ')') : NULL;
	uint64_t start = 0;

	/* state is the third field, behind the name; the start is the 22nd */
	if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
		return 0;
	at += 1;
	return words_skip(&at, 19) && number_take(&at, &start) ? start : 0;
}

static uint32_t parent_pid(void)
{
	const char *text = file_text_once("/proc/self/status"),
		   *at = text ? line_find(text, "PPid:") : NULL;
	uint64_t pid = 0;

	return at && number_take(&at, &pid) ? (uint32_t)pid : 0;
}

/* Records no call: the whole time counts as outside of the capture window. */
static void capture_none(void)
{
	struct spool_def_capture closed = { .ticks = tacho_process.start_ticks };

	process_define(
		&(struct def){ .type = DEF_CAPTURE, .body = &closed, .nbody = sizeof(closed) });
}

/* Whether Python's lines are recorded, or in their place native functions. */
static bool has_python, has_native;

/* What can be recorded of it, as a property. */
static void parts_tell(void)
{
	static const char *const names[] = {
#define SYMBOL(member, name) #name,
		PYTHON_SYMBOLS(SYMBOL)
#undef SYMBOL
	};
	struct python_runtime python;
	uint64_t values[sizeof(names) / sizeof(*names)], word;
	bool reads, calls = file_text_once("/proc/self/syscall") != NULL;

	symbols_find(tacho_process.pid, "python", names, values, sizeof(names) / sizeof(*names));
	memcpy(&symbols, values, sizeof(symbols));
	tacho_python_symbols = &symbols;
	reads = symbols.runtime && memory_read(symbols.runtime, &word, sizeof(word)) == 0;
	has_python = reads && python_find(&python) == PYTHON_FOUND;
	process_define_property(ATTACH_PROPERTY,
		has_python	? "counters calls python"
			: calls ? "counters calls native"
				: "counters");
	has_native = calls && !has_python;
}

static int begin(const struct attach *attach)
{
	const char *run = getenv("TACHO_DIR");

	place_take(attach);
	rule_attached(run ? run : "");
	tacho_process.ppid = parent_pid();
	clock_choose();
	if (process_open(attach->spools) < 0 || gate_page_make() < 0)
		return -1;
	gate_own(GATE_OPEN);
	capture_none();
	parts_tell();
	env_capture();
	if (threads_begin() < 0)
		return -1;
	has_native = has_native && native_begin() == 0;
	return 0;
}

static void gpu_look(const char *file, uint64_t begin, void *found)
{
	(void)begin;
	*(bool *)found |= strstr(file, "/libcuda.so") != NULL;
}

/* Whether the process uses CUDA by now: then counters of GPUs are read, on a thread of the agent's own. */
static void gpus_find(void)
{
	struct task_self self = tacho_task;

	if (tacho_attached_gpus)
		return;
	files_walk(tacho_process.pid, gpu_look, &tacho_attached_gpus);
	if (!tacho_attached_gpus)
		return;
	tacho_task = (struct task_self){ 0 };
	nvml_prepare();
	tacho_task = self;
}

/* Prints the folders' messages in the agent's name, since it has standard error. */
static void say(void)
{
	struct task_self self = tacho_task;

	tacho_task = (struct task_self){ 0 };
	tacho_table_is_own = false;
	say_kept();
	tacho_table_is_own = true;
	tacho_task = self;
}

static void beat(void)
{
	static unsigned n;

	if (tacho_process.state)
		atomic_store_explicit(&tacho_process.state->heartbeat, clock_ticks(),
			memory_order_relaxed);
	if (n++ % CLOCK_BEATS == 0) {
		process_define_clock();
		gpus_find();
	}
	env_affinity();
	threads_head(0);
	thread_serve();
	say();
}

static void rest(uint64_t until_ns)
{
	uint64_t now = clock_monotonic_ns(), wait = until_ns > now ? until_ns - now : 0;
	struct timespec time = { .tv_sec = (time_t)(wait / 1000000000u),
		.tv_nsec = (long)(wait % 1000000000u) };

	syscall(SYS_nanosleep, &time, NULL);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int tacho_attach_stack(struct attach_stack *stack)
{
	const struct attach place = { .pid = stack->pid, .parent = "" };
	char path[64];

	place_take(&place);
	tacho_process.pid = stack->pid;
	snprintf(path, sizeof(path), "/proc/self/task/%u/syscall", stack->tid);
	if (file_text_once(path))
		return (int)native_frames(stack->tid, stack->frames);
	snprintf(path, sizeof(path), "/proc/self/task/%u", stack->tid);
	return file_exists(path) ? -1 : 0;
}

int tacho_attach(const struct attach *attach)
{
	uint64_t born, beat_ns = 0, due_ns;
	bool is_over = false;

	if (begin(attach) < 0)
		return ATTACH_FAILED;
	born = birth();
	while (!*attach->is_asked) {
		due_ns = earlier(tacho_counter_source.tick(),
			has_native ? native_tick() : tacho_python_source.tick());
		if (clock_monotonic_ns() >= beat_ns) {
			is_over = !born || birth() != born;
			if (is_over)
				break;
			beat();
			beat_ns = clock_monotonic_ns() + BEAT_NS;
		}
		rest(earlier(due_ns, beat_ns));
	}
	process_end(END_DETACHED, 0);
	say();
	return is_over ? ATTACH_OVER : ATTACH_ASKED;
}
