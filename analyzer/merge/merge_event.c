/*
 * merge_event.c - the order of events in a location. Records stand in the
 * order in which calls ended; a group is put in the order of starts, and each
 * call left before its next sibling is entered. See merge_event.h.
 */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "merge/merge_event.h"
#include "merge/merge_metrics.h"
#include "merge/walk/walk_calls.h"
#include "merge/walk/walk_regions.h"
#include "merge/merge_sums.h"
#include "tacho/trace.h"

static void mark_close(struct writer *w, uint64_t time)
{
	uint32_t mark = w->marks[--w->nmarks];

	w->error |= OTF2_EvtWriter_Leave(w->out, w->attributes, time, w->merge->marks[mark].ref);
}

/* Where the innermost open marker of the kind stands, counted from 1; 0: none is open. */
static uint32_t mark_level(const struct writer *w, uint32_t kind)
{
	uint32_t level = w->nmarks;

	while (level && w->merge->marks[w->marks[level - 1]].kind != kind)
		level--;
	return level;
}

/*
 * A step begins where one is open: steps do not lie in each other, so that one ends there, with
 * what was left open inside it. False: two tools mark the same step, of which the outer one counts;
 * or it is the last that libtacho began, which has no end.
 */
static bool step_begins(struct writer *w, const struct entry *e, uint64_t time)
{
	uint64_t number = e->rec[3] & ~SPOOL_STEP_FOUND;
	uint32_t level = mark_level(w, SPOOL_MARK_STEP);

	if (e->rec[3] != number && w->nsteps++ >= w->location->scan.nstep_ends)
		return false;
	if (level && w->step == number) {
		w->nsame++;
		return false;
	}
	if (level)
		w->location->result.nunended++;
	while (level && w->nmarks >= level)
		mark_close(w, time);
	w->step = number;
	w->nsame = 0;
	return true;
}

static int mark_open(struct writer *w, const struct entry *e)
{
	uint32_t kind = e->region, mark = process_mark(w->process, spool_a(e->rec[0]), kind);
	uint64_t time = writer_time(w, e->start);

	if (mark == NONE || sums_have_mark(w, kind, spool_a(e->rec[0]), e->start) ||
		(kind == SPOOL_MARK_STEP && !step_begins(w, e, time)))
		return 0;
	if (!spool_table_reserve((void **)&w->marks, &w->marks_size, w->nmarks, sizeof(*w->marks)))
		return -1;
	w->marks[w->nmarks++] = mark;
	if (kind == SPOOL_MARK_STEP)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_STEP, w->step);
	w->error |= OTF2_EvtWriter_Enter(w->out, w->attributes, time, w->merge->marks[mark].ref);
	if (kind == SPOOL_MARK_STEP)
		w->error |= OTF2_EvtWriter_ParameterUnsignedInt(w->out, NULL, time,
			TRACE_PARAMETER_STEP, w->step);
	return 0;
}

/*
 * Ends the innermost marker of the kind and what was left open inside it; one never begun is passed
 * over.
 */
static void mark_end(struct writer *w, const struct entry *e)
{
	uint64_t time = writer_time(w, e->start);
	uint32_t level = mark_level(w, e->region);

	if (!level)
		return;
	if (e->region == SPOOL_MARK_STEP && w->nsame) {
		w->nsame--;
		return;
	}
	while (w->nmarks > level)
		mark_close(w, time);
	if (e->region == SPOOL_MARK_STEP)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SAMPLES, e->rec[3]);
	mark_close(w, time);
}

static void thread_end(struct writer *w, const struct entry *e)
{
	uint64_t time = writer_time(w, e->start);
	uint32_t region = w->merge->region_ref[REGION_THREAD_END];

	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SYNC, e->rec[3]);
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_WAKE, 1);
	w->error |= OTF2_EvtWriter_Enter(w->out, w->attributes, time, region);
	w->error |= OTF2_EvtWriter_Leave(w->out, NULL, time, region);
	w->has_ended = true;
}

/* Ticks as a duration in ns, at a moment. */
static uint64_t duration_ns(struct writer *w, uint64_t ticks, uint64_t at)
{
	return process_time(w->merge, w->process, at + ticks, &w->hint) -
		process_time(w->merge, w->process, at, &w->hint);
}

/* Waits and wakes among them; object 0: nobody waited, or not for long. */
static void fold_handover(struct writer *w, const uint64_t *kind)
{
	unsigned how = fold_how(kind);

	if (how != SPOOL_SYNC_WAKE && how != SPOOL_SYNC_WAIT)
		return;
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SYNC, kind[1]);
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_WAKE, how == SPOOL_SYNC_WAKE);
}

/* `calls` calls of a kind as one that takes `ns` from `time` on; none: nothing. */
static void fold_write(struct writer *w, const struct entry *fold, const uint64_t *kind,
	uint32_t calls, uint64_t time, uint64_t ns)
{
	uint32_t region = w->merge->region_ref[fold_region(kind)];
	struct entry io;
	uint64_t words[4];
	bool is_io = fold_io(fold, kind, words, &io);

	if (!calls)
		return;
	w->time = time > w->time ? time : w->time;
	if (is_io)
		payload_handover(w, &io);
	fold_handover(w, kind);
	if (calls > 1) {
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_CALLS, calls);
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SHORTEST,
			duration_ns(w, fold_shortest(kind), fold->start));
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_LONGEST,
			duration_ns(w, fold_longest(kind), fold->start));
	}
	w->error |= OTF2_EvtWriter_Enter(w->out, w->attributes, w->time, region);
	if (is_io)
		payload_enter(w, NULL, &io, w->time);
	w->time += ns;
	if (is_io)
		payload_leave(w, NULL, &io, w->time);
	w->error |= OTF2_EvtWriter_Leave(w->out, NULL, w->time, region);
}

/*
 * Short calls that followed each other: each kind as one call that takes the sum of their time, so
 * that times are right for readers that know nothing of it; they begin with the first call. Of
 * wakes one call does, and the others end with the last one, since it may be the first that
 * somebody waited for, or the last.
 */
static void folds_write(struct writer *w, const struct entry *e)
{
	uint64_t end = process_time(w->merge, w->process, e->end, &w->hint), late = 0;
	const uint64_t *behind = e->rec + spool_words(e->rec[2]);
	struct {
		uint64_t ns, moved; /* of all; of the first of several wakes */
		uint32_t n, early;
	} of[SPOOL_FOLD_KINDS];

	writer_time(w, e->start);
	for (const uint64_t *kind = e->rec + 3; kind < behind; kind += SPOOL_FOLD_WORDS) {
		size_t k = (size_t)(kind - e->rec - 3) / SPOOL_FOLD_WORDS;
		bool wakes = fold_how(kind) == SPOOL_SYNC_WAKE && kind[1];

		of[k].n = fold_calls(kind);
		of[k].early = wakes && of[k].n ? 1 : of[k].n;
		of[k].ns = of[k].moved = duration_ns(w, fold_ticks(kind), e->start);
		if (of[k].n > of[k].early) {
			of[k].moved = duration_ns(w, fold_shortest(kind), e->start);
			late += of[k].ns - of[k].moved;
		}
		fold_write(w, e, kind, of[k].early, w->time, of[k].moved);
	}
	late = end > late ? end - late : 0;
	for (const uint64_t *kind = e->rec + 3; kind < behind; kind += SPOOL_FOLD_WORDS) {
		size_t k = (size_t)(kind - e->rec - 3) / SPOOL_FOLD_WORDS;

		fold_write(w, e, kind, of[k].n - of[k].early, late, of[k].ns - of[k].moved);
	}
}

/* What is no call: markers, gaps. True when the entry was one of these. */
static bool write_special(struct writer *w, const struct entry *e, int *ret)
{
	*ret = 0;
	switch (e->type) {
	case SPOOL_BEGIN:
		if (e->depth == 0)
			*ret = mark_open(w, e);
		return true;
	case SPOOL_END:
		if (e->depth == 0)
			mark_end(w, e);
		return true;
	case SPOOL_THREAD_END: thread_end(w, e); return true;
	case SPOOL_GAP:
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_LOST, 1);
		w->error |= OTF2_EvtWriter_MeasurementOnOff(w->out, w->attributes,
			writer_time(w, e->start), OTF2_MEASUREMENT_OFF);
		if (!e->is_truncated)
			w->error |= OTF2_EvtWriter_MeasurementOnOff(w->out, NULL,
				writer_time(w, e->end), OTF2_MEASUREMENT_ON);
		return true;
	case SPOOL_FOLD: folds_write(w, e); return true;
	case ENTRY_SUMS: *ret = sums_write(w, e->arg); return true;
	case SPOOL_SAMPLE: metrics_write(w, e); return true;
	case SPOOL_CLOCK:
	case SPOOL_NCCL_PLAN:
	case SPOOL_GRAPH: return true;
	default: return false;
	}
}

static void call_enter(struct writer *w, const struct group *g, const struct entry *e)
{
	uint64_t time = writer_time(w, e->start);

	if (e->start < w->summed_until)
		sums_crossing(w, e);
	payload_attributes(w, g, e);
	w->error |= OTF2_EvtWriter_Enter(w->out, w->attributes, time,
		w->merge->region_ref[entry_region(e)]);
	if (!e->is_truncated) {
		payload_enter(w, g, e, time);
		return;
	}
	if (e->depth == 0 || !w->location->result.inside) {
		w->location->result.inside = e->region;
		w->location->result.inside_since = time;
	}
}

static void call_leave(struct writer *w, const struct group *g, const struct entry *e)
{
	uint64_t time = writer_time(w, e->end);

	if (e->is_truncated)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_CUT, 1);
	else
		payload_leave(w, g, e, time);
	if (w->lonely_sent || w->lonely_received) {
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SENT, w->lonely_sent);
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_RECEIVED, w->lonely_received);
		w->lonely_sent = w->lonely_received = 0;
	}
	w->error |= OTF2_EvtWriter_Leave(w->out, w->attributes, time,
		w->merge->region_ref[entry_region(e)]);
}

static bool before(const struct entry *a, const struct entry *b)
{
	return a->start != b->start ? a->start < b->start : a->depth < b->depth;
}

/*
 * Puts the entries in order of start. They stand in order of end, so the outer
 * calls come late; an insertion from the back would be quadratic in the calls
 * of one large group, so a merge sort by halves it is.
 */
static void sort_by_start(const struct entry *entries, uint32_t *order, uint32_t *spare, uint32_t n)
{
	uint32_t half = n / 2, a = 0, b = half;

	if (n < 2)
		return;
	sort_by_start(entries, order, spare, half);
	sort_by_start(entries, order + half, spare, n - half);
	if (!before(&entries[order[half]], &entries[order[half - 1]]))
		return;
	for (uint32_t i = 0; i < n; i++) {
		if (a < half && (b == n || !before(&entries[order[b]], &entries[order[a]])))
			spare[i] = order[a++];
		else
			spare[i] = order[b++];
	}
	for (uint32_t i = 0; i < n; i++)
		order[i] = spare[i];
}

static int order_reserve(struct writer *w, uint32_t n)
{
	uint32_t *order, *stack;

	if (n <= w->order_size)
		return 0;
	order = realloc(w->order, n * sizeof(*order));
	if (order)
		w->order = order;
	stack = realloc(w->stack, n * sizeof(*stack));
	if (stack)
		w->stack = stack;
	if (!order || !stack) {
		log_error("out of memory");
		return -1;
	}
	w->order_size = n;
	return 0;
}

static int write_nested(struct writer *w, const struct group *g)
{
	uint32_t open = 0;
	int ret;

	if (order_reserve(w, g->n) < 0)
		return -1;
	for (uint32_t i = 0; i < g->n; i++)
		w->order[i] = i;
	sort_by_start(g->entries, w->order, w->stack, g->n);
	for (uint32_t i = 0; i < g->n; i++) {
		const struct entry *e = &g->entries[w->order[i]];

		while (open && g->entries[w->stack[open - 1]].depth >= e->depth)
			call_leave(w, g, &g->entries[w->stack[--open]]);
		if (write_special(w, e, &ret)) {
			if (ret < 0)
				return -1;
			continue;
		}
		call_enter(w, g, e);
		w->stack[open++] = w->order[i];
	}
	while (open)
		call_leave(w, g, &g->entries[w->stack[--open]]);
	return 0;
}

/* Whose capture window holds: a child without one of its own follows its parent. */
static const struct spool_process *capture_owner(const struct merge *m, const struct process *p)
{
	for (uint32_t i = 0;
		i < m->nprocesses && p->spool && !p->spool->captures.n && p->parent != NONE; i++)
		p = &m->processes[p->parent];
	return p->spool;
}

static void capture_write(struct writer *w, uint64_t ticks, bool is_open)
{
	w->error |= OTF2_EvtWriter_MeasurementOnOff(w->out, NULL, writer_time(w, ticks),
		is_open ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
}

/* The main thread begins with its process, inside the capture window or not. */
static void begin_write(struct writer *w, const struct spool_process *owner)
{
	uint64_t ticks = w->process->begin_ticks;
	bool is_open = true;

	for (; owner && w->captures < owner->captures.n &&
		owner->captures.at[w->captures].ticks <= ticks;
		w->captures++)
		is_open = owner->captures.at[w->captures].is_open;
	capture_write(w, ticks, is_open);
	w->has_begun = true;
}

/*
 * Writes the changes of the capture window before a group. What changed
 * before the first event only says whether the location begins outside. A
 * main thread has worked since its process began, whatever it called first.
 */
static void captures_write(struct writer *w, const struct group *g)
{
	const struct spool_process *owner = capture_owner(w->merge, w->process);
	uint64_t ticks = group_start(g);
	bool is_open = true;

	if (!w->has_begun && w->location->is_main && w->process->begin_ticks < ticks)
		begin_write(w, owner);
	if (!owner || w->captures == owner->captures.n || location_is_sampler(w->location))
		return;
	for (; w->captures < owner->captures.n && owner->captures.at[w->captures].ticks <= ticks;
		w->captures++) {
		is_open = owner->captures.at[w->captures].is_open;
		if (w->has_begun)
			capture_write(w, owner->captures.at[w->captures].ticks, is_open);
	}
	if (!w->has_begun && !is_open)
		capture_write(w, ticks, false);
}

/*
 * A main thread lives as long as its process gave a sign of life: after its last event it does what
 * it did, until nothing is measured any more.
 */
static void end_write(struct writer *w)
{
	const struct spool_process *owner;
	uint64_t end = w->process->cut_ticks;

	if (!w->has_begun || w->has_ended || !w->location->is_main ||
		location_is_sampler(w->location))
		return;
	owner = capture_owner(w->merge, w->process);
	for (; owner && w->captures < owner->captures.n &&
		owner->captures.at[w->captures].ticks < end;
		w->captures++)
		capture_write(w, owner->captures.at[w->captures].ticks,
			owner->captures.at[w->captures].is_open);
	if (process_time(w->merge, w->process, end, &w->hint) > w->time)
		capture_write(w, end, false);
}

int writer_group(struct writer *w, const struct group *g)
{
	int ret = 0;

	captures_write(w, g);
	w->has_begun = true;
	w->is_kept = g->is_kept;
	if (g->n > 1)
		ret = write_nested(w, g);
	else if (g->n == 1 && !write_special(w, g->entries, &ret)) {
		call_enter(w, g, g->entries);
		call_leave(w, g, g->entries);
	}
	if (ret < 0 || w->error)
		return -1;
	return 0;
}

void writer_finish(struct writer *w)
{
	if (w->nmarks) {
		uint64_t time = writer_time(w, w->process->cut_ticks);

		while (w->nmarks) {
			OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_CUT, 1);
			mark_close(w, time);
		}
	}
	end_write(w);
	free(w->orphans);
	free(w->marks);
	free(w->order);
	free(w->stack);
}
