/*
 * nccl_profiler.c - NCCL's profiler plugin, which NCCL finds in this library
 * where NCCL_PROFILER_PLUGIN is STATIC_PLUGIN: algorithm, protocol and
 * channels of each collective. Of a statically linked NCCL, whose calls no
 * wrapper sees, it tells the calls too.
 *
 * RATIONALE: the plugin is told of communicators by a number, a size and a
 * rank, the wrappers see handles; nothing says which belongs to which. But
 * NCCL calls init() while it makes the communicator, so the oldest of equal
 * size and rank that has no partner yet is the one. An operation is told when
 * it is launched, possibly by another thread and, within a group, in another
 * order; so the oldest of equal kind and size is taken (nccl_member_take).
 * What stopEvent says of a collective is that it was enqueued, so times come
 * from CUPTI alone.
 *
 * The structs are NCCL's interface as its versions 4, 5 and 6 have it; the
 * parts that are read here are the same in all of them.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nccl_call.h"

#define EVENTS	256		/* calls in progress per communicator; power of two */

/* Kinds of event. */
enum {
	EVENT_COLL = 1 << 1, EVENT_P2P = 1 << 2, EVENT_GROUP_API = 1 << 8, EVENT_COLL_API = 1 << 9,
	EVENT_KERNEL_LAUNCH = 1 << 11,
};

/* What NCCL says of an event: the members that are read. */
struct descriptor {
	uint64_t type;			/* a byte in version 4 */
	void *parent;
	int rank;
	union {
		struct {
			uint64_t seq;	/* per function, not per communicator */
			const char *function;
			const void *send;
			void *recv;
			size_t count;
			int root;
			const char *type;
			uint8_t nchannels, nwarps;
			const char *algorithm, *protocol;
		} coll;
		struct {
			const char *function;
			void *buffer;
			const char *type;
			size_t count;
			int peer;
			uint8_t nchannels;
		} p2p;
		struct {
			const char *function;
			size_t count;
			const char *type;
			int root;
			void *stream;
		} coll_api;
	};
};

/* A call of a static NCCL in progress. */
struct event {
	struct span span;
	uint64_t bytes;
	uint32_t seq, peer, group;
	struct nccl_member *member;
};

/* What init() was told. */
struct context {
	struct context *next;		/* of those without partner, oldest first */
	uint64_t hash;
	int size, rank;
	struct nccl_member *_Atomic member;
	_Atomic uint32_t nevents;
	struct event events[EVENTS];
};

_Atomic uint32_t tacho_nccl_is_wrapped;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct context *contexts;		/* without partner, oldest first */
static struct nccl_member *awaited[64];		/* being made; the ring's oldest are given up */
static unsigned nawaited;

void nccl_announce(void)
{
	setenv("NCCL_PROFILER_PLUGIN", "STATIC_PLUGIN", 0);
}

static bool are_partners(const struct context *context, const struct nccl_member *member)
{
	return (member->size < 0 || context->size == member->size) &&
	       (member->rank < 0 || context->rank == member->rank);
}

static void partner(struct context *context, struct nccl_member *member)
{
	if (member->size < 0)
		member->size = context->size;
	if (member->rank < 0)
		member->rank = context->rank;
	atomic_store(&member->has_plugin, 1);
	atomic_store(&context->member, member);
}

void nccl_profiler_link(struct nccl_member *member, bool is_ready)
{
	pthread_mutex_lock(&mutex);
	for (struct context **at = &contexts; *at; at = &(*at)->next)
		if (are_partners(*at, member)) {
			struct context *found = *at;

			*at = found->next;
			partner(found, member);
			break;
		}
	if (!is_ready && !atomic_load(&member->has_plugin))
		awaited[nawaited++ % 64] = member;
	pthread_mutex_unlock(&mutex);
}

static void context_add(struct context *context)
{
	struct context **at = &contexts;

	pthread_mutex_lock(&mutex);
	for (unsigned i = nawaited < 64 ? 0 : nawaited - 64; i < nawaited; i++) {
		struct nccl_member *member = awaited[i % 64];

		if (!member || !are_partners(context, member))
			continue;
		partner(context, member);
		awaited[i % 64] = NULL;
		break;
	}
	if (!atomic_load(&context->member)) {
		while (*at)
			at = &(*at)->next;
		*at = context;
	}
	pthread_mutex_unlock(&mutex);
}

/* No wrapper made it: NCCL is linked statically, and all that is known of it is told here. */
static struct nccl_member *member_of(struct context *context)
{
	struct nccl_member *member = atomic_load(&context->member);
	struct nccl_member model = { .hash = context->hash, .size = context->size,
				     .rank = context->rank, .device = -1 };

	if (member || atomic_load(&tacho_nccl_is_wrapped))
		return member;
	pthread_mutex_lock(&mutex);
	for (struct context **at = &contexts; *at; at = &(*at)->next)
		if (*at == context) {
			*at = context->next;
			break;
		}
	member = atomic_load(&context->member);
	if (!member) {
		member = nccl_member_add(&model, NULL, true);
		atomic_store(&context->member, member);
	}
	pthread_mutex_unlock(&mutex);
	return member;
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

static uint64_t type_bytes(const char *name)
{
	static const char *const names[] = {
		"Int8", "Uint8", "Int32", "Uint32", "Int64", "Uint64", "Float16", "Float32", "Float64",
		"Bfloat16", "Float8e4m3", "Float8e5m2",
	};

	if (!name)
		return 0;
	if (!strncmp(name, "nccl", 4))
		name += 4;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcasecmp(names[i], name))
			return nccl_type_bytes((int)i);
	return 0;
}

static unsigned algorithm_of(const char *name)
{
#define NAME(id, text) if (name && !strcasecmp(name, text)) return TRACE_ALGORITHM_##id;
	TRACE_ALGORITHMS(NAME)
#undef NAME
	return TRACE_ALGORITHM_NONE;
}

static unsigned protocol_of(const char *name)
{
#define NAME(id, text) if (name && !strcasecmp(name, text)) return TRACE_PROTOCOL_##id;
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
	case TRACE_OP_BROADCAST: case TRACE_OP_REDUCE: case TRACE_OP_GATHER: case TRACE_OP_SCATTER:
		return (uint32_t)root;
	default:
		return SPOOL_NCCL_NO_PEER;
	}
}

/* How a collective is carried out. */
static void plan_tell(struct nccl_member *member, uint32_t seq, const struct descriptor *event)
{
	struct thread *self = thread_self(REGION_ncclGroupEnd);
	uint64_t word = (uint64_t)seq | (uint64_t)algorithm_of(event->coll.algorithm) << 32 |
			(uint64_t)protocol_of(event->coll.protocol) << 40 |
			(uint64_t)event->coll.nchannels << 48;

	if (self && nccl_member_define(member))
		span_record(self, SPOOL_NCCL_PLAN, REGION_NONE, member->id, &word, 1);
}

/*
 * A place for a call in progress. There are more than a thread can have
 * open, so one that is handed out again has ended.
 */
static struct event *event_begin(struct context *context, struct nccl_member *member,
				 unsigned region)
{
	struct thread *self = thread_self(region);
	struct event *event;

	if (!self)
		return NULL;
	event = &context->events[atomic_fetch_add(&context->nevents, 1) % EVENTS];
	*event = (struct event){ .member = member, .peer = SPOOL_NCCL_NO_PEER,
				 .group = tacho_nccl_thread.group };
	event->span = span_begin(self, region, nccl_member_define(member));
	return event;
}

static void event_end(struct event *event)
{
	uint64_t payload[] = { event->bytes, spool_pair(event->seq, event->peer),
			       spool_pair(event->group, SPOOL_STREAM_NONE) };

	/* the launch, too, is told with its communicator */
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
	if (!member->comm && !has_api) {		/* an interface without events of calls */
		struct event *call = event_begin(context, member, functions[function].region);

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
		plan_tell(member, seq, event);
}

/* A call of a static NCCL. */
static struct event *coll_api_start(struct context *context, struct nccl_member *member,
				    const struct descriptor *event)
{
	unsigned function = function_of(event->coll_api.function);
	struct event *call;
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

/* A message of a static NCCL: events of the call do not tell the peer, those of the task do. */
static void p2p_start(struct context *context, struct nccl_member *member,
		      const struct descriptor *event)
{
	unsigned function = function_of(event->p2p.function);
	struct event *call;

	if (function == FUNCTIONS)
		return;
	call = event_begin(context, member, functions[function].region);
	if (!call)
		return;
	call->bytes = bytes_of(context, function, event->p2p.count, event->p2p.type);
	call->peer = (uint32_t)event->p2p.peer;
	event_end(call);
}

static struct event *static_start(struct context *context, struct nccl_member *member,
				  unsigned type, const struct descriptor *event)
{
	static _Atomic uint32_t groups;

	switch (type) {
	case EVENT_GROUP_API:
		tacho_nccl_thread.group = atomic_fetch_add(&groups, 1) + 1;
		return NULL;
	case EVENT_COLL_API:
		return coll_api_start(context, member, event);
	case EVENT_P2P:
		p2p_start(context, member, event);
		return NULL;
	case EVENT_KERNEL_LAUNCH:		/* the launch call is nested in this */
		return event_begin(context, member, REGION_ncclGroupEnd);
	default:
		return NULL;
	}
}

static int start(struct context *context, void **handle, unsigned type,
		 const struct descriptor *event, bool has_api)
{
	struct nccl_member *member;
	int saved = errno;

	*handle = NULL;
	if (!context || nccl_is_off())
		return NCCL_SUCCESS;
	member = member_of(context);
	if (member && type == EVENT_COLL)
		coll_start(context, member, event, has_api);
	else if (member && !member->comm)
		*handle = static_start(context, member, type, event);
	errno = saved;
	return NCCL_SUCCESS;
}

static int event_start_4(void *context, void **handle, const struct descriptor *event)
{
	return start(context, handle, (uint8_t)event->type, event, false);
}

static int event_start_5(void *context, void **handle, const struct descriptor *event)
{
	return start(context, handle, (unsigned)event->type, event, true);
}

static int event_stop(void *handle)
{
	struct event *event = handle;

	/* not one that another thread has been given since: a spool has one writer */
	if (event && event->span.self && event->span.self == tacho_self)
		event_end(event);
	return NCCL_SUCCESS;
}

static int event_state(void *handle, int state, void *arguments)
{
	(void)handle, (void)state, (void)arguments;
	return NCCL_SUCCESS;
}

/*
 * KernelCh, proxy and network events are never asked for: they cost the
 * program up to 13 % of a collective's time.
 */
static int init(void **handle, int *mask, uint64_t hash, int size, int rank)
{
	int saved = errno;
	struct context *context = nccl_is_off() ? NULL : calloc(1, sizeof(*context));

	*handle = context;
	*mask = 0;
	if (context) {
		context->hash = hash;
		context->size = size;
		context->rank = rank;
		context_add(context);
		*mask = EVENT_COLL;
		if (!atomic_load(&tacho_nccl_is_wrapped))
			*mask |= EVENT_P2P | EVENT_GROUP_API | EVENT_COLL_API | EVENT_KERNEL_LAUNCH;
	}
	errno = saved;
	return NCCL_SUCCESS;
}

static int init_4(void **context, int *mask, const char *name, uint64_t hash, int nnodes, int size,
		  int rank, void *log)
{
	(void)name, (void)nnodes, (void)log;
	return init(context, mask, hash, size, rank);
}

static int init_5(void **context, uint64_t hash, int *mask, const char *name, int nnodes, int size,
		  int rank, void *log)
{
	(void)name, (void)nnodes, (void)log;
	return init(context, mask, hash, size, rank);
}

/* Communicators are few and what is still under way may hold the context, so it stays. */
static int finalize(void *context)
{
	(void)context;
	return NCCL_SUCCESS;
}

/* The plugin's table as NCCL looks it up; functions that only differ in a struct have one type. */
#define PLUGIN(version, init_type, start)					\
	TACHO_EXPORT const struct {						\
		const char *name;						\
		__typeof__(&init_type) init;					\
		__typeof__(&start) start_event;					\
		int (*stop_event)(void *handle);				\
		int (*record_event_state)(void *handle, int state, void *arguments);	\
		int (*finalize)(void *context);					\
	} ncclProfiler_v##version = {						\
		"tacho", init_type, start, event_stop, event_state, finalize,	\
	};

PLUGIN(4, init_4, event_start_4)
PLUGIN(5, init_5, event_start_5)
PLUGIN(6, init_5, event_start_5)
