/*
 * nccl_profiler.c - NCCL's profiler plugin, which NCCL finds in this library
 * where NCCL_PROFILER_PLUGIN is STATIC_PLUGIN: algorithm, protocol and
 * channels of each collective. Of a statically linked NCCL, whose calls no
 * wrapper sees, it reports the calls too.
 *
 * RATIONALE: an operation is reported when it is launched, possibly by another
 * thread and, within a group, in another order; so the oldest of equal kind
 * and size is taken (nccl_member_take). What stopEvent says of a collective is
 * that it was enqueued, so times come from CUPTI alone.
 *
 * The structs are NCCL's interface as its versions 4, 5 and 6 have it; the
 * parts that are read here are the same in all of them. nccl_profiler_old.c
 * brings the events of versions 1 to 3 into this form.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nccl/nccl_profiler.h"
#include "nccl/nccl_proxy.h"

void nccl_announce(void)
{
	setenv("NCCL_PROFILER_PLUGIN", "STATIC_PLUGIN", 0);
}

/* NCCL's name of a function as one of ours, and how many times count the buffer is. */
static const struct {
	const char *name;
	uint16_t region;
	uint8_t op;
	bool is_scaled;
} functions[] = {
	{ "AllReduce", REGION_ncclAllReduce, TRACE_OP_ALLREDUCE, false },
	{ "Broadcast", REGION_ncclBroadcast, TRACE_OP_BROADCAST, false },
	{ "Reduce", REGION_ncclReduce, TRACE_OP_REDUCE, false },
	{ "AllGather", REGION_ncclAllGather, TRACE_OP_ALLGATHER, true },
	{ "ReduceScatter", REGION_ncclReduceScatter, TRACE_OP_REDUCESCATTER, true },
	{ "AlltoAll", REGION_ncclAlltoAll, TRACE_OP_ALLTOALL, true },
	{ "Gather", REGION_ncclGather, TRACE_OP_GATHER, true },
	{ "Scatter", REGION_ncclScatter, TRACE_OP_SCATTER, true },
	{ "Send", REGION_ncclSend, TRACE_OP_SEND, false },
	{ "Recv", REGION_ncclRecv, TRACE_OP_RECV, false },
};

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static unsigned function_of(const char *name)
{
	unsigned i = 0;

	while (i < FUNCTIONS && (!name || strcasecmp(functions[i].name, name) != 0))
		i++;
	return i;
}

const char *const tacho_nccl_types[NCCL_TYPES] = {
	"Int8",
	"Uint8",
	"Int32",
	"Uint32",
	"Int64",
	"Uint64",
	"Float16",
	"Float32",
	"Float64",
	"Bfloat16",
	"Float8e4m3",
	"Float8e5m2",
};

static uint64_t type_bytes(const char *name)
{
	if (!name)
		return 0;
	if (!strncmp(name, "nccl", 4))
		name += 4;
	for (int i = 0; i < NCCL_TYPES; i++)
		if (!strcasecmp(tacho_nccl_types[i], name))
			return nccl_type_bytes(i);
	return 0;
}

static unsigned algorithm_of(const char *name)
{
#define NAME(id, text)                                                                             \
	if (name && !strcasecmp(name, text))                                                       \
		return TRACE_ALGORITHM_##id;
	TRACE_ALGORITHMS(NAME)
#undef NAME
	return TRACE_ALGORITHM_NONE;
}

static unsigned protocol_of(const char *name)
{
#define NAME(id, text)                                                                             \
	if (name && !strcasecmp(name, text))                                                       \
		return TRACE_PROTOCOL_##id;
	TRACE_PROTOCOLS(NAME)
#undef NAME
	return TRACE_PROTOCOL_NONE;
}

static uint64_t bytes_of(const struct context *context, unsigned function, size_t count,
	const char *type)
{
	return count * type_bytes(type) *
		(functions[function].is_scaled ? (uint64_t)context->size : 1);
}

/* The root as the records have it. */
static uint32_t root_of(unsigned op, int root)
{
	switch (op) {
	case TRACE_OP_BROADCAST:
	case TRACE_OP_REDUCE:
	case TRACE_OP_GATHER:
	case TRACE_OP_SCATTER: return (uint32_t)root;
	default: return SPOOL_NCCL_NO_PEER;
	}
}

/* How a collective is carried out. */
static void plan_record(struct nccl_member *member, uint32_t seq, const struct descriptor *event)
{
	struct thread *self = nccl_thread_self(REGION_ncclGroupEnd);
	uint64_t word = (uint64_t)seq | (uint64_t)algorithm_of(event->coll.algorithm) << 32 |
		(uint64_t)protocol_of(event->coll.protocol) << 40 |
		(uint64_t)event->coll.nchannels << 48;

	/* its descriptor is that of EVENT_COLL up to the type */
	if (event->type == EVENT_CE_COLL)
		word = (uint64_t)seq | (uint64_t)TRACE_ALGORITHM_COPY_ENGINE << 32;

	if (self && nccl_member_define(member))
		span_record(self, SPOOL_NCCL_PLAN, REGION_NONE, member->id, &word, 1);
}

/*
 * A place for a call in progress. There are more than a thread can have
 * open, so one that is handed out again has ended.
 */
static struct profiler_event *event_begin(struct context *context, struct nccl_member *member,
	unsigned region)
{
	struct thread *self = nccl_thread_self(region);
	struct profiler_event *event;

	if (!self)
		return NULL;
	event = &context->events[atomic_fetch_add(&context->nevents, 1) % EVENTS];
	*event = (struct profiler_event){ .member = member,
		.peer = SPOOL_NCCL_NO_PEER,
		.group = tacho_nccl_thread.group };
	event->span = span_begin_at(self, region, nccl_member_define(member), 0, SPAN_NO_FRAME);
	return event;
}

static void event_end(struct profiler_event *event)
{
	uint64_t payload[] = { event->bytes, spool_pair(event->seq, event->peer),
		spool_pair(event->group, SPOOL_STREAM_NONE) };

	/* the launch as well is reported with its communicator */
	span_leave(&event->span, SPOOL_NCCL, event->member->id, payload, 3);
	event->span.self = NULL;
}

static void coll_start(struct context *context, struct nccl_member *member,
	const struct descriptor *event, bool has_api)
{
	unsigned function = function_of(event->coll.function);
	uint64_t bytes;
	uint32_t seq;

	if (function == FUNCTIONS)
		return;
	bytes = bytes_of(context, function, event->coll.count, event->coll.type);
	if (!member->comm && !has_api) { /* an interface without events of calls */
		struct profiler_event *call = event_begin(context, member,
			functions[function].region);

		seq = nccl_member_ask(member, functions[function].op, bytes);
		if (call) {
			call->bytes = bytes;
			call->seq = seq;
			call->peer = root_of(functions[function].op, event->coll.root);
			event_end(call);
		}
	}
	seq = nccl_member_take(member, functions[function].op, bytes);
	if (seq != UINT32_MAX)
		plan_record(member, seq, event);
}

/* A call of a static NCCL. */
static struct profiler_event *coll_api_start(struct context *context, struct nccl_member *member,
	const struct descriptor *event)
{
	unsigned function = function_of(event->coll_api.function);
	struct profiler_event *call;
	uint64_t bytes;
	uint32_t seq;

	if (function == FUNCTIONS)
		return NULL;
	bytes = bytes_of(context, function, event->coll_api.count, event->coll_api.type);
	seq = nccl_member_ask(member, functions[function].op, bytes);
	call = event_begin(context, member, functions[function].region);
	if (!call)
		return NULL;
	call->bytes = bytes;
	call->seq = seq;
	call->peer = root_of(functions[function].op, event->coll_api.root);
	return call;
}

/* A message of a static NCCL: events of the call do not name the peer, those of the task do. */
static void p2p_start(struct context *context, struct nccl_member *member,
	const struct descriptor *event)
{
	unsigned function = function_of(event->p2p.function);
	struct profiler_event *call;

	if (function == FUNCTIONS)
		return;
	call = event_begin(context, member, functions[function].region);
	if (!call)
		return;
	call->bytes = bytes_of(context, function, event->p2p.count, event->p2p.type);
	call->peer = (uint32_t)event->p2p.peer;
	event_end(call);
}

static struct profiler_event *static_start(struct context *context, struct nccl_member *member,
	unsigned type, const struct descriptor *event)
{
	static _Atomic uint32_t groups;

	switch (type) {
	case EVENT_GROUP_API:
		tacho_nccl_thread.group = atomic_fetch_add(&groups, 1) + 1;
		return NULL;
	case EVENT_COLL_API: return coll_api_start(context, member, event);
	case EVENT_P2P: p2p_start(context, member, event); return NULL;
	case EVENT_KERNEL_LAUNCH: /* the launch call is nested in this */
		return event_begin(context, member, REGION_ncclGroupEnd);
	default: return NULL;
	}
}

/* The communicator of an event in a version that does not name it to init(). */
static struct nccl_member *guess(struct context *context, const struct descriptor *event)
{
	unsigned function = function_of(event->coll.function);

	if (function == FUNCTIONS)
		return NULL;
	return nccl_pair_guess(context, event->rank, functions[function].op,
		event->coll.count * type_bytes(event->coll.type), functions[function].is_scaled);
}

int nccl_plugin_start(struct context *context, void **handle, unsigned type,
	const struct descriptor *event, bool has_api)
{
	static struct profiler_event group;
	struct nccl_member *member;
	int saved = errno;

	*handle = NULL;
	if (nccl_is_off())
		return NCCL_SUCCESS;
	if (nccl_proxy_has(type)) {
		*handle = nccl_proxy_start(context, type, event);
		errno = saved;
		return NCCL_SUCCESS;
	}
	if (!context)
		return NCCL_SUCCESS;
	if (type == EVENT_GROUP && !has_api) { /* without a handle NCCL has no information of it */
		*handle = &group;
		return NCCL_SUCCESS;
	}
	member = nccl_pair_member(context);
	if (!member && type == EVENT_COLL && context->rank < 0)
		member = guess(context, event);
	if (member && (type == EVENT_COLL || type == EVENT_CE_COLL))
		coll_start(context, member, event, has_api);
	else if (member && !member->comm)
		*handle = static_start(context, member, type, event);
	errno = saved;
	return NCCL_SUCCESS;
}

static int event_start_4(void *context, void **handle, const struct descriptor *event)
{
	return nccl_plugin_start(context, handle, (uint8_t)event->type, event, false);
}

static int event_start_5(void *context, void **handle, const struct descriptor *event)
{
	return nccl_plugin_start(context, handle, (unsigned)event->type, event, true);
}

int nccl_plugin_stop(void *handle)
{
	struct profiler_event *event = handle;

	if (event && event->kind != HANDLE_CALL) {
		nccl_proxy_stop(handle);
		return NCCL_SUCCESS;
	}
	/* not one that another thread has been given since: a spool has one writer */
	if (event && event->span.self && event->span.self == tacho_self)
		event_end(event);
	return NCCL_SUCCESS;
}

int nccl_plugin_state(void *handle, int state, void *arguments)
{
	const struct profiler_event *event = handle;

	if (event && event->kind != HANDLE_CALL)
		nccl_proxy_state(handle, state, arguments);
	return NCCL_SUCCESS;
}

/*
 * KernelCh events are never asked for, those of the proxy and the network of a sample of collectives only
 * (nccl_proxy.h): of all they cost the program up to 13 % of a collective's time.
 */
int nccl_plugin_init(void **handle, int *mask, uint64_t hash, int size, int rank)
{
	int saved = errno;
	struct context *context = nccl_is_off() ? NULL : calloc(1, sizeof(*context));

	*handle = context;
	*mask = 0;
	if (context) {
		context->hash = hash;
		context->size = size;
		context->rank = rank;
		context->mask = rank < 0 ? NULL : mask; /* before version 4 the events are others */
		nccl_pair_add(context);
		*mask = EVENT_COLL;
		/* calls are reported only where the size is, which they need */
		if (!atomic_load(&tacho_nccl_is_wrapped) && size >= 0)
			*mask |= EVENT_P2P | EVENT_GROUP_API | EVENT_COLL_API | EVENT_KERNEL_LAUNCH;
	}
	errno = saved;
	return NCCL_SUCCESS;
}

static int init_4(void **context, int *mask, const char *name, uint64_t hash, int nnodes, int size,
	int rank, void *log)
{
	(void)name, (void)nnodes, (void)log;
	return nccl_plugin_init(context, mask, hash, size, rank);
}

static int init_5(void **context, uint64_t hash, int *mask, const char *name, int nnodes, int size,
	int rank, void *log)
{
	(void)name, (void)nnodes, (void)log;
	return nccl_plugin_init(context, mask, hash, size, rank);
}

static int init_6(void **context, uint64_t hash, int *mask, const char *name, int nnodes, int size,
	int rank, void *log)
{
	int ret = init_5(context, hash, mask, name, nnodes, size, rank, log);

	if (*mask)
		*mask |= EVENT_CE_COLL;
	return ret;
}

/* Communicators are few and what is still under way may hold the context, so it stays. */
int nccl_plugin_finalize(void *context)
{
	(void)context;
	return NCCL_SUCCESS;
}

PLUGIN(4, init_4, event_start_4)
PLUGIN(5, init_5, event_start_5)
PLUGIN(6, init_6, event_start_5)
