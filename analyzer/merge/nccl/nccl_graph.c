/*
 * nccl_graph.c - operations of NCCL that CUDA graphs carry out. Their calls are made once,
 * while a stream is captured, and carry nothing out; with each launch of the graph its kernels do.
 *
 * A kernel's record names its node, a copy of one that was made in the capture; so it has
 * the call's operation. Its place among the communicator's operations, equal on all ranks, is
 * that of the launch among launches and other calls. What a graph holds is learnt from all its
 * launches together, so that one whose records were dropped counts as well.
 */
#include "config.h"

#include <stdlib.h>

#include "base/containers.h"
#include "merge/gpu/gpu.h"
#include "merge/nccl/nccl_parts.h"
#include "merge/walk/walk_regions.h"

#define COPIES_MAX 16 /* of copies */

#define FIND(key, array, compare)                                                                  \
	((array)->n ? bsearch(key, (array)->at, (array)->n, sizeof(*(array)->at), compare) : NULL)
#define SORT(array, compare)                                                                       \
	do {                                                                                       \
		if ((array)->n)                                                                    \
			qsort((array)->at, (array)->n, sizeof(*(array)->at), compare);             \
	} while (0)

#define ORDER(a, b) (((a) > (b)) - ((a) < (b)))

static int scan_graph(struct nccl *nccl, const struct group *g, uint32_t i)
{
	const uint64_t *rec = g->entries[i].rec, *launch;
	struct graph_node *node;
	struct graph_exec *exec;

	if (spool_a(rec[0]) == SPOOL_GRAPH_EXEC) {
		exec = ARRAY_ADD(&nccl->execs);
		if (exec)
			*exec = (struct graph_exec){ .handle = rec[3], .since = rec[1] };
		return exec ? 0 : -1;
	}
	node = ARRAY_ADD(&nccl->nodes);
	if (!node)
		return -1;
	*node = (struct graph_node){ .id = rec[3], .original = rec[4], .exec = NONE };
	if (spool_a(rec[0]) != SPOOL_GRAPH_NODE)
		return 0;
	node->original = 0;
	node->call = group_call_around(g, i, REGION_CLASS_NCCL);
	if (node->call && spool_type(node->call[0]) != SPOOL_NCCL)
		node->call = NULL; /* it was refused */
	launch = group_call_around(g, i, REGION_CLASS_CUDA);
	node->correlation = launch && spool_type(launch[0]) == SPOOL_CUDA ? spool_a(launch[0]) : 0;
	return 0;
}

static int scan_launch(struct nccl *nccl, const struct group *g, uint32_t i)
{
	const uint64_t *rec = g->entries[i].rec,
		       *outer = group_call_around(g, i, REGION_CLASS_CUDA);
	struct graph_launch *launch = ARRAY_ADD(&nccl->launches);

	if (!launch)
		return -1;
	*launch = (struct graph_launch){ .correlation = spool_a(rec[0]),
		.handle = rec[4],
		.start = rec[1],
		.exec = NONE };
	if (outer && spool_type(outer[0]) == SPOOL_CUDA)
		launch->outer = spool_a(outer[0]);
	return 0;
}

int nccl_graph_scan(struct nccl *nccl, const struct group *g)
{
	for (uint32_t i = 0; i < g->n; i++) {
		const struct entry *e = &g->entries[i];

		if (e->type == SPOOL_GRAPH && scan_graph(nccl, g, i) < 0)
			return -1;
		if (e->type == SPOOL_CUDA && nccl->nodes.n && !e->is_truncated &&
			spool_a(e->rec[0]) && region_infos[e->region].word == CUDA_WORD_GRAPH &&
			spool_words(e->rec[2]) > 4 && scan_launch(nccl, g, i) < 0)
			return -1;
	}
	return 0;
}

void nccl_graph_free(struct nccl *nccl)
{
	free(nccl->collectives.at);
	free(nccl->nodes.at);
	free(nccl->execs.at);
	free(nccl->launches.at);
	free(nccl->node_ops.at);
	free(nccl->exec_routes.at);
	free(nccl->bases.at);
	free(nccl->captured.at);
}

static int compare_nodes(const void *a, const void *b)
{
	const struct graph_node *x = a, *y = b;

	return ORDER(x->id, y->id);
}

static int compare_execs(const void *a, const void *b)
{
	const struct graph_exec *x = a, *y = b;

	return x->handle != y->handle ? ORDER(x->handle, y->handle) : ORDER(x->since, y->since);
}

static int compare_launches(const void *a, const void *b)
{
	const struct graph_launch *x = a, *y = b;

	return ORDER(x->correlation, y->correlation);
}

static int compare_pointers(const void *a, const void *b)
{
	const uint64_t *x = *(const uint64_t *const *)a, *y = *(const uint64_t *const *)b;

	return ORDER(x, y);
}

static struct graph_node *node_find(const struct nccl *nccl, uint64_t id)
{
	struct graph_node key = { .id = id };

	return FIND(&key, &nccl->nodes, compare_nodes);
}

/* Copies have what the first one has. */
static void nodes_resolve(struct nccl *nccl)
{
	for (size_t i = 0; i < nccl->nodes.n; i++) {
		struct graph_node *node = &nccl->nodes.at[i], *from = node;

		for (int k = 0; k < COPIES_MAX && from && from->original; k++)
			from = node_find(nccl, from->original);
		if (!from || from->original)
			continue;
		node->call = from->call;
		node->correlation = from->correlation;
	}
}

/* The graph that a handle meant at a time. */
static uint32_t exec_at(const struct nccl *nccl, uint64_t handle, uint64_t t)
{
	const struct graph_exec *execs = nccl->execs.at;
	size_t low = LOWER_BOUND(i, 0, nccl->execs.n,
		execs[i].handle < handle || (execs[i].handle == handle && execs[i].since <= t));

	return low && execs[low - 1].handle == handle ? low - 1 : NONE;
}

/* A launch by its own number or that of the call around it. */
static const struct graph_launch *launch_find(const struct nccl *nccl, uint32_t correlation)
{
	struct graph_launch key = { .correlation = correlation }, *found;

	found = FIND(&key, &nccl->launches, compare_launches);
	if (!found || !found->outer)
		return found;
	key.correlation = found->outer;
	return FIND(&key, &nccl->launches, compare_launches);
}

static uint32_t route_of(struct nccl *nccl, const uint64_t *rec)
{
	enum trace_op op = nccl_op(spool_region(rec[0]));

	return nccl_is_message(op)
		? nccl_route(nccl, spool_a(rec[0]), rec[4] >> 32, op)
		: nccl_route(nccl, spool_a(rec[0]), SPOOL_NCCL_NO_PEER, TRACE_OP_NONE);
}

/* A kernel of a graph: its node belongs to the graph that was launched. */
static int node_see(void *context, const uint64_t *rec)
{
	struct process *p = context;
	struct nccl *nccl = p->nccl;
	struct graph_node *node = spool_type(rec[0]) == SPOOL_KERNEL && rec[6]
		? node_find(nccl, rec[6])
		: NULL;
	const struct graph_launch *launch;
	const uint64_t *one;

	if (!node || !node->call || node->exec != NONE)
		return 0;
	launch = launch_find(nccl, (uint32_t)rec[3]);
	if (!launch || launch->exec == NONE)
		return 0;
	node->exec = launch->exec;
	node->first = nccl->node_ops.n;
	while ((one = nccl_kernel_operation(p, node->call, node->correlation,
			gpu_record_device(rec), node->n))) {
		struct graph_op *op = ARRAY_ADD(&nccl->node_ops);

		if (!op)
			return -1;
		*op = (struct graph_op){ .rec = one,
			.exec = node->exec,
			.route = route_of(nccl, one) };
		node->n++;
	}
	return 0;
}

/* By graph and what is counted together, in the order of the calls. */
static int compare_ops(const void *a, const void *b)
{
	const struct graph_op *x = *(struct graph_op *const *)a, *y = *(struct graph_op *const *)b;

	if (x->exec != y->exec)
		return ORDER(x->exec, y->exec);
	if (x->route != y->route)
		return ORDER(x->route, y->route);
	return x->rec[1] != y->rec[1] ? ORDER(x->rec[1], y->rec[1]) : ORDER(x->rec, y->rec);
}

/* Numbers a graph's operations; one that several kernels carry out is one. */
static int ops_number(struct nccl *nccl)
{
	struct graph_op **sorted = malloc((nccl->node_ops.n + 1) * sizeof(*sorted)), *last = NULL;
	struct graph_use *use = NULL;

	for (size_t i = 0; sorted && i < nccl->node_ops.n; i++)
		sorted[i] = &nccl->node_ops.at[i];
	if (sorted && nccl->node_ops.n)
		qsort(sorted, nccl->node_ops.n, sizeof(*sorted), compare_ops);
	for (size_t i = 0; sorted && i < nccl->node_ops.n; last = sorted[i++]) {
		struct graph_op *op = sorted[i];
		struct graph_exec *exec = &nccl->execs.at[op->exec];

		if (!last || op->exec != last->exec || op->route != last->route) {
			if (!last || op->exec != last->exec)
				exec->first = nccl->exec_routes.n;
			use = ARRAY_ADD(&nccl->exec_routes);
			if (!use)
				break;
			*use = (struct graph_use){ .route = op->route };
			exec->n++;
		} else if (op->rec == last->rec) {
			op->index = last->index;
			op->use = last->use;
			continue;
		}
		op->index = use->n++;
		op->use = nccl->exec_routes.n - 1 - exec->first;
	}
	free(sorted);
	return sorted && (use || !nccl->node_ops.n) ? 0 : -1;
}

static int capture_add(struct nccl *nccl, const uint64_t *rec)
{
	const uint64_t **at = ARRAY_ADD(&nccl->captured);

	if (at)
		*at = rec;
	return at ? 0 : -1;
}

/* The calls that made nodes: one, or all of a group. */
static int captured_find(const struct process *p, struct nccl *nccl)
{
	for (size_t i = 0; i < nccl->nodes.n; i++) {
		const uint64_t *call = nccl->nodes.at[i].original ? NULL : nccl->nodes.at[i].call;
		const struct member *first;
		size_t n = 0;

		if (!call)
			continue;
		if (nccl_op(spool_region(call[0])) != TRACE_OP_NONE) {
			if (capture_add(nccl, call) < 0)
				return -1;
			continue;
		}
		first = nccl_group(p, (uint32_t)call[5], &n);
		for (size_t k = 0; k < n; k++)
			if (capture_add(nccl, first[k].rec) < 0)
				return -1;
	}
	SORT(&nccl->captured, compare_pointers);
	return 0;
}

bool nccl_is_captured(const struct process *p, const uint64_t *rec)
{
	return p->nccl && FIND(&rec, &p->nccl->captured, compare_pointers);
}

/* What takes places, in the order of time: a call's record, or a launch. */
struct turn_taker {
	uint64_t t;
	const uint64_t *rec;
	struct graph_launch *launch;
};

static int compare_takers(const void *a, const void *b)
{
	const struct turn_taker *x = a, *y = b;

	return x->t != y->t ? ORDER(x->t, y->t) : ORDER(x->rec, y->rec);
}

/*
 * A call. Its record counts the communicator's collectives: all that were called, also
 * outside the capture window, and none of those that graphs carried out.
 */
static int place_call(const struct process *p, struct nccl *nccl, const uint64_t *rec)
{
	uint32_t number = route_of(nccl, rec);
	struct route *route = number == NONE ? NULL : &nccl->routes.at[number];
	bool counts = route && route->op == TRACE_OP_NONE;
	struct operation_place *place;

	if (!route)
		return -1;
	if (nccl_is_captured(p, rec)) {
		route->ncaptured++;
		return 0;
	}
	place = ARRAY_ADD(&nccl->places);
	if (!place)
		return -1;
	place->rec = rec;
	place->seq = counts ? (uint32_t)rec[4] - route->ncaptured + route->nreplayed : route->n;
	route->n = place->seq + 1;
	return 0;
}

static int place_launch(struct nccl *nccl, struct graph_launch *launch)
{
	const struct graph_exec *exec = &nccl->execs.at[launch->exec];

	launch->first = nccl->bases.n;
	for (size_t i = 0; i < exec->n; i++) {
		const struct graph_use *use = &nccl->exec_routes.at[exec->first + i];
		struct route *route = &nccl->routes.at[use->route];
		uint32_t *base = ARRAY_ADD(&nccl->bases);

		if (!base)
			return -1;
		*base = route->n;
		route->n += use->n;
		route->nreplayed += use->n;
	}
	return 0;
}

/* All places of the process anew. */
static int places_number(const struct process *p, struct nccl *nccl)
{
	size_t n = 0, most = nccl->places.n + nccl->collectives.n + nccl->launches.n;
	struct turn_taker *takers = malloc((most + 1) * sizeof(*takers));
	int ret = takers ? 0 : -1;

	for (size_t i = 0; takers && i < nccl->places.n; i++)
		takers[n++] = (struct turn_taker){ nccl->places.at[i].rec[1],
			nccl->places.at[i].rec, NULL };
	for (size_t i = 0; takers && i < nccl->collectives.n; i++)
		takers[n++] = (struct turn_taker){ nccl->collectives.at[i][1],
			nccl->collectives.at[i], NULL };
	for (size_t i = 0; takers && i < nccl->launches.n; i++)
		if (nccl->launches.at[i].exec != NONE && !nccl->launches.at[i].outer)
			takers[n++] = (struct turn_taker){ nccl->launches.at[i].start, NULL,
				&nccl->launches.at[i] };
	nccl->places.n = 0;
	for (size_t i = 0; i < nccl->routes.n; i++)
		nccl->routes.at[i].n = 0;
	if (n)
		qsort(takers, n, sizeof(*takers), compare_takers);
	for (size_t i = 0; i < n && ret == 0; i++)
		ret = takers[i].rec ? place_call(p, nccl, takers[i].rec)
				    : place_launch(nccl, takers[i].launch);
	free(takers);
	return ret;
}

int nccl_graph_bind(struct process *p)
{
	struct nccl *nccl = p->nccl;

	SORT(&nccl->nodes, compare_nodes);
	SORT(&nccl->execs, compare_execs);
	SORT(&nccl->launches, compare_launches);
	nodes_resolve(nccl);
	for (size_t i = 0; i < nccl->launches.n; i++)
		nccl->launches.at[i].exec = exec_at(nccl, nccl->launches.at[i].handle,
			nccl->launches.at[i].start);
	if (gpu_walk(p, node_see, p) < 0 || ops_number(nccl) < 0 || captured_find(p, nccl) < 0)
		return -1;
	return places_number(p, nccl);
}

const struct graph_node *nccl_graph_node(const struct process *p, const uint64_t *kernel)
{
	const struct graph_node *node = p->nccl && kernel[6] ? node_find(p->nccl, kernel[6]) : NULL;

	return node && node->n ? node : NULL;
}

uint32_t nccl_graph_seq(const struct process *p, const uint64_t *kernel, const struct graph_op *op)
{
	const struct graph_launch *launch = launch_find(p->nccl, (uint32_t)kernel[3]);

	return launch && launch->exec == op->exec
		? p->nccl->bases.at[launch->first + op->use] + op->index
		: NONE;
}
