/*
 * cupti_check.c - compares what libtacho knows of CUPTI by heart with the
 * headers of the toolkit it is built with, if that is CUDA 13 or later: older
 * ones lack some of it. It belongs to no program.
 */
#include "config.h"

#include <stddef.h>

#include "cuda/cupti_api.h"
#include "cuda/cupti_records.h"

/* the toolkit's names come last: some are macros that would change ours */
#include <cuda.h>
#include <cupti.h>

#define SAME(ours, field, theirs, name)                                                            \
	_Static_assert(offsetof(struct ours, field) == offsetof(theirs, name) &&                   \
			sizeof(((struct ours *)0)->field) == sizeof(((theirs *)0)->name),          \
		#ours "." #field " is not where " #theirs "." #name " is");

#if CUDA_VERSION >= 13000

#define KERNEL(theirs)                                                                             \
	SAME(cupti_kernel, registers, theirs, registersPerThread)                                  \
	SAME(cupti_kernel, start, theirs, start)                                                   \
	SAME(cupti_kernel, end, theirs, end)                                                       \
	SAME(cupti_kernel, device, theirs, deviceId)                                               \
	SAME(cupti_kernel, context, theirs, contextId)                                             \
	SAME(cupti_kernel, stream, theirs, streamId)                                               \
	SAME(cupti_kernel, grid[2], theirs, gridZ)                                                 \
	SAME(cupti_kernel, block[2], theirs, blockZ)                                               \
	SAME(cupti_kernel, correlation, theirs, correlationId)                                     \
	SAME(cupti_kernel, name, theirs, name)
KERNEL(CUpti_ActivityKernel4)
KERNEL(CUpti_ActivityKernel5)
KERNEL(CUpti_ActivityKernel6)
KERNEL(CUpti_ActivityKernel7)
KERNEL(CUpti_ActivityKernel8)
KERNEL(CUpti_ActivityKernel9)
KERNEL(CUpti_ActivityKernel10)
SAME(cupti_kernel, node, CUpti_ActivityKernel5, graphNodeId)
SAME(cupti_kernel, node, CUpti_ActivityKernel10, graphNodeId)
SAME(cupti_kernel, graph, CUpti_ActivityKernel10, graphId)

#define COPY(ours, theirs)                                                                         \
	SAME(ours, copy, theirs, copyKind)                                                         \
	SAME(ours, source, theirs, srcKind)                                                        \
	SAME(ours, dest, theirs, dstKind)                                                          \
	SAME(ours, flags, theirs, flags)                                                           \
	SAME(ours, bytes, theirs, bytes)                                                           \
	SAME(ours, start, theirs, start)                                                           \
	SAME(ours, end, theirs, end)                                                               \
	SAME(ours, device, theirs, deviceId)                                                       \
	SAME(ours, context, theirs, contextId)                                                     \
	SAME(ours, stream, theirs, streamId)                                                       \
	SAME(ours, correlation, theirs, correlationId)                                             \
	SAME(ours, node, theirs, graphNodeId)
COPY(cupti_memcpy, CUpti_ActivityMemcpy4)
COPY(cupti_memcpy, CUpti_ActivityMemcpy5)
COPY(cupti_memcpy, CUpti_ActivityMemcpy6)
COPY(cupti_memcpy2, CUpti_ActivityMemcpyPtoP3)
COPY(cupti_memcpy2, CUpti_ActivityMemcpyPtoP4)
SAME(cupti_memcpy2, source_device, CUpti_ActivityMemcpyPtoP4, srcDeviceId)
SAME(cupti_memcpy2, dest_device, CUpti_ActivityMemcpyPtoP4, dstDeviceId)

#define SET(theirs)                                                                                \
	SAME(cupti_memset, bytes, theirs, bytes)                                                   \
	SAME(cupti_memset, start, theirs, start)                                                   \
	SAME(cupti_memset, end, theirs, end)                                                       \
	SAME(cupti_memset, device, theirs, deviceId)                                               \
	SAME(cupti_memset, context, theirs, contextId)                                             \
	SAME(cupti_memset, stream, theirs, streamId)                                               \
	SAME(cupti_memset, correlation, theirs, correlationId)                                     \
	SAME(cupti_memset, flags, theirs, flags)                                                   \
	SAME(cupti_memset, memory, theirs, memoryKind)                                             \
	SAME(cupti_memset, node, theirs, graphNodeId)
SET(CUpti_ActivityMemset3)
SET(CUpti_ActivityMemset4)

#define SYNC(theirs)                                                                               \
	SAME(cupti_sync, type, theirs, type)                                                       \
	SAME(cupti_sync, start, theirs, start)                                                     \
	SAME(cupti_sync, end, theirs, end)                                                         \
	SAME(cupti_sync, correlation, theirs, correlationId)                                       \
	SAME(cupti_sync, context, theirs, contextId)                                               \
	SAME(cupti_sync, stream, theirs, streamId)                                                 \
	SAME(cupti_sync, event, theirs, cudaEventId)
SYNC(CUpti_ActivitySynchronization)
SYNC(CUpti_ActivitySynchronization2)

#define OVERHEAD(theirs)                                                                           \
	SAME(cupti_overhead, overhead, theirs, overheadKind)                                       \
	SAME(cupti_overhead, start, theirs, start)                                                 \
	SAME(cupti_overhead, end, theirs, end)
OVERHEAD(CUpti_ActivityOverhead)
OVERHEAD(CUpti_ActivityOverhead2)
OVERHEAD(CUpti_ActivityOverhead3)
_Static_assert(offsetof(struct cupti_overhead, thread) ==
		offsetof(CUpti_ActivityOverhead3, objectId.pt.threadId),
	"");

SAME(cupti_api, number, CUpti_ActivityAPI, cbid)
SAME(cupti_api, start, CUpti_ActivityAPI, start)
SAME(cupti_api, end, CUpti_ActivityAPI, end)
SAME(cupti_api, thread, CUpti_ActivityAPI, threadId)
SAME(cupti_api, correlation, CUpti_ActivityAPI, correlationId)
SAME(cupti_api, result, CUpti_ActivityAPI, returnValue)
SAME(cupti_graph_launch, correlation, CUpti_ActivityGraphTrace2, correlationId)
SAME(cupti_graph_launch, start, CUpti_ActivityGraphTrace2, start)
SAME(cupti_graph_launch, end, CUpti_ActivityGraphTrace2, end)
SAME(cupti_graph_launch, device, CUpti_ActivityGraphTrace2, deviceId)
SAME(cupti_graph_launch, graph, CUpti_ActivityGraphTrace2, graphId)
SAME(cupti_graph_launch, context, CUpti_ActivityGraphTrace2, contextId)
SAME(cupti_graph_launch, stream, CUpti_ActivityGraphTrace2, streamId)
SAME(cupti_stream, context, CUpti_ActivityStream, contextId)
SAME(cupti_stream, stream, CUpti_ActivityStream, streamId)
SAME(cupti_stream, priority, CUpti_ActivityStream, priority)
SAME(cupti_stream, flag, CUpti_ActivityStream, flag)
SAME(cupti_context, context, CUpti_ActivityContext3, contextId)
SAME(cupti_context, device, CUpti_ActivityContext3, deviceId)
SAME(cupti_context, null_stream, CUpti_ActivityContext3, nullStreamId)

SAME(cupti_call, site, CUpti_CallbackData, callbackSite)
SAME(cupti_call, params, CUpti_CallbackData, functionParams)
SAME(cupti_call, result, CUpti_CallbackData, functionReturnValue)
SAME(cupti_call, context, CUpti_CallbackData, context)
SAME(cupti_call, context_id, CUpti_CallbackData, contextUid)
SAME(cupti_call, own, CUpti_CallbackData, correlationData)
SAME(cupti_call, correlation, CUpti_CallbackData, correlationId)
SAME(cupti_resource_data, resource, CUpti_ResourceData, resourceHandle)
SAME(cupti_resource_data, descriptor, CUpti_ResourceData, resourceDescriptor)
SAME(cupti_graph, node, CUpti_GraphData, node)
SAME(cupti_graph, original_node, CUpti_GraphData, originalNode)
SAME(cupti_graph, type, CUpti_GraphData, nodeType)
SAME(cupti_graph, exec, CUpti_GraphData, graphExec)

#define EQUAL(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours " is not " #theirs);
EQUAL(KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMCPY)
EQUAL(KIND_MEMSET, CUPTI_ACTIVITY_KIND_MEMSET)
EQUAL(KIND_KERNEL, CUPTI_ACTIVITY_KIND_KERNEL)
EQUAL(KIND_DRIVER, CUPTI_ACTIVITY_KIND_DRIVER)
EQUAL(KIND_RUNTIME, CUPTI_ACTIVITY_KIND_RUNTIME)
EQUAL(CUPTI_THREAD_SYSTEM, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM)
EQUAL(KIND_CONTEXT, CUPTI_ACTIVITY_KIND_CONTEXT)
EQUAL(KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
EQUAL(KIND_OVERHEAD, CUPTI_ACTIVITY_KIND_OVERHEAD)
EQUAL(KIND_MEMCPY2, CUPTI_ACTIVITY_KIND_MEMCPY2)
EQUAL(KIND_STREAM, CUPTI_ACTIVITY_KIND_STREAM)
EQUAL(KIND_SYNCHRONIZATION, CUPTI_ACTIVITY_KIND_SYNCHRONIZATION)
EQUAL(KIND_GRAPH, CUPTI_ACTIVITY_KIND_GRAPH_TRACE)
EQUAL(CUPTI_UNKNOWN, CUPTI_ERROR_UNKNOWN)
EQUAL(CUPTI_NO_MORE, CUPTI_ERROR_MAX_LIMIT_REACHED)
EQUAL(CUPTI_NOT_INITIALIZED, CUPTI_ERROR_NOT_INITIALIZED)
EQUAL(CUPTI_NOT_SUPPORTED, CUPTI_ERROR_NOT_SUPPORTED)
EQUAL(CUPTI_INVALID_KIND, CUPTI_ERROR_INVALID_KIND)
EQUAL(ATTRIBUTE_ZEROED_OUT, CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER)
EQUAL(ATTRIBUTE_PER_THREAD, CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER)
EQUAL(CUPTI_BUSY, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
EQUAL(CUPTI_ENTER, CUPTI_API_ENTER)
EQUAL(CUPTI_EXIT, CUPTI_API_EXIT)
EQUAL(CUPTI_FLUSH_FORCED, CUPTI_ACTIVITY_FLAG_FLUSH_FORCED)
EQUAL(DOMAIN_DRIVER, CUPTI_CB_DOMAIN_DRIVER_API)
EQUAL(DOMAIN_RUNTIME, CUPTI_CB_DOMAIN_RUNTIME_API)
EQUAL(DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_RESOURCE)
EQUAL(RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_CREATED)
EQUAL(RESOURCE_CONTEXT_DESTROYED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
EQUAL(RESOURCE_STREAM_DESTROYED, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING)
EQUAL(RESOURCE_NODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED)
EQUAL(RESOURCE_NODE_CLONED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED)
EQUAL(RESOURCE_EXEC_CREATED, CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED)
EQUAL(CUPTI_NODE_KERNEL, CU_GRAPH_NODE_TYPE_KERNEL)
EQUAL(16, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
EQUAL(33, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
EQUAL(34, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)
EQUAL(50, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)
EQUAL(75, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
EQUAL(76, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
EQUAL(SPOOL_MEMORY_PAGEABLE, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE)
EQUAL(SPOOL_MEMORY_PINNED, CUPTI_ACTIVITY_MEMORY_KIND_PINNED)
EQUAL(SPOOL_MEMORY_DEVICE, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE)
EQUAL(SPOOL_MEMORY_ARRAY, CUPTI_ACTIVITY_MEMORY_KIND_ARRAY)
EQUAL(SPOOL_MEMORY_MANAGED, CUPTI_ACTIVITY_MEMORY_KIND_MANAGED)
EQUAL(SPOOL_GPU_SYNC_EVENT, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE)
EQUAL(SPOOL_GPU_SYNC_STREAM_WAIT_EVENT, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT)
EQUAL(SPOOL_GPU_SYNC_STREAM, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE)
EQUAL(SPOOL_GPU_SYNC_CONTEXT, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE)

/* Callbacks: numbers and places in the parameters. The headers have no structs for these. */
typedef cudaLaunchKernel_v7000_params __cudaLaunchKernel_v13000_params;
typedef cudaLaunchKernel_ptsz_v7000_params __cudaLaunchKernel_ptsz_v13000_params;
typedef struct {
	char none;
} cudaDeviceSynchronize_v3020_params, cudaThreadSynchronize_v3020_params, cuCtxSynchronize_params,
	cudaDeviceReset_v3020_params;

#define AT(field, offset) (offsetof(params, field) == (offset) && sizeof(((params *)0)->field) == 8)
#define CONFIG		  (offsetof(params, config) == 0 && offsetof(CUlaunchConfig, hStream) == 32)
#define NULL_STREAM	  1
#define NONE		  1
#define REMOVED(domain, call, callback, number, stream, word)
#define CALLBACK(domain, call, callback, number, stream, word)                                     \
	static inline void check_##callback(void)                                                  \
	{                                                                                          \
		typedef callback##_params params;                                                  \
		_Static_assert((int)CUPTI_##domain##_TRACE_CBID_##callback == (number),            \
			#callback);                                                                \
		_Static_assert((stream) && (word) && sizeof(params), #callback);                   \
	}
#include "cuda/cuda_callbacks.def"
#endif
