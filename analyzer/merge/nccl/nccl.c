/* nccl.c - what NCCL's calls and kernels carry; see merge_nccl.h. */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "merge/gpu/gpu.h"
#include "merge/nccl/nccl.h"
#include "merge/nccl/nccl_parts.h"
#include "merge/walk/walk_regions.h"
#include "merge/clock/clock_sync.h"
#include "merge/walk/walk.h"
#include "merge/write_defs.h"

/* The archive's strings for algorithms and protocols are after those of merge_gpu.h. */
#define STRING_ALGORITHM(a) (GPU_STRING_MEMORY(SPOOL_MEMORY_COUNT) + (a)-1u)
#define STRING_PROTOCOL(p)  (STRING_ALGORITHM(TRACE_ALGORITHM_COUNT) + (p)-1u)

static int scan_plan(struct nccl *nccl, const uint64_t *rec)
{
	struct plan *plan = ARRAY_ADD(&nccl->plans);

	if (!plan)
		return -1;
	*plan = (struct plan){ (uint64_t)spool_a(rec[0]) << 32 | (uint32_t)rec[3], rec[3] };
	return 0;
}

static int scan_call(struct nccl *nccl, const uint64_t *rec)
{
	enum trace_op op = nccl_op(spool_region(rec[0]));
	const uint64_t **collective;
	struct member *member;
	struct operation_place *place;
	uint32_t route;

	if (nccl_is_message(op)) {
		place = ARRAY_ADD(&nccl->places);
		route = nccl_route(nccl, spool_a(rec[0]), rec[4] >> 32, op);
		if (!place || route == NONE)
			return -1;
		*place = (struct operation_place){ rec, nccl->routes.at[route].n++ };
	} else if (op != TRACE_OP_NONE) {
		collective = ARRAY_ADD(&nccl->collectives);
		if (!collective)
			return -1;
		*collective = rec;
	}
	if (op == TRACE_OP_NONE || !(uint32_t)rec[5])
		return 0;
	member = ARRAY_ADD(&nccl->members);
	if (!member)
		return -1;
	*member = (struct member){ rec[5], rec };
	return 0;
}

/* The launches nested in the end of a group, entry `end`: they are before it. */
static int scan_turns(struct nccl *nccl, const struct group *g, uint32_t end)
{
	size_t first = nccl->turns.n;
	uint32_t begin = end;

	while (begin > 0 && g->entries[begin - 1].depth > g->entries[end].depth)
		begin--;
	for (uint32_t i = begin; i < end; i++) {
		const struct entry *e = &g->entries[i];
		struct turn *turn = nccl_is_kernel_launch(e) ? ARRAY_ADD(&nccl->turns) : NULL;

		if (!turn && nccl_is_kernel_launch(e))
			return -1;
		if (turn)
			*turn = (struct turn){ .correlation = spool_a(e->rec[0]),
				.device = e->rec[3] >> 32 };
	}
	for (size_t i = first; i < nccl->turns.n; i++)
		for (size_t k = first; k < nccl->turns.n; k++)
			if (nccl->turns.at[k].device == nccl->turns.at[i].device) {
				nccl->turns.at[i].number += k < i;
				nccl->turns.at[i].total++;
			}
	return 0;
}

int nccl_scan_group(struct process *p, const struct group *g)
{
	int ret = 0;

	for (uint32_t i = 0; i < g->n && ret == 0; i++) {
		const struct entry *e = &g->entries[i];

		if (e->type != SPOOL_NCCL_PLAN && e->type != SPOOL_GRAPH &&
			region_class(e->region) != REGION_CLASS_NCCL)
			continue;
		if (!p->nccl)
			p->nccl = calloc(1, sizeof(*p->nccl));
		if (!p->nccl)
			ret = -1;
		else if (e->type == SPOOL_NCCL)
			ret = scan_call(p->nccl, e->rec) < 0	   ? -1
				: e->region == REGION_ncclGroupEnd ? scan_turns(p->nccl, g, i)
								   : 0;
		else if (e->type == SPOOL_NCCL_PLAN)
			ret = scan_plan(p->nccl, e->rec);
	}
	if (p->nccl && ret == 0)
		ret = nccl_graph_scan(p->nccl, g) < 0 ? -1 : nccl_thread_scan(p, p->nccl, g);
	if (ret < 0)
		log_error("out of memory");
	return ret;
}

static int compare_places(const void *a, const void *b)
{
	const struct operation_place *x = a, *y = b;

	return (x->rec > y->rec) - (x->rec < y->rec);
}

static int compare_plans(const void *a, const void *b)
{
	const struct plan *x = a, *y = b;

	return (x->key > y->key) - (x->key < y->key);
}

int nccl_scan_end(struct process *p)
{
	struct nccl *nccl = p->nccl;

	if (!nccl)
		return 0;
	if (nccl->plans.n)
		qsort(nccl->plans.at, nccl->plans.n, sizeof(*nccl->plans.at), compare_plans);
	nccl_members_sort(nccl);
	if (nccl_thread_bind(p) < 0)
		return -1;
	nccl_turns_sort(nccl);
	if (nccl->nodes.n && nccl_graph_bind(p) < 0)
		return -1;
	if (nccl->places.n)
		qsort(nccl->places.at, nccl->places.n, sizeof(*nccl->places.at), compare_places);
	return 0;
}

void nccl_free(struct process *p)
{
	if (!p->nccl)
		return;
	free(p->nccl->places.at);
	free(p->nccl->plans.at);
	free(p->nccl->members.at);
	free(p->nccl->routes.at);
	free(p->nccl->turns.at);
	nccl_graph_free(p->nccl);
	nccl_thread_free(p->nccl);
	free(p->nccl);
	p->nccl = NULL;
}

/* An operation's place; NONE: its call was captured, graphs carry it out. */
static uint32_t seq_of(const struct process *p, const uint64_t *rec)
{
	enum trace_op op = nccl_op(spool_region(rec[0]));
	struct operation_place key = { .rec = rec }, *found = NULL;

	if (nccl_is_captured(p, rec))
		return NONE;
	if (!nccl_is_message(op) && !(p->nccl && p->nccl->nodes.n))
		return rec[4];
	if (p->nccl && p->nccl->places.n)
		found = bsearch(&key, p->nccl->places.at, p->nccl->places.n, sizeof(key),
			compare_places);
	return found ? found->seq : 0;
}

static void plan_attributes(const struct process *p, const uint64_t *rec,
	OTF2_AttributeList *attributes)
{
	struct plan key = { .key = (uint64_t)spool_a(rec[0]) << 32 | (uint32_t)rec[4] },
		    *found = NULL;
	unsigned algorithm, protocol, channels;

	if (p->nccl && p->nccl->plans.n)
		found = bsearch(&key, p->nccl->plans.at, p->nccl->plans.n, sizeof(key),
			compare_plans);
	if (!found)
		return;
	algorithm = found->word >> 32 & 0xff;
	protocol = found->word >> 40 & 0xff;
	channels = found->word >> 48 & 0xff;
	if (algorithm && algorithm < TRACE_ALGORITHM_COUNT)
		OTF2_AttributeList_AddStringRef(attributes, ATTRIBUTE_ALGORITHM,
			STRING_ALGORITHM(algorithm));
	if (protocol && protocol < TRACE_PROTOCOL_COUNT)
		OTF2_AttributeList_AddStringRef(attributes, ATTRIBUTE_PROTOCOL,
			STRING_PROTOCOL(protocol));
	if (channels)
		OTF2_AttributeList_AddUint64(attributes, ATTRIBUTE_CHANNELS, channels);
}

/* Communicator, place (NONE: it has none), operation, volume, and who is at the other end. */
static void operation(const struct process *p, const uint64_t *rec, uint32_t seq,
	OTF2_AttributeList *attributes)
{
	const struct spool_nccl_comm *comm = nccl_comm_of(p, spool_a(rec[0]));
	enum trace_op op = nccl_op(spool_region(rec[0]));
	uint32_t peer = rec[4] >> 32;

	if (!comm || op == TRACE_OP_NONE)
		return;
	OTF2_AttributeList_AddUint64(attributes, ATTRIBUTE_COMM, comm->global);
	if (seq != NONE)
		OTF2_AttributeList_AddUint64(attributes, ATTRIBUTE_SEQ, seq);
	OTF2_AttributeList_AddStringRef(attributes, ATTRIBUTE_OP, GPU_STRING_OP(op));
	OTF2_AttributeList_AddUint64(attributes, ATTRIBUTE_BYTES, rec[3]);
	if (peer != SPOOL_NCCL_NO_PEER)
		OTF2_AttributeList_AddUint64(attributes,
			nccl_is_message(op) ? ATTRIBUTE_PEER : ATTRIBUTE_ROOT, peer);
	if (!nccl_is_message(op))
		plan_attributes(p, rec, attributes);
}

void nccl_call_attributes(struct writer *w, const struct entry *e)
{
	const struct spool_nccl_comm *comm = nccl_comm_of(w->process, spool_a(e->rec[0]));

	operation(w->process, e->rec, seq_of(w->process, e->rec), w->attributes);
	if (comm && comm->def.device != SPOOL_DEVICE_NONE)
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_DEVICE, comm->def.device);
	if ((uint32_t)e->rec[5])
		OTF2_AttributeList_AddUint64(w->attributes, ATTRIBUTE_GROUP, (uint32_t)e->rec[5]);
}

/*
 * What a kernel carries out: the first operation with its place, and how many there are. one NULL:
 * not known.
 */
struct carried {
	const uint64_t *one;
	uint32_t seq, n;
};

static struct carried carried_by(const struct process *p, const uint64_t *kernel)
{
	const struct graph_node *node = nccl_graph_node(p, kernel);
	const uint64_t *call = node ? NULL : gpu_launched_by(p, kernel[3]);
	struct carried carried = { .seq = NONE };

	if (node) {
		const struct graph_op *op = &p->nccl->node_ops.at[node->first];

		return (struct carried){ op->rec, nccl_graph_seq(p, kernel, op), node->n };
	}
	if (!call || spool_type(call[0]) != SPOOL_NCCL)
		return carried;
	carried.one = nccl_kernel_operation(p, call, kernel[3], gpu_record_device(kernel), 0);
	if (carried.one) {
		carried.seq = seq_of(p, carried.one);
		/* of a group only whether there are more matters */
		carried.n = nccl_kernel_operation(p, call, kernel[3], gpu_record_device(kernel), 1)
			? 2
			: 1;
	}
	return carried;
}

bool nccl_communicates(const struct process *p, const uint64_t *call)
{
	size_t n;

	return nccl_op(spool_region(call[0])) != TRACE_OP_NONE ||
		nccl_group(p, (uint32_t)call[5], &n);
}

void nccl_kernel_attributes(const struct process *p, const uint64_t *kernel,
	OTF2_AttributeList *attributes)
{
	const struct graph_node *node = nccl_graph_node(p, kernel);
	const uint64_t *call = node ? node->call : gpu_launched_by(p, kernel[3]);
	struct carried carried;
	size_t n;

	if (!call || spool_type(call[0]) != SPOOL_NCCL)
		return;
	carried = carried_by(p, kernel);
	if (carried.one)
		operation(p, carried.one, carried.seq, attributes);
	if (carried.n != 1 && nccl_group(p, (uint32_t)call[5], &n))
		OTF2_AttributeList_AddUint64(attributes, ATTRIBUTE_GROUP, (uint32_t)call[5]);
}

bool nccl_kernel_more(const struct process *p, const uint64_t *kernel, uint32_t i,
	OTF2_AttributeList *attributes)
{
	const struct graph_node *node = nccl_graph_node(p, kernel);
	const struct graph_op *op;

	if (!node || i + 1 >= node->n)
		return false;
	op = &p->nccl->node_ops.at[node->first + i + 1];
	operation(p, op->rec, nccl_graph_seq(p, kernel, op), attributes);
	return true;
}

/* In which all members wait for all: no kernel ends before the last one has begun. */
static bool is_sync_event(const struct process *p, const uint64_t *rec)
{
	const struct spool_nccl_comm *comm = nccl_comm_of(p, spool_a(rec[0]));
	enum trace_op op = nccl_op(spool_region(rec[0]));

	return comm && comm->def.size > 1 && rec[3] &&
		(op == TRACE_OP_ALLREDUCE || op == TRACE_OP_ALLGATHER ||
			op == TRACE_OP_REDUCESCATTER || op == TRACE_OP_ALLTOALL);
}

struct sync_event_scan {
	struct merge *merge;
	struct process *process;
};

static int sync_kernel(void *context, const uint64_t *rec)
{
	struct sync_event_scan *scan = context;
	struct carried carried;

	if (spool_type(rec[0]) != SPOOL_KERNEL || rec[1] < scan->process->spool->def.start.ticks)
		return 0;
	carried = carried_by(scan->process, rec);
	if (!carried.one || carried.seq == NONE || !is_sync_event(scan->process, carried.one))
		return 0;
	return sync_operation(scan->merge, scan->process,
		nccl_comm_of(scan->process, spool_a(carried.one[0]))->def.hash, carried.seq, rec[1],
		spool_record_end(rec));
}

int nccl_scan_sync(struct merge *m, struct process *p)
{
	struct sync_event_scan scan = { m, p };

	if (m->nnodes < 2 || !p->nccl || !p->gpu->nactivities)
		return 0;
	return gpu_walk(p, sync_kernel, &scan);
}

void nccl_define_strings(struct strings *s)
{
#define NAME(id, text) string_ref(s, text);
	TRACE_ALGORITHMS(NAME)
	TRACE_PROTOCOLS(NAME)
#undef NAME
}
