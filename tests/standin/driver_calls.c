/* The driver's exported calls: CUPTI's callbacks around the bodies. */
#define __CUDA_API_VERSION_INTERNAL /* the parameter structs need the types of old calls too */
#include "driver.h"
#include "stream.h"
#include "work.h"

#include <cupti_callbacks.h>
#include <cupti_driver_cbid.h>
#include <cupti_runtime_cbid.h>
#include <dlfcn.h>
#include <generated_cuda_meta.h>
#include <cuda_runtime_api.h>
#include <generated_cuda_runtime_api_meta.h>
#include <stdio.h>
#include <string.h>

#define UNPACK(...) __VA_ARGS__

/* The name of the kernel that a call launches, for the callback; NULL for other calls. */
static const char *launch_symbol(unsigned cbid, const void *params)
{
	CUfunction f = NULL;

	if (cbid == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel ||
		cbid == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz)
		f = standin_function(((const cuLaunchKernel_params *)params)->f);
	else if (cbid == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx)
		f = standin_function(((const cuLaunchKernelEx_params *)params)->f);
	return f ? f->name : NULL;
}

#define CALL(exported, body, params_list, args, params_ptr, own)                                   \
	STANDIN_EXPORT CUresult exported params_list                                               \
	{                                                                                          \
		struct standin_call call = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,                 \
			.cbid = CUPTI_DRIVER_TRACE_CBID_##exported,                                \
			.name = #exported,                                                         \
			.params = params_ptr };                                                    \
		CUresult ret;                                                                      \
                                                                                                   \
		call.symbol = launch_symbol(call.cbid, call.params);                               \
		standin_call_enter(&call, &ret);                                                   \
		standin_per_thread(own);                                                           \
		ret = do_##body args;                                                              \
		standin_per_thread(-(own));                                                        \
		standin_call_leave(&call);                                                         \
		return ret;                                                                        \
	}
#define D(name, params, args) CALL(name, name, params, args, (&(name##_params){ UNPACK args }), 0)
#define DS(name, params, args)                                                                     \
	D(name, params, args)                                                                      \
	CUresult name##_ptsz params;                                                               \
	CALL(name##_ptsz, name, params, args, (&(name##_ptsz_params){ UNPACK args }), 1)
#include "driver_calls.def"
#undef D
#undef DS

CALL(cuCtxSynchronize, cuCtxSynchronize, (void), (), NULL, 0)

/* CUPTI shows cuInit only when it was already there; like the real one, it starts the driver. */
STANDIN_EXPORT CUresult cuInit(unsigned int flags)
{
	return flags ? CUDA_ERROR_INVALID_VALUE : standin_init();
}

/* ---- finding calls by name ---- */

static const struct {
	const char *name;
	const char *symbol; /* what cuda.h makes of the name */
} NEWEST[] = {
	{ "cuDeviceTotalMem", "cuDeviceTotalMem_v2" },
	{ "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxRelease_v2" },
	{ "cuCtxPushCurrent", "cuCtxPushCurrent_v2" },
	{ "cuCtxPopCurrent", "cuCtxPopCurrent_v2" },
	{ "cuMemGetInfo", "cuMemGetInfo_v2" },
	{ "cuMemAlloc", "cuMemAlloc_v2" },
	{ "cuMemFree", "cuMemFree_v2" },
	{ "cuMemHostRegister", "cuMemHostRegister_v2" },
	{ "cuMemcpyHtoD", "cuMemcpyHtoD_v2" },
	{ "cuMemcpyDtoH", "cuMemcpyDtoH_v2" },
	{ "cuMemcpyDtoD", "cuMemcpyDtoD_v2" },
	{ "cuMemcpyHtoDAsync", "cuMemcpyHtoDAsync_v2" },
	{ "cuMemcpyDtoHAsync", "cuMemcpyDtoHAsync_v2" },
	{ "cuMemcpyDtoDAsync", "cuMemcpyDtoDAsync_v2" },
	{ "cuMemsetD8", "cuMemsetD8_v2" },
	{ "cuMemsetD32", "cuMemsetD32_v2" },
	{ "cuStreamDestroy", "cuStreamDestroy_v2" },
	{ "cuEventDestroy", "cuEventDestroy_v2" },
	{ "cuStreamBeginCapture", "cuStreamBeginCapture_v2" },
	{ "cuGraphInstantiate", "cuGraphInstantiateWithFlags" },
	{ "cuGetProcAddress", "cuGetProcAddress_v2" },
};

STANDIN_EXPORT CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version,
	cuuint64_t flags, CUdriverProcAddressQueryResult *status)
{
	const char *name = symbol;
	char own[128];
	Dl_info info;
	void *self = dladdr((void *)cuInit, &info) ? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)
						   : NULL;

	(void)version;
	for (size_t i = 0; i < sizeof(NEWEST) / sizeof(NEWEST[0]); i++)
		if (!strcmp(NEWEST[i].name, symbol))
			name = NEWEST[i].symbol;
	snprintf(own, sizeof(own), "%s_ptsz", name);
	*function = flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM ? dlsym(self, own) : NULL;
	if (!*function)
		*function = dlsym(self, name);
	if (status)
		*status = *function ? CU_GET_PROC_ADDRESS_SUCCESS
				    : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

/* ---- work of libraries on top ---- */

static CUresult driver_launch(const CUlaunchConfig *config, const struct standin_work *work)
{
	cuLaunchKernelEx_params params = { .config = config };
	struct standin_call call = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
		.cbid = CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
		.name = "cuLaunchKernelEx",
		.params = &params,
		.symbol = work->name };
	CUstream stream;
	CUresult ret;

	standin_call_enter(&call, &ret);
	ret = standin_stream(config->hStream, &stream);
	if (ret == CUDA_SUCCESS)
		ret = standin_work_submit(stream, work);
	else if (work->release)
		work->release(work->arg);
	standin_call_leave(&call);
	return ret;
}

/* As cudaMemcpyAsync() of a static runtime: the driver's call within. */
static int copy_enqueue(cudaStream_t stream, const struct standin_work *work)
{
	cudaMemcpyAsync_v3020_params params = { .count = work->copied,
		.kind = cudaMemcpyDeviceToDevice,
		.stream = stream };
	cuMemcpyDtoDAsync_v2_params inner_params = { .ByteCount = work->copied, .hStream = stream };
	struct standin_call call = { .domain = CUPTI_CB_DOMAIN_RUNTIME_API,
		.cbid = CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
		.name = "cudaMemcpyAsync",
		.params = &params },
			    inner = { .domain = CUPTI_CB_DOMAIN_DRIVER_API,
				    .cbid = CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2,
				    .name = "cuMemcpyDtoDAsync_v2",
				    .params = &inner_params };
	CUstream on;
	CUresult ret;

	standin_call_enter(&call, &ret);
	standin_call_enter(&inner, &ret);
	ret = standin_stream(stream, &on);
	if (ret == CUDA_SUCCESS)
		ret = standin_work_submit(on, work);
	else if (work->release)
		work->release(work->arg);
	standin_call_leave(&inner);
	standin_call_leave(&call);
	return ret;
}

STANDIN_EXPORT int standin_enqueue(cudaStream_t stream, const struct standin_work *work,
	int runtime)
{
	CUlaunchConfig config = { .gridDimX = work->grid[0],
		.gridDimY = work->grid[1],
		.gridDimZ = work->grid[2],
		.blockDimX = work->block[0],
		.blockDimY = work->block[1],
		.blockDimZ = work->block[2],
		.hStream = stream };
	cudaLaunchConfig_t outer = { .gridDim = { work->grid[0], work->grid[1], work->grid[2] },
		.blockDim = { work->block[0], work->block[1], work->block[2] },
		.stream = stream };
	cudaLaunchKernelExC_v11060_params params = { .config = &outer };
	struct standin_call call = { .domain = CUPTI_CB_DOMAIN_RUNTIME_API,
		.cbid = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
		.name = "cudaLaunchKernelExC",
		.params = &params,
		.symbol = work->name };
	CUresult ret;

	if (work->copied)
		return copy_enqueue(stream, work);
	if (!runtime)
		return driver_launch(&config, work);
	standin_call_enter(&call, &ret);
	ret = driver_launch(&config, work);
	standin_call_leave(&call);
	return ret;
}

STANDIN_EXPORT int standin_stream_device(cudaStream_t handle)
{
	CUstream stream;

	return standin_stream(handle, &stream) == CUDA_SUCCESS ? stream->ctx->device->ordinal : -1;
}
