/* window_sums.c - sums over all steps, in detail or not; see window.h. */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"
#include "engine/window/window.h"

/* What a rank did besides communication in a step, in detail or summed. */
static double step_outside(const struct window_rank *rank)
{
	int64_t outside = 0;

	for (int state = 0; state < HOST_ABSENT; state++)
		outside += host_communicates(state) ? 0 : rank->spent[state];
	if (rank->spent[HOST_SUMMED])
		outside += rank->spent[HOST_SUMMED] - rank->stepped[TOTALS_PART_MPI] -
			rank->stepped[TOTALS_PART_GLOO];
	return (double)(outside - rank->in_sockets);
}

static void step_slower_add(struct engine *engine, const struct step_window *step, double own)
{
	float *slower = ARRAY_ADD(&engine->windows.sums.slower);
	int64_t ideal = step->span.clock_last[SCENARIO_NETWORK] -
		step->span.clock_first[SCENARIO_NETWORK];

	engine->tables.failed |= !slower;
	if (slower)
		*slower = (float)((double)ideal / own);
}

void window_sums_add(struct engine *engine, const struct step_window *step)
{
	struct steps_total *sums = &engine->windows.sums;
	bool is_summed = false;
	double own = 0;

	if (!sums->outside)
		sums->outside = calloc(engine->tables.model.processes.n, sizeof(*sums->outside));
	if (!sums->outside) {
		engine->tables.failed = true;
		return;
	}
	for (size_t p = 0; p < engine->tables.model.processes.n; p++) {
		const struct window_rank *rank = &step->ranks[p];
		double outside = step_outside(rank);

		sums->unknown |= rank->spent[HOST_SUMMED] && !rank->stepped[STEP_SUMS_GIVEN];
		is_summed |= rank->spent[HOST_SUMMED] > 0;
		sums->outside[p] += outside;
		own = outside > own ? outside : own;
	}
	sums->any |= is_summed;
	sums->length += (double)(step->span.last - step->span.first);
	sums->own += own;
	if (is_summed)
		sums->slower.n = 0;
	else if (sums->any && own > 0)
		step_slower_add(engine, step, own);
}
