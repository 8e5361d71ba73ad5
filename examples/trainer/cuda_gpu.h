/* cuda_gpu.h - one GPU of the process: its streams, memory, and layers (inside the module). */
#ifndef TRAINER_CUDA_GPU_H
#define TRAINER_CUDA_GPU_H

#include "cuda.h"
#include "cuda_calls.h"

#define SLOTS 2 /* steps with input on its way or in use */

/* What the host hands over for a step: this, the targets, the samples. */
struct slot {
	char *staging, *data;	   /* in host and device memory */
	int count;		   /* samples in it */
	cudaEvent_t arrived, used; /* its copy, the last work on it is done */
};

struct gpu {
	const struct cuda_setup *setup;
	int ordinal; /* CUDA's number of the device */
	int max_batch;
	bool tiny_kernels, needless_sync;
	struct launch launch; /* on `compute` */
	cudaStream_t compute, copies, sums;
	cudaEvent_t ready, summed; /* gradients of a bucket; all sums */
	cublasHandle_t blas;
	struct slot slots[SLOTS];
	size_t targets_at, input_at; /* in a slot's data */
	float *weights, *velocity, *grads;
	/* weights as activations; with fp32 the weights themselves */
	void *copy;
	/* For a batch: each layer's output, and its input where that must be turned first. */
	void **outputs, **turned;
	bool *by_channel; /* outputs[i] is [channel][sample][pixel] */
	void *input, *grad_logits, *ping, *pong, *columns, *ones;
	void *grad; /* of the last output that backward came to */
	struct sample_loss *each;
	struct total_loss *total, *host_total;
	struct scaler *scaler;
};

/* The current device of the calling thread becomes gpu's. */
void gpu_select(const struct gpu *gpu);
/* 0, or -1 having reported why; undone by gpu_close() in any case. */
int gpu_open(struct gpu *gpu, const struct cuda_setup *setup, int ordinal, int max_batch);
void gpu_close(struct gpu *gpu);
void gpu_push(struct gpu *gpu);
void gpu_pull(struct gpu *gpu);

/* Brings samples [first, first + count) of a batch into the slot; waits until that is free. */
void gpu_stage(struct gpu *gpu, struct slot *slot, const struct batch *batch, int first, int count,
	double rate);

/* The samples as activations, then layer by layer. */
void gpu_input(struct gpu *gpu, struct slot *slot);
void gpu_forward(struct gpu *gpu, int layer, int batch);
/* The loss, and unless `only` the gradients of the logits. */
void gpu_loss(struct gpu *gpu, struct slot *slot, bool only);
/* From gpu->grad, the gradients of the layer's output, to the gradients of its input. */
void gpu_backward(struct gpu *gpu, int layer, int batch);
void gpu_optimize(struct gpu *gpu, struct slot *slot);

#endif
