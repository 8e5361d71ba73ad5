/* The runtime's exported calls: CUPTI's callbacks around the bodies. */
#include "runtime.h"

#include <cuda_profiler_api.h>
#include <cupti_callbacks.h>
#include <cupti_runtime_cbid.h>
#include <generated_cuda_runtime_api_meta.h>

#define UNPACK(...) __VA_ARGS__

/*
 * As an H200 wrote it (tests/data/cupti13): CUDA 13.0 has a number for what nvcc's code calls, but
 * tells it as the kind of launch that it was before. CUDA 12 knows only that.
 */
#define __cudaLaunchKernel_v13000_params      cudaLaunchKernel_v7000_params
#define __cudaLaunchKernel_ptsz_v13000_params cudaLaunchKernel_ptsz_v7000_params
#define CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000                                         \
	CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000
#define CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000                                    \
	CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000

/* What nvcc's code calls, but no header declares for C. */
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t, cudaStream_t);

static const char *launch_symbol(unsigned cbid, const void *params)
{
	const void *func = NULL;
	CUfunction f;

	switch (cbid) {
	case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000:
	case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000:
	case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000:
		func = ((const cudaLaunchKernel_v7000_params *)params)->func;
		break;
	case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060:
		func = ((const cudaLaunchKernelExC_v11060_params *)params)->func;
		break;
	}
	f = func ? standin_function(func) : NULL;
	return f ? f->name : NULL;
}

#define CALL(exported, cbid_name, body, params_list, args, params_ptr, own)                        \
	STANDIN_EXPORT cudaError_t exported params_list                                            \
	{                                                                                          \
		struct standin_call call = { .domain = CUPTI_CB_DOMAIN_RUNTIME_API,                \
			.cbid = CUPTI_RUNTIME_TRACE_CBID_##cbid_name,                              \
			.name = #body,                                                             \
			.params = params_ptr };                                                    \
		cudaError_t ret;                                                                   \
                                                                                                   \
		call.symbol = launch_symbol(call.cbid, call.params);                               \
		standin_call_enter(&call, &ret);                                                   \
		standin_per_thread(own);                                                           \
		ret = do_##body args;                                                              \
		standin_per_thread(-(own));                                                        \
		standin_call_leave(&call);                                                         \
		return ret;                                                                        \
	}
#define R0(name, version) CALL(name, name##_v##version, name, (void), (), NULL, 0)
#define R(name, version, params, args)                                                             \
	CALL(name, name##_v##version, name, params, args,                                          \
		(&(name##_v##version##_params){ UNPACK args }), 0)
#define RS(name, version, own, params, args)                                                       \
	R(name, version, params, args)                                                             \
	cudaError_t name##_ptsz params;                                                            \
	CALL(name##_ptsz, name##_ptsz_v##own, name, params, args,                                  \
		(&(name##_ptsz_v##own##_params){ UNPACK args }), 1)
#define RD(name, version, own, params, args)                                                       \
	R(name, version, params, args)                                                             \
	cudaError_t name##_ptds params;                                                            \
	CALL(name##_ptds, name##_ptds_v##own, name, params, args,                                  \
		(&(name##_ptds_v##own##_params){ UNPACK args }), 1)
#include "runtime_calls.def"

#if STANDIN_CUDA == 12
/* Names that programs built with CUDA 12's headers ask for. */
cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device);
STANDIN_EXPORT cudaError_t cudaGetDeviceProperties_v2(struct cudaDeviceProp *prop, int device)
{
	return cudaGetDeviceProperties(prop, device);
}
#endif
