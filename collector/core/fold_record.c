/* fold_record.c - see fold_record.h. */
#include "config.h"

#include "core/fold.h"
#include "core/fold_record.h"

enum { WORDS_LEAST = 3 + KIND_WORDS };

_Atomic uint32_t tacho_waiting[WAITING_SIZE], tacho_waiting_since[WAITING_SIZE];

uint64_t *fold_kind_find(uint64_t *record, unsigned words, uint32_t word, uint64_t object)
{
	for (uint64_t *kind = record + 3; kind < record + words; kind += KIND_WORDS)
		if (fold_kind_is(kind, word, object) || !fold_calls(kind))
			return kind;
	return NULL;
}

bool fold_begin(struct thread *self, const struct span *span, unsigned how, uint64_t object,
	unsigned further)
{
	unsigned words = WORDS_LEAST + further * KIND_WORDS, depth;
	uint64_t now, *record;

	record = span_take(self, words, 1, &now, &depth);
	if (!record) { /* lost, and counted */
		span_outside(self, 0);
		return false;
	}
	for (unsigned i = 3; i < words; i += KIND_WORDS)
		record[i] = 0;
	fold_kind_add(record + 3, fold_of(span->region, how), object,
		(uint32_t)(now - span->start));
	record[1] = span->start;
	record[2] = spool_word2(now - span->start, words);
	span_publish(record, spool_word0(SPOOL_FOLD, depth, span->region, 0));
	self->fold = record;
	self->fold_kind = record + 3;
	*(volatile uint64_t *)&self->folded = (uint64_t)(uintptr_t)(record + words) | CURSOR_DEPTH;
	span_outside(self, 0);
	return true;
}

void fold_put(struct thread *self, const struct span *span, unsigned how, uint64_t object,
	bool goes_on)
{
	if (!goes_on || !fold_add(self, span, how, object, FOLD_CALL_MOST, SPOOL_LATE_SPAN))
		fold_begin(self, span, how, object, 0);
}
