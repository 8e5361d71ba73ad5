/* merge_sums.c - see merge_sums.h. */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "merge/merge_channels.h"
#include "merge/merge_messages.h"
#include "merge/walk/walk_regions.h"
#include "merge/merge_sums.h"
#include "tacho/trace.h"

#define WINDOW 0x80000000u /* totals_comm.comm: a window's id */

/* As wait_region() of walk.c. */
static uint32_t region_of(const struct totals_call *call)
{
	bool polls = call->region == REGION_epoll_wait || call->region == REGION_epoll_pwait ||
		call->region == REGION_epoll_pwait2;

	return polls && call->how == TOTALS_MISS ? (uint32_t)REGION_EPOLL_TIMEOUT : call->region;
}

static void mark_used(struct merge *m, const struct process *p, uint32_t name, uint32_t kind)
{
	uint32_t mark = process_mark(p, name, kind);

	if (mark != NONE)
		__atomic_store_n(&m->mark_used[mark], 1, __ATOMIC_RELAXED);
}

static bool is_marker(const struct totals_call *call)
{
	return call->region >= TOTALS_STEP;
}

static uint32_t marker_kind(const struct totals_call *call)
{
	return call->region == TOTALS_STEP ? SPOOL_MARK_STEP : SPOOL_MARK_REGION;
}

static void calls_scan(struct merge *m, const struct process *p, struct location_scan *s,
	const struct totals_sums *sums)
{
	for (int i = 0; i < TOTALS_CALLS; i++) {
		const struct totals_call *call = &sums->calls[i];
		uint32_t region = region_of(call);

		if (is_marker(call))
			mark_used(m, p, call->name, marker_kind(call));
		else if (call->region)
			s->used[region / 32] |= 1u << region % 32;
		if (call->region && !is_marker(call) && region_joins(call->region) &&
			sums->first < s->first_join)
			s->first_join = sums->first;
		if (call->region == REGION_MPI_Init || call->region == REGION_MPI_Init_thread ||
			call->region == REGION_MPI_Session_init)
			s->has_init = 1;
	}
}

static uint64_t mark_value(const struct totals_mark *mark)
{
	return mark->kind == SPOOL_MARK_STEP ? mark->value & ~SPOOL_STEP_FOUND : mark->value;
}

static bool marks_equal(const struct totals_mark *a, const struct totals_mark *b)
{
	return a->kind == b->kind && a->name == b->name && mark_value(a) == mark_value(b) &&
		a->begin == b->begin;
}

/* Whether a marker was open when the stretch began. */
static bool was_open(const struct spool_stretch *s, const struct totals_mark *mark)
{
	for (uint32_t i = 0; i < s->nmarks; i++)
		if (marks_equal(&s->marks[i], mark))
			return true;
	return false;
}

/* Whether one that was is so no longer. */
static bool has_closed(const struct spool_stretch *s, const struct totals_mark *mark)
{
	for (uint32_t i = 0; i < s->sums.nmarks; i++)
		if (marks_equal(&s->sums.marks[i], mark))
			return false;
	return true;
}

/* Whether one that was open at the stretch's begin ended there without its own span. */
static bool is_orphan(const struct spool_stretch *s, const struct totals_span *spans,
	const struct totals_mark *mark)
{
	for (uint64_t i = s->first_span; i < s->sums.spans; i++)
		if (marks_equal(&spans[i].mark, mark))
			return false;
	return has_closed(s, mark);
}

static void marks_scan(struct merge *m, const struct process *p, struct location_scan *s,
	const struct spool_thread *thread, const struct spool_stretch *stretch)
{
	const struct totals_sums *sums = &stretch->sums;

	for (uint32_t i = 0; i < stretch->nmarks; i++) /* it has no end in detail */
		s->nstep_ends += stretch->marks[i].kind == SPOOL_MARK_STEP &&
			has_closed(stretch, &stretch->marks[i]) &&
			!is_orphan(stretch, thread->spans, &stretch->marks[i]);
	for (uint32_t i = 0; i < sums->nmarks; i++)
		mark_used(m, p, sums->marks[i].name, sums->marks[i].kind);
	for (uint64_t i = stretch->first_span; i < sums->spans; i++) {
		const struct totals_mark *mark = &thread->spans[i].mark;

		mark_used(m, p, mark->name, mark->kind);
		s->has_steps |= mark->kind == SPOOL_MARK_STEP;
		if (mark->begin < s->first_join)
			s->first_join = mark->begin;
	}
}

static int channels_scan(const struct process *p, const struct totals_sums *sums,
	struct merge_channels *channels)
{
	for (int i = 0; i < TOTALS_CHANNELS; i++) {
		const struct totals_channel *c = &sums->channels[i];
		struct merge_channel key, *channel;

		if (c->comm && message_channel(p, c->comm, true, c->peer, c->tag, &key)) {
			channel = channel_get(channels, &key);
			if (!channel)
				return -1;
			channel->sends += c->sends;
			channel->sends_from += c->sends;
		}
		if (c->comm && message_channel(p, c->comm, false, c->peer, c->tag, &key)) {
			channel = channel_get(channels, &key);
			if (!channel)
				return -1;
			channel->recvs += c->recvs;
			channel->recvs_from += c->recvs;
		}
	}
	return 0;
}

static uint32_t comm_of(const struct merge *m, const struct process *p, uint32_t id)
{
	const struct spool_process *s = p->spool;

	if (!(id & WINDOW))
		return process_comm(p, id);
	id &= ~WINDOW;
	return id < s->windows.n && s->windows.at[id].comm
		? m->windows[s->windows.at[id].global].comm
		: NONE;
}

static int collectives_scan(struct merge *m, struct process *p, const struct totals_sums *sums)
{
	if (!p->sync_seq)
		p->sync_seq = calloc(m->ncomms + 1, sizeof(*p->sync_seq));
	if (!p->sync_seq) {
		log_error("out of memory");
		return -1;
	}
	for (int i = 0; i < TOTALS_COMMS; i++) {
		uint32_t comm = process_comm(p, sums->comms[i].comm);

		if (comm != NONE)
			p->sync_seq[comm] += (uint32_t)(sums->comms[i].begun -
				sums->comms[i].nonblocking);
	}
	return 0;
}

static int stretch_scan(struct merge *m, struct walk *walk, struct location *l,
	const struct spool_stretch *stretch)
{
	const struct totals_sums *sums = &stretch->sums;
	struct location_scan *s = &l->scan;

	if (!s->nrecords++)
		s->first = sums->first;
	if (sums->last > s->last)
		s->last = sums->last;
	s->has_sums = 1;
	calls_scan(m, walk->process, s, sums);
	marks_scan(m, walk->process, s, l->thread, stretch);
	for (int i = 0; i < TOTALS_REQUESTS; i++)
		s->has_requests |= sums->requests[i].number != 0;
	for (int i = 0; i < TOTALS_COMMS; i++)
		s->has_collectives |= sums->comms[i].begun != 0;
	return collectives_scan(m, walk->process, sums);
}

/* Messages that are kept are none: those of all stretches, and between them. */
static int messages_scan(const struct process *p, const struct spool_thread *thread,
	struct merge_channels *channels)
{
	struct totals_sums *sums = malloc(sizeof(*sums));
	int ret = -1;

	if (!sums) {
		log_error("out of memory");
		return -1;
	}
	spool_sums_copy(thread, sums);
	ret = channels_scan(p, sums, channels);
	free(sums);
	return ret;
}

int sums_scan(struct merge *m, struct walk *walk, struct location *l, uint32_t stretch,
	struct merge_channels *channels)
{
	struct spool_stretch *s = spool_stretch(l->thread, stretch);
	int ret = !s ? -1 : s->sums.records ? stretch_scan(m, walk, l, s) : 0;

	free(s);
	if (ret == 0 && stretch == 0)
		ret = messages_scan(walk->process, l->thread, channels);
	return ret;
}

static uint64_t sums_ns(const struct writer *w, uint64_t ticks)
{
	int hint = 0;
	uint64_t first = w->location->thread->sums->first;

	return process_time(w->merge, w->process, first + ticks, &hint) -
		process_time(w->merge, w->process, first, &hint);
}

static void call_write(struct writer *w, const struct totals_call *call)
{
	uint64_t sent = call->sent, received = call->received;
	uint32_t ref, mark = NONE;
	unsigned op = IO_OP_NONE;

	if (is_marker(call)) {
		mark = process_mark(w->process, call->name, marker_kind(call));
		if (mark == NONE)
			return;
		ref = w->merge->marks[mark].ref;
	} else {
		ref = w->merge->region_ref[region_of(call)];
		op = region_infos[region_of(call)].io;
	}
	sent += op == IO_OP_WRITE ? call->moved : 0;
	received += op == IO_OP_READ ? call->moved : 0;
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_CALLS, call->calls);
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_TOTAL, sums_ns(w, call->ticks));
	/* as of one in detail: who wakes works, and who reads from another end waits */
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_OUTER,
		call->how == TOTALS_WAKE ? 0 : sums_ns(w, call->outer));
	if (call->how == TOTALS_PEER && op == IO_OP_READ)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_WAKE, 0);
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SHORTEST, sums_ns(w, call->shortest));
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_LONGEST, sums_ns(w, call->longest));
	if (call->region == TOTALS_STEP)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SAMPLES, sent);
	else if (sent)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SENT, sent);
	if (received)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_RECEIVED, received);
	w->error |= OTF2_EvtWriter_Enter(w->out, w->attributes, w->time, ref);
	w->error |= OTF2_EvtWriter_Leave(w->out, NULL, w->time, ref);
}

static void calls_write(struct writer *w, const struct totals_sums *sums, uint32_t phase)
{
	for (int i = 0; i < TOTALS_CALLS; i++)
		if (sums->calls[i].region && sums->calls[i].phase == phase)
			call_write(w, &sums->calls[i]);
}

/* A marker on its way into the archive: spans that ended, and those that are open at the end. */
struct opened {
	const struct totals_mark *mark;
	uint64_t end, samples; /* UINT64_MAX: it is open */
	const uint64_t *parts; /* of a step, those of earlier stretches included */
	bool was_open;	       /* before the stretch: it is in the archive */
};

static int compare_opened(const void *a, const void *b)
{
	const struct opened *x = a, *y = b;

	if (x->mark->begin != y->mark->begin)
		return x->mark->begin < y->mark->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return (x->mark->kind > y->mark->kind) - (x->mark->kind < y->mark->kind);
}

/*
 * Phases that end with the stretch, for want of a better knowledge; others are as orphans_find()
 * has it.
 */
static size_t orphans_add(const struct spool_stretch *s, const struct totals_span *spans,
	struct opened *all, size_t n)
{
	for (uint32_t i = 0; i < s->nmarks; i++)
		if (s->marks[i].kind == SPOOL_MARK_PHASE && is_orphan(s, spans, &s->marks[i]))
			all[n++] = (struct opened){ &s->marks[i], s->sums.last, 0, s->parts, true };
	return n;
}

static struct opened *spans_sort(const struct spool_stretch *s, const struct totals_span *spans,
	size_t *n)
{
	const struct totals_sums *sums = &s->sums;
	struct opened *all = calloc(sums->spans - s->first_span + sums->nmarks + s->nmarks + 1,
		sizeof(*all));

	*n = 0;
	if (!all) {
		log_error("out of memory");
		return NULL;
	}
	for (uint64_t i = s->first_span; i < sums->spans; i++)
		all[(*n)++] = (struct opened){ &spans[i].mark, spans[i].end, spans[i].samples,
			spans[i].parts, was_open(s, &spans[i].mark) };
	for (uint32_t i = 0; i < sums->nmarks; i++)
		all[(*n)++] = (struct opened){ &sums->marks[i], UINT64_MAX, 0, sums->parts,
			was_open(s, &sums->marks[i]) };
	*n = orphans_add(s, spans, all, *n);
	qsort(all, *n, sizeof(*all), compare_opened);
	return all;
}

static int mark_enter(struct writer *w, const struct totals_mark *mark, bool is_open)
{
	uint32_t number = process_mark(w->process, mark->name, mark->kind);
	uint64_t time = writer_time(w, mark->begin);

	if (number == NONE || sums_have_mark(w, mark->kind, mark->name, mark->begin))
		return 0;
	/* as merge_event.c: one that libtacho began, and that never ends, is none */
	if (is_open && mark_value(mark) != mark->value &&
		w->nsteps++ >= w->location->scan.nstep_ends)
		return 0;
	if (!spool_table_reserve((void **)&w->marks, &w->marks_size, w->nmarks, sizeof(*w->marks)))
		return -1;
	w->marks[w->nmarks++] = number;
	if (mark->kind == SPOOL_MARK_STEP) {
		w->step = mark_value(mark);
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_STEP, w->step);
	}
	w->error |= OTF2_EvtWriter_Enter(w->out, w->attributes, time, w->merge->marks[number].ref);
	if (mark->kind == SPOOL_MARK_STEP)
		w->error |= OTF2_EvtWriter_ParameterUnsignedInt(w->out, NULL, time,
			TRACE_PARAMETER_STEP, w->step);
	return 0;
}

/* What the stretch has of a step's parts; the first one states that they are known. */
static void parts_write(struct writer *w, const struct spool_stretch *s, const struct opened *step)
{
	for (int i = 0; i < TOTALS_PARTS; i++) {
		uint64_t before = step->was_open ? s->parts[i] : 0;

		if (!i || step->parts[i] > before)
			OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_STEP_IO + i,
				sums_ns(w, step->parts[i] > before ? step->parts[i] - before : 0));
	}
}

static void mark_leave(struct writer *w, const struct spool_stretch *s, const struct opened *span)
{
	uint64_t time = writer_time(w, span->end);
	uint32_t number = process_mark(w->process, span->mark->name, span->mark->kind),
		 level = w->nmarks;

	while (level && w->marks[level - 1] != number)
		level--;
	if (number == NONE || !level)
		return;
	for (; w->nmarks > level; w->nmarks--) /* phases whose end is not known */
		w->error |= OTF2_EvtWriter_Leave(w->out, NULL, time,
			w->merge->marks[w->marks[w->nmarks - 1]].ref);
	if (span->mark->kind == SPOOL_MARK_STEP) {
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SAMPLES, span->samples);
		parts_write(w, s, span);
	}
	w->error |= OTF2_EvtWriter_Leave(w->out, w->attributes, time,
		w->merge->marks[w->marks[--w->nmarks]].ref);
}

/* The innermost open phase that the calls of the stretch's end are in; 0: none. */
static uint32_t phase_open(const struct totals_sums *sums)
{
	for (uint32_t i = sums->nmarks; i > 0; i--)
		if (sums->marks[i - 1].kind == SPOOL_MARK_PHASE)
			return sums->marks[i - 1].name;
	return 0;
}

/* Of each phase's spans the last to end, in which its calls are written. */
static bool is_last(const struct writer *w, const struct spool_stretch *s,
	const struct opened *span)
{
	const struct totals_span *spans = w->location->thread->spans;

	for (uint32_t i = 0; i < s->nmarks;
		i++) /* one whose end had no room ends with the stretch */
		if (s->marks[i].kind == SPOOL_MARK_PHASE && s->marks[i].name == span->mark->name &&
			is_orphan(s, spans, &s->marks[i]))
			return &s->marks[i] == span->mark;
	for (uint64_t i = s->sums.spans; i > s->first_span; i--)
		if (spans[i - 1].mark.kind == SPOOL_MARK_PHASE &&
			spans[i - 1].mark.name == span->mark->name)
			return &spans[i - 1].mark == span->mark;
	return false;
}

/* Calls of phases that have no place in the archive, and of none. */
static void calls_write_rest(struct writer *w, const struct totals_sums *sums,
	const struct opened *spans, size_t n)
{
	for (int i = 0; i < TOTALS_CALLS; i++) {
		const struct totals_call *call = &sums->calls[i];
		bool has_phase = false;

		for (size_t k = 0; call->phase && k < n && !has_phase; k++)
			has_phase = spans[k].mark->kind == SPOOL_MARK_PHASE &&
				spans[k].mark->name == call->phase;
		if (call->region && !has_phase)
			call_write(w, call);
	}
}

static void span_close(struct writer *w, const struct spool_stretch *s, const struct opened *span)
{
	uint32_t open = phase_open(&s->sums);

	if (span->mark->kind == SPOOL_MARK_PHASE && span->mark->name != open &&
		is_last(w, s, span)) {
		writer_time(w, span->end);
		calls_write(w, &s->sums, span->mark->name);
	}
	mark_leave(w, s, span);
}

static int spans_write(struct writer *w, const struct spool_stretch *s, struct opened *spans,
	size_t n)
{
	const struct opened **open = calloc(n + 1, sizeof(*open));
	size_t depth = 0;
	int ret = open ? 0 : -1;

	for (size_t i = 0; ret == 0 && i < n; i++) {
		while (depth && open[depth - 1]->end <= spans[i].mark->begin)
			span_close(w, s, open[--depth]);
		/* damaged ones may cross: what is around them ends later, or ends them */
		if (depth && spans[i].end != UINT64_MAX && open[depth - 1]->end < spans[i].end) {
			if (!spans[i].was_open)
				continue;
			spans[i].end = open[depth - 1]->end;
		}
		if (depth && spans[i].end == UINT64_MAX)
			while (depth && open[depth - 1]->end != UINT64_MAX)
				span_close(w, s, open[--depth]);
		if (!spans[i].was_open)
			ret = mark_enter(w, spans[i].mark, spans[i].end == UINT64_MAX);
		open[depth++] = &spans[i];
	}
	while (ret == 0 && depth && open[depth - 1]->end != UINT64_MAX)
		span_close(w, s, open[--depth]);
	free(open);
	return ret;
}

static void switch_write(struct writer *w, uint64_t ticks, bool is_on)
{
	if (!is_on)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_LOST, TRACE_LOST_SUMMED);
	w->error |= OTF2_EvtWriter_MeasurementOnOff(w->out, w->attributes, writer_time(w, ticks),
		is_on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
}

static int numbers_go_on(struct writer *w, const struct totals_sums *sums)
{
	struct process *p = w->process;

	if (!p->coll_seq)
		p->coll_seq = calloc(w->merge->ncomms + 1, sizeof(*p->coll_seq));
	if (!p->coll_seq) {
		log_error("out of memory");
		return -1;
	}
	for (int i = 0; i < TOTALS_COMMS; i++) {
		uint32_t comm = sums->comms[i].comm ? comm_of(w->merge, p, sums->comms[i].comm)
						    : NONE;

		if (comm != NONE)
			p->coll_seq[comm] += (uint32_t)sums->comms[i].begun;
	}
	return 0;
}

static int stretch_write(struct writer *w, const struct spool_stretch *s)
{
	const struct totals_sums *sums = &s->sums;
	size_t n;
	struct opened *spans = spans_sort(s, w->location->thread->spans, &n);
	int ret = -1;

	if (!spans)
		return -1;
	switch_write(w, sums->first, false);
	calls_write_rest(w, sums, spans, n);
	ret = spans_write(w, s, spans, n);
	if (ret == 0 && phase_open(sums)) {
		writer_time(w, sums->last);
		calls_write(w, sums, phase_open(sums));
	}
	for (size_t i = 0; i < n; i++) /* the step that continues behind the stretch */
		if (spans[i].mark->kind == SPOOL_MARK_STEP && spans[i].end == UINT64_MAX)
			parts_write(w, s, &spans[i]);
	switch_write(w, sums->last, true);
	w->summed_until = sums->last;
	w->pending_sent = sums->pending_sent;
	w->pending_received = sums->pending_received;
	w->has_pending = !w->pending_sent && !w->pending_received;
	if (ret == 0)
		ret = numbers_go_on(w, sums);
	free(spans);
	return ret;
}

/*
 * Steps and regions of which the begin is in detail, or opened in a stretch, and the end is a
 * number among the sums of a later one: they are left out of what is in detail, lest they count
 * twice.
 */
static int orphans_find(struct writer *w)
{
	const struct spool_thread *thread = w->location->thread;
	uint32_t n = spool_stretches(thread);

	for (uint32_t i = 0; i < n; i++) {
		struct spool_stretch *s = spool_stretch(thread, i);

		if (!s ||
			!spool_table_reserve((void **)&w->orphans, &w->orphans_size,
				w->norphans + TOTALS_MARKS, sizeof(*w->orphans))) {
			free(s);
			return -1;
		}
		for (uint32_t k = 0; k < s->nmarks; k++)
			if (s->marks[k].kind != SPOOL_MARK_PHASE &&
				is_orphan(s, thread->spans, &s->marks[k]))
				w->orphans[w->norphans++] = s->marks[k];
		free(s);
	}
	return 0;
}

bool sums_have_mark(const struct writer *w, uint32_t kind, uint32_t name, uint64_t begin)
{
	for (uint32_t i = 0; i < w->norphans; i++)
		if (w->orphans[i].begin == begin && w->orphans[i].kind == kind &&
			w->orphans[i].name == name)
			return true;
	return false;
}

int sums_write(struct writer *w, uint32_t stretch)
{
	struct spool_stretch *s = spool_stretch(w->location->thread, stretch);
	int ret = !s || (!stretch && orphans_find(w) < 0) ? -1 : 0;

	if (ret == 0 && s->sums.records)
		ret = stretch_write(w, s);
	free(s);
	return ret;
}

void sums_crossing(struct writer *w, const struct entry *e)
{
	uint64_t until = w->summed_until < e->end ? w->summed_until : e->end;

	if (e->depth == 0)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_OUTER,
			sums_ns(w, until - e->start));
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_TOTAL, sums_ns(w, e->end - e->start));
	if (e->depth == 0 && !w->has_pending) {
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SENT, w->pending_sent);
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_RECEIVED,
			w->pending_received);
		w->has_pending = true;
	}
}
