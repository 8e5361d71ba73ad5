/*
 * gpu.c - streams, their lanes and launches, found in the first pass; see
 * merge_gpu.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/gpu/gpu.h"
#include "merge/walk/walk_regions.h"
#include "merge/walk/walk.h"

static struct gpu_lanes *lanes_of(struct gpu_placing *placing, uint32_t device, uint32_t stream)
{
	struct gpu_lanes *grown;

	for (uint32_t i = 0; i < placing->n; i++) {
		uint32_t k = (placing->last + i) % placing->n; /* mostly the one of before */

		if (placing->at[k].device == device && placing->at[k].stream == stream) {
			placing->last = k;
			return &placing->at[k];
		}
	}
	if (placing->n == GPU_STREAMS_MAX)
		return NULL;
	if (placing->n == placing->size) {
		uint32_t size = placing->size ? 2 * placing->size : 16;

		grown = realloc(placing->at, size * sizeof(*grown));
		if (!grown)
			return NULL;
		placing->at = grown;
		placing->size = size;
	}
	memset(&placing->at[placing->n], 0, sizeof(*placing->at));
	placing->at[placing->n].device = device;
	placing->at[placing->n].stream = stream;
	return &placing->at[placing->n++];
}

struct gpu_lanes *gpu_place(struct gpu_placing *placing, const uint64_t *rec, uint32_t *lane,
	uint64_t *start)
{
	struct gpu_lanes *lanes = lanes_of(placing, gpu_record_device(rec), gpu_record_stream(rec));
	uint64_t end = spool_record_end(rec);
	uint32_t best = 0;

	if (!lanes)
		return NULL;
	*start = rec[1];
	for (*lane = 0; *lane < lanes->n && lanes->end[*lane] > *start; ++*lane)
		if (lanes->end[*lane] < lanes->end[best])
			best = *lane;
	if (*lane == GPU_LANES) {
		*lane = best;
		*start = lanes->end[best];
	} else if (*lane == lanes->n) {
		lanes->n++;
	}
	lanes->end[*lane] = end > *start ? end : *start;
	return lanes;
}

struct gpu_scan {
	struct process *process;
	struct gpu_placing placing;
};

static int scan_record(void *context, const uint64_t *rec)
{
	struct gpu_scan *scan = context;
	uint64_t room[GPU_ROOM];
	struct gpu_totals *totals = &scan->process->gpu->totals;
	unsigned type = spool_type(rec[0]);
	struct gpu_lanes *lanes;
	struct gpu_stream *sum;
	uint32_t lane, correlation = rec[3];
	uint64_t start;

	if (type == SPOOL_OVERHEAD)
		gpu_overhead_add(scan->process->gpu, spool_a(rec[0]), spool_duration(rec[2]));
	if (type == SPOOL_LAUNCH)
		return gpu_call_add(scan->process->gpu, rec);
	if (type != SPOOL_KERNEL && type != SPOOL_COPY)
		return 0;
	if (gpu_site_add(scan->process->gpu, rec) < 0)
		return -1;
	if (rec[1] < scan->process->spool->def.start.ticks) {
		totals->nuntimed++;
		return 0;
	}
	if (rec[1] < scan->process->gpu->summed_until) {
		if (spool_record_end(rec) <= scan->process->gpu->summed_until)
			return gpu_sum_add(scan->process, rec);
		rec = gpu_cut(scan->process->gpu, rec, room);
	}
	lanes = gpu_place(&scan->placing, rec, &lane, &start);
	if (!lanes) {
		totals->ntorn++;
		return 0;
	}
	totals->nsqueezed += start != rec[1];
	gpu_windows_see(scan->process->gpu, rec);
	sum = &lanes->sums[lane];
	sum->nactivities++;
	scan->process->gpu->nactivities++;
	if (correlation > lanes->sums[0].last_correlation)
		lanes->sums[0].last_correlation = correlation;
	return 0;
}

static int compare_streams(const void *a, const void *b)
{
	const struct gpu_stream *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return (x->lane > y->lane) - (x->lane < y->lane);
}

static struct gpu_stream *stream_add(struct gpu *gpu, const struct gpu_stream *stream)
{
	struct gpu_stream *grown = realloc(gpu->streams, (gpu->nstreams + 1) * sizeof(*grown));

	if (!grown) {
		log_error("out of memory");
		return NULL;
	}
	gpu->streams = grown;
	grown[gpu->nstreams] = *stream;
	return &grown[gpu->nstreams++];
}

/* Streams of which there are sums. */
static int summed_add(struct gpu_placing *placing, const struct gpu *gpu)
{
	for (size_t i = 0; i < gpu->sums.n; i++) {
		const struct gpu_sum *sum = &gpu->sums.at[i];
		struct gpu_lanes *lanes = lanes_of(placing, sum->device, sum->stream);

		if (!lanes)
			return -1;
		lanes->n += lanes->n == 0;
		lanes->sums[0].nactivities += sum->n;
		if (sum->last_correlation > lanes->sums[0].last_correlation)
			lanes->sums[0].last_correlation = sum->last_correlation;
	}
	return 0;
}

/* One for each device, which has streams. */
static int off_add(struct gpu *gpu, uint32_t device)
{
	for (uint32_t i = 0; i < gpu->nstreams; i++)
		if (gpu->streams[i].device == device && gpu->streams[i].lane == GPU_LANE_OFF)
			return 0;
	return stream_add(gpu, &(struct gpu_stream){ .device = device, .lane = GPU_LANE_OFF }) ? 0
											       : -1;
}

int gpu_scan(struct process *p)
{
	struct gpu_scan scan = { .process = p };
	int ret = gpu_index(p);

	if (ret == 0)
		ret = gpu_sums_read(p);
	if (ret == 0)
		ret = gpu_windows_read(p);
	if (ret == 0)
		ret = gpu_walk_all(p, scan_record, &scan);
	if (ret == 0)
		ret = summed_add(&scan.placing, p->gpu);
	for (uint32_t i = 0; i < scan.placing.n && ret == 0; i++) {
		struct gpu_lanes *lanes = &scan.placing.at[i];

		for (uint32_t k = 0; k < lanes->n && ret == 0; k++) {
			lanes->sums[k].device = lanes->device;
			lanes->sums[k].stream = lanes->stream;
			lanes->sums[k].lane = k;
			if (!stream_add(p->gpu, &lanes->sums[k]))
				ret = -1;
		}
	}
	free(scan.placing.at);
	if (ret == 0)
		ret = gpu_calls_close(p);
	if (ret == 0)
		ret = gpu_windows_close(p);
	for (uint32_t i = 0, n = p->gpu->nstreams; p->gpu->offs.n && i < n && ret == 0; i++)
		ret = off_add(p->gpu, p->gpu->streams[i].device);
	for (uint32_t i = 1; p->gpu->offs.n && i < p->spool->devices.n && ret == 0; i++)
		if (p->spool->devices.at[i].name)
			ret = off_add(p->gpu, p->spool->devices.at[i].def.ordinal);
	if (p->gpu->nstreams)
		qsort(p->gpu->streams, p->gpu->nstreams, sizeof(*p->gpu->streams), compare_streams);
	return ret;
}

static struct gpu_stream *stream_find(const struct gpu *gpu, uint32_t device, uint32_t stream)
{
	struct gpu_stream key = { .device = device, .stream = stream };

	return gpu->nstreams
		? bsearch(&key, gpu->streams, gpu->nstreams, sizeof(key), compare_streams)
		: NULL;
}

/*
 * Whether the call has launched something that never came: later than all that came of its stream.
 */
static bool is_late(const struct process *p, const struct entry *e)
{
	const struct gpu_stream *stream;
	uint32_t correlation = spool_a(e->rec[0]), number = e->rec[3];

	if (!correlation || number == SPOOL_STREAM_NONE)
		return false;
	if (region_infos[e->region].word == CUDA_WORD_BYTES && spool_words(e->rec[2]) > 4 &&
		!e->rec[4])
		return false; /* a copy of nothing */
	stream = stream_find(p->gpu, e->rec[3] >> 32, number);
	return !stream || correlation > stream->last_correlation;
}

/*
 * Whether the call has launched a kernel behind all that came of the process. A kernel is always
 * put on the device; CUPTI reports none any more behind one that launches kernels itself.
 */
static bool is_unseen(const struct gpu *gpu, const struct entry *e)
{
	uint32_t last = 0;

	for (uint32_t i = 0; i < gpu->nstreams; i++)
		if (gpu->streams[i].last_correlation > last)
			last = gpu->streams[i].last_correlation;
	return spool_a(e->rec[0]) > last && strstr(region_infos[e->region].name, "LaunchKernel");
}

int gpu_launch_add(struct gpu *gpu, uint32_t correlation, const uint64_t *nccl)
{
	if (gpu->nlaunches == gpu->launches_size) {
		size_t size = gpu->launches_size ? 2 * gpu->launches_size : 1024;
		struct gpu_launch *grown = realloc(gpu->launches, size * sizeof(*grown));

		if (!grown) {
			log_error("out of memory");
			return -1;
		}
		gpu->launches = grown;
		gpu->launches_size = size;
	}
	gpu->launches[gpu->nlaunches++] = (struct gpu_launch){ correlation, nccl };
	return 0;
}

/* Events tie streams to each other, those without activities, too. */
static int mark_scan(struct gpu *gpu, const struct entry *e)
{
	uint64_t *at;

	if (region_infos[e->region].word != CUDA_WORD_EVENT || spool_words(e->rec[2]) <= 3 ||
		(uint32_t)e->rec[3] == SPOOL_STREAM_NONE)
		return 0;
	for (size_t i = 0; i < gpu->marked.n; i++)
		if (gpu->marked.at[i] == e->rec[3])
			return 0;
	at = gpu->marked.n < GPU_STREAMS_MAX ? ARRAY_ADD(&gpu->marked) : NULL;
	if (at)
		*at = e->rec[3];
	return at || gpu->marked.n == GPU_STREAMS_MAX ? 0 : -1;
}

/*
 * `captures` counts the stream captures that the thread is in: what is launched
 * in there becomes a graph, and runs when that is launched.
 */
int gpu_scan_group(struct process *p, const struct group *g, uint32_t *captures)
{
	for (uint32_t i = 0; i < g->n; i++) {
		const struct entry *e = &g->entries[i];
		const uint64_t *nccl;

		if (e->type != SPOOL_CUDA || e->is_truncated)
			continue;
		if (e->region == REGION_cudaStreamBeginCapture ||
			e->region == REGION_cuStreamBeginCapture ||
			e->region == REGION_cudaStreamBeginCaptureToGraph ||
			e->region == REGION_cuStreamBeginCaptureToGraph)
			++*captures;
		else if (*captures &&
			(e->region == REGION_cudaStreamEndCapture ||
				e->region == REGION_cuStreamEndCapture))
			--*captures;
		if (mark_scan(p->gpu, e) < 0)
			return -1;
		if (!region_infos[e->region].launches)
			continue;
		/* a driver's call inside of the runtime's is the same launch */
		if (!*captures && is_late(p, e) && !group_call_around(g, i, REGION_CLASS_CUDA)) {
			p->gpu->totals.nlate++;
			p->gpu->totals.nunseen += is_unseen(p->gpu, e);
		}
		nccl = spool_a(e->rec[0]) ? group_call_around(g, i, REGION_CLASS_NCCL) : NULL;
		if (nccl && gpu_launch_add(p->gpu, spool_a(e->rec[0]), nccl) < 0)
			return -1;
	}
	return 0;
}

static int compare_launches(const void *a, const void *b)
{
	const struct gpu_launch *x = a, *y = b;

	return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

/* Of streams that did nothing only those through which others are ordered are kept. */
static int marked_add(struct gpu *gpu)
{
	for (size_t i = 0; i < gpu->marked.n; i++) {
		uint32_t device = gpu->marked.at[i] >> 32, stream = gpu->marked.at[i];

		if (stream_find(gpu, device, stream) ||
			gpu->nstreams >= GPU_STREAMS_MAX * GPU_LANES)
			continue;
		if (!stream_add(gpu, &(struct gpu_stream){ .device = device, .stream = stream }))
			return -1;
		qsort(gpu->streams, gpu->nstreams, sizeof(*gpu->streams), compare_streams);
	}
	return 0;
}

int gpu_scan_end(struct process *p)
{
	if (p->gpu->nlaunches)
		qsort(p->gpu->launches, p->gpu->nlaunches, sizeof(*p->gpu->launches),
			compare_launches);
	return marked_add(p->gpu);
}

const uint64_t *gpu_launched_by(const struct process *p, uint32_t correlation)
{
	struct gpu_launch key = { .correlation = correlation }, *found;

	if (!p->gpu->nlaunches)
		return NULL;
	found = bsearch(&key, p->gpu->launches, p->gpu->nlaunches, sizeof(key), compare_launches);
	return found ? found->nccl : NULL;
}

void gpu_take(struct process *p, uint32_t nstreams, const void *streams, uint64_t nactivities,
	const struct gpu_totals *totals)
{
	p->gpu->totals = *totals;
	p->gpu->nactivities = nactivities;
	p->gpu->streams = malloc(nstreams * sizeof(*p->gpu->streams) + 1);
	p->gpu->nstreams = p->gpu->streams ? nstreams : 0;
	if (p->gpu->nstreams)
		memcpy(p->gpu->streams, streams, nstreams * sizeof(*p->gpu->streams));
}

/*
 * In a process that came to its end all activities were fetched, unless it says
 * otherwise: what lacks some then is a call that put nothing on the device, or kernels at the end
 * that CUPTI has not told, nor counted.
 */
static uint64_t late_count(const struct process *p, bool was_cut)
{
	const struct gpu_totals *totals = &p->gpu->totals;
	uint64_t told = totals->nuntimed + p->spool->lost[LOSS_GPU_DROPPED];

	if (was_cut)
		return totals->nlate;
	return totals->nunseen > told ? totals->nunseen - told : 0;
}

uint64_t gpu_loss(const struct process *p, int reason)
{
	const struct gpu_totals *totals = &p->gpu->totals;
	const char *tracing = spool_property(p->spool, "process.gpu_tracing");
	bool was_cut = p->end != PROCESS_FINISHED || p->spool->end.how == END_EXEC ||
		spool_property(p->spool, "process.gpu_flush");

	switch (reason) {
	case LOSS_TORN: return totals->ntorn;
	case LOSS_GPU_UNTIMED: return totals->nuntimed + totals->nsqueezed;
	case LOSS_GPU_LATE:
		return tracing && strcmp(tracing, "on") == 0 ? late_count(p, was_cut) : 0;
	default: return 0;
	}
}

static bool has_stream(const struct gpu *gpu, uint32_t device)
{
	for (uint32_t i = 0; i < gpu->nstreams; i++)
		if (gpu->streams[i].device == device && gpu->streams[i].lane != GPU_LANE_OFF)
			return true;
	return false;
}

/*
 * A stream for a device that has none at all. Of others those that did nothing are left out:
 * PyTorch makes 128 with its first one.
 */
static int silent_add(struct process *p)
{
	const struct spool_process *s = p->spool;
	struct gpu *gpu = p->gpu;
	uint32_t nbusy = gpu->nstreams;

	for (uint32_t i = 1; i < s->devices.n; i++) {
		uint32_t device = s->devices.at[i].def.ordinal;

		if (s->devices.at[i].name && !has_stream(gpu, device) &&
			!stream_add(gpu, &(struct gpu_stream){ .device = device }))
			return -1;
	}
	if (gpu->nstreams > nbusy)
		qsort(gpu->streams, gpu->nstreams, sizeof(*gpu->streams), compare_streams);
	return 0;
}

int gpu_number(struct merge *m, struct process *p, uint64_t *next)
{
	(void)m;
	if (!p->gpu)
		return 0;
	if (silent_add(p) < 0)
		return -1;
	p->gpu->first_location = *next;
	*next += p->gpu->nstreams;
	return 0;
}
