/*
 * torch_future.c - waits for the future of an operation. Its wait() is inline in libtorch; what is
 * seen of it is that it waits on a condition variable in the future, which AsyncWork::getFuture() has
 * handed out. So pthread_cond_wait() is here.
 */
#include "config.h"

#include <pthread.h>

#include "core/process.h"
#include "io/wait.h"
#include "torch/torch_call.h"

/*
 * Of c10::ivalue::Future its table, two counts, a mutex and a flag are before the condition variable,
 * and more than its size behind.
 */
enum { FUTURES = 64, CONDITION_LEAST = 24, CONDITION_MOST = 112 };

/* The last ones that were handed out and whose operation has not ended; address 0: none. */
static struct {
	_Atomic uintptr_t address, work;
} futures[FUTURES];
static _Atomic uint32_t nfutures; /* so far */

void torch_future_add(const void *future, const void *work)
{
	uint32_t place;

	if (!future)
		return;
	process_uses(USED_TORCH);
	place = atomic_fetch_add(&nfutures, 1) % FUTURES;
	atomic_store(&futures[place].address, 0);
	atomic_store(&futures[place].work, (uintptr_t)work);
	atomic_store(&futures[place].address, (uintptr_t)future);
}

void torch_future_drop(const void *work)
{
	uint32_t n = atomic_load(&nfutures);

	for (uint32_t i = 0; i < n && i < FUTURES; i++)
		if (atomic_load(&futures[i].work) == (uintptr_t)work)
			atomic_store(&futures[i].address, 0);
}

void torch_future_forked(void)
{
	atomic_store(&nfutures, 0);
}

/* The Work in whose future the condition variable lies, NULL: in none. */
static const void *work_of(const pthread_cond_t *condition)
{
	uint32_t n = atomic_load_explicit(&nfutures, memory_order_relaxed);

	for (uint32_t i = 0; unlikely(n) && i < n && i < FUTURES; i++) {
		uintptr_t address = atomic_load(&futures[i].address);

		if (address && (uintptr_t)condition >= address + CONDITION_LEAST &&
			(uintptr_t)condition <= address + CONDITION_MOST)
			return (const void *)atomic_load(&futures[i].work);
	}
	return NULL;
}

/* Inside of another call, as DDP's, the wait is a part of that. */
static bool is_outermost(void)
{
	const struct thread *self = thread_self(REGION_torch_wait);

	return self && !(self->cursor >> 48);
}

static int future_wait(pthread_cond_t *condition, pthread_mutex_t *mutex, const void *work)
{
	struct torch_call call = torch_begin(REGION_torch_wait, NULL);
	uint32_t request = span_is_on(&call.span) ? torch_waited(work) : 0;
	uint64_t done = spool_pair(request, SPOOL_BYTES_HUGE);
	int ret = REAL(pthread_cond_wait)(condition, mutex);

	call.comm = 1; /* one completed */
	torch_end(&call, request ? SPOOL_DONE_SHORT : SPOOL_CALL, &done, request != 0);
	return ret;
}

TACHO_WRAP(pthread_cond_wait)
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	const void *work = work_of(condition);
	struct span span;
	int ret;

	if (unlikely(work) && is_outermost())
		return future_wait(condition, mutex, work);
	span = wait_enter(REGION_pthread_cond_wait, (uintptr_t)condition);
	wait_on(&span, (uintptr_t)condition);
	ret = REAL(pthread_cond_wait)(condition, mutex);
	wait_off(&span, (uintptr_t)condition);
	wait_leave(&span, ret ? SPOOL_SYNC_MISS : SPOOL_SYNC_WAIT, (uintptr_t)condition);
	return ret;
}
