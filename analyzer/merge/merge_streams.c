/*
 * merge_streams.c - the second pass over what devices did: a kernel or copy is
 * an Enter and a Leave on its stream; see gpu/gpu.h.
 */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "merge/gpu/gpu.h"
#include "merge/gpu/gpu_kernel.h"
#include "merge/nccl/nccl.h"
#include "otf2/otf2_out.h"
#include "tacho/trace.h"

struct stream_writer {
	OTF2_EvtWriter *out;
	uint64_t time; /* of the last event */
};

struct gpu_writer {
	struct merge *merge;
	struct process *process;
	struct stream_writer *streams; /* as process->gpu->streams */
	uint32_t last;		       /* that was written to */
	struct gpu_placing placing;
	OTF2_AttributeList *attributes;
	OTF2_ErrorCode error;
	int hint;
};

static struct stream_writer *writer_of(struct gpu_writer *w, const uint64_t *rec, uint32_t lane)
{
	const struct gpu *gpu = w->process->gpu;
	uint32_t device = gpu_record_device(rec), stream = gpu_record_stream(rec);

	for (uint32_t i = 0; i < gpu->nstreams; i++) {
		uint32_t k = (w->last + i) % gpu->nstreams;

		if (gpu->streams[k].device == device && gpu->streams[k].stream == stream &&
			gpu->streams[k].lane == lane) {
			w->last = k;
			return &w->streams[k];
		}
	}
	return NULL;
}

static const unsigned char ops[SPOOL_COPY_COUNT] = {
	[SPOOL_COPY_OTHER] = TRACE_OP_NONE,
	[SPOOL_COPY_H2D] = TRACE_OP_MEMCPY_H2D,
	[SPOOL_COPY_D2H] = TRACE_OP_MEMCPY_D2H,
	[SPOOL_COPY_D2D] = TRACE_OP_MEMCPY_D2D,
	[SPOOL_COPY_P2P] = TRACE_OP_MEMCPY_P2P,
	[SPOOL_COPY_MEMSET] = TRACE_OP_MEMSET,
};

static void copy_attributes(struct gpu_writer *w, const uint64_t *rec)
{
	uint32_t word = spool_a(rec[0]);
	unsigned op = word & 0xff, memory = 0;

	if (op < SPOOL_COPY_COUNT && ops[op] != TRACE_OP_NONE)
		OTF2_AttributeList_AddStringRef(w->attributes, ATTRIBUTE_OP,
			GPU_STRING_OP(ops[op]));
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_BYTES, rec[5]);
	if (op == SPOOL_COPY_H2D || op == SPOOL_COPY_OTHER)
		memory = word >> 8 & 0xff;
	else if (op == SPOOL_COPY_D2H)
		memory = word >> 16 & 0xff;
	if (memory && memory < SPOOL_MEMORY_COUNT)
		OTF2_AttributeList_AddStringRef(w->attributes, ATTRIBUTE_MEMORY,
			GPU_STRING_MEMORY(memory));
}

/* Setting up a communicator copies, too, and is no communication. */
static bool is_nccl_copy(const struct gpu_writer *w, const uint64_t *rec)
{
	const uint64_t *call = rec[3] ? gpu_launched_by(w->process, (uint32_t)rec[3]) : NULL;

	return call && spool_type(call[0]) == SPOOL_NCCL && nccl_communicates(w->process, call);
}

static uint64_t time_of(struct gpu_writer *w, struct stream_writer *s, uint64_t ticks)
{
	uint64_t time = process_time(w->merge, w->process, ticks, &w->hint);

	if (time > s->time)
		s->time = time;
	return s->time;
}

static uint64_t ns_of(struct gpu_writer *w, uint64_t ticks)
{
	uint64_t from = w->process->gpu->summed_from;

	return process_time(w->merge, w->process, from + ticks, &w->hint) -
		process_time(w->merge, w->process, from, &w->hint);
}

/* Of a kind the sums, as one call is that is not in detail (merge_sums.c). */
static void sum_write(struct gpu_writer *w, struct stream_writer *s, const struct gpu_sum *sum)
{
	/* as much of a record as copy_attributes() looks at */
	uint64_t rec[6] = { spool_word0(sum->type, 0, 0, sum->a), 0, 0, 0, 0, sum->bytes };
	uint32_t region = sum->type == SPOOL_KERNEL ? kernel_region(w->merge, w->process, sum->a)
						    : copy_region(w->merge, sum->a & 0xff);

	if (sum->type == SPOOL_COPY)
		copy_attributes(w, rec);
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_CALLS, sum->n);
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_TOTAL, ns_of(w, sum->ticks));
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_SHORTEST, ns_of(w, sum->shortest));
	OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_LONGEST, ns_of(w, sum->longest));
	w->error |= OTF2_EvtWriter_Enter(s->out, w->attributes, s->time, region);
	w->error |= OTF2_EvtWriter_Leave(s->out, NULL, s->time, region);
}

/* `launches`: since the switch before; 0: not known. They would have taken so many ticks without recording. */
static void switch_write(struct gpu_writer *w, struct stream_writer *s, uint64_t ticks, bool is_on,
	uint64_t launches, double bare)
{
	if (!is_on)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_LOST, TRACE_LOST_SUMMED);
	if (launches)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_CALLS, launches);
	if (bare > 0)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_TOTAL,
			ns_of(w, (uint64_t)bare));
	w->error |= OTF2_EvtWriter_MeasurementOnOff(s->out, w->attributes, time_of(w, s, ticks),
		is_on ? OTF2_MEASUREMENT_ON : OTF2_MEASUREMENT_OFF);
}

/* What is not in detail, of all streams. */
static void sums_write_all(struct gpu_writer *w)
{
	const struct gpu *gpu = w->process->gpu;

	for (uint32_t i = 0; gpu->summed_until && i < gpu->nstreams; i++) {
		const struct gpu_stream *stream = &gpu->streams[i];

		if (stream->lane)
			continue;
		switch_write(w, &w->streams[i], gpu->summed_from, false, 0, 0);
		for (size_t k = 0; k < gpu->sums.n; k++)
			if (gpu->sums.at[k].device == stream->device &&
				gpu->sums.at[k].stream == stream->stream)
				sum_write(w, &w->streams[i], &gpu->sums.at[k]);
		switch_write(w, &w->streams[i], gpu->summed_until, true, 0, 0);
	}
}

/* When launches of kernels were not recorded, of all devices. */
static void offs_write_all(struct gpu_writer *w)
{
	const struct gpu *gpu = w->process->gpu;

	for (uint32_t i = 0; i < gpu->nstreams; i++)
		for (size_t k = 0; gpu->streams[i].lane == GPU_LANE_OFF && k < gpu->offs.n; k++) {
			const struct gpu_off *off = &gpu->offs.at[k];
			uint64_t from = off->from, until = off->until;

			if (until > w->process->cut_ticks)
				until = w->process->cut_ticks;
			if (from >= until)
				continue;
			switch_write(w, &w->streams[i], from, false, off->recorded, 0);
			switch_write(w, &w->streams[i], until, true, off->missed, off->ticks);
		}
}

static int write_activity(void *context, const uint64_t *rec)
{
	struct gpu_writer *w = context;
	const struct gpu *gpu = w->process->gpu;
	uint64_t room[GPU_ROOM], ticks = spool_duration(rec[2]);
	bool is_cut = rec[1] < gpu->summed_until;
	unsigned type = spool_type(rec[0]);
	uint32_t lane, region, correlation = rec[3];
	struct stream_writer *s;
	uint64_t start, end = spool_record_end(rec), time;

	if ((type != SPOOL_KERNEL && type != SPOOL_COPY) ||
		rec[1] < w->process->spool->def.start.ticks || (is_cut && end <= gpu->summed_until))
		return 0;
	if (is_cut)
		rec = gpu_cut(gpu, rec, room);
	if (!gpu_place(&w->placing, rec, &lane, &start) || !(s = writer_of(w, rec, lane)))
		return 0; /* the first pass has counted it */
	if (is_cut)	  /* when it was launched, and reached by others, was before */
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_TOTAL, ns_of(w, ticks));
	else if (correlation)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_CORRELATION, correlation);
	if (type == SPOOL_COPY)
		copy_attributes(w, rec);
	else if (!is_cut)
		nccl_kernel_attributes(w->process, rec, w->attributes);
	region = type == SPOOL_KERNEL  ? kernel_region(w->merge, w->process, spool_a(rec[0]))
		: is_nccl_copy(w, rec) ? nccl_copy_region(w->merge)
				       : copy_region(w->merge, spool_a(rec[0]) & 0xff);
	time = time_of(w, s, start);
	w->error |= OTF2_EvtWriter_Enter(s->out, w->attributes, time, region);
	for (uint32_t i = 0; type == SPOOL_KERNEL && !is_cut &&
		nccl_kernel_more(w->process, rec, i, w->attributes);
		i++)
		w->error |= OTF2_EvtWriter_ParameterUnsignedInt(s->out, w->attributes, time,
			TRACE_PARAMETER_OPERATION, i + 1);
	time = time_of(w, s, end > start ? end : start);
	w->error |= OTF2_EvtWriter_Leave(s->out, NULL, time, region);
	return w->error ? -1 : 0;
}

int gpu_write(struct merge *m, struct process *p, struct otf2_out *out)
{
	struct gpu *gpu = p->gpu;
	struct gpu_writer w = { .merge = m,
		.process = p,
		.attributes = OTF2_AttributeList_New(),
		.streams = calloc(gpu->nstreams + 1, sizeof(*w.streams)) };
	int ret = w.attributes && w.streams ? 0 : -1;

	for (uint32_t i = 0; i < gpu->nstreams && ret == 0; i++) {
		w.streams[i].out = otf2_out_writer(out, gpu->first_location + i);
		ret = w.streams[i].out ? 0 : -1;
	}
	if (ret == 0) {
		sums_write_all(&w);
		offs_write_all(&w);
		ret = gpu_walk_all(p, write_activity, &w);
	}
	for (uint32_t i = 0; w.streams && i < gpu->nstreams; i++) {
		gpu->streams[i].result.end = w.streams[i].time;
		if (w.streams[i].out &&
			otf2_out_writer_close(out, w.streams[i].out,
				&gpu->streams[i].result.nevents) < 0)
			ret = -1;
	}
	if (w.attributes)
		OTF2_AttributeList_Delete(w.attributes);
	free(w.placing.at);
	free(w.streams);
	return ret;
}
