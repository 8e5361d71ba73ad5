/* serve.c - see serve.h. */
#include "config.h"

#include <stdlib.h>
#include <time.h>

#include "core/capture.h"
#include "core/define.h"
#include "core/env.h"
#include "core/folder.h"
#include "core/process.h"
#include "core/ring.h"
#include "core/serve.h"
#include "core/source.h"
#include "core/stay.h"
#include "core/sys.h"
#include "core/thread.h"

#define BEAT_NS	    100000000 /* between heartbeats */
#define CLOCK_BEATS 10	      /* heartbeats between clock pairs */
#define IDLE_NS	    800000000 /* at most between heartbeats of a child that does not run */
#define NEVER_NS    (UINT64_MAX / 2)
#define SLACK_NS    5000000 /* for which a source waits for the heartbeat, to wake once */

static uint64_t seen_ns; /* when the program was last seen not to be stopped */
static uint64_t ran_ns;	 /* CPU time of the program at the last heartbeat */

/* Sleeps until poked or the next beat. */
static void rest(uint32_t seen, uint64_t until_ns)
{
	uint64_t now;

	helper_sleep(seen, until_ns);
	SOURCES_CALL(woke, until_ns);
	now = clock_monotonic_ns();
	if (now > until_ns + BEAT_NS) /* stopped itself, perhaps: that has been counted */
		seen_ns = now;
}

/* Whether the program's last thread has ended, as pthread_exit() ends one: libc counts this thread. */
static bool is_alone(void)
{
	struct stat st;

	return thread_main_is_over() && !sys_stat("/proc/self/task", &st) &&
		st.st_nlink <= 2 + thread_helpers();
}

/* Waits while the program is stopped, alone or with this task. Whether there is still something to do. */
static bool program_runs(void)
{
	const struct timespec beat = { .tv_nsec = BEAT_NS };
	enum stay_owner state;

	if (helper_is_thread())
		return !is_alone();
	if ((state = stay_owner()) == STAY_STOPPED) {
		SOURCES_CALL(stopped, seen_ns);
		do {
			syscall(SYS_nanosleep, &beat, NULL);
			state = stay_owner();
		} while (state == STAY_STOPPED && !helper_is_stopping());
		SOURCES_CALL(runs, );
	}
	seen_ns = clock_monotonic_ns();
	return state != STAY_GONE;
}

static void beat(unsigned n)
{
	if (tacho_process.state)
		atomic_store_explicit(&tacho_process.state->heartbeat, clock_ticks(),
			memory_order_relaxed);
	capture_beat();
	if (n % CLOCK_BEATS == 0)
		process_define_clock();
	env_affinity();
}

/* Calls the sources; returns when the first of them is due again. */
static uint64_t sources_tick(void)
{
	uint64_t first_ns = NEVER_NS;

	FOR_SOURCES (source) {
		uint64_t due_ns = source->tick ? source->tick() : NEVER_NS;

		if (due_ns < first_ns)
			first_ns = due_ns;
	}
	return first_ns;
}

/*
 * Until the next heartbeat, after one of `last_ns`. Workers of a data loader wait most of the time: while a child
 * does not run its helper wakes less and less often. A rank's helper does not, as the last heartbeat shows until
 * when a killed rank lived.
 */
static uint64_t beat_wait(uint64_t last_ns)
{
	uint64_t before = ran_ns;

	if (helper_is_thread() || !tacho_process.is_child)
		return BEAT_NS;
	ran_ns = sys_ran_ns(0);
	if (!ran_ns || ran_ns != before)
		return BEAT_NS;
	return 2 * last_ns < IDLE_NS ? 2 * last_ns : IDLE_NS;
}

/* When to wake for the sources or the heartbeat. */
static uint64_t wake_at(uint64_t beat_ns)
{
	uint64_t due_ns = sources_tick();

	return beat_ns <= due_ns + SLACK_NS ? beat_ns : due_ns;
}

/* Serves until the library asks for the end; false if the program has ended instead. */
static bool serve(void)
{
	uint64_t next_ns = 0, wait_ns = BEAT_NS;
	uint32_t seen = 0, last;
	bool is_due;

	for (unsigned n = 0;;) {
		last = seen;
		seen = helper_pokes();
		if (helper_is_stopping())
			return true;
		is_due = clock_monotonic_ns() >= next_ns;
		if (!helper_is_thread() &&
			(is_due || seen != last)) /* the program may have changed them */
			task_limits(tacho_process.pid);
		thread_serve();
		ring_serve();
		if (is_due) {
			if (!program_runs())
				return false;
			beat(n++);
			wait_ns = beat_wait(wait_ns);
			next_ns = clock_monotonic_ns() + wait_ns;
		}
		rest(seen, wake_at(next_ns));
	}
}

static void prepare(void)
{
	seen_ns = clock_monotonic_ns();
}

static void run(void)
{
	bool is_told;

	if (tacho_table_is_own)
		process_folder_own();
	thread_is_helper();
	env_capture();
	cost_write();
	is_told = serve();
	if (!helper_is_thread())
		return;
	if (is_told)
		thread_helper_ends();
	else if (thread_helpers() > 1)
		exit(0); /* libc's last thread does it, which would be another one of the library's */
}

const struct helper_work tacho_serve = { .prepare = prepare, .run = run, .fail = env_capture };
