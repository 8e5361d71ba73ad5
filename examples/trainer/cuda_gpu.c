/* cuda_gpu.c - one GPU: memory, input, loss and optimizer (cuda_gpu.h); layers: cuda_layers.c. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cuda_gpu.h"
#include "say.h"

#define ALIGN	    256
#define TINY_ITEMS  2048 /* of a launch under --plant tiny-kernels */
#define FIRST_SCALE 4096 /* of half precision's gradients */

static size_t aligned(size_t nbytes)
{
	return (nbytes + ALIGN - 1) / ALIGN * ALIGN;
}

void gpu_select(const struct gpu *gpu)
{
	cuda_do(cudaSetDevice(gpu->ordinal));
}

static void *gpu_allocate(size_t nbytes)
{
	void *memory = NULL;

	cuda_do(cudaMalloc(&memory, nbytes));
	return memory;
}

/* Memory for `count` activations. */
static void *activations(const struct gpu *gpu, size_t count)
{
	return gpu_allocate(count * (gpu->launch.precision == PRECISION_FP32 ? 4 : 2));
}

static const struct model *model_of(const struct gpu *gpu)
{
	return gpu->setup->model;
}

static void streams_open(struct gpu *gpu)
{
	cudaStream_t *streams[] = { &gpu->compute, &gpu->copies, &gpu->sums };

	for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++)
		cuda_do(cudaStreamCreateWithFlags(streams[i], cudaStreamNonBlocking));
	cuda_do(cudaEventCreateWithFlags(&gpu->ready, cudaEventDisableTiming));
	cuda_do(cudaEventCreateWithFlags(&gpu->summed, cudaEventDisableTiming));
	blas_do(cublasCreate(&gpu->blas));
	blas_do(cublasSetStream(gpu->blas, gpu->compute));
	gpu->launch.stream = gpu->compute;
}

static void *staging_allocate(const struct gpu *gpu, size_t nbytes)
{
	void *memory = NULL;

	if (gpu->setup->options->pageable)
		return malloc(nbytes);
	cuda_do(cudaMallocHost(&memory, nbytes));
	return memory;
}

static void slots_open(struct gpu *gpu)
{
	size_t samples = gpu->max_batch * shape_size(model_of(gpu)->in) * sizeof(float);

	gpu->targets_at = aligned(sizeof(struct step_values));
	gpu->input_at = aligned(gpu->targets_at + gpu->max_batch * sizeof(struct target));
	for (int i = 0; i < SLOTS; i++) {
		struct slot *slot = &gpu->slots[i];

		slot->staging = staging_allocate(gpu, gpu->input_at + samples);
		slot->data = gpu_allocate(gpu->input_at + samples);
		cuda_do(cudaEventCreateWithFlags(&slot->arrived, cudaEventDisableTiming));
		cuda_do(cudaEventCreateWithFlags(&slot->used, cudaEventDisableTiming));
	}
}

static bool is_kind(const struct layer *layer, const char *name)
{
	return strcmp(layer->ops->name, name) == 0;
}

/* What layer `i` needs, and the order of its output. */
static void layer_open(struct gpu *gpu, int i)
{
	const struct layer *layer = &model_of(gpu)->layers[i];
	bool by_channel = i && gpu->by_channel[i - 1];

	gpu->outputs[i] = activations(gpu, gpu->max_batch * shape_size(layer->out));
	if (is_kind(layer, "dense") && by_channel)
		gpu->turned[i] = activations(gpu, gpu->max_batch * shape_size(layer->in));
	gpu->by_channel[i] = is_kind(layer, "conv") || (by_channel && !is_kind(layer, "dense"));
}

static size_t greater(size_t a, size_t b)
{
	return a > b ? a : b;
}

static void ones_open(struct gpu *gpu, size_t count)
{
	float *ones = malloc(count * sizeof(float)), *floats = gpu_allocate(count * sizeof(float));

	for (size_t i = 0; ones && i < count; i++)
		ones[i] = 1;
	gpu->ones = activations(gpu, count);
	gpu_copy(floats, ones, count * sizeof(float), COPY_H2D, 0);
	launch_convert(&gpu->launch, count, floats, gpu->ones);
	cuda_do(cudaStreamSynchronize(gpu->compute));
	cuda_do(cudaFree(floats));
	free(ones);
}

static void layers_open(struct gpu *gpu)
{
	const struct model *model = model_of(gpu);
	size_t largest = shape_size(model->in), columns = 0, rows = 0;

	for (int i = 0; i < model->nlayers; i++) {
		const struct layer *layer = &model->layers[i];
		size_t places = is_kind(layer, "conv") ? layer->in.height * layer->in.width
						       : layer->positions;

		layer_open(gpu, i);
		largest = greater(largest, greater(shape_size(layer->in), shape_size(layer->out)));
		rows = greater(rows, places);
		if (is_kind(layer, "conv"))
			columns = greater(columns, layer->nweights / layer->out.channels * places);
	}
	gpu->ping = activations(gpu, gpu->max_batch * largest);
	gpu->pong = activations(gpu, gpu->max_batch * largest);
	gpu->columns = columns ? activations(gpu, gpu->max_batch * columns) : NULL;
	ones_open(gpu, gpu->max_batch * rows);
}

static void parameters_open(struct gpu *gpu)
{
	size_t count = model_of(gpu)->nweights;
	struct scaler scaler = { .scale = gpu->launch.precision == PRECISION_FP16 ? FIRST_SCALE
										  : 1 };

	gpu->weights = gpu_allocate(count * sizeof(float));
	gpu->velocity = gpu_allocate(count * sizeof(float));
	gpu->grads = gpu_allocate(count * sizeof(float));
	gpu->copy = gpu->launch.precision == PRECISION_FP32 ? gpu->weights
							    : activations(gpu, count);
	gpu->scaler = gpu_allocate(sizeof(*gpu->scaler));
	gpu_copy(gpu->scaler, &scaler, sizeof(scaler), COPY_H2D, 0);
}

static void loss_open(struct gpu *gpu)
{
	gpu->grad_logits = activations(gpu, gpu->max_batch * gpu->setup->classes);
	gpu->each = gpu_allocate(gpu->max_batch * sizeof(*gpu->each));
	gpu->total = gpu_allocate(sizeof(*gpu->total));
	gpu_clear(gpu->total, sizeof(*gpu->total), gpu->compute);
	cuda_do(cudaMallocHost((void **)&gpu->host_total, sizeof(*gpu->host_total)));
}

int gpu_open(struct gpu *gpu, const struct cuda_setup *setup, int ordinal, int max_batch)
{
	const struct options *options = setup->options;
	int nlayers = setup->model->nlayers;

	*gpu = (struct gpu){
		.setup = setup,
		.ordinal = ordinal,
		.max_batch = max_batch,
		.needless_sync = options->plant.needless_sync,
		.launch = { .precision = options->precision,
			.piece = options->plant.tiny_kernels ? TINY_ITEMS : 0 },
		.outputs = calloc(nlayers, sizeof(*gpu->outputs)),
		.turned = calloc(nlayers, sizeof(*gpu->turned)),
		.by_channel = calloc(nlayers, sizeof(*gpu->by_channel)),
	};
	if (!gpu->outputs || !gpu->turned || !gpu->by_channel)
		return fail("not enough memory for a model of %d layers", nlayers);
	gpu_select(gpu);
	streams_open(gpu);
	slots_open(gpu);
	if (cuda_failed())
		return -1;
	/* With single precision the samples are used where they arrive. */
	if (options->precision != PRECISION_FP32)
		gpu->input = activations(gpu, max_batch * shape_size(setup->model->in));
	layers_open(gpu);
	parameters_open(gpu);
	loss_open(gpu);
	return cuda_failed() ? -1 : 0;
}

static void slots_close(struct gpu *gpu)
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *slot = &gpu->slots[i];

		if (gpu->setup->options->pageable)
			free(slot->staging);
		else
			cudaFreeHost(slot->staging);
		cudaFree(slot->data);
		cudaEventDestroy(slot->arrived);
		cudaEventDestroy(slot->used);
	}
}

void gpu_close(struct gpu *gpu)
{
	bool own_input = gpu->launch.precision != PRECISION_FP32;
	void *memory[] = {
		gpu->weights,
		gpu->velocity,
		gpu->grads,
		own_input ? gpu->copy : NULL,
		own_input ? gpu->input : NULL,
		gpu->grad_logits,
		gpu->ping,
		gpu->pong,
		gpu->columns,
		gpu->ones,
		gpu->each,
		gpu->total,
		gpu->scaler,
	};

	gpu_select(gpu);
	cudaDeviceSynchronize();
	for (size_t i = 0; i < sizeof(memory) / sizeof(*memory); i++)
		cudaFree(memory[i]);
	for (int i = 0; i < model_of(gpu)->nlayers; i++) {
		cudaFree(gpu->outputs[i]);
		cudaFree(gpu->turned[i]);
	}
	cudaFreeHost(gpu->host_total);
	slots_close(gpu);
	if (gpu->blas)
		cublasDestroy(gpu->blas);
	cudaEventDestroy(gpu->ready);
	cudaEventDestroy(gpu->summed);
	cudaStreamDestroy(gpu->compute);
	cudaStreamDestroy(gpu->copies);
	cudaStreamDestroy(gpu->sums);
	free(gpu->outputs);
	free(gpu->turned);
	free(gpu->by_channel);
}

void gpu_push(struct gpu *gpu)
{
	size_t count = model_of(gpu)->nweights;

	gpu_select(gpu);
	gpu_copy(gpu->weights, model_of(gpu)->weights, count * sizeof(float), COPY_H2D, 0);
	gpu_copy(gpu->velocity, gpu->setup->velocity, count * sizeof(float), COPY_H2D, 0);
	if (gpu->copy != gpu->weights)
		launch_convert(&gpu->launch, count, gpu->weights, gpu->copy);
}

void gpu_pull(struct gpu *gpu)
{
	size_t nbytes = model_of(gpu)->nweights * sizeof(float);

	gpu_select(gpu);
	cuda_do(cudaStreamSynchronize(gpu->compute));
	gpu_copy(model_of(gpu)->weights, gpu->weights, nbytes, COPY_D2H, 0);
	gpu_copy(gpu->setup->velocity, gpu->velocity, nbytes, COPY_D2H, 0);
}

void gpu_stage(struct gpu *gpu, struct slot *slot, const struct batch *batch, int first, int count,
	double rate)
{
	struct step_values values = { .rate = rate, .share = 1.0 / batch->total };
	size_t size = shape_size(model_of(gpu)->in);

	gpu_select(gpu);
	cuda_do(cudaEventSynchronize(slot->arrived));
	slot->count = count;
	memcpy(slot->staging, &values, sizeof(values));
	memcpy(slot->staging + gpu->targets_at, batch->targets + first,
		count * sizeof(*batch->targets));
	memcpy(slot->staging + gpu->input_at, batch->input + first * size,
		count * size * sizeof(float));
	cuda_do(cudaStreamWaitEvent(gpu->copies, slot->used, 0));
	gpu_copy(slot->data, slot->staging, gpu->input_at + count * size * sizeof(float), COPY_H2D,
		gpu->copies);
	cuda_do(cudaEventRecord(slot->arrived, gpu->copies));
}

void gpu_input(struct gpu *gpu, struct slot *slot)
{
	float *samples = (float *)(slot->data + gpu->input_at);

	if (gpu->launch.precision == PRECISION_FP32)
		gpu->input = samples;
	else
		launch_convert(&gpu->launch, slot->count * shape_size(model_of(gpu)->in), samples,
			gpu->input);
}

void gpu_loss(struct gpu *gpu, struct slot *slot, bool only)
{
	const struct launch whole = { .stream = gpu->compute, .precision = gpu->launch.precision };

	launch_loss(&gpu->launch, slot->count, gpu->outputs[model_of(gpu)->nlayers - 1],
		(struct target *)(slot->data + gpu->targets_at), (struct step_values *)slot->data,
		gpu->scaler, only ? NULL : gpu->grad_logits, gpu->each, gpu->setup->classes);
	gpu->grad = gpu->grad_logits;
	launch_loss_total(&whole, 1, gpu->each, gpu->total, slot->count);
}

void gpu_optimize(struct gpu *gpu, struct slot *slot)
{
	size_t count = model_of(gpu)->nweights;
	const struct options *options = gpu->setup->options;
	bool half = gpu->launch.precision == PRECISION_FP16;

	if (half)
		launch_grads_check(&gpu->launch, count, gpu->grads, gpu->scaler);
	launch_optimizer(&gpu->launch, count, gpu->weights,
		gpu->copy == gpu->weights ? NULL : gpu->copy, gpu->velocity, gpu->grads,
		(struct step_values *)slot->data, gpu->scaler, options->momentum, options->decay);
	if (half)
		launch_scale_update(&gpu->launch, 1, gpu->scaler);
}
