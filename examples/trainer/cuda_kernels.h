/*
 * cuda_kernels.h - the trainer's own kernels: launch_NAME(launch, items, arguments…) puts one on a
 * stream. The runtime keeps failures; call cudaGetLastError() once after many launches.
 */
#ifndef TRAINER_CUDA_KERNELS_H
#define TRAINER_CUDA_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "loss.h"

/* Types of activations, with the numbers of --precision. */
enum precision { PRECISION_FP32, PRECISION_FP16, PRECISION_BF16, PRECISION_COUNT };

/* How launches are made. */
struct launch {
	cudaStream_t stream;
	int precision;
	size_t piece; /* items of one launch at most; 0: all at once */
};

/* What the host gives to a step besides its samples. */
struct step_values {
	float rate;  /* of learning */
	float share; /* of a sample in the step's mean: 1 / global batch */
};

/* Loss scaling: gradients are computed `scale` times too large, so that small ones survive. */
struct scaler {
	float scale;
	int overflow;	   /* in this step: it changes no weight */
	int good, skipped; /* steps since the scale changed; steps that were lost */
};

struct sample_loss {
	float loss;
	int correct;
};

struct total_loss {
	double sum;
	uint64_t correct, samples;
};

/* A convolution over a batch; strides (in elements) of the picture's side of it. */
struct windows {
	int channels, height, width, kernel, batch;
	int channel_stride, sample_stride;
};

#define STRIP(...) __VA_ARGS__

enum kernel {
#define TYPED(name, params, args) KERNEL_##name,
#define PLAIN			  TYPED
#include "cuda_kernels.def"
#undef TYPED
#undef PLAIN
	KERNEL_COUNT
};

/* The one launch all others end in: [0, items), args without the range. */
void kernel_launch(const struct launch *launch, enum kernel kernel, const void *function,
	size_t items, void **args, int nargs);

#ifdef __cplusplus
extern "C" {
#endif
#ifndef TRAINER_CUDA_BODIES
#define T void
#define TYPED(name, params, args)                                                                  \
	void launch_##name(const struct launch *launch, size_t items, STRIP params);
#define PLAIN TYPED
#include "cuda_kernels.def"
#undef TYPED
#undef PLAIN
#undef T
#endif
#ifdef __cplusplus
}
#endif

#endif
