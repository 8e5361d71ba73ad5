/* cuda_decode.c - one activity record of CUPTI's becomes one of ours; see cuda_capture.h. */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "cuda/cuda_callbacks.h"
#include "cuda/cupti_records.h"
#include "core/define.h"
#include "core/process.h"

#define STREAM_FLAG_NON_BLOCKING 2
#define STREAM_FLAG_NULL	 3

/* By CUPTI's kinds: HtoD 1, DtoH, HtoA, AtoH, AtoA, AtoD, DtoA, DtoD, HtoH, PtoP 10. */
static const uint8_t copies[] = {
	SPOOL_COPY_OTHER,
	SPOOL_COPY_H2D,
	SPOOL_COPY_D2H,
	SPOOL_COPY_H2D,
	SPOOL_COPY_D2H,
	SPOOL_COPY_D2D,
	SPOOL_COPY_D2D,
	SPOOL_COPY_D2D,
	SPOOL_COPY_D2D,
	SPOOL_COPY_OTHER,
	SPOOL_COPY_P2P,
};

/* By CUPTI's kinds; the last two are device and managed memory of the program's own variables. */
static const uint8_t memories[] = {
	SPOOL_MEMORY_UNKNOWN,
	SPOOL_MEMORY_PAGEABLE,
	SPOOL_MEMORY_PINNED,
	SPOOL_MEMORY_DEVICE,
	SPOOL_MEMORY_ARRAY,
	SPOOL_MEMORY_MANAGED,
	SPOOL_MEMORY_DEVICE,
	SPOOL_MEMORY_MANAGED,
};

static enum spool_memory memory_of(unsigned kind)
{
	return kind < sizeof(memories) ? memories[kind] : SPOOL_MEMORY_UNKNOWN;
}

/* Libraries before CUDA 11.1 end their records before the node. */
static uint64_t node_of(uint64_t node)
{
	return tacho_cupti.version >= CUPTI_VERSION_NODES ? node : 0;
}

static uint32_t saturated(uint64_t n, uint32_t most)
{
	return n < most ? (uint32_t)n : most;
}

/* Times, place and correlation, which all activities of devices have. */
static enum decoded place_set(struct gpu_record *r, uint64_t start, uint64_t end, uint32_t device,
	uint32_t context, uint32_t stream, uint32_t correlation)
{
	if (!start || end < start)
		return DECODED_UNTIMED;
	cuda_context_learn(context, device);
	r->start = cuda_ticks(start);
	r->end = cuda_ticks(end);
	if (!cuda_is_recorded(r->start, r->end))
		return DECODED_UNTIMED;
	r->device = device;
	r->context = context;
	r->stream = stream == CUPTI_INVALID_STREAM ? SPOOL_STREAM_NONE
						   : cuda_stream_number(context, stream);
	r->correlation = correlation;
	r->words[0] = spool_pair(correlation, r->stream);
	r->words[1] = spool_pair(device, context);
	return DECODED_RECORD;
}

static enum decoded decode_kernel(const void *at, struct gpu_record *r)
{
	const struct cupti_kernel *k = at;
	uint64_t blocks = (uint64_t)(uint32_t)k->grid[0] * (uint32_t)k->grid[1] *
		(uint32_t)k->grid[2];
	uint64_t threads = (uint64_t)(uint32_t)k->block[0] * (uint32_t)k->block[1] *
		(uint32_t)k->block[2];
	enum decoded ret = place_set(r, k->start, k->end, k->device, k->context, k->stream,
		k->correlation);

	if (ret != DECODED_RECORD)
		return ret;
	r->type = SPOOL_KERNEL;
	r->a = cuda_kernel_number(k->name);
	r->words[2] = saturated(blocks, UINT32_MAX) |
		(uint64_t)saturated(threads, UINT16_MAX) << 32 | (uint64_t)k->registers << 48;
	r->words[3] = node_of(k->node);
	r->nwords = 4;
	return ret;
}

/* A whole launch of a graph takes its device as one kernel does. */
static enum decoded decode_graph(const void *at, struct gpu_record *r)
{
	const struct cupti_graph_launch *g = at;

	r->type = SPOOL_KERNEL;
	r->a = cuda_kernel_number("CUDA graph");
	r->nwords = 4;
	return place_set(r, g->start, g->end, g->device, g->context, g->stream, g->correlation);
}

static enum decoded decode_memcpy(const void *at, struct gpu_record *r)
{
	const struct cupti_memcpy *c = at;
	enum spool_copy op = c->copy < sizeof(copies) ? copies[c->copy] : SPOOL_COPY_OTHER;

	if (op == SPOOL_COPY_P2P) /* the other device is reported by KIND_MEMCPY2 only */
		op = SPOOL_COPY_OTHER;
	r->type = SPOOL_COPY;
	r->a = spool_copy_word(op, memory_of(c->source), memory_of(c->dest),
		c->flags & SPOOL_COPY_ASYNC);
	r->words[2] = c->bytes;
	r->words[3] = node_of(c->node);
	r->nwords = 4;
	return place_set(r, c->start, c->end, c->device, c->context, c->stream, c->correlation);
}

static enum decoded decode_memcpy2(const void *at, struct gpu_record *r)
{
	const struct cupti_memcpy2 *c = at;

	r->type = SPOOL_COPY;
	r->a = spool_copy_word(SPOOL_COPY_P2P, memory_of(c->source), memory_of(c->dest),
		c->flags & SPOOL_COPY_ASYNC);
	r->words[2] = c->bytes;
	r->words[3] = node_of(c->node);
	r->words[4] = c->device == c->dest_device ? c->source_device : c->dest_device;
	r->nwords = 5;
	return place_set(r, c->start, c->end, c->device, c->context, c->stream, c->correlation);
}

static enum decoded decode_memset(const void *at, struct gpu_record *r)
{
	const struct cupti_memset *s = at;

	r->type = SPOOL_COPY;
	r->a = spool_copy_word(SPOOL_COPY_MEMSET, SPOOL_MEMORY_UNKNOWN, memory_of(s->memory),
		s->flags & SPOOL_COPY_ASYNC);
	r->words[2] = s->bytes;
	r->words[3] = node_of(s->node);
	r->nwords = 4;
	return place_set(r, s->start, s->end, s->device, s->context, s->stream, s->correlation);
}

static enum decoded decode_sync(const void *at, struct gpu_record *r)
{
	const struct cupti_sync *s = at;

	r->type = SPOOL_GPU_SYNC;
	r->a = s->type;
	r->words[2] = s->event;
	r->nwords = 3;
	return place_set(r, s->start, s->end, cuda_context_device(s->context), s->context,
		s->stream, s->correlation);
}

static enum decoded decode_overhead(const void *at, struct gpu_record *r)
{
	const struct cupti_overhead *o = at;

	if (!o->start || o->end < o->start)
		return DECODED_UNTIMED;
	r->type = SPOOL_OVERHEAD;
	r->a = o->overhead;
	r->start = cuda_ticks(o->start);
	r->end = cuda_ticks(o->end);
	r->words[0] = o->thread;
	r->nwords = 1;
	return cuda_is_recorded(r->start, r->end) ? DECODED_RECORD : DECODED_UNTIMED;
}

/* Of a launch; other calls are another profiler's. */
static enum decoded decode_api(const void *at, struct gpu_record *r)
{
	const struct cupti_api *c = at;

	r->start = cuda_ticks(c->start);
	r->region = cuda_launch_by_record(c->kind == KIND_RUNTIME ? DOMAIN_RUNTIME : DOMAIN_DRIVER,
		c->number, r->start);
	if (!r->region)
		return DECODED_NOTHING;
	if (!c->start || c->end < c->start)
		return DECODED_UNTIMED;
	r->type = SPOOL_LAUNCH;
	r->a = c->result ? 0 : c->correlation; /* a call that failed has launched nothing */
	r->end = cuda_ticks(c->end);
	r->words[0] = c->thread;
	r->nwords = 1;
	return cuda_is_recorded(r->start, r->end) ? DECODED_RECORD : DECODED_UNTIMED;
}

static void stream_define(uint32_t context, uint32_t stream, uint32_t flags, uint32_t priority)
{
	struct spool_def_stream body = { .device = cuda_context_device(context),
		.context = context,
		.stream = cuda_stream_number(context, stream),
		.flags = flags,
		.priority = (int32_t)priority };

	if (body.device != SPOOL_DEVICE_NONE)
		process_define(&(struct def){ .type = DEF_STREAM,
			.id = process_allot(DEF_STREAM),
			.body = &body,
			.nbody = sizeof(body) });
}

static enum decoded decode_stream(const void *at, struct gpu_record *r)
{
	const struct cupti_stream *s = at;

	(void)r;
	stream_define(s->context, s->stream,
		s->flag == STREAM_FLAG_NULL		      ? STREAM_DEFAULT
			: s->flag == STREAM_FLAG_NON_BLOCKING ? STREAM_NON_BLOCKING
							      : 0,
		s->priority);
	return DECODED_NOTHING;
}

static enum decoded decode_context(const void *at, struct gpu_record *r)
{
	const struct cupti_context *c = at;

	(void)r;
	cuda_context_learn(c->context, c->device);
	stream_define(c->context, c->null_stream, STREAM_DEFAULT, 0);
	return DECODED_NOTHING;
}

/* `least`: bytes that every version of the record has; `most`: of our view of it. */
static const struct decoder {
	uint16_t kind, least, most;
	enum decoded (*decode)(const void *at, struct gpu_record *record);
} decoders[] = {
	{ KIND_CONCURRENT_KERNEL, 144, sizeof(struct cupti_kernel), decode_kernel },
	{ KIND_KERNEL, 144, sizeof(struct cupti_kernel), decode_kernel },
	{ KIND_MEMCPY, 64, sizeof(struct cupti_memcpy), decode_memcpy },
	{ KIND_MEMSET, 64, sizeof(struct cupti_memset), decode_memset },
	{ KIND_SYNCHRONIZATION, sizeof(struct cupti_sync), sizeof(struct cupti_sync), decode_sync },
	{ KIND_OVERHEAD, sizeof(struct cupti_overhead), sizeof(struct cupti_overhead),
		decode_overhead },
	{ KIND_MEMCPY2, 72, sizeof(struct cupti_memcpy2), decode_memcpy2 },
	{ KIND_GRAPH, sizeof(struct cupti_graph_launch), sizeof(struct cupti_graph_launch),
		decode_graph },
	{ KIND_DRIVER, sizeof(struct cupti_api), sizeof(struct cupti_api), decode_api },
	{ KIND_RUNTIME, sizeof(struct cupti_api), sizeof(struct cupti_api), decode_api },
	{ KIND_STREAM, sizeof(struct cupti_stream), sizeof(struct cupti_stream), decode_stream },
	{ KIND_CONTEXT, sizeof(struct cupti_context), sizeof(struct cupti_context),
		decode_context },
};

enum decoded cuda_decode(const void *activity, size_t room, struct gpu_record *record)
{
	/* a copy with zeroes after it: older records are shorter, and not all are on 8 bytes */
	_Alignas(8) unsigned char view[sizeof(struct cupti_kernel)] = { 0 };
	uint32_t kind;

	if (room < sizeof(kind))
		return DECODED_SHORT;
	memcpy(&kind, activity, sizeof(kind));
	for (size_t i = 0; i < sizeof(decoders) / sizeof(*decoders); i++) {
		const struct decoder *decoder = &decoders[i];

		if (decoder->kind != kind)
			continue;
		if (room < decoder->least)
			return DECODED_SHORT;
		memcpy(view, activity, room < decoder->most ? room : decoder->most);
		*record = (struct gpu_record){ 0 };
		return decoder->decode(view, record);
	}
	return DECODED_NOTHING;
}

bool cuda_is_incomplete(const void *activity, size_t room)
{
	static const struct {
		uint32_t kind;
		uint8_t end, device, correlation;
	} kinds[] = {
#define FIELDS(kind, view)                                                                         \
	{ kind, offsetof(struct view, end), offsetof(struct view, device),                         \
		offsetof(struct view, correlation) }
		FIELDS(KIND_CONCURRENT_KERNEL, cupti_kernel),
		FIELDS(KIND_MEMCPY, cupti_memcpy),
		FIELDS(KIND_MEMCPY2, cupti_memcpy2),
		FIELDS(KIND_MEMSET, cupti_memset),
		FIELDS(KIND_GRAPH, cupti_graph_launch),
	};
	uint32_t kind, device, correlation;
	uint64_t end;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (room < kinds[i].correlation + sizeof(correlation) ||
			room < kinds[i].device + sizeof(device))
			continue;
		memcpy(&kind, activity, sizeof(kind));
		memcpy(&end, (const char *)activity + kinds[i].end, sizeof(end));
		memcpy(&device, (const char *)activity + kinds[i].device, sizeof(device));
		memcpy(&correlation, (const char *)activity + kinds[i].correlation,
			sizeof(correlation));
		if (kind == kinds[i].kind && !end && device <= UINT16_MAX && correlation)
			return true;
	}
	return false;
}
