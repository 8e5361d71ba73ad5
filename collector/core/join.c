/*
 * join.c - begins the recording of a process that the job rule (rule.c) selects, and handles the
 * state that a forked child shares with its parent.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/capture.h"
#include "core/clock.h"
#include "core/gate.h"
#include "core/handle.h"
#include "core/helper.h"
#include "core/proc_file.h"
#include "core/budget.h"
#include "core/process.h"
#include "core/ring.h"
#include "core/rule.h"
#include "core/sandbox.h"
#include "core/serve.h"
#include "core/slot.h"
#include "core/source.h"
#include "core/stay.h"
#include "core/sys.h"
#include "core/thread.h"

/* The folder that holds the spools; absolute. */
static int spool_directory(char *path, size_t size)
{
	const char *spool = getenv("TACHO_SPOOL"), *dir = getenv("TACHO_DIR");
	char cwd[PATH_MAX] = "";
	const char *start = spool && *spool ? spool : dir;

	if (*start != '/' && syscall(SYS_getcwd, cwd, sizeof(cwd)) < 0)
		return -1;
	return snprintf(path, size, "%s%s%s%s", cwd, *cwd ? "/" : "", start,
		       start == dir ? "/spool" : "") < (int)size
		? 0
		: -1;
}

/* In a forked child. */
static void forked(void)
{
	if (sandbox_is_on())
		return;
	tacho_process.forked = clock_ticks();
	gate_wipe();
}

static int gate_open(enum gate gate)
{
	if (!gate_has_page()) {
		if (gate_page_make() < 0)
			return -1;
		pthread_atfork(slots_prepare, NULL, forked);
	}
	gate_own(gate);
	return 0;
}

static char directory[PATH_MAX];

/*
 * A forked child belongs to the job as its parent does. One that was forked while another thread was
 * still opening the parent's spools begins like a first process: there is nothing to take over.
 */
static const _Atomic uint32_t *parent_follow(void)
{
	uint32_t used = atomic_exchange(&tacho_process.used, 0);

	memccpy(tacho_process.parent, strrchr(tacho_process.folder, '/') + 1, 0,
		sizeof(tacho_process.parent) - 1);
	tacho_process.is_child = 1;
	clock_forked();
	thread_forked();
	handle_forked();
	helper_forked();
	ring_forked();
	own_forked();
	FOR_SOURCES (source)
		if (source->forked && (!source->used || used & source->used))
			source->forked();
	return capture_forked();
}

/* What joining needs files for, the first spool included; in a task, but for a child in a slot. */
static void join_work(void *arg)
{
	const bool *is_forked = arg;
	const _Atomic uint32_t *parents = NULL;
	enum gate window = GATE_OPEN;

	if (*is_forked) {
		parents = parent_follow();
	} else {
		tacho_process.is_child |= tacho_process.pid != 0;
		clock_choose();
		budget_start();
		window = capture_start();
		if (spool_directory(directory, sizeof(directory)) < 0) {
			gate_close();
			return;
		}
	}
	if (process_open(directory) < 0 || gate_open(window) < 0) {
		gate_close();
		return;
	}
	if (!*is_forked)
		ring_open();
	if (parents)
		tacho_gate = parents;
	else
		capture_define();
	if (atomic_load(tacho_gate) == GATE_OPEN && !tacho_self)
		thread_open();
}

static void process_join(unsigned region)
{
	bool is_forked = tacho_process.pid && tacho_process.is_open;
	enum gate gate = tacho_process.pid ? GATE_OPEN : rule_decide(region);

	if (gate != GATE_OPEN) {
		gate == GATE_CLOSED ? gate_close() : gate_await_mpi();
		return;
	}
	process_prepare();
	helper_does(&tacho_serve);
	if (!is_forked)
		capture_arm();
	if (is_forked && slot_take()) {
		join_work(&is_forked);
	} else if (task_run(join_work, &is_forked) < 0) {
		say_once(SAY_FOLDER, "nothing is recorded: no task can be made: %s",
			strerror(errno));
		gate_close();
	}
	say_kept();
}

struct thread *thread_join(unsigned region)
{
	int saved = errno;
	uint64_t mask;
	struct thread *self = NULL;
	uint32_t gate;

	if (sandbox_is_on() || (getenv("TACHO_DIR") && sandbox_inherited()))
		return NULL;
	mask = sys_signals_block();
	join_lock();
	gate = atomic_load(tacho_gate);
	if (gate == GATE_UNDECIDED || (gate == GATE_MPI && region_joins(region)))
		process_join(region);
	gate = atomic_load(tacho_gate);
	if (gate == GATE_OPEN || (gate == GATE_PAUSED && region_is_kept(region)))
		self = tacho_self ? tacho_self : thread_open();
	join_unlock();
	if (self && region_joins(region))
		helper_start();
	sys_signals_restore(mask);
	errno = saved;
	return self;
}
