/*
 * sandbox.h - programs that lock themselves in (seccomp, PR_SET_TSC). A system call or a look at the
 * clock by the library could end them from then on, so it does neither any more.
 */
#ifndef COLLECTOR_SANDBOX_H
#define COLLECTOR_SANDBOX_H

#include <stdatomic.h>
#include <stdbool.h>

#include "core/span.h"

/* Set once, for good; forked children inherit it. */
extern _Atomic bool tacho_sandboxed HIDDEN;

static inline bool sandbox_is_on(void)
{
	return unlikely(atomic_load_explicit(&tacho_sandboxed, memory_order_relaxed));
}

/*
 * Whether the program was locked in before it began, by more than what `tacho record` was: asked
 * once, before anything else, by calls that every program makes as it is loaded. Then it is on.
 */
bool sandbox_inherited(void) HIDDEN;

#endif
