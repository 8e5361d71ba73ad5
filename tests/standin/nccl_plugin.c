/*
 * nccl_plugin.c - the stand-in for NCCL loads a profiler plugin as NCCL 2.28
 * does (NCCL_PROFILER_PLUGIN: a library, or STATIC_PLUGIN for what is loaded)
 * and calls it in NCCL's order: of a call, its API event, the kernel's launch,
 * and after the launch the plan's tasks. Up to version 4 of the interface
 * there are the tasks alone, and those only if their group got a handle.
 * STANDIN_NCCL_PROFILER=1 to 6 leaves it one version to look for.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nccl_plugin.h"

typedef int (*init_1)(void **, int *);
typedef int (*init_4)(void **, int *, const char *, uint64_t, int, int, int, void *);
typedef int (*init_5)(void **, uint64_t, int *, const char *, int, int, int, void *);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const struct table *table;
static int version, mask;

static void *library_open(void)
{
	const char *name = getenv("NCCL_PROFILER_PLUGIN");

	if (name && !strcasecmp(name, "none"))
		return NULL;
	if (name && !strcasecmp(name, "STATIC_PLUGIN"))
		return dlopen(NULL, RTLD_NOW | RTLD_LOCAL);
	return dlopen(name && *name ? name : "libnccl-profiler.so", RTLD_NOW | RTLD_LOCAL);
}

static void plugin_load(void)
{
	static const int versions[] = { 6, 5, 4, 3, 2, 1 };
	const char *only = getenv("STANDIN_NCCL_PROFILER");
	static bool is_done;
	void *library;
	char name[32];

	pthread_mutex_lock(&mutex);
	library = is_done ? NULL : library_open();
	is_done = true;
	for (size_t i = 0; library && i < sizeof(versions) / sizeof(*versions) && !table; i++) {
		/* 2.28 knows 5 and older */
		if (only ? atoi(only) != versions[i] : versions[i] > 5)
			continue;
		snprintf(name, sizeof(name), "ncclProfiler_v%d", versions[i]);
		table = dlsym(library, name);
		version = versions[i];
	}
	pthread_mutex_unlock(&mutex);
}

void plugin_init(struct ncclComm *comm)
{
	plugin_load();
	if (!table)
		return;
	if (version < 4)
		((init_1)table->init)(&comm->plugin, &mask);
	else if (version == 4)
		((init_4)table->init)(&comm->plugin, &mask, comm->name, comm->hash, 1, comm->size,
			comm->rank, NULL);
	else
		((init_5)table->init)(&comm->plugin, comm->hash, &mask, comm->name, 1, comm->size,
			comm->rank, NULL);
}

void plugin_finalize(struct ncclComm *comm)
{
	if (table && comm->plugin)
		table->finalize(comm->plugin);
	comm->plugin = NULL;
}

static void *start(struct ncclComm *comm, struct descriptor *event, int needs)
{
	void *handle = NULL;

	if (!table || !comm->plugin || !(mask & needs) || (version <= 4 && event->type > EVENT_P2P))
		return NULL;
	event->rank = comm->rank;
	if (version < 4)
		plugin_start_old(table, version, comm, &handle, event);
	else
		table->start(comm->plugin, &handle, event);
	return handle;
}

static void stop(void *handle)
{
	if (table && handle)
		table->stop(handle);
}

static const char *type_name(ncclDataType_t type)
{
	static const char *const names[] = {
		"ncclInt8",
		"ncclUint8",
		"ncclInt32",
		"ncclUint32",
		"ncclInt64",
		"ncclUint64",
		"ncclFloat16",
		"ncclFloat32",
		"ncclFloat64",
		"ncclBfloat16",
		"ncclFloat8e4m3",
		"ncclFloat8e5m2",
	};

	return names[type];
}

#define ANY_API                                                                                    \
	(EVENT_GROUP_API | EVENT_COLL_API | EVENT_P2P_API | EVENT_LAUNCH | EVENT_GROUP |           \
		EVENT_COLL | EVENT_P2P)

void plugin_group_start(struct ncclComm *comm)
{
	struct descriptor event = { .type = EVENT_GROUP_API };

	event.group_api.depth = nccl_group.depth;
	if (!nccl_group.plugin_has_begun) /* with the first call of a group */
		nccl_group.plugin_event = start(comm, &event, ANY_API);
	nccl_group.plugin_has_begun = true;
}

void plugin_group_end(void)
{
	stop(nccl_group.plugin_event);
	nccl_group.plugin_event = NULL;
	nccl_group.plugin_has_begun = false;
}

static bool is_message(const struct task *t)
{
	return t->function == FUNCTION_SEND || t->function == FUNCTION_RECV;
}

void *plugin_call_start(struct task *t)
{
	struct descriptor event = { .type = is_message(t) ? EVENT_P2P_API : EVENT_COLL_API,
		.parent = nccl_group.plugin_event };

	if (is_message(t)) {
		event.p2p_api.function = function_names[t->function];
		event.p2p_api.count = t->count;
		event.p2p_api.type = type_name(t->type);
		event.p2p_api.stream = t->stream;
		return start(t->comm, &event, EVENT_P2P_API | EVENT_P2P);
	}
	event.coll_api.function = function_names[t->function];
	event.coll_api.count = t->count;
	event.coll_api.type = type_name(t->type);
	event.coll_api.root = t->peer < 0 ? 0 : t->peer;
	event.coll_api.stream = t->stream;
	return start(t->comm, &event, EVENT_COLL_API | EVENT_COLL);
}

void plugin_call_stop(void *event)
{
	stop(event);
}

void *plugin_launch_start(struct ncclComm *comm, void *stream)
{
	struct descriptor event = { .type = EVENT_LAUNCH, .parent = nccl_group.plugin_event };

	event.launch.stream = stream;
	return start(comm, &event, EVENT_LAUNCH);
}

void plugin_launch_stop(void *event)
{
	stop(event);
}

/* Small ones with LL, as NCCL would; larger ones with the simple protocol. */
static void coll_fill(struct descriptor *event, const struct task *t, uint64_t seq)
{
	size_t bytes = t->count * type_size(t->type);
	bool is_bytes = t->function == FUNCTION_ALLGATHER || t->function == FUNCTION_BROADCAST;

	event->coll.seq = seq;
	event->coll.function = function_names[t->function];
	event->coll.send = t->send;
	event->coll.recv = t->recv;
	event->coll.count = is_bytes ? bytes : t->count;
	event->coll.root = t->peer < 0 ? 0 : t->peer;
	event->coll.type = type_name(is_bytes ? ncclInt8 : t->type);
	event->coll.nchannels = bytes < 65536 ? 1 : 2;
	event->coll.nwarps = 16;
	event->coll.algorithm = is_by_tree(t) ? "TREE" : "RING";
	event->coll.protocol = bytes < 65536 ? "LL" : "SIMPLE";
}

int plugin_events(void)
{
	return version >= 4 ? __atomic_load_n(&mask, __ATOMIC_RELAXED) : 0;
}

void *plugin_proxy_start(struct ncclComm *comm, void *event)
{
	void *handle = NULL;

	((struct descriptor *)event)->rank = comm->rank;
	if (table && comm->plugin)
		table->start(comm->plugin, &handle, event);
	return handle;
}

/* The arguments of the state of a step (profiler_v5.h): the bytes of its transfer. */
void plugin_proxy_state(void *handle, int state, size_t nbytes)
{
	if (table && handle)
		table->state(handle, state, &nbytes);
}

void plugin_proxy_stop(void *handle)
{
	stop(handle);
}

bool plugin_is_by_copies(const struct task *t)
{
	return getenv("STANDIN_NCCL_COPIES") && t->function == FUNCTION_ALLGATHER &&
		t->comm->size > 1;
}

/* As the collective's event, but with what copies have (profiler_v6.h). */
static void copies_start(struct ncclComm *comm, const struct task *t)
{
	struct descriptor coll = { .type = EVENT_COLL }, event = { .type = EVENT_CE_COLL };

	coll_fill(&coll, t, comm->seq[t->function]++);
	event.ce_coll.seq = coll.coll.seq;
	event.ce_coll.function = coll.coll.function;
	event.ce_coll.count = coll.coll.count;
	event.ce_coll.type = coll.coll.type;
	event.ce_coll.strategy = "";
	if (version >= 6)
		stop(start(comm, &event, EVENT_CE_COLL));
}

void plugin_tasks(struct ncclComm *comm, struct task *tasks)
{
	struct descriptor group = { .type = EVENT_GROUP, .parent = nccl_group.plugin_event };
	void *handle = start(comm, &group, EVENT_GROUP | EVENT_COLL | EVENT_P2P);

	if (version <= 4 && !handle)
		return;
	for (struct task *t = tasks; t; t = t->next) {
		struct descriptor event = { .type = is_message(t) ? EVENT_P2P : EVENT_COLL,
			.parent = version <= 4 ? handle : t->api_event };

		/* NCCL makes these of messages */
		if (t->function == FUNCTION_ALLTOALL || t->function == FUNCTION_GATHER ||
			t->function == FUNCTION_SCATTER || comm->size == 1)
			continue;
		if (plugin_is_by_copies(t) && tasks == t && !t->next) {
			copies_start(comm, t);
			continue;
		}
		if (!is_message(t)) {
			coll_fill(&event, t, comm->seq[t->function]++);
			stop(start(comm, &event, EVENT_COLL));
			continue;
		}
		event.p2p.function = function_names[t->function];
		event.p2p.type = type_name(t->type);
		event.p2p.count = t->count;
		event.p2p.peer = t->peer;
		event.p2p.nchannels = 1;
		/*
		 * the first versions reported messages also to plugins that asked for collectives
		 */
		stop(start(comm, &event, version < 3 ? EVENT_COLL : EVENT_P2P));
	}
	stop(handle);
}
