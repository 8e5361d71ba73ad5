/* helper.c - the library's one thread per process. */
#include "config.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/capture.h"
#include "cuda/cuda_capture.h"
#include "core/env.h"
#include "core/helper.h"
#include "core/process.h"
#include "core/ring.h"
#include "python/python.h"
#include "core/sandbox.h"
#include "counters/nvml.h"
#include "counters/sampler.h"
#include "core/sys.h"
#include "core/thread.h"

#define BEAT_NS	    100000000 /* between heartbeats */
#define CLOCK_BEATS 10	      /* heartbeats between clock pairs */
#define STACK_SIZE  (128 << 10)

#define STOP_TRIES 500 /* times a millisecond: the thread has nothing long to do */

static _Atomic uint32_t started, pokes, thread_id;
static _Atomic bool stopping;
static bool others_went_on; /* when the initial thread ended */

/* Sleeps until poked or the next beat. */
static void rest(uint32_t seen, uint64_t until_ns)
{
	uint64_t now = clock_monotonic_ns();
	struct timespec t = { .tv_nsec = now < until_ns ? (long)(until_ns - now) : 0 };

	syscall(SYS_futex, &pokes, FUTEX_WAIT_PRIVATE, seen, &t, NULL, 0);
	sampler_woke(until_ns);
}

/* Whether the program's only thread, if it still has one, is the initial one. */
static bool only_main(void)
{
	struct stat st;

	return !syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0) &&
		st.st_nlink <= 2 + 1 + thread_helpers();
}

/*
 * Whether the initial thread has ended; it stays in the list of threads for as long as the process
 * lives. `status` gets what it has left with, 0 where the kernel does not say.
 */
static bool main_is_gone(int *status)
{
	char path[40], text[1024], *field;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%u/stat", tacho_process.pid);
	fd = sys_open(path, O_RDONLY, 0);
	if (fd < 0)
		return false;
	n = sys_read(fd, text, sizeof(text) - 1);
	sys_close(fd);
	text[n < 0 ? 0 : n] = '\0';
	field = strrchr(text, ')'); /* after the name, which may hold anything */
	if (!field || strncmp(field, ") Z ", 4) != 0)
		return false;
	field = strrchr(text, ' ');
	*status = (int)strtol(field, NULL, 10) >> 8 & 0xff;
	return true;
}

/*
 * Whether none of the program's threads is left. The list is looked at again once the initial
 * thread is known to have ended: before that it may have made another one. `status` is what the
 * last thread leaves with: the initial one's unless others went on, which leave with 0.
 */
static bool alone(int *status)
{
	bool last = only_main();
	int main_status = 0;

	if (!thread_main_is_over() && !main_is_gone(&main_status))
		return false;
	others_went_on |= !last;
	*status = others_went_on ? 0 : main_status;
	return last && only_main();
}

/*
 * The process ends as it would have without the library's threads. Where the initial thread left
 * by a system call, libc counts it still, and the last thread leaves so, too. Otherwise libc's
 * last thread calls exit: it does so by itself when it is this one.
 */
static void end(int status)
{
	if (thread_main_is_watched() && !thread_main_is_over()) {
		process_end(END_QUICK_EXIT, status);
		syscall(thread_helpers() > 1 ? SYS_exit_group : SYS_exit, status);
	}
	if (thread_helpers() > 1)
		exit(0);
}

static void beat(unsigned n)
{
	if (tacho_process.state)
		atomic_store_explicit(&tacho_process.state->heartbeat, clock_ticks(),
			memory_order_relaxed);
	capture_beat();
	if (n % CLOCK_BEATS == 0) {
		process_define_clock();
		cuda_beat();
	}
	env_affinity();
}

static void *helper(void *arg)
{
	uint64_t next_ns = 0, sample_ns, look_ns;
	uint32_t seen;
	int status = 0;

	thread_id = sys_tid();
	nvml_prepare();
	/* what it opens must never lie in the program's table, nor keep the program's pipes open */
	tacho_table_is_own = task_table_leave() == 0;
	if (tacho_table_is_own)
		process_folder_own();
	thread_is_helper();
	pthread_setname_np(pthread_self(), "tacho");
	env_capture();
	cost_write();
	for (unsigned n = 0;;) {
		seen = atomic_load(&pokes);
		if (stopping) {
			thread_helper_ends();
			return arg;
		}
		thread_serve();
		ring_serve();
		if (clock_monotonic_ns() >= next_ns) {
			if (n > 0 && alone(&status))
				break;
			beat(n++);
			next_ns = clock_monotonic_ns() + BEAT_NS;
		}
		sample_ns = sampler_tick();
		look_ns = python_tick();
		sample_ns = sample_ns < look_ns ? sample_ns : look_ns;
		rest(seen, sample_ns < next_ns ? sample_ns : next_ns);
	}
	end(status);
	return arg;
}

void helper_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	uint64_t mask;
	int error;

	/* a child of clone(CLONE_VM) works in its parent's memory, and must end when it wants to */
	if (sandbox_is_on() || tacho_process.pid != sys_pid() || atomic_exchange(&started, 1))
		return;
	/* the thread inherits it: the program's signals are not for us */
	mask = sys_signals_block();
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	error = pthread_create(&thread, &attr, helper, NULL);
	if (error) { /* large thread-local storage needs a larger stack */
		pthread_attr_destroy(&attr);
		pthread_attr_init(&attr);
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
		error = pthread_create(&thread, &attr, helper, NULL);
	}
	pthread_attr_destroy(&attr);
	sys_signals_restore(mask);
	if (error)
		env_capture(); /* chunks are made by the threads themselves then */
}

void helper_stop(void)
{
	const struct timespec wait = { .tv_nsec = 1000000 };

	stopping = true;
	if (!started)
		return;
	helper_poke();
	for (int i = 0; i < STOP_TRIES; i++) {
		if (thread_id && syscall(SYS_tgkill, sys_pid(), thread_id, 0) < 0 && errno == ESRCH)
			return;
		syscall(SYS_nanosleep, &wait, NULL);
	}
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
	thread_id = 0;
	others_went_on = false;
}
