/* helper.c - see helper.h. */
#include "config.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "core/capture.h"
#include "core/env.h"
#include "core/helper.h"
#include "core/process.h"
#include "core/ring.h"
#include "core/sandbox.h"
#include "core/source.h"
#include "core/stay.h"
#include "core/sys.h"
#include "core/thread.h"

#define BEAT_NS	    100000000 /* between heartbeats */
#define CLOCK_BEATS 10	      /* heartbeats between clock pairs */
#define STACK_SIZE  (128 << 10)

#define STOP_TRIES 500 /* times a millisecond: the thread has nothing long to do */

static _Atomic uint32_t started, pokes, thread_id;
static _Atomic bool stopping;
static bool is_thread;	 /* no task can stay here */
static uint64_t seen_ns; /* when the program was last seen not to be stopped */

/* Sleeps until poked or the next beat. */
static void rest(uint32_t seen, uint64_t until_ns)
{
	uint64_t now = clock_monotonic_ns();
	struct timespec t = { .tv_nsec = now < until_ns ? (long)(until_ns - now) : 0 };

	syscall(SYS_futex, &pokes, FUTEX_WAIT_PRIVATE, seen, &t, NULL, 0);
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

	if (is_thread)
		return !is_alone();
	if ((state = stay_owner()) == STAY_STOPPED) {
		SOURCES_CALL(stopped, seen_ns);
		do {
			syscall(SYS_nanosleep, &beat, NULL);
			state = stay_owner();
		} while (state == STAY_STOPPED && !stopping);
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
	uint64_t first_ns = UINT64_MAX;

	FOR_SOURCES (source) {
		uint64_t due_ns = source->tick ? source->tick() : UINT64_MAX;

		if (due_ns < first_ns)
			first_ns = due_ns;
	}
	return first_ns;
}

/* Until it is told to end, or finds that the program has; then false. */
static bool serve(void)
{
	uint64_t next_ns = 0, due_ns;
	uint32_t seen;

	for (unsigned n = 0;;) {
		seen = atomic_load(&pokes);
		if (stopping)
			return true;
		if (!is_thread) /* the program may have changed them since */
			task_limits(tacho_process.pid);
		thread_serve();
		ring_serve();
		if (clock_monotonic_ns() >= next_ns) {
			if (!program_runs())
				return false;
			beat(n++);
			next_ns = clock_monotonic_ns() + BEAT_NS;
		}
		due_ns = sources_tick();
		rest(seen, due_ns < next_ns ? due_ns : next_ns);
	}
}

static bool helper(void)
{
	if (tacho_table_is_own)
		process_folder_own();
	thread_is_helper();
	env_capture();
	cost_write();
	return serve();
}

static void helper_task(void)
{
	helper();
}

static void *helper_thread(void *arg)
{
	thread_id = sys_tid();
	/* what it opens must never lie in the program's table, nor keep the program's pipes open */
	tacho_table_is_own = task_table_leave() == 0;
	pthread_setname_np(pthread_self(), "tacho");
	if (helper())
		thread_helper_ends();
	else if (thread_helpers() > 1)
		exit(0); /* libc's last thread does it, which would be another one of the library's */
	return arg;
}

static int thread_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int error;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	error = pthread_create(&thread, &attr, helper_thread, NULL);
	if (error) { /* large thread-local storage needs a larger stack */
		pthread_attr_destroy(&attr);
		pthread_attr_init(&attr);
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
		error = pthread_create(&thread, &attr, helper_thread, NULL);
	}
	pthread_attr_destroy(&attr);
	return error ? -1 : 0;
}

void helper_start(void)
{
	uint64_t mask;

	/* a child of clone(CLONE_VM) works in its parent's memory, and must end when it wants to */
	if (sandbox_is_on() || task_is_here() || tacho_process.pid != sys_pid() ||
		atomic_exchange(&started, 1))
		return;
	SOURCES_CALL(prepare, );
	seen_ns = clock_monotonic_ns();
	/* the thread inherits it: the program's signals are not for us */
	mask = sys_signals_block();
	is_thread = stay_start(helper_task) < 0;
	if (is_thread && thread_start() < 0)
		env_capture(); /* chunks are made by the threads themselves then */
	sys_signals_restore(mask);
}

static void thread_wait(void)
{
	const struct timespec wait = { .tv_nsec = 1000000 };

	for (int i = 0; i < STOP_TRIES; i++) {
		if (thread_id && syscall(SYS_tgkill, sys_pid(), thread_id, 0) < 0 && errno == ESRCH)
			return;
		syscall(SYS_nanosleep, &wait, NULL);
	}
}

void helper_stop(void)
{
	stopping = true;
	if (!started)
		return;
	helper_poke();
	if (is_thread)
		thread_wait();
	else
		stay_join();
}

void helper_leave(void)
{
	int saved = errno;

	if (!sandbox_is_on() && started && !is_thread && tacho_process.pid == sys_pid())
		helper_stop();
	errno = saved;
}

bool helper_is_there(void)
{
	return started && (is_thread || stay_is_alive());
}

bool helper_pause(void)
{
	if (tacho_process.pid != sys_pid() || !started || sandbox_is_on())
		return false;
	helper_stop();
	return true;
}

void helper_resume(void)
{
	stopping = false;
	thread_id = 0;
	atomic_store(&started, 0);
	helper_start();
}

void helper_poke(void)
{
	if (sandbox_is_on())
		return;
	atomic_fetch_add(&pokes, 1);
	syscall(SYS_futex, &pokes, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void helper_forked(void)
{
	atomic_store(&started, 0);
	stopping = false;
	thread_id = 0;
	stay_forked();
}
