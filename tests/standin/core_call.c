/* The calls of a thread as CUPTI's callbacks see them, and the clocks. */
#include "standin.h"

#include <time.h>

static _Atomic(const struct standin_hooks *) hooks_now;
static atomic_uint correlations;
static _Thread_local struct standin_call *thread_call;

STANDIN_EXPORT void standin_hooks_set(const struct standin_hooks *hooks)
{
	atomic_store(&hooks_now, hooks);
}

STANDIN_EXPORT const struct standin_hooks *standin_hooks(void)
{
	return atomic_load(&hooks_now);
}

STANDIN_EXPORT uint64_t standin_monotonic(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

STANDIN_EXPORT uint64_t standin_now(void)
{
	const struct standin_hooks *hooks = standin_hooks();
	struct timespec ts;

	if (hooks && hooks->now)
		return hooks->now();
	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Short waits spin: a sleep takes up to 50 us longer, even with the streams' small timer slack. */
STANDIN_EXPORT void standin_wait_until(uint64_t when)
{
	uint64_t now = standin_monotonic();

	if (when > now + 80000) {
		uint64_t sleep = when - now - 50000;
		struct timespec ts = { .tv_sec = (time_t)(sleep / 1000000000u),
			.tv_nsec = (long)(sleep % 1000000000u) };

		nanosleep(&ts, NULL);
	}
	while (standin_monotonic() < when)
		;
}

STANDIN_EXPORT void standin_resource(enum standin_resource what, CUcontext ctx, void *object,
	void *from)
{
	const struct standin_hooks *hooks = standin_hooks();

	if (hooks && hooks->resource)
		hooks->resource(what, ctx, object, from);
}

/*
 * A driver call inside a runtime call has the runtime call's number, as do the activities that they
 * start.
 */
STANDIN_EXPORT void standin_call_enter(struct standin_call *call, void *ret)
{
	const struct standin_hooks *hooks;

	call->ret = ret;
	call->outer = thread_call;
	call->correlation = thread_call ? thread_call->correlation
					: atomic_fetch_add(&correlations, 1) + 1;
	thread_call = call;
	standin_init(); /* the first call of all starts the driver, and with it an injected library
	                 */
	hooks = standin_hooks();
	if (hooks)
		hooks->enter(call);
}

STANDIN_EXPORT void standin_call_leave(struct standin_call *call)
{
	const struct standin_hooks *hooks = standin_hooks();

	if (hooks)
		hooks->leave(call);
	thread_call = call->outer;
}

STANDIN_EXPORT uint32_t standin_correlation(void)
{
	return thread_call ? thread_call->correlation : 0;
}
