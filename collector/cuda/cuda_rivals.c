/*
 * cuda_rivals.c - CUPTI's functions by which another tool of the process (the
 * profiler in PyTorch) would take our place, most without asking: registering
 * callbacks replaces ours, disabling a kind or finalising ends ours, and kinds
 * that it enables and may not disable again cost until the end. While GPUs are recorded they are
 * refused with the error that CUPTI itself has for a second subscriber; with TACHO_CUPTI_YIELD=1
 * the other tool gets CUPTI, and the trace says since when. At any other time the calls pass
 * through.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cuda/cuda_capture.h"
#include "core/process.h"

/* Whether the call shall be refused; else its function is to be called. */
static bool refused(const char *name)
{
	const char *yield = getenv("TACHO_CUPTI_YIELD");

	if (!cuda_is_on())
		return false;
	if (yield && !strcmp(yield, "1")) {
		cuda_yield();
		return false;
	}
	say_once(SAY_RIVAL,
		"another profiler in this program (%s) is refused while GPUs are recorded; "
		"TACHO_CUPTI_YIELD=1 lets it have them",
		name);
	return true;
}

#define RIVAL(name, params, args)                                                                  \
	TACHO_EXPORT int name params;                                                              \
	TACHO_EXPORT int name params                                                               \
	{                                                                                          \
		int(*real) params = refused(#name) ? NULL : cupti_symbol(#name);                   \
                                                                                                   \
		return real ? real args : CUPTI_BUSY;                                              \
	}

#define RIVALS                                                                                     \
	RIVAL(cuptiSubscribe, (void **subscriber, cupti_callback callback, void *user),            \
		(subscriber, callback, user))                                                      \
	RIVAL(cuptiSubscribe_v2,                                                                   \
		(void **subscriber, cupti_callback callback, void *user, void *params),            \
		(subscriber, callback, user, params))                                              \
	RIVAL(cuptiActivityRegisterCallbacks,                                                      \
		(cupti_buffer_requested requested, cupti_buffer_completed completed),              \
		(requested, completed))                                                            \
	RIVAL(cuptiActivityRegisterTimestampCallback, (uint64_t(*now)(void)), (now))               \
	RIVAL(cuptiActivityEnable, (int kind), (kind))                                             \
	RIVAL(cuptiActivityDisable, (int kind), (kind))                                            \
	RIVAL(cuptiFinalize, (void), ())

RIVALS
#undef RIVAL

void *cuda_rival(const char *name)
{
#define RIVAL(function, params, args) { #function, (void *)&function },
	static const struct {
		const char *name;
		void *wrapper;
	} wrappers[] = { RIVALS };

	for (size_t i = 0; i < sizeof(wrappers) / sizeof(*wrappers); i++)
		if (!strcmp(name, wrappers[i].name))
			return wrappers[i].wrapper;
	return NULL;
}
