/*
 * cuda_calls.h - the calls of CUDA's libraries that --truth counts, and reports of their failures:
 * the first one in a sentence, later ones not at all. After a failure everything continues as if
 * nothing had happened; callers check cuda_failed().
 */
#ifndef TRAINER_CUDA_CALLS_H
#define TRAINER_CUDA_CALLS_H

#include <cublas_v2.h>
#include <stdbool.h>
#include <stdio.h>

#include "cuda_kernels.h"
#include "matrix.h"

#define cuda_do(call)                                                                              \
	((call) == cudaSuccess ? (void)0                                                           \
			       : cuda_fail(cudaGetErrorString(cudaPeekAtLastError()), #call))
#define blas_do(call)                                                                              \
	((call) == CUBLAS_STATUS_SUCCESS ? (void)0 : cuda_fail("cuBLAS refuses", #call))

/* Says, the first time, that `call` failed and why. */
void cuda_fail(const char *why, const char *call);
bool cuda_failed(void);

enum copy { COPY_H2D, COPY_D2H, COPY_COUNT };

/* What is counted; the graph's own is added each time that it is launched. */
struct counts {
	uint64_t kernels[KERNEL_COUNT], gemms, memsets, memset_bytes;
	struct {
		uint64_t calls, bytes;
	} copies[COPY_COUNT], allreduce;
};

/* Directs counting into `counts`, which is zeroed; NULL: back to the process's own. */
void counts_into(struct counts *counts);
void counts_add_graph(const struct counts *counts);
void counts_add_allreduce(size_t nbytes);
void counts_save(FILE *out, int precision);

/* On a stream, or (0) at once; host memory pinned or not. */
void gpu_copy(void *to, const void *from, size_t nbytes, enum copy kind, cudaStream_t stream);
void gpu_clear(void *at, size_t nbytes, cudaStream_t stream);

struct product {
	enum matrix_form form_a, form_b;
	int m, n, k;
	const void *a, *b; /* of the launch's precision */
	void *c;
	bool single; /* c is of single precision whatever a and b are */
};

/* c = a·b by rows, as matrix_multiply() of matrix.h. */
void gpu_multiply(cublasHandle_t blas, int precision, const struct product *product);

#endif
