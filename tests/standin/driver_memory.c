/* Driver calls about memory. */
#include "driver.h"

static void *host(CUdeviceptr ptr)
{
	return (void *)(uintptr_t)ptr; /* device memory is host memory */
}

CUresult do_cuMemGetInfo_v2(size_t *free, size_t *total)
{
	CUcontext ctx;
	CUresult ret = standin_context(&ctx);

	if (ret != CUDA_SUCCESS)
		return ret;
	*total = standin_config()->memory;
	*free = *total - atomic_load(&ctx->device->used);
	return CUDA_SUCCESS;
}

static CUresult alloc(CUdeviceptr *ptr, size_t bytes, int kind)
{
	void *made = NULL;
	CUresult ret = standin_alloc(bytes, kind, &made);

	*ptr = (CUdeviceptr)(uintptr_t)made;
	return ret;
}

CUresult do_cuMemAlloc_v2(CUdeviceptr *ptr, size_t bytes)
{
	return alloc(ptr, bytes, STANDIN_DEVICE);
}

CUresult do_cuMemAllocManaged(CUdeviceptr *ptr, size_t bytes, unsigned int flags)
{
	(void)flags;
	return alloc(ptr, bytes, STANDIN_MANAGED);
}

/* Frees wait for the device, as the real ones do. */
CUresult do_cuMemFree_v2(CUdeviceptr ptr)
{
	CUcontext ctx;
	CUresult ret = standin_context(&ctx);

	if (ret == CUDA_SUCCESS && ptr)
		ret = standin_context_sync(ctx);
	return ret == CUDA_SUCCESS ? standin_free(host(ptr)) : ret;
}

CUresult do_cuMemHostAlloc(void **ptr, size_t bytes, unsigned int flags)
{
	(void)flags;
	return standin_alloc(bytes, STANDIN_PINNED, ptr);
}

CUresult do_cuMemFreeHost(void *ptr)
{
	return standin_free(ptr);
}

CUresult do_cuMemHostRegister_v2(void *ptr, size_t bytes, unsigned int flags)
{
	(void)flags;
	return standin_register(ptr, bytes);
}

CUresult do_cuMemHostUnregister(void *ptr)
{
	return standin_unregister(ptr);
}

CUresult do_cuMemAllocAsync(CUdeviceptr *ptr, size_t bytes, CUstream stream)
{
	(void)stream; /* memory that exists earlier than asked for does no harm */
	return alloc(ptr, bytes, STANDIN_DEVICE);
}

struct free_op {
	struct standin_op op;
	void *ptr;
};

static void free_run(struct standin_op *op)
{
	standin_free(((struct free_op *)op)->ptr);
}

CUresult do_cuMemFreeAsync(CUdeviceptr ptr, CUstream handle)
{
	struct free_op *op;
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (ret != CUDA_SUCCESS)
		return ret;
	if (stream->capture) /* a graph would free it at every launch */
		return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
	op = standin_op_make(sizeof(*op), free_run);
	if (!op)
		return CUDA_ERROR_OUT_OF_MEMORY;
	op->ptr = host(ptr);
	return standin_submit(stream, &op->op, NULL, NULL);
}

CUresult do_cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
	struct standin_memory memory = standin_memory_of(host(ptr));

	if (memory.kind == STANDIN_PAGEABLE)
		return CUDA_ERROR_INVALID_VALUE;
	switch (attribute) {
	case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
		*(unsigned *)data = memory.kind == STANDIN_PINNED ? CU_MEMORYTYPE_HOST
								  : CU_MEMORYTYPE_DEVICE;
		return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)data = memory.device; return CUDA_SUCCESS;
	case CU_POINTER_ATTRIBUTE_IS_MANAGED:
		*(unsigned *)data = memory.kind == STANDIN_MANAGED;
		return CUDA_SUCCESS;
	default: return CUDA_ERROR_NOT_SUPPORTED;
	}
}

/* ---- copies ---- */

static CUresult copy(void *dst, const void *src, size_t bytes, int kind, CUstream handle,
	bool async)
{
	struct standin_copy what = { .dst = dst,
		.src = src,
		.width = bytes,
		.height = 1,
		.kind = kind,
		.async = async };
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	return ret == CUDA_SUCCESS ? standin_copy(&what, stream) : ret;
}

CUresult do_cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return copy(host(dst), host(src), bytes, 0, NULL, false);
}

CUresult do_cuMemcpyHtoD_v2(CUdeviceptr dst, const void *src, size_t bytes)
{
	return copy(host(dst), src, bytes, STANDIN_H2D, NULL, false);
}

CUresult do_cuMemcpyDtoH_v2(void *dst, CUdeviceptr src, size_t bytes)
{
	return copy(dst, host(src), bytes, STANDIN_D2H, NULL, false);
}

CUresult do_cuMemcpyDtoD_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes)
{
	return copy(host(dst), host(src), bytes, STANDIN_D2D, NULL, false);
}

CUresult do_cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return copy(host(dst), host(src), bytes, 0, stream, true);
}

CUresult do_cuMemcpyHtoDAsync_v2(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream)
{
	return copy(host(dst), src, bytes, STANDIN_H2D, stream, true);
}

CUresult do_cuMemcpyDtoHAsync_v2(void *dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return copy(dst, host(src), bytes, STANDIN_D2H, stream, true);
}

CUresult do_cuMemcpyDtoDAsync_v2(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream)
{
	return copy(host(dst), host(src), bytes, STANDIN_D2D, stream, true);
}

CUresult do_cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext to, CUdeviceptr src, CUcontext from,
	size_t bytes, CUstream stream)
{
	(void)to; /* the pointers know their devices */
	(void)from;
	return copy(host(dst), host(src), bytes, 0, stream, true);
}

static CUresult set(CUdeviceptr dst, uint32_t value, unsigned element, size_t count,
	CUstream handle, bool async)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (ret != CUDA_SUCCESS)
		return ret;
	return standin_set(host(dst), value, element, count * element, 1, count * element, stream,
		async);
}

CUresult do_cuMemsetD8_v2(CUdeviceptr dst, unsigned char value, size_t count)
{
	return set(dst, value, 1, count, NULL, false);
}

CUresult do_cuMemsetD32_v2(CUdeviceptr dst, unsigned int value, size_t count)
{
	return set(dst, value, 4, count, NULL, false);
}

CUresult do_cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count, CUstream stream)
{
	return set(dst, value, 1, count, stream, true);
}

CUresult do_cuMemsetD32Async(CUdeviceptr dst, unsigned int value, size_t count, CUstream stream)
{
	return set(dst, value, 4, count, stream, true);
}
