/*
 * gpu_behind.c - work of GPUs after the phase that it belongs to: steps that wait for their
 * product, then a phase validate that queues products and ends at once.
 *
 *	gpu_behind PRODUCTS...
 *
 * Run by mpirun: rank R has device R, and queues as many products as the R-th number says. A
 * product takes as long as STANDIN_GFLOPS makes it.
 */
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "tacho.h"

enum { STEPS = 20, SIDE = 100 };

#define DO(call)                                                                                   \
	do {                                                                                       \
		int result_ = (int)(call);                                                         \
		if (result_) {                                                                     \
			fprintf(stderr, "gpu_behind: %s: %d\n", #call, result_);                   \
			exit(1);                                                                   \
		}                                                                                  \
	} while (0)

static void multiply(cublasHandle_t blas, float *matrix)
{
	const float one = 1, zero = 0;

	DO(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, SIDE, SIDE, SIDE, &one, matrix, SIDE, matrix,
		SIDE, &zero, matrix + SIDE * SIDE, SIDE));
}

int main(int argc, char **argv)
{
	const char *text = getenv("OMPI_COMM_WORLD_RANK");
	int rank = text ? atoi(text) : 0;
	cublasHandle_t blas;
	float *matrix;

	if (rank + 1 >= argc)
		return 2;
	DO(cudaSetDevice(rank));
	DO(cublasCreate(&blas));
	DO(cudaMalloc((void **)&matrix, 2 * SIDE * SIDE * sizeof(float)));
	DO(cudaMemset(matrix, 0, 2 * SIDE * SIDE * sizeof(float)));
	tacho_phase_begin("train");
	for (uint64_t step = 0; step < STEPS; step++) {
		tacho_step_begin(step);
		multiply(blas, matrix);
		DO(cudaDeviceSynchronize());
		tacho_step_end(1);
	}
	tacho_phase_end();
	tacho_phase_begin("validate");
	for (int i = 0; i < atoi(argv[1 + rank]); i++)
		multiply(blas, matrix);
	tacho_phase_end();
	DO(cudaDeviceSynchronize());
	DO(cublasDestroy(blas));
	return 0;
}
