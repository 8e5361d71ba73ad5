/* Driver calls about streams, events, launches and graphs. */
#include "driver.h"

static CUresult create(CUstream *stream, unsigned int flags, int priority)
{
	CUcontext ctx;
	CUresult ret = standin_context(&ctx);

	return ret == CUDA_SUCCESS ? standin_stream_create(ctx, flags, priority, stream) : ret;
}

CUresult do_cuStreamCreate(CUstream *stream, unsigned int flags)
{
	return create(stream, flags, 0);
}

CUresult do_cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority)
{
	return create(stream, flags, priority);
}

CUresult do_cuStreamDestroy_v2(CUstream stream)
{
	if (!stream || stream == CU_STREAM_LEGACY || stream == CU_STREAM_PER_THREAD)
		return CUDA_ERROR_INVALID_HANDLE;
	standin_stream_destroy(stream);
	return CUDA_SUCCESS;
}

CUresult do_cuStreamGetFlags(CUstream handle, unsigned int *flags)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (ret == CUDA_SUCCESS)
		*flags = stream->flags;
	return ret;
}

CUresult do_cuStreamGetPriority(CUstream handle, int *priority)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (ret == CUDA_SUCCESS)
		*priority = stream->priority;
	return ret;
}

CUresult do_cuStreamGetCtx(CUstream handle, CUcontext *ctx)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (ret == CUDA_SUCCESS)
		*ctx = stream->ctx;
	return ret;
}

CUresult do_cuStreamGetId(CUstream handle, unsigned long long *id)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (ret == CUDA_SUCCESS)
		*id = stream->id;
	return ret;
}

CUresult do_cuStreamSynchronize(CUstream handle)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	return ret == CUDA_SUCCESS ? standin_stream_sync(stream) : ret;
}

CUresult do_cuStreamQuery(CUstream handle)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (ret != CUDA_SUCCESS)
		return ret;
	return standin_stream_idle(stream) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult do_cuStreamWaitEvent(CUstream handle, CUevent event, unsigned int flags)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	(void)flags;
	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	return ret == CUDA_SUCCESS ? standin_event_wait(stream, event) : ret;
}

struct host_op {
	struct standin_op op;
	CUhostFn fn;
	void *data;
};

static void host_run(struct standin_op *op)
{
	struct host_op *h = (struct host_op *)op;

	h->fn(h->data);
}

CUresult do_cuLaunchHostFunc(CUstream handle, CUhostFn fn, void *data)
{
	struct host_op *op;
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (ret != CUDA_SUCCESS)
		return ret;
	op = standin_op_make(sizeof(*op), host_run);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->op.node_type = CU_GRAPH_NODE_TYPE_HOST;
	op->fn = fn;
	op->data = data;
	return standin_submit(stream, &op->op, NULL, NULL);
}

/* ---- events ---- */

CUresult do_cuEventCreate(CUevent *event, unsigned int flags)
{
	CUresult ret = standin_init();

	return ret == CUDA_SUCCESS ? standin_event_create(flags, event) : ret;
}

CUresult do_cuEventRecord(CUevent event, CUstream handle)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	return ret == CUDA_SUCCESS ? standin_event_record(event, stream) : ret;
}

CUresult do_cuEventRecordWithFlags(CUevent event, CUstream handle, unsigned int flags)
{
	(void)flags;
	return do_cuEventRecord(event, handle);
}

CUresult do_cuEventQuery(CUevent event)
{
	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	return standin_event_done(event) ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY;
}

CUresult do_cuEventSynchronize(CUevent event)
{
	return event ? standin_event_sync(event) : CUDA_ERROR_INVALID_HANDLE;
}

CUresult do_cuEventDestroy_v2(CUevent event)
{
	if (!event)
		return CUDA_ERROR_INVALID_HANDLE;
	standin_event_unref(event);
	return CUDA_SUCCESS;
}

CUresult do_cuEventElapsedTime(float *ms, CUevent start, CUevent end)
{
	if (!start || !end || ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!start->stream || !end->stream)
		return CUDA_ERROR_INVALID_HANDLE;
	if (!standin_event_done(start) || !standin_event_done(end))
		return CUDA_ERROR_NOT_READY;
	*ms = (float)((double)((int64_t)end->time_ns - (int64_t)start->time_ns) / 1e6);
	return CUDA_SUCCESS;
}

CUresult do_cuEventElapsedTime_v2(float *ms, CUevent start, CUevent end)
{
	return do_cuEventElapsedTime(ms, start, end);
}

/* ---- launches ---- */

CUresult do_cuLaunchKernel(CUfunction f, unsigned int gx, unsigned int gy, unsigned int gz,
	unsigned int bx, unsigned int by, unsigned int bz, unsigned int shared, CUstream handle,
	void **args, void **extra)
{
	struct standin_launch shape = { { gx, gy, gz }, { bx, by, bz }, shared };
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (extra)
		return CUDA_ERROR_NOT_SUPPORTED;
	return ret == CUDA_SUCCESS ? standin_launch(f, &shape, args, stream) : ret;
}

CUresult do_cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction f, void **args, void **extra)
{
	return do_cuLaunchKernel(f, c->gridDimX, c->gridDimY, c->gridDimZ, c->blockDimX,
		c->blockDimY, c->blockDimZ, c->sharedMemBytes, c->hStream, args, extra);
}

/* ---- graphs ---- */

CUresult do_cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	(void)mode;
	return ret == CUDA_SUCCESS ? standin_capture_begin(stream) : ret;
}

CUresult do_cuStreamEndCapture(CUstream handle, CUgraph *graph)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	return ret == CUDA_SUCCESS ? standin_capture_end(stream, graph) : ret;
}

CUresult do_cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus *status)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (ret == CUDA_SUCCESS)
		*status = stream->capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE
					  : CU_STREAM_CAPTURE_STATUS_NONE;
	return ret;
}

CUresult do_cuGraphCreate(CUgraph *graph, unsigned int flags)
{
	(void)flags;
	*graph = standin_graph_create();
	return *graph ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult do_cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph, unsigned long long flags)
{
	(void)flags;
	return graph ? standin_graph_instantiate(graph, exec) : CUDA_ERROR_INVALID_VALUE;
}

CUresult do_cuGraphLaunch(CUgraphExec exec, CUstream handle)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (!exec)
		return CUDA_ERROR_INVALID_VALUE;
	return ret == CUDA_SUCCESS ? standin_graph_launch(exec, stream) : ret;
}

CUresult do_cuGraphExecDestroy(CUgraphExec exec)
{
	standin_graph_exec_unref(exec);
	return CUDA_SUCCESS;
}

CUresult do_cuGraphDestroy(CUgraph graph)
{
	standin_graph_destroy(graph);
	return CUDA_SUCCESS;
}
