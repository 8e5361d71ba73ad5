/* gate.c - see gate.h. */
#include "config.h"

#include "core/gate.h"
#include "core/sys.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

static const _Atomic uint32_t gate_closed = GATE_CLOSED, gate_mpi = GATE_MPI;
static _Atomic uint32_t *gate_page; /* wiped by fork; NULL until the process joins */

void gate_close(void)
{
	tacho_gate = &gate_closed;
}

void gate_await_mpi(void)
{
	tacho_gate = &gate_mpi;
}

void gate_wipe(void)
{
	if (!gate_page)
		return;
	atomic_store(gate_page, GATE_UNDECIDED);
	tacho_gate = gate_page;
}

void gate_turn(enum gate gate)
{
	uint32_t seen = gate == GATE_OPEN ? GATE_PAUSED : GATE_OPEN;

	atomic_compare_exchange_strong(gate_page, &seen, gate);
}

void gate_own(enum gate gate)
{
	atomic_store(gate_page, gate);
	tacho_gate = gate_page;
}

bool gate_has_page(void)
{
	return gate_page;
}

int gate_page_make(void)
{
	void *page = sys_map(4096, MAP_PRIVATE);

	if (page == MAP_FAILED)
		return -1;
	sys_madvise(page, 4096, MADV_WIPEONFORK);
	gate_page = page;
	return 0;
}
