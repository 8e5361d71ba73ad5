/*
 * process.c - begins and ends the recording of a process: its folder (folder.c), the page of its state,
 * and its first and last definitions (define.c).
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/budget.h"
#include "core/chunk.h"
#include "core/clock.h"
#include "core/define.h"
#include "core/defs.h"
#include "core/env.h"
#include "core/folder.h"
#include "core/helper.h"
#include "core/loss.h"
#include "core/proc_file.h"
#include "core/process.h"
#include "core/ring.h"
#include "core/sandbox.h"
#include "core/slot.h"
#include "core/source.h"
#include "core/sys.h"

static void end_define(struct spool_def_end *end)
{
	budget_close();
	end->ticks = clock_ticks();
	process_define_clock();
	process_define(&(struct def){ .type = DEF_END, .body = end, .nbody = sizeof(*end) });
}

static void end_work(void *arg)
{
	struct spool_def_end *end = arg;

	SOURCES_CALL(end, );
	ring_finish();
	slots_end();
	end_define(end);
	defs_trim();
}

void process_end(enum spool_end_how how, int status)
{
	struct process *p = &tacho_process;
	struct spool_def_end end = { .how = how, .status = status };

	if (sandbox_is_on() || p->pid != sys_pid() || atomic_exchange(&p->ended, 1))
		return;
	SOURCES_CALL(end_first, );
	helper_stop(); /* first: its account of bytes is the program's then */
	if (p->is_in_slot && !p->has_folder) { /* counters would take it a file */
		end_define(&end);
	} else if (task_run(end_work, &end) < 0 && !end.ticks) {
		end.ticks = clock_ticks();
		process_define(
			&(struct def){ .type = DEF_END, .body = &end, .nbody = sizeof(end) });
	}
	say_kept();
}

/* What this thread has written to storage, by the kernel's account. */
static uint64_t stored_bytes(void)
{
	const char *text = file_text_once("/proc/thread-self/io");
	const char *at = text ? line_find(text, "write_bytes:") : NULL;
	uint64_t bytes = 0;

	return at && number_take(&at, &bytes) ? bytes : 0;
}

static void state_fill(struct spool_state *state)
{
	state->version = SPOOL_VERSION;
	state->clock = tacho_clock_is_tsc ? SPOOL_CLOCK_TSC : SPOOL_CLOCK_MONOTONIC;
	atomic_store(&state->heartbeat, clock_ticks());
	memcpy(state->magic, SPOOL_MAGIC, sizeof(state->magic));
	tacho_process.state = state;
}

/* Its page also shows whether writes to this file system count: in memory they do not. */
static void state_open(void)
{
	struct spool_state *state;
	uint64_t before = stored_bytes();
	int fd;

	fd = process_file_open("state", O_RDWR | O_CREAT | O_EXCL);
	if (fd < 0)
		return;
	state = file_map(fd, 0, SPOOL_HEAD_SIZE);
	sys_close(fd);
	tacho_spool_is_stored = stored_bytes() > before;
	if (!state)
		return;
	state_fill(state);
	budget_add(BUDGET_FOLDER);
}

/* Counts a child for which no folder can be made, where the page of its parent's state exists. */
static void child_lose(int error)
{
	process_lose(loss_of_error(error) == LOSS_UNREACHABLE ? LOSS_JAILED : LOSS_NO_FOLDER);
}

void process_count_jailed(void)
{
	char directory[PATH_MAX];
	int saved = errno;

	memcpy(directory, tacho_process.folder, sizeof(directory));
	if (!tacho_process.is_open || !strrchr(directory, '/'))
		return;
	*strrchr(directory, '/') = '\0';
	if (spools_find(directory) < 0)
		child_lose(errno);
	errno = saved;
}

static void define_process(void)
{
	struct process *p = &tacho_process;
	struct spool_def_process body = {
		.version = SPOOL_VERSION,
		.nregions = REGION_COUNT,
		.clock = tacho_clock_is_tsc ? SPOOL_CLOCK_TSC : SPOOL_CLOCK_MONOTONIC,
		.pid = p->pid,
		.ppid = p->ppid,
		.rank = p->ranks.rank,
		.size = p->ranks.size,
		.local_rank = p->ranks.local_rank,
		.local_size = p->ranks.local_size,
		.is_child = p->is_child,
		.start = clock_read(),
		.forked = p->forked,
	};

	p->start_ticks = body.start.ticks;
	p->start_ns = body.start.monotonic_ns;
	process_define(&(struct def){ .type = DEF_PROCESS,
		.body = &body,
		.nbody = sizeof(body),
		.text = p->parent });
}

/* In a forked child: drops the parent's mappings. */
static void parent_leave(void)
{
	struct process *p = &tacho_process;

	defs_forget();
	if (p->state && !p->is_in_slot)
		sys_munmap(p->state, SPOOL_HEAD_SIZE);
}

void process_prepare(void)
{
	struct process *p = &tacho_process;
	static const char proc[] = "/proc/";
	ssize_t n;

	if (folder_is_open()) /* the parent's */
		sys_close(p->folder_fd);
	p->folder_fd = tacho_task_keeps = -1;
	/* the number that /proc has for it, which may be of another PID namespace */
	memcpy(p->proc, proc, sizeof(proc));
	n = sys_readlink("/proc/self", p->proc + sizeof(proc) - 1, sizeof(p->proc) - sizeof(proc));
	if (n > 0)
		p->proc[sizeof(proc) - 1 + (size_t)n] = '\0';
	tacho_proc_self = p->proc;
	p->ppid = (uint32_t)getppid();
	say_start();
}

static void share_properties(void)
{
	size_t size;
	const char *first = defs_first(&size);

	slots_share(first, size);
}

/* Begins in a slot of a process that it descends from. */
static void slot_open(struct slot *slot)
{
	struct process *p = &tacho_process;

	atomic_store(&p->ids[DEF_PROPERTY], slots_shared());
	state_fill(&slot->state);
	defs_begin((char *)slot->definitions, SLOT_DEFINITIONS);
	define_process();
	atomic_thread_fence(memory_order_release);
	memcpy(slot->magic, SPOOL_MAGIC, sizeof(slot->magic));
	p->is_open = true;
}

int process_open(const char *directory)
{
	struct process *p = &tacho_process;
	struct slot *slot = slot_own();
	bool is_forked = p->is_open;
	int made, error;

	p->pid = sys_pid();
	made = slot ? folder_name(directory, slot->k) : folder_make(directory);
	error = errno;
	if (made < 0 && is_forked) /* the page of the state is its parent's still */
		child_lose(error);
	parent_leave();
	errno = error;
	p->is_open = false;
	p->state = NULL;
	p->nthreads = 0;
	p->ended = 0;
	p->is_in_slot = slot != NULL;
	p->has_folder = !slot;
	memset(p->ids, 0, sizeof(p->ids));
	if (slot) {
		slot_open(slot);
		return 0;
	}
	if (made < 0 || defs_create() < 0) {
		if (!p->parent[0])
			say_once(SAY_FOLDER, "nothing is recorded: no spool can be made in %s: %s",
				directory, strerror(errno));
		p->pid = 0;
		return -1;
	}
	state_open();
	define_process();
	env_identify();
	share_properties();
	p->is_open = true;
	return 0;
}
