/* step_sequence.c - a list of symbols in which steps are searched; see step_find.h. */
#include "config.h"

#include <stdlib.h>

#include "engine/read/step_find.h"

int sequence_add(struct sequence *sequence, uint32_t symbol, float gap, float turn)
{
	uint32_t *at = ARRAY_ADD(&sequence->symbols);
	float *gap_at = ARRAY_ADD(&sequence->gaps), *turn_at = ARRAY_ADD(&sequence->turns);

	if (!at || !gap_at || !turn_at)
		return -1;
	*at = symbol;
	*gap_at = gap;
	*turn_at = turn;
	return 0;
}

void sequence_free(struct sequence *sequence)
{
	free(sequence->symbols.at);
	free(sequence->gaps.at);
	free(sequence->turns.at);
	*sequence = (struct sequence){ 0 };
}
