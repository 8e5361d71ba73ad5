/*
 * merge_event.h - one location being written: calls, markers and what they
 * carry, as OTF2 events in order of time.
 */
#ifndef ANALYZER_MERGE_EVENT_H
#define ANALYZER_MERGE_EVENT_H

#include <otf2/otf2.h>

#include "merge/merge_model.h"
#include "merge/walk/walk.h"

struct writer {
	struct merge *merge;
	struct process *process;
	struct location *location;
	OTF2_EvtWriter *out;
	OTF2_AttributeList *attributes;
	uint64_t time; /* of the last event */
	int hint;      /* for clock_ns */
	OTF2_ErrorCode error;
	uint32_t captures; /* changes of the capture window that have passed */
	bool has_begun;	   /* there is an event */
	bool has_ended;	   /* the thread has, before its process */
	uint32_t *marks;   /* open markers, innermost last */
	uint32_t nmarks, marks_size;
	uint64_t step;		     /* number of the open one */
	uint32_t nsteps;	     /* that libtacho began */
	uint32_t nsame;		     /* begun inside it with its number, and not ended */
	uint64_t summed_until;	     /* ticks: what ended before was summed (merge_sums.h) */
	bool is_kept;		     /* the group's messages are in the totals: they are none */
	struct totals_mark *orphans; /* see sums_have_mark() */
	uint32_t norphans, orphans_size;
	uint64_t pending_sent, pending_received; /* in the call that was open at the end of them */
	uint64_t lonely_sent, lonely_received;	 /* bytes of messages that are not in the archive */
	uint32_t stream;			 /* place in what is known of calls on sockets */
	bool has_pending;	     /* bytes that were moved in the open call before are written */
	uint32_t *order, order_size; /* entries of a group by start */
	uint32_t *stack;	     /* of open entries */
};

/* Writes one group. 0, or -1 (reported). */
int writer_group(struct writer *w, const struct group *g);

/* Closes what is open at the end of the location. */
void writer_finish(struct writer *w);

/* Ticks as time of the trace, never before the last event. */
static inline uint64_t writer_time(struct writer *w, uint64_t ticks)
{
	uint64_t time = process_time(w->merge, w->process, ticks, &w->hint);

	if (time > w->time)
		w->time = time;
	return w->time;
}

/*
 * What a call carries besides Enter and Leave: before its Enter (attributes), after it, before its
 * Leave.
 */
void payload_attributes(struct writer *w, const struct group *g, const struct entry *e);
/* Of an I/O call, before its Enter: what it waits for, or whom it wakes. */
void payload_handover(struct writer *w, const struct entry *e);
void payload_enter(struct writer *w, const struct group *g, const struct entry *e, uint64_t time);
void payload_leave(struct writer *w, const struct group *g, const struct entry *e, uint64_t time);

#endif
