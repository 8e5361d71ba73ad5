/* kineto_write.c - writes the events of all files as one archive, in the form of merge. */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/par.h"
#include "kineto/kineto_job.h"

/* A lane of a track being written. */
struct lane_writer {
	const struct kineto_job *job;
	const struct kineto_rank *rank;
	const struct kineto_track *track;
	OTF2_EvtWriter *out;
	OTF2_AttributeList *list;
	OTF2_ErrorCode error;
	int64_t shift; /* from the file's times to the archive's */
	ARRAY_OF(struct {
		int64_t end;
		uint32_t region;
	})
	open;
	bool failed;
};

/* Adds an attribute. A stream number that is not small is an address. */
static void add(struct lane_writer *w, enum trace_attribute attribute, uint64_t value)
{
	w->error |= OTF2_AttributeList_AddUint64(w->list, attribute, value);
}

static void call_attributes(struct lane_writer *w, const struct kineto_event *event)
{
	uint32_t number = event->correlation
		? idmap_find(&w->rank->target_numbers, event->correlation)
		: IDMAP_NONE;
	const struct kineto_target *target = number == IDMAP_NONE ? NULL
								  : &w->rank->targets.at[number];

	if (!target)
		return;
	if (target->launches)
		add(w, ATTRIBUTE_CORRELATION, event->correlation);
	if (target->has_stream) {
		add(w, ATTRIBUTE_DEVICE, target->device);
		add(w, ATTRIBUTE_STREAM, target->stream);
	}
	if (target->has_event)
		add(w, ATTRIBUTE_EVENT, target->event);
}

static void operation_attributes(struct lane_writer *w, const struct kineto_detail *detail)
{
	uint32_t comm = detail->group ? w->rank->groups.at[detail->group - 1].comm : UINT32_MAX;

	if (comm == UINT32_MAX || !detail->has_seq)
		return;
	add(w, ATTRIBUTE_COMM, comm);
	add(w, ATTRIBUTE_SEQ, detail->seq);
	if (detail->root >= 0)
		add(w, ATTRIBUTE_ROOT, (uint64_t)detail->root);
	if (detail->peer >= 0)
		add(w, ATTRIBUTE_PEER, (uint64_t)detail->peer);
}

static void device_attributes(struct lane_writer *w, const struct kineto_event *event)
{
	const struct kineto_detail *detail = event->detail ? &w->rank->details.at[event->detail - 1]
							   : NULL;

	if (event->correlation)
		add(w, ATTRIBUTE_CORRELATION, event->correlation);
	if (!detail)
		return;
	if (detail->op)
		w->error |= OTF2_AttributeList_AddStringRef(w->list, ATTRIBUTE_OP, detail->op);
	if (detail->has_bytes)
		add(w, ATTRIBUTE_BYTES, detail->bytes);
	if (detail->from_pageable || detail->from_pinned)
		w->error |= OTF2_AttributeList_AddStringRef(w->list, ATTRIBUTE_MEMORY,
			detail->from_pageable ? KINETO_STRING_PAGEABLE : KINETO_STRING_PINNED);
	if (detail->op && detail->op < TRACE_OP_MEMCPY_H2D)
		operation_attributes(w, detail);
}

/* What ends by then is left. */
static void leave(struct lane_writer *w, int64_t until)
{
	while (w->open.n && w->open.at[w->open.n - 1].end <= until) {
		w->open.n--;
		w->error |= OTF2_EvtWriter_Leave(w->out, NULL,
			(uint64_t)(w->open.at[w->open.n].end + w->shift),
			w->open.at[w->open.n].region);
	}
}

static void enter(struct lane_writer *w, const struct kineto_event *event)
{
	const struct kineto_name *name = &w->rank->names.at[event->name];
	uint64_t time = (uint64_t)(event->start + w->shift);
	__typeof__(w->open.at) open;

	leave(w, event->start);
	if (name->class == KINETO_CALL)
		call_attributes(w, event);
	else if (w->track->is_stream)
		device_attributes(w, event);
	w->error |= OTF2_EvtWriter_Enter(w->out, w->list, time, name->region);
	w->error |= OTF2_AttributeList_RemoveAllAttributes(w->list);
	if (name->class == KINETO_STEP)
		w->error |= OTF2_EvtWriter_ParameterUnsignedInt(w->out, NULL, time,
			TRACE_PARAMETER_STEP, event->detail);
	open = ARRAY_ADD(&w->open);
	if (!open) {
		w->failed = true;
		return;
	}
	open->end = event->end;
	open->region = name->region;
}

/*
 * A rank's main thread lives as long as its file, though its first or last event may be missing:
 * marks an end of its life by an unused parameter.
 */
static void prove(struct lane_writer *w, int64_t time)
{
	w->error |= OTF2_EvtWriter_ParameterUnsignedInt(w->out, NULL, (uint64_t)(time + w->shift),
		TRACE_PARAMETER_OPERATION + 1, 0);
}

static void lane_write(struct lane_writer *w, unsigned lane, bool is_main)
{
	if (is_main)
		prove(w, w->rank->first);
	for (size_t i = 0; i < w->track->events.n && !w->failed; i++)
		if (w->track->events.at[i].lane == lane)
			enter(w, &w->track->events.at[i]);
	leave(w, INT64_MAX);
	if (is_main)
		prove(w, w->rank->last);
}

/* A track; is_main: its first lane is the main thread. */
static int track_write(struct kineto_job *job, struct kineto_rank *rank, struct kineto_track *track,
	bool is_main)
{
	struct lane_writer w = { .job = job, .rank = rank, .track = track };

	w.shift = rank->base + rank->offset - job->zero;
	w.list = OTF2_AttributeList_New();
	track->nevents = calloc(track->nlanes, sizeof(*track->nevents));
	w.failed = !w.list || !track->nevents;
	for (unsigned lane = 0; lane < track->nlanes && !w.failed; lane++) {
		w.out = otf2_out_writer(&job->out, track->location + lane);
		w.failed = !w.out;
		if (w.failed)
			break;
		lane_write(&w, lane, is_main && lane == 0);
		if (otf2_out_writer_close(&job->out, w.out, &track->nevents[lane]) < 0)
			w.failed = true;
	}
	if (w.list)
		OTF2_AttributeList_Delete(w.list);
	free(w.open.at);
	return w.failed || w.error ? -1 : 0;
}

static int rank_write(void *context, size_t i)
{
	struct kineto_job *job = context;
	struct kineto_rank *rank = &job->ranks[i];

	for (size_t k = 0; k < rank->tracks.n; k++)
		if (track_write(job, rank, &rank->tracks.at[k], k == 0) < 0)
			return -1;
	return 0;
}

/* Names of several files that are alike are one region. */
static int regions_number(struct kineto_job *job)
{
	struct kineto_rank names = { 0 };

	for (size_t i = 0; i < job->nranks; i++)
		for (size_t k = 0; k < job->ranks[i].names.n; k++) {
			struct kineto_name *name = &job->ranks[i].names.at[k];
			int64_t region = kineto_name(&names, name->text, name->class);

			if (region < 0)
				return -1;
			name->region = (uint32_t)region;
		}
	job->regions.at = names.names.at;
	job->regions.n = names.names.n;
	idmap_free(&names.name_numbers);
	return 0;
}

static void locations_number(struct kineto_job *job)
{
	uint64_t next = 0;

	for (size_t i = 0; i < job->nranks; i++)
		for (size_t k = 0; k < job->ranks[i].tracks.n; k++) {
			job->ranks[i].tracks.at[k].location = next;
			next += job->ranks[i].tracks.at[k].nlanes;
		}
}

static uint64_t members_most(const struct kineto_job *job)
{
	uint64_t most = job->nranks;

	for (size_t i = 0; i < job->comms.n; i++)
		most = job->comms.at[i].size > most ? job->comms.at[i].size : most;
	return most;
}

int kineto_write(struct kineto_job *job, const char *folder)
{
	int ret;

	job->zero = INT64_MAX;
	for (size_t i = 0; i < job->nranks; i++) {
		const struct kineto_rank *rank = &job->ranks[i];
		int64_t first = rank->first + rank->base + rank->offset;

		job->zero = first < job->zero ? first : job->zero;
	}
	if (regions_number(job) < 0)
		return -1;
	locations_number(job);
	if (otf2_out_open(&job->out, folder, members_most(job)) < 0)
		return -1;
	ret = par_for(par_jobs(0), job->nranks, rank_write, job);
	if (ret == 0)
		ret = kineto_define(job);
	if (ret < 0) {
		otf2_out_abandon(&job->out);
		return -1;
	}
	return otf2_out_close(&job->out);
}
