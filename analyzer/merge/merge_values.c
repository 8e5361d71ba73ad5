/* merge_values.c - see merge_values.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "merge/merge_model.h"
#include "merge/merge_values.h"
#include "tacho/trace.h"

#define PIECE 16384 /* bytes of a property, about */

/* Text of the properties of one process, written whenever a piece is full. */
struct pieces {
	struct strings *s;
	uint32_t process, n;
	size_t size;
	char text[PIECE + 1024];
};

static void piece_end(struct pieces *pieces)
{
	OTF2_AttributeValue text;
	char key[64];

	if (!pieces->size)
		return;
	snprintf(key, sizeof(key), PROPERTY_VALUES "%u", pieces->n++);
	text.stringRef = string_ref(pieces->s, pieces->text);
	pieces->s->error |= OTF2_GlobalDefWriter_WriteLocationGroupProperty(pieces->s->out,
		pieces->process, string_ref(pieces->s, key), OTF2_TYPE_STRING, text);
	pieces->size = 0;
}

static void value_put(struct pieces *pieces, const struct spool_value *value, uint64_t time)
{
	size_t room = sizeof(pieces->text) - pieces->size;
	char step[24] = "-";

	if (value->def.step != SPOOL_VALUE_NO_STEP)
		snprintf(step, sizeof(step), "%" PRIu64, value->def.step);
	pieces->size += (size_t)snprintf(pieces->text + pieces->size, room,
		"%" PRIu32 " %" PRIu64 " %.17g %s %.512s\n", value->def.nth, time, value->def.value,
		step, value->name);
	if (pieces->size >= PIECE)
		piece_end(pieces);
}

void values_define(const struct merge *m, struct strings *s)
{
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];
		struct pieces pieces = { .s = s, .process = i };
		int hint = 0;

		for (uint32_t k = 0; p->spool && k < p->spool->values.n; k++)
			value_put(&pieces, &p->spool->values.at[k],
				process_time(m, p, p->spool->values.at[k].def.ticks, &hint));
		piece_end(&pieces);
	}
}
