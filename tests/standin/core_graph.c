/*
 * Graphs: nodes with dependencies, made by capturing streams or one by one. An
 * instantiated graph has nodes of its own and runs them one after the other, in an
 * order that the dependencies allow, on the stream it is launched into.
 */
#include "standin.h"

#include <stdlib.h>
#include <string.h>

struct CUgraphNode_st {
	uint64_t id;
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
};

/* A graph and those instantiated from it share the operations. */
struct shared_op {
	atomic_int users;
	struct standin_op *op;
};

/* One capture; stays after its end, since events may name it. */
struct standin_session {
	struct standin_session *next;
	uint64_t id;
	CUgraph graph;
	CUstream origin;
	CUstream *members;
	size_t nmembers;
	bool ended;
};

/* A stream that takes part in a capture. */
struct standin_capture {
	struct standin_session *session;
	CUgraphNode *last; /* what the stream's next node comes after */
	size_t nlast;
};

static pthread_mutex_t capture_lock = PTHREAD_MUTEX_INITIALIZER;
static struct standin_session *sessions;
static atomic_ullong node_ids, capture_ids;
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
	node->id = atomic_fetch_add(&node_ids, 1) + 1;
	node->type = type;
	node->shared = shared;
	node->nafter = nafter;
	node->after = malloc((nafter + 1) * sizeof(*node->after));
	if (nafter)
		memcpy(node->after, after, nafter * sizeof(*after));
	graph->nodes[graph->count++] = node;
	return node;
}

STANDIN_EXPORT CUgraphNode standin_graph_add(CUgraph graph, struct standin_op *op, const CUgraphNode *after,
					     size_t count)
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
		node = node_put(&exec->graph, from->type, from->shared, NULL, 0);
		standin_resource(STANDIN_GRAPHNODE_CLONED, standin_context_peek(), node, from);
	}
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
	graph_empty(&exec->graph);
	free(exec);
}

STANDIN_EXPORT void standin_graph_exec_run(CUgraphExec exec, CUstream stream, uint32_t correlation)
{
	const struct standin_hooks *hooks = standin_hooks();
	struct standin_act act = { .kind = STANDIN_ACT_GRAPH, .start = standin_now() };

	for (size_t i = 0; i < exec->graph.count; i++) {
		CUgraphNode node = exec->graph.nodes[i];

		if (node->shared)
			standin_op_run(node->shared->op, stream, correlation, exec->graph.id, node->id);
	}
	act.end = standin_now();
	act.device = (uint32_t)stream->ctx->device->ordinal;
	act.context = stream->ctx->id;
	act.stream = stream->id;
	act.correlation = correlation;
	act.graph = exec->graph.id;
	if (hooks)
		hooks->activity(&act);
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

/* ---- capture ---- */

static void capture_join(struct standin_session *session, CUstream stream)
{
	struct standin_capture *capture = calloc(1, sizeof(*capture));
	CUstream *grown = realloc(session->members, (session->nmembers + 1) * sizeof(*grown));

	if (!capture || !grown)
		abort();
	capture->session = session;
	session->members = grown;
	session->members[session->nmembers++] = stream;
	stream->capture = capture;
}

/* Adds the event's nodes to those that the stream's next one comes after. */
static void capture_after(struct standin_capture *capture, CUevent event)
{
	for (unsigned i = 0; i < event->nnodes; i++) {
		size_t k = 0;

		while (k < capture->nlast && capture->last[k] != event->nodes[i])
			k++;
		if (k < capture->nlast)
			continue;
		capture->last = realloc(capture->last, (capture->nlast + 1) * sizeof(*capture->last));
		if (!capture->last)
			abort();
		capture->last[capture->nlast++] = event->nodes[i];
	}
}

STANDIN_EXPORT CUresult standin_capture_begin(CUstream stream)
{
	struct standin_session *session;

	if (stream->capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	if (stream == stream->ctx->legacy)
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	session = calloc(1, sizeof(*session));
	if (!session)
		return CUDA_ERROR_OUT_OF_MEMORY;
	session->id = atomic_fetch_add(&capture_ids, 1) + 1;
	session->graph = standin_graph_create();
	session->origin = stream;
	pthread_mutex_lock(&capture_lock);
	session->next = sessions;
	sessions = session;
	capture_join(session, stream);
	pthread_mutex_unlock(&capture_lock);
	return CUDA_SUCCESS;
}

bool standin_capture_wants(CUstream stream, CUevent after)
{
	return stream->capture || (after && after->session && !after->session->ended);
}

CUresult standin_capture_add(CUstream stream, struct standin_op *op, CUevent after)
{
	struct standin_capture *capture;

	pthread_mutex_lock(&capture_lock);
	if (!stream->capture)
		capture_join(after->session, stream);
	capture = stream->capture;
	if (after && after->session == capture->session)
		capture_after(capture, after);
	if (op) {
		CUgraphNode node = standin_graph_add(capture->session->graph, op, capture->last, capture->nlast);

		capture->last = realloc(capture->last, sizeof(*capture->last));
		if (!capture->last)
			abort();
		capture->last[0] = node;
		capture->nlast = 1;
	}
	pthread_mutex_unlock(&capture_lock);
	return CUDA_SUCCESS;
}

void standin_capture_event(CUevent event, CUstream stream)
{
	struct standin_capture *capture = stream->capture;

	pthread_mutex_lock(&capture_lock);
	free(event->nodes);
	event->nodes = malloc((capture->nlast + 1) * sizeof(*event->nodes));
	if (!event->nodes)
		abort();
	if (capture->nlast)
		memcpy(event->nodes, capture->last, capture->nlast * sizeof(*event->nodes));
	event->nnodes = (unsigned)capture->nlast;
	event->session = capture->session;
	pthread_mutex_unlock(&capture_lock);
}

STANDIN_EXPORT CUresult standin_capture_end(CUstream stream, CUgraph *graph)
{
	struct standin_session *session;

	if (!stream->capture)
		return CUDA_ERROR_ILLEGAL_STATE;
	session = stream->capture->session;
	if (session->origin != stream)
		return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
	pthread_mutex_lock(&capture_lock);
	for (size_t i = 0; i < session->nmembers; i++) {
		free(session->members[i]->capture->last);
		free(session->members[i]->capture);
		session->members[i]->capture = NULL;
	}
	free(session->members);
	session->members = NULL;
	session->ended = true;
	pthread_mutex_unlock(&capture_lock);
	*graph = session->graph;
	return CUDA_SUCCESS;
}

STANDIN_EXPORT uint64_t standin_capture_id(CUstream stream, CUgraph *graph, CUgraphNode **nodes, size_t *count)
{
	struct standin_capture *capture = stream->capture;

	if (!capture)
		return 0;
	*graph = capture->session->graph;
	*nodes = capture->last;
	*count = capture->nlast;
	return capture->session->id;
}
