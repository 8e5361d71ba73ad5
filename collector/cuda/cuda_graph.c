/*
 * cuda_graph.c - which nodes of CUDA graphs are NCCL's; see cuda_capture.h. A call
 * of NCCL that a graph captures is made once, and its kernels run with each launch
 * of the graph. CUPTI reports the node that a launch in the call becomes, the copies of it in
 * graphs that can be launched, and with each kernel its node.
 */
#include "config.h"

#include "cuda/cuda_capture.h"
#include "nccl/nccl_call.h"

#define BITS (1u << 16)

/* Nodes by their number modulo BITS: of others than NCCL's merge makes nothing. */
static _Atomic uint64_t known[BITS / 64];
static _Atomic uint32_t is_any_known;

static void node_note(uint64_t id)
{
	atomic_fetch_or_explicit(&known[id % BITS / 64], 1ull << id % 64, memory_order_relaxed);
	atomic_store_explicit(&is_any_known, 1, memory_order_relaxed);
}

static bool node_is_known(uint64_t id)
{
	return atomic_load_explicit(&known[id % BITS / 64], memory_order_relaxed) >> id % 64 & 1;
}

static uint64_t node_id(void *node)
{
	uint64_t id = 0;

	if (!node || !tacho_cupti.GetGraphNodeId ||
		tacho_cupti.GetGraphNodeId(node, &id) != CUPTI_OK)
		return 0;
	return id;
}

/* Whether the thread is in a call of NCCL's, reported by a wrapper or by the profiler plugin. */
static bool is_in_nccl(const struct thread *self)
{
	uint64_t depth = self->cursor >> 48;

	for (uint64_t i = 0; i < depth && i < SPOOL_MAX_DEPTH; i++)
		if (region_class(atomic_load_explicit(&self->head->inside[i].region,
			    memory_order_relaxed)) == REGION_CLASS_NCCL)
			return true;
	return false;
}

static void note(struct thread *self, enum spool_graph what, uint64_t word, uint64_t original)
{
	uint64_t words[] = { word, original };

	span_record(self, SPOOL_GRAPH, REGION_NONE, what, words, 2);
}

void cuda_graph_resource(uint32_t number, const struct cupti_graph *graph)
{
	/* outside the capture window as well */
	struct thread *self = graph ? thread_self(REGION_NONE) : NULL;
	uint64_t id, original;

	if (!self)
		return;
	switch (number) {
	case RESOURCE_NODE_CREATED:
		if (graph->type != CUPTI_NODE_KERNEL || !is_in_nccl(self) ||
			!(id = node_id(graph->node)))
			return;
		cuda_graphs_by_node();
		node_note(id);
		note(self, SPOOL_GRAPH_NODE, id, 0);
		return;
	case RESOURCE_NODE_CLONED:
		if (!atomic_load_explicit(&is_any_known, memory_order_relaxed) ||
			!(original = node_id(graph->original_node)) || !node_is_known(original) ||
			!(id = node_id(graph->node)))
			return;
		node_note(id);
		note(self, SPOOL_GRAPH_CLONE, id, original);
		return;
	case RESOURCE_EXEC_CREATED:
		if (atomic_load_explicit(&is_any_known, memory_order_relaxed))
			note(self, SPOOL_GRAPH_EXEC, (uintptr_t)graph->exec, 0);
		return;
	default: return;
	}
}

/* The runtime's call and the driver's in it are reported both: they count up and down alike. */
void cuda_graph_call(unsigned region, int result)
{
	uint32_t n;

	switch (region) {
	case REGION_cudaStreamBeginCapture:
	case REGION_cuStreamBeginCapture:
	case REGION_cudaStreamBeginCaptureToGraph:
	case REGION_cuStreamBeginCaptureToGraph:
		if (!result)
			atomic_fetch_add(&tacho_cuda_captures, 1);
		return;
	case REGION_cudaStreamEndCapture:
	case REGION_cuStreamEndCapture:
		n = atomic_load(&tacho_cuda_captures);
		while ((!result || result == CUDA_CAPTURE_INVALIDATED) && n &&
			!atomic_compare_exchange_weak(&tacho_cuda_captures, &n, n - 1))
			;
		return;
	default: return;
	}
}
