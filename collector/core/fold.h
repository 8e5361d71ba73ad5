/*
 * fold.h - calls of which a thread makes very many that need not be told apart: looks whether there
 * is something, and wakes of others. Where short ones follow each other and nothing else is
 * recorded between them, all but the first are one record (SPOOL_FOLD), which is changed in its
 * place while it is the last of the spool: a killed process loses none of them.
 */
#ifndef COLLECTOR_FOLD_H
#define COLLECTOR_FOLD_H

#include "core/span.h"

/*
 * Ends an outermost call, as span_leave() does, which records it if it is not folded. Calls of the
 * same region, `how` (0: no call that waits or wakes) and `object` are summed.
 */
void span_leave_fold(struct span *span, enum spool_sync how, uint64_t object, unsigned type,
	uint32_t a, const uint64_t *payload, unsigned npayload) HIDDEN;

#endif
