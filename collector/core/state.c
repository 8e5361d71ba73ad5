/*
 * state.c - the variables by which all files know the process and the thread. They are below
 * everything: no function here calls another file.
 */
#include "config.h"

#include "core/process.h"
#include "core/sandbox.h"

static const _Atomic uint32_t gate_undecided = GATE_UNDECIDED;
const _Atomic uint32_t *tacho_gate = &gate_undecided;

__thread struct thread *tacho_self;

_Atomic bool tacho_sandboxed;

struct process tacho_process = { .folder_fd = -1, .ranks = { -1, -1, -1, -1 } };

void process_lose(enum spool_loss loss)
{
	if (tacho_process.state)
		atomic_fetch_add_explicit(&tacho_process.state->lost[loss], 1,
			memory_order_relaxed);
}

uint32_t process_allot(unsigned type)
{
	return atomic_fetch_add_explicit(&tacho_process.ids[type], 1, memory_order_relaxed) + 1;
}
