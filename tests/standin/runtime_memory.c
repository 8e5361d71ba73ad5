/* Runtime calls about memory. */
#include "runtime.h"

#include <string.h>

static CUdeviceptr device(const void *ptr)
{
	return (CUdeviceptr)(uintptr_t)ptr;
}

cudaError_t do_cudaMalloc(void **ptr, size_t size)
{
	CUdeviceptr made = 0;
	CUcontext ctx;
	CUresult ret = standin_context(&ctx);

	if (ret == CUDA_SUCCESS)
		ret = size ? cuMemAlloc(&made, size) : CUDA_SUCCESS;
	*ptr = (void *)(uintptr_t)made;
	return runtime_error((cudaError_t)ret);
}

cudaError_t do_cudaFree(void *ptr)
{
	CUcontext ctx;
	CUresult ret = standin_context(&ctx); /* cudaFree(0) is a way to start CUDA */

	return runtime_error(
		(cudaError_t)(ret == CUDA_SUCCESS && ptr ? cuMemFree(device(ptr)) : ret));
}

cudaError_t do_cudaHostAlloc(void **ptr, size_t size, unsigned int flags)
{
	return runtime_error((cudaError_t)cuMemHostAlloc(ptr, size, flags));
}

cudaError_t do_cudaMallocHost(void **ptr, size_t size)
{
	return do_cudaHostAlloc(ptr, size, 0);
}

cudaError_t do_cudaFreeHost(void *ptr)
{
	return runtime_error((cudaError_t)cuMemFreeHost(ptr));
}

cudaError_t do_cudaHostRegister(void *ptr, size_t size, unsigned int flags)
{
	return runtime_error((cudaError_t)cuMemHostRegister(ptr, size, flags));
}

cudaError_t do_cudaHostUnregister(void *ptr)
{
	return runtime_error((cudaError_t)cuMemHostUnregister(ptr));
}

cudaError_t do_cudaHostGetDevicePointer(void **ptr, void *host, unsigned int flags)
{
	(void)flags;
	*ptr = host;
	return cudaSuccess;
}

cudaError_t do_cudaMallocManaged(void **ptr, size_t size, unsigned int flags)
{
	CUdeviceptr made = 0;
	CUresult ret = cuMemAllocManaged(&made, size, flags ? flags : CU_MEM_ATTACH_GLOBAL);

	*ptr = (void *)(uintptr_t)made;
	return runtime_error((cudaError_t)ret);
}

cudaError_t do_cudaMallocAsync(void **ptr, size_t size, cudaStream_t stream)
{
	CUdeviceptr made = 0;
	CUresult ret = cuMemAllocAsync(&made, size, stream);

	*ptr = (void *)(uintptr_t)made;
	return runtime_error((cudaError_t)ret);
}

cudaError_t do_cudaFreeAsync(void *ptr, cudaStream_t stream)
{
	return runtime_error((cudaError_t)cuMemFreeAsync(device(ptr), stream));
}

cudaError_t do_cudaMemGetInfo(size_t *free, size_t *total)
{
	return runtime_error((cudaError_t)cuMemGetInfo(free, total));
}

cudaError_t do_cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *ptr)
{
	static const enum cudaMemoryType TYPES[] = {
		[STANDIN_PAGEABLE] = cudaMemoryTypeUnregistered,
		[STANDIN_PINNED] = cudaMemoryTypeHost,
		[STANDIN_DEVICE] = cudaMemoryTypeDevice,
		[STANDIN_MANAGED] = cudaMemoryTypeManaged
	};
	struct standin_memory memory = standin_memory_of(ptr);
	bool on_device = memory.kind == STANDIN_DEVICE || memory.kind == STANDIN_MANAGED;

	memset(attributes, 0, sizeof(*attributes));
	attributes->type = TYPES[memory.kind];
	attributes->device = on_device ? memory.device : -1;
	attributes->devicePointer = memory.kind != STANDIN_PAGEABLE ? (void *)(uintptr_t)ptr : NULL;
	attributes->hostPointer = memory.kind != STANDIN_DEVICE ? (void *)(uintptr_t)ptr : NULL;
	return cudaSuccess;
}

/* ---- copies: the driver's call that the real runtime makes for each direction ---- */

static CUresult copy_async(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
	CUstream stream)
{
	switch (kind) {
	case cudaMemcpyHostToDevice: return cuMemcpyHtoDAsync(device(dst), src, count, stream);
	case cudaMemcpyDeviceToHost: return cuMemcpyDtoHAsync(dst, device(src), count, stream);
	case cudaMemcpyDeviceToDevice:
		return cuMemcpyDtoDAsync(device(dst), device(src), count, stream);
	default: return cuMemcpyAsync(device(dst), device(src), count, stream);
	}
}

cudaError_t do_cudaMemcpyAsync(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind,
	cudaStream_t stream)
{
	CUresult ret = count ? copy_async(dst, src, count, kind, stream) : CUDA_SUCCESS;

	return runtime_error((cudaError_t)ret);
}

static CUresult copy_now(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
	switch (kind) {
	case cudaMemcpyHostToDevice: return cuMemcpyHtoD(device(dst), src, count);
	case cudaMemcpyDeviceToHost: return cuMemcpyDtoH(dst, device(src), count);
	case cudaMemcpyDeviceToDevice: return cuMemcpyDtoD(device(dst), device(src), count);
	default: return cuMemcpy(device(dst), device(src), count);
	}
}

cudaError_t do_cudaMemcpy(void *dst, const void *src, size_t count, enum cudaMemcpyKind kind)
{
	return runtime_error((cudaError_t)(count ? copy_now(dst, src, count, kind) : CUDA_SUCCESS));
}

cudaError_t do_cudaMemcpyPeerAsync(void *dst, int to, const void *src, int from, size_t count,
	cudaStream_t stream)
{
	CUresult ret;

	if (!standin_device(to) || !standin_device(from))
		return runtime_error(cudaErrorInvalidDevice);
	ret = cuMemcpyPeerAsync(device(dst), standin_primary(standin_device(to)), device(src),
		standin_primary(standin_device(from)), count, stream);
	return runtime_error((cudaError_t)ret);
}

cudaError_t do_cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t count)
{
	(void)to, (void)from;
	return runtime_error((cudaError_t)cuMemcpy(device(dst), device(src), count));
}

static cudaError_t copy_2d(struct standin_copy *copy, enum cudaMemcpyKind kind, cudaStream_t handle)
{
	static const int KINDS[] = { [cudaMemcpyHostToDevice] = STANDIN_H2D,
		[cudaMemcpyDeviceToHost] = STANDIN_D2H,
		[cudaMemcpyDeviceToDevice] = STANDIN_D2D,
		[cudaMemcpyDefault] = 0 };
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	copy->kind = KINDS[kind];
	return runtime_error((cudaError_t)(ret == CUDA_SUCCESS ? standin_copy(copy, stream) : ret));
}

cudaError_t do_cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
	size_t height, enum cudaMemcpyKind kind)
{
	struct standin_copy copy = { .dst = dst,
		.src = src,
		.width = width,
		.height = height,
		.dpitch = dpitch,
		.spitch = spitch };

	return copy_2d(&copy, kind, NULL);
}

cudaError_t do_cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
	size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	struct standin_copy copy = { .dst = dst,
		.src = src,
		.width = width,
		.height = height,
		.dpitch = dpitch,
		.spitch = spitch,
		.async = true };

	return copy_2d(&copy, kind, stream);
}

/* ---- symbols ---- */

static char *symbol_at(const void *symbol, size_t offset, size_t count)
{
	size_t size = 0;
	char *memory = runtime_symbol(symbol, &size);

	return memory && offset + count <= size ? memory + offset : NULL;
}

cudaError_t do_cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
	enum cudaMemcpyKind kind)
{
	char *memory = symbol_at(symbol, offset, count);

	return memory ? do_cudaMemcpy(memory, src, count, kind)
		      : runtime_error(cudaErrorInvalidSymbol);
}

cudaError_t do_cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
	enum cudaMemcpyKind kind)
{
	char *memory = symbol_at(symbol, offset, count);

	return memory ? do_cudaMemcpy(dst, memory, count, kind)
		      : runtime_error(cudaErrorInvalidSymbol);
}

cudaError_t do_cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
	size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	char *memory = symbol_at(symbol, offset, count);

	return memory ? do_cudaMemcpyAsync(memory, src, count, kind, stream)
		      : runtime_error(cudaErrorInvalidSymbol);
}

cudaError_t do_cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
	enum cudaMemcpyKind kind, cudaStream_t stream)
{
	char *memory = symbol_at(symbol, offset, count);

	return memory ? do_cudaMemcpyAsync(dst, memory, count, kind, stream)
		      : runtime_error(cudaErrorInvalidSymbol);
}

cudaError_t do_cudaGetSymbolAddress(void **ptr, const void *symbol)
{
	*ptr = runtime_symbol(symbol, NULL);
	return runtime_error(*ptr ? cudaSuccess : cudaErrorInvalidSymbol);
}

cudaError_t do_cudaGetSymbolSize(size_t *size, const void *symbol)
{
	return runtime_error(runtime_symbol(symbol, size) ? cudaSuccess : cudaErrorInvalidSymbol);
}

/* ---- memset ---- */

cudaError_t do_cudaMemset(void *ptr, int value, size_t count)
{
	return runtime_error((cudaError_t)cuMemsetD8(device(ptr), (unsigned char)value, count));
}

cudaError_t do_cudaMemsetAsync(void *ptr, int value, size_t count, cudaStream_t stream)
{
	return runtime_error(
		(cudaError_t)cuMemsetD8Async(device(ptr), (unsigned char)value, count, stream));
}

cudaError_t do_cudaMemset2DAsync(void *ptr, size_t pitch, int value, size_t width, size_t height,
	cudaStream_t handle)
{
	CUstream stream;
	CUresult ret = standin_stream(handle, &stream);

	if (ret == CUDA_SUCCESS)
		ret = standin_set(ptr, (uint32_t)value, 1, width, height, pitch, stream, true);
	return runtime_error((cudaError_t)ret);
}
