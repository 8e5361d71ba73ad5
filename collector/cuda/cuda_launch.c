/*
 * cuda_launch.c - counts launches of kernels, recorded or not: wrappers of the exported functions, as
 * programs call them that have the CUDA runtime or the driver as a shared library. A static runtime and
 * who finds the driver's functions by dlsym() is not seen here; the callbacks notice it (cuda_sample.c).
 *
 * A process may have several CUDA runtimes: the one is meant that the caller's object links, as with
 * NCCL (nccl_library.c).
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>

#include "core/dlsym.h"
#include "core/real.h"
#include "cuda/cuda_callbacks.h"
#include "cuda/cuda_launch.h"

#define LIBRARIES 16
#define CALLERS	  64 /* power of two */
#define COUNTS	  16
#define NO_DEVICE 100 /* of runtime and driver alike */

struct grid {
	unsigned x, y, z;
};

#define KERNEL                                                                                     \
	(const void *kernel, struct grid grid, struct grid block, void **args, size_t shared,      \
		void *stream)
#define KERNEL_ARGS (kernel, grid, block, args, shared, stream)
#define CONFIG	    (const void *config, const void *kernel, void **args)
#define CONFIG_ARGS (config, kernel, args)
#define DRIVER                                                                                     \
	(void *kernel, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,  \
		unsigned shared, void *stream, void **args, void **extra)
#define DRIVER_ARGS (kernel, x, y, z, bx, by, bz, shared, stream, args, extra)
#define TOGETHER                                                                                   \
	(void *kernel, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz,  \
		unsigned shared, void *stream, void **args)
#define TOGETHER_ARGS (kernel, x, y, z, bx, by, bz, shared, stream, args)
#define EXTENDED      (const void *config, void *kernel, void **args, void **extra)
#define EXTENDED_ARGS (config, kernel, args, extra)

/* LAUNCH(name, parameters, arguments), each with its variant for default streams of threads */
#define LAUNCHES(LAUNCH)                                                                           \
	LAUNCH(cudaLaunchKernel, KERNEL, KERNEL_ARGS)                                              \
	LAUNCH(cudaLaunchKernel_ptsz, KERNEL, KERNEL_ARGS)                                         \
	LAUNCH(__cudaLaunchKernel, KERNEL, KERNEL_ARGS)                                            \
	LAUNCH(__cudaLaunchKernel_ptsz, KERNEL, KERNEL_ARGS)                                       \
	LAUNCH(cudaLaunchCooperativeKernel, KERNEL, KERNEL_ARGS)                                   \
	LAUNCH(cudaLaunchCooperativeKernel_ptsz, KERNEL, KERNEL_ARGS)                              \
	LAUNCH(cudaLaunchKernelExC, CONFIG, CONFIG_ARGS)                                           \
	LAUNCH(cudaLaunchKernelExC_ptsz, CONFIG, CONFIG_ARGS)                                      \
	LAUNCH(cuLaunchKernel, DRIVER, DRIVER_ARGS)                                                \
	LAUNCH(cuLaunchKernel_ptsz, DRIVER, DRIVER_ARGS)                                           \
	LAUNCH(cuLaunchCooperativeKernel, TOGETHER, TOGETHER_ARGS)                                 \
	LAUNCH(cuLaunchCooperativeKernel_ptsz, TOGETHER, TOGETHER_ARGS)                            \
	LAUNCH(cuLaunchKernelEx, EXTENDED, EXTENDED_ARGS)                                          \
	LAUNCH(cuLaunchKernelEx_ptsz, EXTENDED, EXTENDED_ARGS)

enum launch {
#define LAUNCH(name, params, args) LAUNCH_##name,
	LAUNCHES(LAUNCH)
#undef LAUNCH
		LAUNCH_COUNT
};

static const char names[LAUNCH_COUNT][40] = {
#define LAUNCH(name, params, args) #name,
	LAUNCHES(LAUNCH)
#undef LAUNCH
};

/* By the object that a function is in. */
static struct {
	_Atomic uintptr_t base;
	void *_Atomic real[LAUNCH_COUNT];
} libraries[LIBRARIES];

/* Callers and their libraries: address << 8 | 1 + number of the library. */
static _Atomic uint64_t callers[CALLERS];

static struct {
	_Alignas(64) _Atomic uint64_t n;
} counts[COUNTS];

__thread unsigned tacho_launch_depth __attribute__((tls_model("initial-exec")));

uint64_t cuda_launches_counted(void)
{
	uint64_t n = 0;

	for (int i = 0; i < COUNTS; i++)
		n += atomic_load_explicit(&counts[i].n, memory_order_relaxed);
	return n;
}

static void count(void)
{
	uintptr_t thread = (uintptr_t)__builtin_thread_pointer();

	atomic_fetch_add_explicit(&counts[(thread >> 12 ^ thread >> 20) % COUNTS].n, 1,
		memory_order_relaxed);
}

/*
 * A launch that CUPTI reports by a record stands between the calls before and after it, which are not
 * summed together.
 */
static void record_ends(void)
{
	struct thread *self = tacho_self;

	if (likely(!tacho_launch_records || !self))
		return;
	*(volatile uint64_t *)&self->folded = 0;
	*(volatile uint64_t *)&self->late = 0;
}

/* As the caller's object would have found it: in the global scope, then in what it links. */
static void *symbol_of(const char *name, void *caller)
{
	static const char *const sonames[] = { "libcudart.so.13", "libcudart.so.12",
		"libcudart.so.11.0", "libcuda.so.1" };
	void *found = dlsym_real(RTLD_NEXT, name);
	Dl_info info;

	if (!found && dladdr(caller, &info))
		found = real_in_object(info.dli_fname, name);
	for (size_t i = 0; i < sizeof(sonames) / sizeof(*sonames) && !found; i++)
		found = real_in_object(sonames[i], name);
	return found ? found : real_symbol(name);
}

/* Where the library is one too many, nothing is remembered of it. */
static void *find(enum launch launch, void *caller, _Atomic uint64_t *slot)
{
	int saved = errno;
	void *found = symbol_of(names[launch], caller);
	uintptr_t seen = 0;
	Dl_info info;

	for (unsigned i = 0; found && dladdr(found, &info) && i < LIBRARIES; i++, seen = 0) {
		uintptr_t base = (uintptr_t)info.dli_fbase;

		if (!atomic_compare_exchange_strong(&libraries[i].base, &seen, base) &&
			seen != base)
			continue;
		atomic_store(&libraries[i].real[launch], found);
		atomic_store(slot, (uint64_t)(uintptr_t)caller << 8 | (i + 1));
		break;
	}
	errno = saved;
	return found;
}

static void *real_of(enum launch launch, void *caller)
{
	_Atomic uint64_t *slot = &callers[((uintptr_t)caller >> 4) % CALLERS];
	uint64_t seen = atomic_load_explicit(slot, memory_order_relaxed);
	void *real = NULL;

	if (likely(seen >> 8 == (uintptr_t)caller && seen & 0xff))
		real = atomic_load_explicit(&libraries[(seen & 0xff) - 1].real[launch],
			memory_order_relaxed);
	return likely(real) ? real : find(launch, caller, slot);
}

/* A launch inside of one is part of it: the runtime's calls the driver's. */
#define LAUNCH(name, params, args)                                                                 \
	TACHO_EXPORT int name params;                                                              \
	int name params                                                                            \
	{                                                                                          \
		int(*real) params = (int(*) params)real_of(LAUNCH_##name,                          \
			__builtin_extract_return_addr(__builtin_return_address(0)));               \
		int ret;                                                                           \
                                                                                                   \
		if (!real)                                                                         \
			return NO_DEVICE;                                                          \
		if (!tacho_launch_depth++)                                                         \
			count();                                                                   \
		record_ends();                                                                     \
		ret = real args;                                                                   \
		record_ends();                                                                     \
		tacho_launch_depth--;                                                              \
		return ret;                                                                        \
	}
LAUNCHES(LAUNCH)
