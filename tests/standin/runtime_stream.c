/* Runtime calls about streams, events, launches and graphs. */
#include "runtime.h"

#include <stdlib.h>

static cudaError_t result(CUresult ret)
{
	return runtime_error((cudaError_t)ret);
}

cudaError_t do_cudaStreamCreate(cudaStream_t *stream)
{
	return result(cuStreamCreate(stream, CU_STREAM_DEFAULT));
}

cudaError_t do_cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags)
{
	return result(cuStreamCreate(stream, flags));
}

cudaError_t do_cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority)
{
	return result(cuStreamCreateWithPriority(stream, flags, priority));
}

cudaError_t do_cudaStreamDestroy(cudaStream_t stream)
{
	return result(cuStreamDestroy(stream));
}

cudaError_t do_cudaStreamSynchronize(cudaStream_t stream)
{
	return result(cuStreamSynchronize(stream));
}

cudaError_t do_cudaStreamQuery(cudaStream_t stream)
{
	return result(cuStreamQuery(stream));
}

cudaError_t do_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags)
{
	return result(cuStreamWaitEvent(stream, event, flags));
}

struct callback {
	cudaStreamCallback_t fn;
	cudaStream_t stream;
	void *data;
};

static void callback_run(void *arg)
{
	struct callback *c = arg;

	c->fn(c->stream, cudaSuccess, c->data);
	free(c);
}

/* A callback runs once: unlike host functions it cannot be captured. */
cudaError_t do_cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t fn, void *data,
	unsigned int flags)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);
	struct callback *c;

	(void)flags;
	if (ret == CUDA_SUCCESS && stream->capture)
		ret = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	if (ret != CUDA_SUCCESS)
		return result(ret);
	c = malloc(sizeof(*c));
	if (!c)
		return runtime_error(cudaErrorMemoryAllocation);
	c->fn = fn;
	c->stream = handle;
	c->data = data;
	return result(cuLaunchHostFunc(stream, callback_run, c));
}

cudaError_t do_cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void *data)
{
	return result(cuLaunchHostFunc(stream, fn, data));
}

cudaError_t do_cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags)
{
	return result(cuStreamGetFlags(stream, flags));
}

cudaError_t do_cudaStreamGetPriority(cudaStream_t stream, int *priority)
{
	return result(cuStreamGetPriority(stream, priority));
}

cudaError_t do_cudaStreamGetId(cudaStream_t stream, unsigned long long *id)
{
	return result(cuStreamGetId(stream, id));
}

cudaError_t do_cudaStreamGetDevice(cudaStream_t handle, int *device)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (ret == CUDA_SUCCESS)
		*device = stream->ctx->device->ordinal;
	return result(ret);
}

/* ---- events ---- */

cudaError_t do_cudaEventCreate(cudaEvent_t *event)
{
	return result(cuEventCreate(event, CU_EVENT_DEFAULT));
}

cudaError_t do_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags)
{
	return result(cuEventCreate(event, flags));
}

cudaError_t do_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
	return result(cuEventRecord(event, stream));
}

cudaError_t do_cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int flags)
{
	return result(cuEventRecordWithFlags(event, stream, flags));
}

cudaError_t do_cudaEventSynchronize(cudaEvent_t event)
{
	return result(cuEventSynchronize(event));
}

cudaError_t do_cudaEventQuery(cudaEvent_t event)
{
	return result(cuEventQuery(event));
}

cudaError_t do_cudaEventDestroy(cudaEvent_t event)
{
	return result(cuEventDestroy(event));
}

cudaError_t do_cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t end)
{
	return result(cuEventElapsedTime(ms, start, end));
}

/* ---- launches ---- */

static cudaError_t launch(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
	cudaStream_t stream)
{
	CUfunction f = standin_function(func);

	if (!f)
		return runtime_error(cudaErrorInvalidDeviceFunction);
	if ((uint64_t)block.x * block.y * block.z > f->threads_max || !block.x || !grid.x)
		return runtime_error(cudaErrorInvalidConfiguration);
	return result(cuLaunchKernel(f, grid.x, grid.y, grid.z, block.x, block.y, block.z,
		(unsigned)shared, stream, args, NULL));
}

cudaError_t do_cudaLaunchKernel(const void *func, dim3 grid, dim3 block, void **args, size_t shared,
	cudaStream_t stream)
{
	return launch(func, grid, block, args, shared, stream);
}

cudaError_t do_cudaLaunchCooperativeKernel(const void *func, dim3 grid, dim3 block, void **args,
	size_t shared, cudaStream_t stream)
{
	return launch(func, grid, block, args, shared, stream);
}

cudaError_t do___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args,
	size_t shared, cudaStream_t stream)
{
	return launch(kernel, grid, block, args, shared, stream);
}

cudaError_t do_cudaLaunchKernelExC(const cudaLaunchConfig_t *c, const void *func, void **args)
{
	CUfunction f = standin_function(func);
	CUlaunchConfig config = { .gridDimX = c->gridDim.x,
		.gridDimY = c->gridDim.y,
		.gridDimZ = c->gridDim.z,
		.blockDimX = c->blockDim.x,
		.blockDimY = c->blockDim.y,
		.blockDimZ = c->blockDim.z,
		.sharedMemBytes = (unsigned)c->dynamicSmemBytes,
		.hStream = c->stream };

	if (!f)
		return runtime_error(cudaErrorInvalidDeviceFunction);
	return result(cuLaunchKernelEx(&config, f, args, NULL));
}

cudaError_t do_cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
	CUfunction f = standin_function(func);

	if (!f)
		return runtime_error(cudaErrorInvalidDeviceFunction);
	*attr = (struct cudaFuncAttributes){ .maxThreadsPerBlock = (int)f->threads_max,
		.numRegs = (int)f->registers,
		.ptxVersion = 86,
		.binaryVersion = 86,
		.maxDynamicSharedSizeBytes = (int)f->shared_max };
	return cudaSuccess;
}

cudaError_t do_cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
	CUfunction f = standin_function(func);

	if (!f)
		return runtime_error(cudaErrorInvalidDeviceFunction);
	if (attr == cudaFuncAttributeMaxDynamicSharedMemorySize)
		f->shared_max = (size_t)value;
	return cudaSuccess;
}

cudaError_t do_cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache config)
{
	(void)config;
	return runtime_error(standin_function(func) ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t do_cudaGetFuncBySymbol(cudaFunction_t *function, const void *symbol)
{
	*function = standin_function(symbol);
	return runtime_error(*function ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

cudaError_t do_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *func,
	int block_size, size_t shared)
{
	(void)func, (void)shared;
	if (block_size <= 0 || block_size > 1024)
		return runtime_error(cudaErrorInvalidValue);
	*blocks = 1536 / block_size < 16 ? 1536 / block_size : 16;
	return cudaSuccess;
}

cudaError_t do_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *func,
	int block_size, size_t shared, unsigned int flags)
{
	(void)flags;
	return do_cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, func, block_size, shared);
}

/* ---- graphs ---- */

cudaError_t do_cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode)
{
	return result(cuStreamBeginCapture(stream, (CUstreamCaptureMode)mode));
}

cudaError_t do_cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph)
{
	return result(cuStreamEndCapture(stream, graph));
}

cudaError_t do_cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status)
{
	return result(cuStreamIsCapturing(stream, (CUstreamCaptureStatus *)status));
}

cudaError_t do_cudaStreamGetCaptureInfo(cudaStream_t handle, enum cudaStreamCaptureStatus *status,
	unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
	const cudaGraphEdgeData **edges, size_t *count)
{
	CUgraph captured = NULL;
	CUgraphNode *last = NULL;
	CUstream stream;
	size_t nlast = 0;
	uint64_t capture;
	CUresult ret = standin_stream(handle, &stream);

	if (ret != CUDA_SUCCESS)
		return result(ret);
	capture = standin_capture_id(stream, &captured, &last, &nlast);
	*status = capture ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
	if (id)
		*id = capture;
	if (graph)
		*graph = captured;
	if (dependencies)
		*dependencies = last;
	if (edges)
		*edges = NULL;
	if (count)
		*count = nlast;
	return cudaSuccess;
}

cudaError_t do_cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode)
{
	static _Thread_local enum cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
	enum cudaStreamCaptureMode before = current;

	current = *mode;
	*mode = before;
	return cudaSuccess;
}

cudaError_t do_cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
	return result(cuGraphCreate(graph, flags));
}

cudaError_t do_cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
	unsigned long long flags)
{
	return result(cuGraphInstantiateWithFlags(exec, graph, flags));
}

cudaError_t do_cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
	unsigned long long flags)
{
	return result(cuGraphInstantiateWithFlags(exec, graph, flags));
}

cudaError_t do_cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream)
{
	return result(cuGraphLaunch(exec, stream));
}

cudaError_t do_cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream)
{
	(void)exec, (void)stream;
	return cudaSuccess;
}

cudaError_t do_cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	return result(cuGraphExecDestroy(exec));
}

cudaError_t do_cudaGraphDestroy(cudaGraph_t graph)
{
	return result(cuGraphDestroy(graph));
}

cudaError_t do_cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count)
{
	*count = standin_graph_nodes(graph, nodes, nodes ? *count : 0);
	return cudaSuccess;
}

cudaError_t do_cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type)
{
	*type = (enum cudaGraphNodeType)standin_node_type(node);
	return cudaSuccess;
}
