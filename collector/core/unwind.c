/*
 * unwind.c - ends calls that were left by longjmp or an exception, see thread_unwind() in span.h.
 */
#include "config.h"

#include "core/span.h"

void thread_unwind(struct thread *self)
{
	unsigned depth;

	while ((depth = (unsigned)(self->cursor >> 48))) {
		struct spool_inside *inside = &self->head->inside[depth - 1];
		struct span span = { .self = self };

		if (depth > SPOOL_MAX_DEPTH || !atomic_load(&inside->region)) {
			cursor_add(&self->cursor, -CURSOR_DEPTH); /* nothing is known of it */
			continue;
		}
		span.region = (uint16_t)atomic_load(&inside->region);
		span.start = inside->start;
		span_leave(&span, SPOOL_CALL, 0, NULL, 0);
	}
}
