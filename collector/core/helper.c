/* helper.c - see helper.h. */
#include "config.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <time.h>

#include "core/helper.h"
#include "core/process.h"
#include "core/sandbox.h"
#include "core/source.h"
#include "core/stay.h"
#include "core/sys.h"

#define STACK_SIZE (128 << 10)

#define STOP_TRIES 500 /* times a millisecond: the thread has nothing long to do */

static _Atomic uint32_t started, pokes, thread_id;
static _Atomic bool stopping;
static bool is_thread; /* no task can stay here */
static const struct helper_work *work;

void helper_does(const struct helper_work *does)
{
	work = does;
}

bool helper_is_thread(void)
{
	return is_thread;
}

bool helper_is_stopping(void)
{
	return stopping;
}

uint32_t helper_pokes(void)
{
	return atomic_load(&pokes);
}

void helper_sleep(uint32_t seen, uint64_t until_ns)
{
	uint64_t now = clock_monotonic_ns();
	struct timespec t = { .tv_nsec = now < until_ns ? (long)(until_ns - now) : 0 };

	syscall(SYS_futex, &pokes, FUTEX_WAIT_PRIVATE, seen, &t, NULL, 0);
}

static void helper_task(void)
{
	work->run();
}

static void *helper_thread(void *arg)
{
	thread_id = sys_tid();
	/*
	 * its descriptors must never be in the program's table, nor keep the program's pipes open
	 */
	tacho_table_is_own = task_table_leave() == 0;
	pthread_setname_np(pthread_self(), "tacho");
	work->run();
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
	work->prepare();
	/* the thread inherits it: the program's signals are not for us */
	mask = sys_signals_block();
	is_thread = stay_start(helper_task) < 0;
	if (is_thread && thread_start() < 0)
		work->fail(); /* chunks are made by the threads themselves then */
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
