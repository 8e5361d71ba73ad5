/*
 * Graphs: nodes with dependencies, made by capturing streams. An instantiated graph has its nodes
 * in lanes: the first is the stream that it is launched into, and each branch adds a stream, so
 * that branches run side by side.
 */
#include "standin.h"

#include <stdlib.h>
#include <string.h>

enum { LANES_MAX = 16 };

struct CUgraphNode_st {
	uint64_t id;
	size_t index; /* in its graph */
	unsigned lane;
	bool last; /* so far in its lane */
	CUgraphNodeType type;
	struct shared_op *shared;
	CUgraphNode *after;
	size_t nafter;
};

struct CUgraph_st {
	uint32_t id;
	CUgraphNode *nodes; /* in the order of their making, which the dependencies allow */
	size_t count;
};

struct CUgraphExec_st {
	atomic_int users;
	struct CUgraph_st graph;
	CUcontext ctx;
	CUstream lanes[LANES_MAX]; /* of that context, made at the first launch; not the first */
	CUstream own; /* as an H200 has one for each (tests/data/cupti13): nothing runs in it */
	unsigned nlanes;
};

/* A graph and those instantiated from it share the operations. */
struct shared_op {
	atomic_int users;
	struct standin_op *op;
};

static atomic_uint graph_ids;

static void shared_unref(struct shared_op *shared)
{
	if (!shared || atomic_fetch_sub(&shared->users, 1) > 1)
		return;
	standin_op_drop(shared->op);
	free(shared);
}

static CUgraphNode node_put(CUgraph graph, CUgraphNodeType type, struct shared_op *shared,
	const CUgraphNode *after, size_t nafter)
{
	CUgraphNode node = calloc(1, sizeof(*node));
	CUgraphNode *grown = realloc(graph->nodes, (graph->count + 1) * sizeof(*grown));

	if (grown)
		graph->nodes = grown;
	if (!node || !grown)
		abort();
	/* as an H200 wrote it (tests/data/cupti13): the graph's number above, a count from 0 below */
	node->id = (uint64_t)graph->id << 32 | graph->count;
	node->type = type;
	node->shared = shared;
	node->nafter = nafter;
	node->after = malloc((nafter + 1) * sizeof(*node->after));
	if (!node->after)
		abort();
	if (nafter)
		memcpy(node->after, after, nafter * sizeof(*after));
	node->index = graph->count;
	graph->nodes[graph->count++] = node;
	return node;
}

/* Behind one that the node comes after, if that is still the last of its lane; else a new lane. */
static void lane_choose(CUgraphExec exec, CUgraphNode node)
{
	CUgraphNode behind = NULL;

	for (size_t i = 0; i < node->nafter && !behind; i++)
		if (node->after[i]->last)
			behind = node->after[i];
	if (behind)
		node->lane = behind->lane;
	else if (exec->nlanes < LANES_MAX)
		node->lane = exec->nlanes++;
	for (size_t i = 0; i < node->index; i++)
		if (exec->graph.nodes[i]->lane == node->lane)
			exec->graph.nodes[i]->last = false;
	node->last = true;
}

STANDIN_EXPORT CUgraphNode standin_graph_add(CUgraph graph, struct standin_op *op,
	const CUgraphNode *after, size_t count)
{
	struct shared_op *shared = op ? calloc(1, sizeof(*shared)) : NULL;
	CUgraphNode node;

	if (shared) {
		atomic_init(&shared->users, 1);
		shared->op = op;
	}
	node = node_put(graph, op ? op->node_type : CU_GRAPH_NODE_TYPE_EMPTY, shared, after, count);
	standin_resource(STANDIN_GRAPHNODE_CREATED, standin_context_peek(), node, graph);
	return node;
}

static void graph_empty(CUgraph graph)
{
	for (size_t i = 0; i < graph->count; i++) {
		shared_unref(graph->nodes[i]->shared);
		free(graph->nodes[i]->after);
		free(graph->nodes[i]);
	}
	free(graph->nodes);
}

STANDIN_EXPORT CUgraph standin_graph_create(void)
{
	CUgraph graph = calloc(1, sizeof(*graph));

	if (!graph)
		return NULL;
	graph->id = atomic_fetch_add(&graph_ids, 1) + 1;
	standin_resource(STANDIN_GRAPH_CREATED, standin_context_peek(), graph, NULL);
	return graph;
}

STANDIN_EXPORT void standin_graph_destroy(CUgraph graph)
{
	graph_empty(graph);
	free(graph);
}

STANDIN_EXPORT CUresult standin_graph_instantiate(CUgraph graph, CUgraphExec *out)
{
	CUgraphExec exec = calloc(1, sizeof(*exec));

	if (!exec)
		return CUDA_ERROR_OUT_OF_MEMORY;
	atomic_init(&exec->users, 1);
	exec->graph.id = atomic_fetch_add(&graph_ids, 1) + 1;
	for (size_t i = 0; i < graph->count; i++) {
		CUgraphNode from = graph->nodes[i], node;

		if (from->shared)
			atomic_fetch_add(&from->shared->users, 1);
		node = node_put(&exec->graph, from->type, from->shared, from->after, from->nafter);
		for (size_t k = 0; k < node->nafter; k++)
			node->after[k] = exec->graph.nodes[from->after[k]->index];
		lane_choose(exec, node);
		standin_resource(STANDIN_GRAPHNODE_CLONED, standin_context_peek(), node, from);
	}
	if (standin_context_peek())
		exec->own = standin_stream_make(standin_context_peek(), CU_STREAM_NON_BLOCKING, 0);
	if (exec->own)
		standin_resource(STANDIN_STREAM_OF_GRAPH, standin_context_peek(), exec->own, NULL);
	standin_resource(STANDIN_GRAPHEXEC_CREATED, standin_context_peek(), exec, graph);
	*out = exec;
	return CUDA_SUCCESS;
}

STANDIN_EXPORT void standin_graph_exec_ref(CUgraphExec exec)
{
	atomic_fetch_add(&exec->users, 1);
}

STANDIN_EXPORT void standin_graph_exec_unref(CUgraphExec exec)
{
	if (atomic_fetch_sub(&exec->users, 1) > 1)
		return;
	for (unsigned lane = 1; lane < exec->nlanes; lane++)
		if (exec->lanes[lane])
			standin_stream_destroy(exec->lanes[lane]);
	if (exec->own)
		standin_stream_destroy(exec->own);
	graph_empty(&exec->graph);
	free(exec);
}

/* ---- launching ---- */

/* Around a launch: its record has the time from the first to the last node. */
struct launch {
	atomic_int users;
	uint64_t start;
	struct standin_act act;
};

struct mark_op {
	struct standin_op op;
	struct launch *launch;
};

static void launch_begin(struct standin_op *op)
{
	((struct mark_op *)op)->launch->start = standin_monotonic();
}

static void launch_end(struct standin_op *op)
{
	const struct standin_hooks *hooks = standin_hooks();
	struct launch *launch = ((struct mark_op *)op)->launch;

	launch->act.start = launch->start;
	launch->act.end = standin_monotonic();
	if (hooks)
		hooks->activity(&launch->act);
}

static void mark_drop(struct standin_op *op)
{
	struct launch *launch = ((struct mark_op *)op)->launch;

	if (atomic_fetch_sub(&launch->users, 1) == 1)
		free(launch);
}

static struct standin_op *mark_make(struct launch *launch, void (*run)(struct standin_op *))
{
	struct mark_op *mark = standin_op_make(sizeof(*mark), run);

	if (!mark)
		abort();
	mark->op.drop = mark_drop;
	mark->launch = launch;
	return &mark->op;
}

static struct launch *launch_make(CUgraphExec exec, CUstream stream)
{
	struct launch *launch = calloc(1, sizeof(*launch));

	if (!launch)
		abort();
	atomic_init(&launch->users, 2);
	launch->act.kind = STANDIN_ACT_GRAPH;
	launch->act.device = (uint32_t)stream->ctx->device->ordinal;
	launch->act.context = stream->ctx->id;
	launch->act.stream = stream->id;
	launch->act.correlation = standin_correlation();
	launch->act.graph = exec->graph.id;
	return launch;
}

static CUresult lanes_make(CUgraphExec exec, CUcontext ctx)
{
	if (exec->ctx && exec->ctx != ctx)
		return CUDA_ERROR_INVALID_CONTEXT;
	exec->ctx = ctx;
	for (unsigned lane = 1; lane < exec->nlanes; lane++) {
		if (!exec->lanes[lane])
			exec->lanes[lane] = standin_stream_make(ctx, CU_STREAM_NON_BLOCKING, 0);
		if (!exec->lanes[lane])
			return CUDA_ERROR_OUT_OF_MEMORY;
	}
	return CUDA_SUCCESS;
}

/* PLACES: of each node, then of the launch's begin. */
static void node_submit(CUgraphExec exec, CUgraphNode node, struct standin_place *places)
{
	struct standin_node work = { .op = node->shared ? node->shared->op : NULL,
		.exec = exec,
		.id = node->id };
	struct standin_place *after = malloc((node->nafter + 1) * sizeof(*after));

	if (!after)
		abort();
	for (size_t i = 0; i < node->nafter; i++)
		after[i] = places[node->after[i]->index];
	after[node->nafter] = places[exec->graph.count];
	if (standin_submit_node(&places[node->index], &work, after, node->nafter + 1) !=
		CUDA_SUCCESS)
		abort();
	free(after);
}

STANDIN_EXPORT CUresult standin_graph_launch(CUgraphExec exec, CUstream stream)
{
	size_t count = exec->graph.count;
	struct standin_place *places;
	struct launch *launch;
	CUresult ret = stream->capture ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
				       : lanes_make(exec, stream->ctx);

	if (ret != CUDA_SUCCESS)
		return ret;
	places = calloc(count + 2, sizeof(*places));
	if (!places)
		return CUDA_ERROR_OUT_OF_MEMORY;
	launch = launch_make(exec, stream);
	places[count].stream = places[count + 1].stream = stream;
	ret = standin_submit_node(&places[count],
		&(struct standin_node){ .op = mark_make(launch, launch_begin) }, NULL, 0);
	for (size_t i = 0; i < count; i++) {
		CUgraphNode node = exec->graph.nodes[i];

		places[i].stream = node->lane ? exec->lanes[node->lane] : stream;
		node_submit(exec, node, places);
	}
	if (ret == CUDA_SUCCESS)
		ret = standin_submit_node(&places[count + 1],
			&(struct standin_node){ .op = mark_make(launch, launch_end) }, places,
			count);
	free(places);
	return ret;
}

STANDIN_EXPORT size_t standin_graph_nodes(CUgraph graph, CUgraphNode *nodes, size_t max)
{
	for (size_t i = 0; nodes && i < graph->count && i < max; i++)
		nodes[i] = graph->nodes[i];
	return graph->count;
}

STANDIN_EXPORT CUgraphNodeType standin_node_type(CUgraphNode node)
{
	return node->type;
}

STANDIN_EXPORT uint64_t standin_node_id(CUgraphNode node)
{
	return node->id;
}

STANDIN_EXPORT uint32_t standin_graph_id(CUgraph graph)
{
	return graph->id;
}

STANDIN_EXPORT uint32_t standin_graph_exec_id(CUgraphExec exec)
{
	return exec->graph.id;
}
