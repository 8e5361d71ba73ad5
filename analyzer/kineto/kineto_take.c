/* kineto_take.c - adds an event to its rank: tracks, names, details, process groups. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "kineto/kineto_event.h"
#include "tacho/nvtx_names.h"

static const int64_t time_most = INT64_C(3000000000000000000); /* ns since 1970: of 2065 */

int64_t kineto_name(struct kineto_rank *rank, const char *text, enum kineto_class class)
{
	uint64_t key = idmap_key(hash_mix(text_hash(text), (uint64_t) class));
	struct kineto_name *name;
	uint32_t number;

	while ((number = idmap_find(&rank->name_numbers, key)) != IDMAP_NONE) {
		name = &rank->names.at[number];
		if (name->class == class && strcmp(name->text, text) == 0)
			return number;
		key = idmap_key(key + 1);
	}
	name = ARRAY_ADD(&rank->names);
	if (!name || idmap_set(&rank->name_numbers, key, (uint32_t)rank->names.n - 1) < 0)
		return -1;
	*name = (struct kineto_name){ strdup(text), class, 0 };
	return name->text ? (int64_t)rank->names.n - 1 : -1;
}

int64_t kineto_track(struct kineto_rank *rank, bool is_stream, int64_t device, int64_t number)
{
	struct kineto_track *track;

	for (size_t i = 0; i < rank->tracks.n; i++) {
		track = &rank->tracks.at[i];
		if (track->number == number && track->device == device &&
			track->is_stream == is_stream)
			return (int64_t)i;
	}
	track = ARRAY_ADD(&rank->tracks);
	if (!track)
		return -1;
	*track = (struct kineto_track){ .is_stream = is_stream,
		.device = device,
		.number = number };
	return (int64_t)rank->tracks.n - 1;
}

/* Objects of Python are at other places each time: "… object at 0x7f0ca9ef07e0>". */
static void places_drop(char *name)
{
	char *at = name, *end;

	while ((at = strstr(at, " at 0x"))) {
		for (end = at + 6; isxdigit((unsigned char)*end); end++)
			;
		memmove(at, end, strlen(end) + 1);
	}
}

static bool step_number(const char *name, uint32_t *number)
{
	static const char prefix[] = "ProfilerStep#";
	char *end;
	unsigned long n;

	if (strncmp(name, prefix, sizeof(prefix) - 1) != 0 ||
		!isdigit((unsigned char)name[sizeof(prefix) - 1]))
		return false;
	n = strtoul(name + sizeof(prefix) - 1, &end, 10);
	*number = (uint32_t)n;
	return !*end && n < UINT32_MAX;
}

/* Ranges of NVTX are steps by the names of frameworks: by the first of these that the process uses. */
static bool range_is_step(struct kineto_rank *rank, const char *name, uint32_t *number)
{
	uint64_t n;
	unsigned found = step_name_find(name, rank->step_name, &n);

	if (!found)
		return false;
	rank->step_name = found;
	*number = n < UINT32_MAX ? (uint32_t)n : rank->next_step++;
	return true;
}

static bool is_step(struct kineto_rank *rank, const struct kineto_raw *raw, uint32_t *number)
{
	if (raw->class == KINETO_ANNOTATION && rank->is_export)
		return range_is_step(rank, raw->name, number);
	return (raw->class == KINETO_OP || raw->class == KINETO_ANNOTATION) &&
		step_number(raw->name, number);
}

static bool same(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static int64_t group_number(struct kineto_rank *rank, const struct kineto_raw *raw)
{
	struct kineto_group *group;

	for (size_t i = 0; i < rank->groups.n; i++)
		if (same(rank->groups.at[i].name, raw->group) &&
			same(rank->groups.at[i].ranks, raw->ranks))
			return (int64_t)i;
	group = ARRAY_ADD(&rank->groups);
	if (!group)
		return -1;
	*group = (struct kineto_group){ strdup(raw->group), strdup(raw->description),
		strdup(raw->ranks), raw->group_size, raw->first, raw->stride, UINT32_MAX };
	return group->name && group->description && group->ranks ? (int64_t)rank->groups.n - 1 : -1;
}

/* How torch.distributed calls what NCCL does; others are none of its collectives. */
static enum trace_op op_of(const char *name)
{
	static const struct {
		const char *begin;
		enum trace_op op;
	} ops[] = {
		{ "allreduce", TRACE_OP_ALLREDUCE },
		{ "all_reduce", TRACE_OP_ALLREDUCE },
		{ "barrier", TRACE_OP_ALLREDUCE },
		{ "broadcast", TRACE_OP_BROADCAST },
		{ "_broadcast", TRACE_OP_BROADCAST },
		{ "allgather", TRACE_OP_ALLGATHER },
		{ "all_gather", TRACE_OP_ALLGATHER },
		{ "_allgather", TRACE_OP_ALLGATHER },
		{ "_all_gather", TRACE_OP_ALLGATHER },
		{ "reduce_scatter", TRACE_OP_REDUCESCATTER },
		{ "reducescatter", TRACE_OP_REDUCESCATTER },
		{ "_reduce_scatter", TRACE_OP_REDUCESCATTER },
		{ "reduce", TRACE_OP_REDUCE },
		{ "_reduce", TRACE_OP_REDUCE },
		{ "all_to_all", TRACE_OP_ALLTOALL },
		{ "alltoall", TRACE_OP_ALLTOALL },
		{ "gather", TRACE_OP_GATHER },
		{ "scatter", TRACE_OP_SCATTER },
		{ "send", TRACE_OP_SEND },
		{ "recv", TRACE_OP_RECV },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
		if (strncmp(name, ops[i].begin, strlen(ops[i].begin)) == 0)
			return ops[i].op;
	return TRACE_OP_NONE;
}

static uint64_t element_bytes(const char *type)
{
	static const struct {
		const char *name;
		uint64_t bytes;
	} types[] = {
		{ "Float", 4 },
		{ "Double", 8 },
		{ "Half", 2 },
		{ "BFloat16", 2 },
		{ "Int", 4 },
		{ "Long", 8 },
		{ "Short", 2 },
		{ "Char", 1 },
		{ "Byte", 1 },
		{ "Bool", 1 },
		{ "ComplexHalf", 4 },
		{ "ComplexFloat", 8 },
		{ "ComplexDouble", 16 },
		{ "UInt16", 2 },
		{ "UInt32", 4 },
		{ "UInt64", 8 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (same(type, types[i].name))
			return types[i].bytes;
	return strncmp(type, "Float8", 6) == 0 ? 1 : 0;
}

/*
 * The size of the whole buffer. For most operations one side has it all; for gather and scatter
 * each rank has an equal part.
 */
static void operation_bytes(const struct kineto_raw *raw, struct kineto_detail *detail)
{
	int64_t in = raw->in_elements, out = raw->out_elements, elements = in > out ? in : out;
	int64_t size = (int64_t)element_bytes(raw->type), bytes;

	if (!size || elements < 0)
		return;
	if (detail->op == TRACE_OP_GATHER || detail->op == TRACE_OP_SCATTER) {
		elements = detail->op == TRACE_OP_GATHER ? in : out;
		if (__builtin_mul_overflow(size, raw->group_size, &size))
			return;
	}
	if (elements < 0 || size < 0 || __builtin_mul_overflow(elements, size, &bytes))
		return;
	detail->bytes = (uint64_t)bytes;
	detail->has_bytes = true;
}

static void operation_take(struct kineto_rank *rank, const struct kineto_raw *raw,
	struct kineto_detail *detail)
{
	detail->op = op_of(raw->collective);
	operation_bytes(raw, detail);
	detail->root = raw->root >= 0 && raw->root < INT32_MAX ? (int32_t)raw->root : -1;
	if (detail->op == TRACE_OP_SEND && raw->target >= 0 && raw->target < INT32_MAX)
		detail->peer = (int32_t)raw->target;
	if (detail->op == TRACE_OP_RECV && raw->source >= 0 && raw->source < INT32_MAX)
		detail->peer = (int32_t)raw->source;
	detail->has_seq = raw->seq >= 0;
	detail->seq = raw->seq >= 0 ? (uint64_t)raw->seq : 0;
	if (*raw->group || *raw->ranks)
		detail->group = (uint32_t)(group_number(rank, raw) + 1);
}

/* "Memcpy HtoD (Pageable -> Device)" */
static void copy_take(const struct kineto_raw *raw, struct kineto_detail *detail)
{
	static const struct {
		const char *word;
		enum trace_op op;
	} ops[] = {
		{ "HtoD", TRACE_OP_MEMCPY_H2D },
		{ "DtoH", TRACE_OP_MEMCPY_D2H },
		{ "DtoD", TRACE_OP_MEMCPY_D2D },
		{ "PtoP", TRACE_OP_MEMCPY_P2P },
		{ "Memset", TRACE_OP_MEMSET },
	};

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops) && !detail->op; i++)
		if (strstr(raw->name, ops[i].word))
			detail->op = ops[i].op;
	detail->has_bytes = raw->bytes >= 0;
	detail->bytes = raw->bytes >= 0 ? (uint64_t)raw->bytes : 0;
	detail->from_pageable = strstr(raw->name, "Pageable");
	detail->from_pinned = strstr(raw->name, "Pinned");
}

static uint32_t detail_add(struct kineto_rank *rank, const struct kineto_raw *raw)
{
	struct kineto_detail *detail;

	if (raw->class != KINETO_COPY && !*raw->collective)
		return 0;
	detail = ARRAY_ADD(&rank->details);
	if (!detail)
		return 0;
	*detail = (struct kineto_detail){ .root = -1, .peer = -1 };
	if (raw->class == KINETO_COPY)
		copy_take(raw, detail);
	else
		operation_take(rank, raw, detail);
	return (uint32_t)rank->details.n;
}

static bool is_small(int64_t number)
{
	return number >= 0 && number < UINT32_MAX;
}

static struct kineto_target *target_get(struct kineto_rank *rank, int64_t correlation)
{
	uint32_t number;
	struct kineto_target *target;

	if (!is_small(correlation) || !correlation)
		return NULL;
	number = idmap_find(&rank->target_numbers, (uint64_t)correlation);
	if (number != IDMAP_NONE)
		return &rank->targets.at[number];
	target = ARRAY_ADD(&rank->targets);
	if (!target ||
		idmap_set(&rank->target_numbers, (uint64_t)correlation,
			(uint32_t)rank->targets.n - 1) < 0)
		return NULL;
	*target = (struct kineto_target){ 0 };
	return target;
}

/* The call with that correlation is about this stream. */
static void target_stream(struct kineto_rank *rank, int64_t correlation, int64_t device,
	int64_t stream)
{
	struct kineto_target *target = is_small(stream) ? target_get(rank, correlation) : NULL;

	if (!target || target->has_stream)
		return;
	target->device = (uint32_t)device;
	target->stream = (uint32_t)stream;
	target->has_stream = true;
}

/* … and launched something on it. */
static void target_launches(struct kineto_rank *rank, int64_t correlation, int64_t device,
	int64_t stream)
{
	struct kineto_target *target;

	target_stream(rank, correlation, device, stream);
	target = target_get(rank, correlation);
	if (target)
		target->launches = true;
}

static void target_event(struct kineto_rank *rank, int64_t correlation, int64_t event)
{
	struct kineto_target *target = is_small(event) ? target_get(rank, correlation) : NULL;

	if (!target)
		return;
	target->event = (uint32_t)event;
	target->has_event = true;
}

/* What a waiting call waits for: a stream, or an event that another call recorded. */
static void sync_take(struct kineto_rank *rank, const struct kineto_raw *raw)
{
	target_stream(rank, raw->correlation, raw->device, raw->stream);
	target_event(rank, raw->correlation, raw->recorded_event);
	target_stream(rank, raw->recorded_by, raw->device, raw->recorded_stream);
	target_event(rank, raw->recorded_by, raw->recorded_event);
}

static int event_add(struct kineto_rank *rank, const struct kineto_raw *raw,
	enum kineto_class class, uint32_t step)
{
	bool is_stream = class == KINETO_KERNEL || class == KINETO_COPY;
	int64_t device = is_stream ? raw->device : 0, number = is_stream ? raw->stream : raw->tid;
	int64_t at = kineto_track(rank, is_stream, device, number);
	int64_t name = kineto_name(rank, class == KINETO_STEP ? "step" : raw->name, class);
	struct kineto_track *track = at < 0 ? NULL : &rank->tracks.at[at];
	struct kineto_event *event = track ? ARRAY_ADD(&track->events) : NULL;

	if (!event || name < 0)
		return -1;
	*event = (struct kineto_event){ .start = raw->start,
		.end = raw->start + raw->length,
		.name = (uint32_t)name,
		.correlation = is_small(raw->correlation) ? (uint32_t)raw->correlation : 0,
		.detail = is_stream ? detail_add(rank, raw) : step };
	if (track->events.n > 1 && event->start < event[-1].start)
		track->unordered = true;
	track->has_steps |= class == KINETO_STEP;
	if (is_stream)
		target_launches(rank, raw->correlation, device, number);
	else if (rank->pid < 0)
		rank->pid = raw->pid;
	rank->first = raw->start < rank->first ? raw->start : rank->first;
	rank->last = event->end > rank->last ? event->end : rank->last;
	rank->nused++;
	rank->has_class[class] = true;
	return 0;
}

int kineto_take(struct kineto_rank *rank, struct kineto_raw *raw)
{
	bool on_device = raw->class >= KINETO_KERNEL;
	enum kineto_class class = raw->class;
	uint32_t step = 0;

	if (!raw->is_complete || raw->class == KINETO_NONE)
		return 0;
	if (on_device && !is_small(raw->device)) /* the track has it as well */
		raw->device = raw->pid;
	if (on_device && raw->stream < 0)
		raw->stream = raw->tid;
	if (!*raw->name || raw->length < 0 || raw->length > time_most / 3 ||
		raw->start > time_most || raw->start < -time_most ||
		(!on_device && raw->tid == NO_NUMBER) ||
		(on_device && (!is_small(raw->device) || raw->stream < 0))) {
		rank->nbroken++;
		return 0;
	}
	if (class == KINETO_SYNC) {
		sync_take(rank, raw);
		return 0;
	}
	if (class == KINETO_PYTHON)
		places_drop(raw->name);
	if (is_step(rank, raw, &step))
		class = KINETO_STEP;
	return event_add(rank, raw, class, step);
}
