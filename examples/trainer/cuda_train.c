/*
 * cuda_train.c - the module's functions (cuda.h): steps over all GPUs of the process, as single
 * launches or as a CUDA graph.
 */
#include "config.h"

#include <stdlib.h>

#include "cuda_exchange.h"
#include "say.h"

/* A step of one slot, captured once the libraries have warmed up. */
struct graph {
	cudaGraphExec_t exec;
	struct counts counts;
};

struct cuda {
	struct cuda_setup setup;
	struct gpu *gpus;
	int ngpus;
	struct cuda_exchange *exchange;
	struct graph graphs[SLOTS];
	uint64_t batches, steps; /* so far */
	char description[512];
};

static int precision; /* outlives the GPUs: for the truth in the end */

static int result(void)
{
	return cuda_failed() ? -1 : 0;
}

/*
 * This process's GPUs follow the GPUs of the node's lower ranks; more ranks than GPUs share them.
 */
static int gpus_open(struct cuda *c)
{
	int count = 0, gpus = c->setup.options->gpus, each = (c->setup.max_batch + gpus - 1) / gpus;

	if (cudaGetDeviceCount(&count) != cudaSuccess || !count)
		return fail("--device cuda finds no GPU here: %s",
			cudaGetErrorString(cudaGetLastError()));
	if (gpus > count)
		return fail("--gpus %d: this node has %d", gpus, count);
	while (c->ngpus < gpus) {
		int ordinal = (c->setup.local_rank * gpus + c->ngpus) % count;

		if (gpu_open(&c->gpus[c->ngpus++], &c->setup, ordinal, each) < 0)
			return -1;
	}
	return 0;
}

static void describe(struct cuda *c)
{
	static const char *const precisions[] = { "fp32", "fp16", "bf16" };
	struct cudaDeviceProp device;
	int blas = 0;

	cuda_do(cudaGetDeviceProperties(&device, c->gpus[0].ordinal));
	blas_do(cublasGetVersion(c->gpus[0].blas, &blas));
	snprintf(c->description, sizeof(c->description), "%d × %s per rank, %s, cuBLAS %d.%d, %s",
		c->ngpus, device.name, precisions[c->setup.options->precision], blas / 10000,
		blas / 100 % 100, cuda_exchange_library());
}

static void module_close(struct cuda *c)
{
	for (int i = 0; i < SLOTS; i++)
		if (c->graphs[i].exec)
			cudaGraphExecDestroy(c->graphs[i].exec);
	cuda_exchange_close(c->exchange);
	for (int i = 0; i < c->ngpus; i++)
		gpu_close(&c->gpus[i]);
	free(c->gpus);
	free(c);
}

static struct cuda *module_open(const struct cuda_setup *setup)
{
	struct cuda *c = calloc(1, sizeof(*c));

	say_rank = setup->rank;
	precision = setup->options->precision;
	if (c)
		c->gpus = calloc(setup->options->gpus, sizeof(*c->gpus));
	if (!c || !c->gpus) {
		free(c);
		fail("not enough memory for %d GPUs", setup->options->gpus);
		return NULL;
	}
	c->setup = *setup;
	/* No rank waits in NCCL for one that has no GPU. */
	if (setup->greatest(gpus_open(c) < 0) == 0)
		c->exchange = cuda_exchange_open(&c->setup, c->gpus, c->ngpus);
	if (!c->exchange) {
		module_close(c);
		return NULL;
	}
	describe(c);
	return c;
}

static const char *module_describe(const struct cuda *c)
{
	return c->description;
}

static int module_buckets(const struct cuda *c)
{
	return cuda_exchange_buckets(c->exchange);
}

/* Cuts the batch into neighbouring parts and brings them to the GPUs' next slot. */
static int stage(struct cuda *c, const struct batch *batch, double rate)
{
	int slot = c->batches++ % SLOTS;

	for (int i = 0; i < c->ngpus; i++) {
		struct gpu *gpu = &c->gpus[i];
		int first = (long)batch->count * i / c->ngpus;
		int end = (long)batch->count * (i + 1) / c->ngpus;

		gpu_stage(gpu, &gpu->slots[slot], batch, first, end - first, rate);
		cuda_do(cudaStreamWaitEvent(gpu->compute, gpu->slots[slot].arrived, 0));
	}
	return slot;
}

/* Slot's data may be overwritten after the work queued so far. */
static void release(struct cuda *c, int slot)
{
	for (int i = 0; i < c->ngpus; i++) {
		gpu_select(&c->gpus[i]);
		cuda_do(cudaEventRecord(c->gpus[i].slots[slot].used, c->gpus[i].compute));
	}
}

/* Layer by layer over all GPUs, so that none waits until another's work is queued whole. */
static void forward(struct cuda *c, int slot)
{
	for (int layer = 0; layer < c->setup.model->nlayers; layer++)
		for (int i = 0; i < c->ngpus; i++) {
			struct gpu *gpu = &c->gpus[i];

			gpu_select(gpu);
			if (!gpu->slots[slot].count)
				continue;
			if (layer == 0)
				gpu_input(gpu, &gpu->slots[slot]);
			gpu_forward(gpu, layer, gpu->slots[slot].count);
		}
}

static void loss(struct cuda *c, int slot, bool only)
{
	for (int i = 0; i < c->ngpus; i++) {
		struct gpu *gpu = &c->gpus[i];

		gpu_select(gpu);
		if (gpu->slots[slot].count)
			gpu_loss(gpu, &gpu->slots[slot], only);
		else if (!only)
			gpu_clear(gpu->grads, c->setup.model->nweights * sizeof(float),
				gpu->compute);
	}
}

static void backward(struct cuda *c, int slot)
{
	const struct model *model = c->setup.model;

	for (int layer = model->nlayers - 1; layer >= 0; layer--) {
		for (int i = 0; i < c->ngpus; i++) {
			struct gpu *gpu = &c->gpus[i];

			gpu_select(gpu);
			if (gpu->slots[slot].count)
				gpu_backward(gpu, layer, gpu->slots[slot].count);
		}
		if (model->layers[layer].nweights)
			cuda_exchange_ready(c->exchange,
				model->layers[layer].weights - model->weights);
	}
}

static void step_queue(struct cuda *c, int slot)
{
	forward(c, slot);
	loss(c, slot, false);
	cuda_exchange_begin(c->exchange);
	backward(c, slot);
	cuda_exchange_end(c->exchange);
	for (int i = 0; i < c->ngpus; i++) {
		gpu_select(&c->gpus[i]);
		gpu_optimize(&c->gpus[i], &c->gpus[i].slots[slot]);
	}
}

/* A step of this slot becomes a graph; all its batches are as large as this one. */
static void graph_capture(struct cuda *c, int slot)
{
	struct graph *graph = &c->graphs[slot];
	cudaStream_t stream = c->gpus[0].compute;
	cudaGraph_t captured = NULL;

	cuda_do(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
	counts_into(&graph->counts);
	step_queue(c, slot);
	counts_into(NULL);
	cuda_do(cudaStreamEndCapture(stream, &captured));
	cuda_do(cudaGraphInstantiate(&graph->exec, captured, 0));
	cudaGraphDestroy(captured);
}

/* The first step of each slot runs without its graph: libraries set themselves up in it. */
static void step_graph(struct cuda *c, int slot)
{
	struct graph *graph = &c->graphs[slot];

	if (c->steps < SLOTS) {
		step_queue(c, slot);
		return;
	}
	if (!graph->exec)
		graph_capture(c, slot);
	if (cuda_failed())
		return;
	cuda_do(cudaGraphLaunch(graph->exec, c->gpus[0].compute));
	counts_add_graph(&graph->counts);
}

static int module_step(struct cuda *c, const struct batch *batch, double rate, int repeats)
{
	int slot = stage(c, batch, rate);

	while (repeats-- > 0)
		forward(c, slot);
	if (c->setup.options->graph)
		step_graph(c, slot);
	else
		step_queue(c, slot);
	c->steps++;
	release(c, slot);
	return result();
}

static int module_evaluate(struct cuda *c, const struct batch *batch, int repeats)
{
	int slot = stage(c, batch, 0);

	for (int pass = 0; pass <= repeats; pass++)
		forward(c, slot);
	loss(c, slot, true);
	release(c, slot);
	return result();
}

static int module_loss(struct cuda *c, struct loss *sum)
{
	for (int i = 0; i < c->ngpus; i++) {
		struct gpu *gpu = &c->gpus[i];

		gpu_select(gpu);
		gpu_copy(gpu->host_total, gpu->total, sizeof(*gpu->total), COPY_D2H, gpu->compute);
		gpu_clear(gpu->total, sizeof(*gpu->total), gpu->compute);
		cuda_do(cudaStreamSynchronize(gpu->compute));
		sum->sum += gpu->host_total->sum;
		sum->correct += gpu->host_total->correct;
		sum->samples += gpu->host_total->samples;
	}
	cuda_exchange_check(c->exchange);
	return result();
}

static int module_push(struct cuda *c)
{
	for (int i = 0; i < c->ngpus; i++)
		gpu_push(&c->gpus[i]);
	return result();
}

static int module_pull(struct cuda *c)
{
	gpu_pull(&c->gpus[0]);
	cuda_exchange_check(c->exchange);
	return result();
}

static void module_truth(FILE *out)
{
	counts_save(out, precision);
}

__attribute__((visibility("default"))) const struct cuda_module trainer_cuda = {
	.open = module_open,
	.describe = module_describe,
	.buckets = module_buckets,
	.step = module_step,
	.evaluate = module_evaluate,
	.loss = module_loss,
	.push = module_push,
	.pull = module_pull,
	.truth = module_truth,
	.close = module_close,
};
