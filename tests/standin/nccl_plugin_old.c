/*
 * nccl_plugin_old.c - the stand-in for NCCL reports to a profiler plugin of versions 1 to 3 (NCCL
 * 2.23 to 2.26) the events of tasks, in the layouts of that time. Version 1 has numbers, the later
 * ones names.
 */
#include <string.h>
#include <strings.h>

#include "nccl_plugin.h"

/* Fields of a collective: version 1. */
struct coll_1 {
	const char *name;
	uint64_t hash, seq;
	uint8_t function;
	const void *send;
	void *recv;
	size_t count;
	int root;
	uint8_t type;
	uint32_t op;
	size_t traffic;
	uint8_t nchannels, nwarps, algorithm, protocol;
	int is_collnet, is_nvls;
};

/* Version 2. */
struct coll_2 {
	const char *name;
	uint64_t hash, seq;
	const char *function;
	const void *send;
	void *recv;
	size_t count;
	int root;
	const char *type;
	size_t traffic;
	uint8_t nchannels, nwarps;
	const char *algorithm, *protocol;
};

/* Version 3: without the traffic. */
struct coll_3 {
	const char *name;
	uint64_t hash, seq;
	const char *function;
	const void *send;
	void *recv;
	size_t count;
	int root;
	const char *type;
	uint8_t nchannels, nwarps;
	const char *algorithm, *protocol;
};

struct p2p_1 {
	const char *name;
	uint64_t hash;
	uint8_t function;
	void *buffer;
	uint8_t type;
	size_t count;
	int peer;
};

struct p2p_2 { /* and 3 */
	const char *name;
	uint64_t hash;
	const char *function;
	void *buffer;
	const char *type;
	size_t count;
	int peer;
};

struct old {
	uint8_t type;
	void *parent;
	int rank;
	union {
		struct coll_1 coll_1;
		struct coll_2 coll_2;
		struct coll_3 coll_3;
		struct p2p_1 p2p_1;
		struct p2p_2 p2p_2;
		char no_plugin_may_read[256];
	};
};

/* NCCL's numbers for the names of newer versions. */
static const char *const functions[] = { "Broadcast", "Reduce", "AllGather", "ReduceScatter",
	"AllReduce", "SendRecv", "Send", "Recv", NULL };
static const char *const algorithms[] = { "TREE", "RING", "COLLNET_DIRECT", "COLLNET_CHAIN", "NVLS",
	"NVLS_TREE", "PAT", NULL };
static const char *const protocols[] = { "LL", "LL128", "SIMPLE", NULL };
static const char *const types[] = { "ncclInt8", "ncclUint8", "ncclInt32", "ncclUint32",
	"ncclInt64", "ncclUint64", "ncclFloat16", "ncclFloat32", "ncclFloat64", "ncclBfloat16",
	"ncclFloat8e4m3", "ncclFloat8e5m2", NULL };

static uint8_t number_of(const char *const *names, const char *name)
{
	uint8_t i = 0;

	while (names[i] && strcasecmp(names[i], name) != 0)
		i++;
	return i;
}

/* What has one name in all versions. */
#define COLL(to)                                                                                   \
	(to).name = comm->name;                                                                    \
	(to).hash = comm->hash;                                                                    \
	(to).seq = event->coll.seq;                                                                \
	(to).send = event->coll.send;                                                              \
	(to).recv = event->coll.recv;                                                              \
	(to).count = event->coll.count;                                                            \
	(to).root = event->coll.root;                                                              \
	(to).nchannels = event->coll.nchannels;                                                    \
	(to).nwarps = event->coll.nwarps;
#define COLL_NAMED(to)                                                                             \
	COLL(to)                                                                                   \
	(to).function = event->coll.function;                                                      \
	(to).type = event->coll.type;                                                              \
	(to).algorithm = event->coll.algorithm;                                                    \
	(to).protocol = event->coll.protocol;

static void coll_fill(struct old *old, const struct ncclComm *comm, const struct descriptor *event,
	int version)
{
	if (version == 3) {
		COLL_NAMED(old->coll_3)
	} else if (version == 2) {
		COLL_NAMED(old->coll_2)
		old->coll_2.traffic = event->coll.count * 8;
	} else {
		COLL(old->coll_1)
		old->coll_1.function = number_of(functions, event->coll.function);
		old->coll_1.type = number_of(types, event->coll.type);
		old->coll_1.algorithm = number_of(algorithms, event->coll.algorithm);
		old->coll_1.protocol = number_of(protocols, event->coll.protocol);
		old->coll_1.op = 77;
		old->coll_1.traffic = event->coll.count * 8;
	}
}

#define P2P(to)                                                                                    \
	(to).name = comm->name;                                                                    \
	(to).hash = comm->hash;                                                                    \
	(to).buffer = event->p2p.buffer;                                                           \
	(to).count = event->p2p.count;                                                             \
	(to).peer = event->p2p.peer;

static void p2p_fill(struct old *old, const struct ncclComm *comm, const struct descriptor *event,
	int version)
{
	if (version == 1) {
		P2P(old->p2p_1)
		old->p2p_1.function = number_of(functions, event->p2p.function);
		old->p2p_1.type = number_of(types, event->p2p.type);
	} else {
		P2P(old->p2p_2)
		old->p2p_2.function = event->p2p.function;
		old->p2p_2.type = event->p2p.type;
	}
}

void plugin_start_old(const struct table *table, int version, struct ncclComm *comm, void **handle,
	const struct descriptor *event)
{
	struct old old = { .type = (uint8_t)event->type, .parent = event->parent };

	memset(old.no_plugin_may_read, 0xee, sizeof(old.no_plugin_may_read));
	if (event->type != EVENT_GROUP) /* for a group, NCCL does not give the rank */
		old.rank = comm->rank;
	if (event->type == EVENT_COLL)
		coll_fill(&old, comm, event, version);
	else if (event->type == EVENT_P2P)
		p2p_fill(&old, comm, event, version);
	table->start(comm->plugin, handle, &old);
}
