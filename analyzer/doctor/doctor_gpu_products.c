/*
 * doctor_gpu_products.c - matrix products of a GPU by cuBLAS, which is found at run time: bf16 numbers, summed up in
 * single precision, as trainings have them.
 */
#include "config.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/clock_now.h"
#include "doctor/doctor.h"
#include "doctor/doctor_cuda.h"

enum { LEAST = 256, MOST = 8192, MOST_BRIEF = 512, TIMES = 4 };
enum { BF16 = 14, SUM_32F = 68, NOT_TRANSPOSED = 0, ANY_ALGORITHM = -1 }; /* cuBLAS's */
#define LONG_NS 5e6 /* what takes as long is large enough */

struct cublas {
	int (*create)(void **), (*destroy)(void *),
		(*multiply)(void *, int, int, int, int, int, const void *, const void *, int, int,
			const void *, int, int, const void *, void *, int, int, int, int);
};

static bool cublas_load(struct cublas *cublas)
{
	static const char *const files[] = { "libcublas.so.13", "libcublas.so.12",
		"libcublas.so.11" };
	const struct doctor_symbol all[] = { { "cublasCreate_v2", &cublas->create },
		{ "cublasDestroy_v2", &cublas->destroy }, { "cublasGemmEx", &cublas->multiply } };
	void *library = NULL;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !library; i++)
		library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
	return doctor_symbols(library, all, sizeof(all) / sizeof(*all));
}

/* ns of the best of some products of n x n, the first not counted; NAN: one failed. */
static double product_ns(const struct doctor_cuda *cuda, const struct cublas *cublas, void *handle,
	const device_address *at, int n)
{
	const float one = 1, zero = 0;
	double best = INFINITY;

	for (int i = 0; i <= TIMES; i++) {
		int64_t begun = clock_now_ns(CLOCK_MONOTONIC);

		if (cublas->multiply(handle, NOT_TRANSPOSED, NOT_TRANSPOSED, n, n, n, &one,
			    (void *)(uintptr_t)at[0], BF16, n, (void *)(uintptr_t)at[1], BF16, n,
			    &zero, (void *)(uintptr_t)at[2], BF16, n, SUM_32F,
			    ANY_ALGORITHM) != 0 ||
			cuda->synchronize(NULL) != 0)
			return NAN;
		if (i)
			best = fmin(best, (double)(clock_now_ns(CLOCK_MONOTONIC) - begun));
	}
	return best;
}

double doctor_gpu_product(bool brief, int *size)
{
	const struct doctor_cuda *cuda = doctor_cuda();
	struct cublas cublas;
	device_address at[3] = { 0 };
	void *handle = NULL;
	int most = brief ? MOST_BRIEF : MOST;
	double rate = NAN, ns = 0;
	bool ready = cublas_load(&cublas) && cublas.create(&handle) == 0;

	for (int i = 0; i < 3 && ready; i++)
		ready = cuda->alloc(&at[i], (size_t)most * (size_t)most * 2) == 0 &&
			cuda->clear(at[i], 0x3f, (size_t)most * (size_t)most * 2) == 0;
	/* larger ones until they take long: small ones do not fill a GPU */
	for (int n = LEAST; ready && n <= most && ns < LONG_NS; n *= 2) {
		ns = product_ns(cuda, &cublas, handle, at, n);
		if (isnan(ns))
			break;
		if (!(2e-3 * n * n * n / ns < rate)) {
			rate = 2e-3 * n * n * n / ns;
			*size = n;
		}
	}
	for (int i = 0; i < 3; i++)
		if (at[i])
			cuda->dealloc(at[i]);
	if (handle)
		cublas.destroy(handle);
	return rate;
}
