/*
 * thread.c - the threads of the process and other writers of spools: each makes its spool at its
 * first event, ends it when it ends, and gives its struct to later ones. thread_spool.c has the
 * spool itself.
 */
#include "config.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "core/process.h"
#include "core/sandbox.h"
#include "core/stay.h"
#include "core/sys.h"
#include "core/thread.h"
#include "core/thread_spool.h"
#include "core/proc_file.h"

enum { HELPERS = 4 }; /* threads of the library at a time: its own, NVML's, CUPTI's */

_Atomic uint32_t tacho_main_thread;
static __thread bool thread_over __attribute__((
	tls_model("initial-exec"))); /* its spool was ended: late destructors record nothing */
static _Atomic uint32_t lock;	     /* pid of its holder: a forked child sees a stale one */
static pthread_key_t end_key;
static bool has_end_key; /* changed under the join lock */
/* all of them; changed under the join lock, as the next three */
static _Atomic(struct spool *) spools;
static struct spool *unused;
static char *slab, *slab_end;
static _Atomic bool
	main_over; /* the initial thread's destructor has run, and the process continues */
static _Atomic uint32_t helpers;
static _Atomic uint32_t helper_tids[HELPERS];
/* CPU time of ended threads */
static _Atomic uint64_t recorded_ran_ns, helpers_ran_ns;

void join_lock(void)
{
	stay_lock(&lock);
}

void join_unlock(void)
{
	atomic_store(&lock, 0);
}

/* A spool struct: one that a thread left, or a new one. */
static struct spool *spool_alloc(void)
{
	struct spool *spool = unused, *next;

	if (spool) {
		unused = spool->next_unused;
		next = spool->next;
		memset(spool, 0, sizeof(*spool));
		spool->next = next;
		return spool;
	}
	if ((size_t)(slab_end - slab) < sizeof(*spool) + 64) {
		slab = sys_map(65536, MAP_PRIVATE);
		if (slab == MAP_FAILED) {
			slab = slab_end = NULL;
			return NULL;
		}
		slab_end = slab + 65536;
	}
	spool = (struct spool *)(void *)slab;
	slab += (sizeof(*spool) + 63) & ~(size_t)63;
	spool->next = spools;
	atomic_store(&spools, spool);
	return spool;
}

static struct spool *spool_open(enum spool_kind kind)
{
	struct spool *spool = spool_alloc();

	if (!spool)
		return NULL;
	spool->number = atomic_fetch_add(&tacho_process.nthreads, 1);
	return spool_create(spool, kind) < 0 ? NULL : spool;
}

static void thread_end(void *arg);

/*
 * The key is made here and not in a constructor: constructors of other libraries run before ours
 * and may do I/O, and an unmade key is key 0, which another library owns.
 */
static void thread_end_arm(struct spool *spool)
{
	if (!has_end_key)
		has_end_key = pthread_key_create(&end_key, thread_end) == 0;
	if (has_end_key)
		pthread_setspecific(end_key, spool);
}

struct thread *thread_open(void)
{
	struct spool *spool;

	if (thread_over)
		return NULL;
	spool = spool_open(SPOOL_KIND_THREAD);
	if (!spool)
		return NULL;
	atomic_store(&spool->owner, (uint64_t)pthread_self());
	atomic_store(&spool->tid, sys_tid());
	thread_end_arm(spool);
	tacho_self = &spool->hot;
	return tacho_self;
}

struct thread *thread_open_other(uint32_t tid)
{
	uint32_t self = tacho_task.tid;
	struct spool *spool;

	tacho_task.tid = tid;
	spool = spool_open(SPOOL_KIND_THREAD);
	if (spool)
		atomic_store(&spool->tid, tid);
	tacho_task.tid = self;
	return spool ? &spool->hot : NULL;
}

struct thread *thread_open_kind(enum spool_kind kind)
{
	uint64_t mask = sys_signals_block();
	struct spool *spool;

	join_lock();
	spool = spool_open(kind);
	join_unlock();
	sys_signals_restore(mask);
	return spool ? &spool->hot : NULL;
}

void thread_forked(void)
{
	unused = NULL;
	for (struct spool *spool = spools; spool; spool = spool->next) {
		spool_unmap(spool);
		spool->owner = 0;
		spool->tid = 0;
		spool->next_unused = unused;
		unused = spool;
	}
	tacho_self = NULL;
	thread_over = false;
	main_over = false;
	helpers = 0;
	for (size_t i = 0; i < HELPERS; i++)
		helper_tids[i] = 0;
	recorded_ran_ns = helpers_ran_ns = 0;
	atomic_store(&tacho_main_thread, 0);
}

/*
 * Whether the calling thread is the last one and the initial thread has left by a system call: libc, which
 * counts that one still, calls no exit then.
 */
static bool is_last(void)
{
	struct stat st;

	return sys_tid() != tacho_process.pid && !sys_stat("/proc/self/task", &st) &&
		st.st_nlink == 2 + 2 + atomic_load(&helpers) && stay_first_thread_is_gone();
}

/*
 * Destructor of the thread's key: re-armed until the last round, so that others' destructors are
 * recorded.
 */
static void thread_end(void *arg)
{
	static __thread int rounds;
	struct spool *spool = arg;
	uint64_t mask;

	if (sandbox_is_on())
		return;
	if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS && !pthread_setspecific(end_key, spool))
		return;
	if (tacho_self != &spool->hot || atomic_load(tacho_gate) == GATE_UNDECIDED)
		return; /* a forked child that did not join: the parent's spool */
	/* calls that a cancellation or pthread_exit unwound are over as well */
	spool->hot.cursor &= CURSOR_ADDRESS;
	for (int i = 0; i < SPOOL_MAX_DEPTH; i++)
		atomic_store_explicit(&spool->hot.head->inside[i].region, 0, memory_order_relaxed);
	span_record(&spool->hot, SPOOL_THREAD_END, 0, 0, (uint64_t[]){ (uint64_t)pthread_self() },
		1);
	mask = sys_signals_block();
	thread_over = true;
	tacho_self = NULL;
	atomic_store(&spool->owner, 0);
	atomic_store(&spool->tid, 0);
	atomic_fetch_add(&recorded_ran_ns, sys_ran_ns(sys_tid()));
	if (sys_tid() == tacho_process.pid)
		main_over = true;
	spool_close(spool);
	join_lock();
	spool->next_unused = unused;
	unused = spool;
	join_unlock();
	sys_signals_restore(mask);
	if (is_last())
		process_end(END_QUICK_EXIT, 0);
}

void thread_serve(void)
{
	for (struct spool *spool = atomic_load(&spools); spool; spool = spool->next)
		if (atomic_load_explicit(&spool->ahead, memory_order_relaxed) == AHEAD_WANTED)
			spool_serve(spool);
}

const struct spool_head *(*tacho_head_asked)(uint64_t owner);

const struct spool_head *thread_head(uint64_t owner)
{
	if (tacho_head_asked)
		return tacho_head_asked(owner);
	for (struct spool *spool = atomic_load(&spools); spool; spool = spool->next)
		if (atomic_load_explicit(&spool->owner, memory_order_relaxed) == owner)
			return spool->hot.head;
	return NULL;
}

bool thread_main_is_over(void)
{
	return atomic_load(&main_over);
}

/* Puts `to` where `from` was, if it was somewhere. */
static void helper_tid_replace(uint32_t from, uint32_t to)
{
	for (size_t i = 0; i < HELPERS; i++) {
		uint32_t seen = from;

		if (atomic_compare_exchange_strong(&helper_tids[i], &seen, to))
			return;
	}
}

void thread_is_helper(void)
{
	thread_over = true;
	if (tacho_task.stays)
		return; /* no thread of the process */
	atomic_fetch_add(&helpers, 1);
	helper_tid_replace(0, sys_tid());
}

void thread_helper_ends(void)
{
	if (tacho_task.stays)
		return;
	helper_tid_replace(sys_tid(), 0);
	atomic_fetch_add(&helpers_ran_ns, sys_ran_ns(sys_tid()));
	atomic_fetch_sub(&helpers, 1);
}

bool thread_is_silent(uint32_t tid)
{
	for (size_t i = 0; i < HELPERS; i++)
		if (atomic_load(&helper_tids[i]) == tid)
			return false;
	for (struct spool *spool = atomic_load(&spools); spool; spool = spool->next)
		if (atomic_load_explicit(&spool->tid, memory_order_relaxed) == tid)
			return false;
	return true;
}

uint64_t thread_ran_ns(uint32_t tid)
{
	char path[64];
	const char *at;
	uint64_t ns = 0;

	if (!task_is_here())
		return sys_ran_ns(tid);
	/* the kernel gives the clocks of threads to their own process only */
	snprintf(path, sizeof(path), "/proc/self/task/%u/schedstat", tid);
	at = file_text_once(path);
	return at && number_take(&at, &ns) ? ns : 0;
}

uint64_t thread_recorded_ran_ns(uint32_t main)
{
	uint64_t ran_ns = atomic_load(&recorded_ran_ns);
	uint32_t tid;

	for (struct spool *spool = atomic_load(&spools); spool; spool = spool->next)
		if ((tid = atomic_load_explicit(&spool->tid, memory_order_relaxed)) && tid != main)
			ran_ns += thread_ran_ns(tid);
	return ran_ns;
}

uint64_t thread_helpers_ran_ns(void)
{
	uint64_t ran_ns = atomic_load(&helpers_ran_ns);
	uint32_t tid;

	for (size_t i = 0; i < HELPERS; i++)
		if ((tid = atomic_load(&helper_tids[i])))
			ran_ns += thread_ran_ns(tid);
	return ran_ns;
}

unsigned thread_helpers(void)
{
	return atomic_load(&helpers);
}
