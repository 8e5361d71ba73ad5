/* doctor_cuda.c - the CUDA driver, found at run time; see doctor_cuda.h. */
#include "config.h"

#include <dlfcn.h>
#include <string.h>

#include "doctor/doctor_cuda.h"

static struct doctor_cuda cuda;
static bool is_emulated;

bool doctor_symbols(void *library, const struct doctor_symbol *symbols, size_t n)
{
	for (size_t i = 0; library && i < n; i++) {
		void *symbol = dlsym(library, symbols[i].name);

		if (!symbol)
			return false;
		memcpy(symbols[i].at, &symbol, sizeof(symbol));
	}
	return library != NULL;
}

const struct doctor_cuda *doctor_cuda(void)
{
	static const struct doctor_cuda *found;
	const struct doctor_symbol all[] = { { "cuInit", &cuda.init },
		{ "cuDeviceGetCount", &cuda.count }, { "cuDevicePrimaryCtxRetain", &cuda.retain },
		{ "cuDevicePrimaryCtxRelease_v2", &cuda.release },
		{ "cuCtxSetCurrent", &cuda.current }, { "cuMemAlloc_v2", &cuda.alloc },
		{ "cuMemFree_v2", &cuda.dealloc }, { "cuMemHostAlloc", &cuda.pin },
		{ "cuMemFreeHost", &cuda.unpin }, { "cuMemcpyHtoD_v2", &cuda.in },
		{ "cuMemcpyDtoH_v2", &cuda.out }, { "cuMemsetD8_v2", &cuda.clear },
		{ "cuStreamSynchronize", &cuda.synchronize } };
	void *library = found ? NULL : dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);

	if (doctor_symbols(library, all, sizeof(all) / sizeof(*all)) && cuda.init(0) == 0) {
		found = &cuda;
		is_emulated = dlsym(library, "tacho_standin") != NULL;
	}
	return found;
}

const char *doctor_gpus_text(int n)
{
	return is_emulated ? n == 1 ? "emulated GPU" : "emulated GPUs" : n == 1 ? "GPU" : "GPUs";
}
