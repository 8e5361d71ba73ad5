/* Runtime calls about devices and errors. */
#include "runtime.h"

#include <stdio.h>
#include <string.h>

static _Thread_local cudaError_t last;

cudaError_t runtime_error(cudaError_t error)
{
	if (error != cudaSuccess && error != cudaErrorNotReady)
		last = error;
	return error;
}

cudaError_t do_cudaGetLastError(void)
{
	cudaError_t error = last;

	last = cudaSuccess;
	return error;
}

cudaError_t do_cudaPeekAtLastError(void)
{
	return last;
}

static const struct {
	cudaError_t code;
	const char *name, *text;
} ERRORS[] = {
	{ cudaSuccess, "cudaSuccess", "no error" },
	{ cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument" },
	{ cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory" },
	{ cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error" },
	{ cudaErrorInvalidConfiguration, "cudaErrorInvalidConfiguration",
		"invalid configuration argument" },
	{ cudaErrorInvalidKernelImage, "cudaErrorInvalidKernelImage",
		"device kernel image is invalid" },
	{ cudaErrorInsufficientDriver, "cudaErrorInsufficientDriver",
		"CUDA driver version is insufficient for CUDA runtime version" },
	{ cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected" },
	{ cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal" },
	{ cudaErrorInvalidDeviceFunction, "cudaErrorInvalidDeviceFunction",
		"invalid device function" },
	{ cudaErrorInvalidSymbol, "cudaErrorInvalidSymbol", "invalid device symbol" },
	{ cudaErrorInvalidResourceHandle, "cudaErrorInvalidResourceHandle",
		"invalid resource handle" },
	{ cudaErrorNotReady, "cudaErrorNotReady", "device not ready" },
	{ cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported" },
	{ cudaErrorStreamCaptureUnsupported, "cudaErrorStreamCaptureUnsupported",
		"operation not permitted when stream is capturing" },
	{ cudaErrorUnknown, "cudaErrorUnknown", "unknown error" },
};

STANDIN_EXPORT const char *cudaGetErrorName(cudaError_t error)
{
	for (size_t i = 0; i < sizeof(ERRORS) / sizeof(ERRORS[0]); i++)
		if (ERRORS[i].code == error)
			return ERRORS[i].name;
	return "unrecognized error code";
}

STANDIN_EXPORT const char *cudaGetErrorString(cudaError_t error)
{
	for (size_t i = 0; i < sizeof(ERRORS) / sizeof(ERRORS[0]); i++)
		if (ERRORS[i].code == error)
			return ERRORS[i].text;
	return "unrecognized error code";
}

cudaError_t do_cudaDeviceReset(void)
{
	return runtime_error((cudaError_t)cuCtxSynchronize());
}

cudaError_t do_cudaDeviceSynchronize(void)
{
	return runtime_error((cudaError_t)cuCtxSynchronize());
}

cudaError_t do_cudaProfilerStart(void)
{
	return cudaSuccess;
}

cudaError_t do_cudaProfilerStop(void)
{
	return cudaSuccess;
}

cudaError_t do_cudaGetDeviceCount(int *count)
{
	CUresult ret = standin_init();

	*count = ret == CUDA_SUCCESS ? standin_config()->devices : 0;
	return runtime_error((cudaError_t)ret);
}

cudaError_t do_cudaGetDevice(int *device)
{
	CUcontext ctx;
	CUresult ret = standin_context(&ctx);

	if (ret == CUDA_SUCCESS)
		*device = ctx->device->ordinal;
	return runtime_error((cudaError_t)ret);
}

cudaError_t do_cudaSetDevice(int ordinal)
{
	CUresult ret = standin_init();

	if (ret != CUDA_SUCCESS)
		return runtime_error((cudaError_t)ret);
	if (!standin_device(ordinal))
		return runtime_error(cudaErrorInvalidDevice);
	standin_context_set(standin_primary(standin_device(ordinal)));
	return cudaSuccess;
}

cudaError_t do_cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
	(void)deviceFlags, (void)flags;
	return do_cudaSetDevice(device);
}

cudaError_t do_cudaSetDeviceFlags(unsigned int flags)
{
	(void)flags;
	return runtime_error((cudaError_t)standin_init());
}

cudaError_t do_cudaGetDeviceFlags(unsigned int *flags)
{
	*flags = 0;
	return runtime_error((cudaError_t)standin_init());
}

cudaError_t do_cudaDriverGetVersion(int *version)
{
	return runtime_error((cudaError_t)cuDriverGetVersion(version));
}

cudaError_t do_cudaRuntimeGetVersion(int *version)
{
	*version = STANDIN_CUDA == 12 ? 12040 : 13000;
	return cudaSuccess;
}

static const struct {
	size_t at; /* of an int in struct cudaDeviceProp */
	CUdevice_attribute attribute;
} PROPERTIES[] = {
	{ offsetof(struct cudaDeviceProp, regsPerBlock),
		CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK },
	{ offsetof(struct cudaDeviceProp, warpSize), CU_DEVICE_ATTRIBUTE_WARP_SIZE },
	{ offsetof(struct cudaDeviceProp, maxThreadsPerBlock),
		CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK },
	{ offsetof(struct cudaDeviceProp, maxThreadsDim[0]), CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X },
	{ offsetof(struct cudaDeviceProp, maxThreadsDim[1]), CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y },
	{ offsetof(struct cudaDeviceProp, maxThreadsDim[2]), CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z },
	{ offsetof(struct cudaDeviceProp, maxGridSize[0]), CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X },
	{ offsetof(struct cudaDeviceProp, maxGridSize[1]), CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y },
	{ offsetof(struct cudaDeviceProp, maxGridSize[2]), CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z },
	{ offsetof(struct cudaDeviceProp, major), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR },
	{ offsetof(struct cudaDeviceProp, minor), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR },
	{ offsetof(struct cudaDeviceProp, multiProcessorCount),
		CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT },
	{ offsetof(struct cudaDeviceProp, canMapHostMemory),
		CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY },
	{ offsetof(struct cudaDeviceProp, concurrentKernels),
		CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS },
	{ offsetof(struct cudaDeviceProp, pciBusID), CU_DEVICE_ATTRIBUTE_PCI_BUS_ID },
	{ offsetof(struct cudaDeviceProp, asyncEngineCount),
		CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT },
	{ offsetof(struct cudaDeviceProp, unifiedAddressing),
		CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING },
	{ offsetof(struct cudaDeviceProp, memoryBusWidth),
		CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH },
	{ offsetof(struct cudaDeviceProp, l2CacheSize), CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE },
	{ offsetof(struct cudaDeviceProp, maxThreadsPerMultiProcessor),
		CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR },
	{ offsetof(struct cudaDeviceProp, managedMemory), CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY },
	{ offsetof(struct cudaDeviceProp, cooperativeLaunch),
		CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH },
	{ offsetof(struct cudaDeviceProp, memoryPoolsSupported),
		CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED },
};

cudaError_t do_cudaGetDeviceProperties(struct cudaDeviceProp *prop, int ordinal)
{
	struct standin_device *device = standin_device(ordinal);
	CUresult ret = standin_init();

	if (ret != CUDA_SUCCESS || !device)
		return runtime_error(
			ret != CUDA_SUCCESS ? (cudaError_t)ret : cudaErrorInvalidDevice);
	memset(prop, 0, sizeof(*prop));
	snprintf(prop->name, sizeof(prop->name), "%s", device->name);
	memcpy(&prop->uuid, &device->uuid, sizeof(prop->uuid));
	prop->totalGlobalMem = standin_config()->memory;
	prop->sharedMemPerBlock = 49152;
	prop->sharedMemPerBlockOptin = 101376;
	prop->sharedMemPerMultiprocessor = 102400;
	prop->totalConstMem = 65536;
	for (size_t i = 0; i < sizeof(PROPERTIES) / sizeof(PROPERTIES[0]); i++)
		*(int *)((char *)prop + PROPERTIES[i].at) = standin_attribute(device,
			PROPERTIES[i].attribute);
	return cudaSuccess;
}

/* The numbers of cudaDeviceAttr equal CUdevice_attribute's. */
cudaError_t do_cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attr, int device)
{
	return runtime_error(
		(cudaError_t)cuDeviceGetAttribute(value, (CUdevice_attribute)attr, device));
}

cudaError_t do_cudaDeviceGetPCIBusId(char *id, int len, int device)
{
	return runtime_error((cudaError_t)cuDeviceGetPCIBusId(id, len, device));
}

cudaError_t do_cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	return runtime_error((cudaError_t)cuDeviceGetByPCIBusId(device, id));
}

cudaError_t do_cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	if (!standin_device(device) || !standin_device(peer))
		return runtime_error(cudaErrorInvalidDevice);
	*can = device != peer;
	return cudaSuccess;
}

cudaError_t do_cudaDeviceEnablePeerAccess(int peer, unsigned int flags)
{
	(void)flags;
	return runtime_error(standin_device(peer) ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t do_cudaDeviceDisablePeerAccess(int peer)
{
	return do_cudaDeviceEnablePeerAccess(peer, 0);
}

cudaError_t do_cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	return runtime_error((cudaError_t)cuCtxGetStreamPriorityRange(least, greatest));
}

cudaError_t do_cudaDeviceSetLimit(enum cudaLimit limit, size_t value)
{
	(void)limit, (void)value;
	return runtime_error((cudaError_t)standin_init());
}

cudaError_t do_cudaDeviceGetLimit(size_t *value, enum cudaLimit limit)
{
	*value = limit == cudaLimitMallocHeapSize ? 8u << 20 : 1024;
	return runtime_error((cudaError_t)standin_init());
}

static cudaError_t entry_point(const char *symbol, void **function, int version,
	unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
	CUdriverProcAddressQueryResult found;

	cuGetProcAddress(symbol, function, version, flags, &found);
	if (status)
		*status = (enum cudaDriverEntryPointQueryResult)found;
	return cudaSuccess;
}

cudaError_t do_cudaGetDriverEntryPoint(const char *symbol, void **function,
	unsigned long long flags, enum cudaDriverEntryPointQueryResult *status)
{
	return entry_point(symbol, function, STANDIN_CUDA * 1000, flags, status);
}

cudaError_t do_cudaGetDriverEntryPointByVersion(const char *symbol, void **function,
	unsigned int version, unsigned long long flags,
	enum cudaDriverEntryPointQueryResult *status)
{
	return entry_point(symbol, function, (int)version, flags, status);
}
