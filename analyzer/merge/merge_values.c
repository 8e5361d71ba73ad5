/* merge_values.c - see merge_values.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "merge/merge_model.h"
#include "merge/merge_pieces.h"
#include "merge/merge_values.h"
#include "tacho/trace.h"

static void value_put(struct pieces *pieces, const struct spool_value *value, uint64_t time)
{
	char step[24] = "-";

	if (value->def.step != SPOOL_VALUE_NO_STEP)
		snprintf(step, sizeof(step), "%" PRIu64, value->def.step);
	pieces_print(pieces, "%" PRIu32 " %" PRIu64 " %.17g %s %.512s\n", value->def.nth, time,
		value->def.value, step, value->name);
	pieces_line(pieces);
}

void values_define(const struct merge *m, struct strings *s)
{
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];
		struct pieces pieces = { .s = s, .key = PROPERTY_VALUES, .process = i };
		int hint = 0;

		for (uint32_t k = 0; p->spool && k < p->spool->values.n; k++)
			value_put(&pieces, &p->spool->values.at[k],
				process_time(m, p, p->spool->values.at[k].def.ticks, &hint));
		pieces_end(&pieces);
	}
}
