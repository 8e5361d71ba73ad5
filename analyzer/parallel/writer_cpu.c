/* writer_cpu.c - see core.h. */
#include "config.h"

#include <stdint.h>

#include "parallel/writer_cpu.h"
#include "base/shm_ring.h"

void writer_cpu_begin(struct core *core)
{
	core->at = -1;
	if (sched_getaffinity(0, sizeof(core->allowed), &core->allowed) < 0)
		CPU_ZERO(&core->allowed);
}

void writer_cpu_choose(struct core *core, const struct link *link)
{
	uint32_t ncores = (uint32_t)CPU_COUNT(&core->allowed);
	int ahead = link_core_ahead(link);
	cpu_set_t one;

	if (!ncores || ncores >= link->nlocal || ahead < 0 || ahead >= CPU_SETSIZE ||
		ahead == core->at)
		return;
	CPU_ZERO(&one);
	CPU_SET(ahead, &one);
	if (sched_setaffinity(0, sizeof(one), &one) == 0)
		core->at = ahead;
}

void writer_cpu_end(const struct core *core)
{
	if (core->at >= 0)
		sched_setaffinity(0, sizeof(core->allowed), &core->allowed);
}
