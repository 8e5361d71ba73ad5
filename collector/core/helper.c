/* helper.c - the library's one thread per process. */
#include "config.h"

#include <linux/futex.h>
#include <pthread.h>
#include <time.h>

#include "core/capture.h"
#include "cuda/cuda_capture.h"
#include "core/env.h"
#include "core/helper.h"
#include "core/process.h"
#include "counters/sampler.h"
#include "core/sys.h"
#include "core/thread.h"

#define BEAT_NS	    100000000 /* between heartbeats */
#define CLOCK_BEATS 10	      /* heartbeats between clock pairs */
#define STACK_SIZE  (128 << 10)

static _Atomic uint32_t started, pokes;

/* Sleeps until poked or the next beat. */
static void rest(uint32_t seen, uint64_t until_ns)
{
	uint64_t now = clock_monotonic_ns();
	struct timespec t = { .tv_nsec = now < until_ns ? (long)(until_ns - now) : 0 };

	syscall(SYS_futex, &pokes, FUTEX_WAIT_PRIVATE, seen, &t, NULL, 0);
}

/* Whether only this thread and the ended initial one are left: then the process shall end. */
static bool alone(void)
{
	struct stat st;

	return thread_main_is_over() &&
		!syscall(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &st, 0) && st.st_nlink <= 4;
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
	uint64_t next_ns = 0, sample_ns;
	uint32_t seen;

	thread_is_helper();
	pthread_setname_np(pthread_self(), "tacho");
	env_capture();
	cost_tell();
	for (unsigned n = 0; n == 0 || !alone();) {
		seen = atomic_load(&pokes);
		thread_serve();
		if (clock_monotonic_ns() >= next_ns) {
			beat(n++);
			next_ns = clock_monotonic_ns() + BEAT_NS;
		}
		sample_ns = sampler_tick();
		rest(seen, sample_ns < next_ns ? sample_ns : next_ns);
	}
	return arg;
}

void helper_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	uint64_t mask;
	int error;

	if (atomic_exchange(&started, 1))
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

void helper_poke(void)
{
	atomic_fetch_add(&pokes, 1);
	syscall(SYS_futex, &pokes, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void helper_forked(void)
{
	atomic_store(&started, 0);
}
