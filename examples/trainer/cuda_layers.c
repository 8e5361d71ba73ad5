/*
 * cuda_layers.c - the layers of layer_*.c on a GPU. A convolution multiplies the columns of the
 * whole batch at once, which gives [channel][sample][pixel]; dense layers want sample by sample,
 * so the first of them turns its input.
 */
#include "config.h"

#include <string.h>

#include "cuda_gpu.h"

struct work {
	struct gpu *gpu;
	const struct launch *launch;
	const struct layer *layer;
	int number, batch;
	void *in, *out;	      /* of the layer */
	void *weights, *bias; /* as activations */
	float *grad_weights, *grad_bias;
};

static size_t activation_bytes(const struct gpu *gpu)
{
	return gpu->launch.precision == PRECISION_FP32 ? sizeof(float) : sizeof(uint16_t);
}

static struct work work_on(struct gpu *gpu, int number, int batch)
{
	const struct model *model = gpu->setup->model;
	const struct layer *layer = &model->layers[number];
	size_t offset = layer->weights - model->weights, size = activation_bytes(gpu);

	return (struct work){
		.gpu = gpu,
		.launch = &gpu->launch,
		.layer = layer,
		.number = number,
		.batch = batch,
		.in = number ? gpu->outputs[number - 1] : gpu->input,
		.out = gpu->outputs[number],
		.weights = (char *)gpu->copy + offset * size,
		.bias = (char *)gpu->copy + (offset + layer->nweights) * size,
		.grad_weights = gpu->grads + offset,
		.grad_bias = gpu->grads + offset + layer->nweights,
	};
}

static size_t in_count(const struct work *w)
{
	return w->batch * shape_size(w->layer->in);
}

static size_t out_count(const struct work *w)
{
	return w->batch * shape_size(w->layer->out);
}

static void *other(const struct gpu *gpu, const void *buffer)
{
	return buffer == gpu->ping ? gpu->pong : gpu->ping;
}

static void multiply(const struct work *w, struct product product)
{
	gpu_multiply(w->gpu->blas, w->launch->precision, &product);
}

static int pixels(const struct work *w)
{
	return w->layer->in.height * w->layer->in.width;
}

static struct windows windows_of(const struct work *w)
{
	bool by_channel = w->number && w->gpu->by_channel[w->number - 1];
	struct shape in = w->layer->in;

	return (struct windows){
		.channels = in.channels,
		.height = in.height,
		.width = in.width,
		.kernel = w->layer->kernel,
		.batch = w->batch,
		.channel_stride = by_channel ? w->batch * pixels(w) : pixels(w),
		.sample_stride = by_channel ? pixels(w) : in.channels * pixels(w),
	};
}

static int window_size(const struct work *w)
{
	return w->layer->nweights / w->layer->out.channels;
}

static void conv_columns(const struct work *w)
{
	launch_columns_fill(w->launch, (size_t)window_size(w) * w->batch * pixels(w), w->in,
		w->gpu->columns, windows_of(w));
}

static void conv_forward(const struct work *w)
{
	int channels = w->layer->out.channels, columns = w->batch * pixels(w);

	conv_columns(w);
	multiply(w,
		(struct product){ .m = channels,
			.n = columns,
			.k = window_size(w),
			.a = w->weights,
			.b = w->gpu->columns,
			.c = w->out });
	launch_bias_add(w->launch, out_count(w), w->out, w->bias, columns, channels);
}

/* grad_out is [channel][sample and pixel]. */
static void *conv_backward(const struct work *w, void *grad_out)
{
	int channels = w->layer->out.channels, columns = w->batch * pixels(w);
	void *grad_in = other(w->gpu, grad_out);

	multiply(w,
		(struct product){ .m = channels,
			.n = 1,
			.k = columns,
			.a = grad_out,
			.b = w->gpu->ones,
			.c = w->grad_bias,
			.single = true });
	conv_columns(w);
	multiply(w,
		(struct product){ .form_b = MATRIX_TRANSPOSED,
			.m = channels,
			.n = window_size(w),
			.k = columns,
			.a = grad_out,
			.b = w->gpu->columns,
			.c = w->grad_weights,
			.single = true });
	if (!w->number)
		return NULL;
	multiply(w,
		(struct product){ .form_a = MATRIX_TRANSPOSED,
			.m = window_size(w),
			.n = columns,
			.k = channels,
			.a = w->weights,
			.b = grad_out,
			.c = w->gpu->columns });
	launch_columns_add(w->launch, in_count(w), w->gpu->columns, grad_in, windows_of(w));
	return grad_in;
}

static void dense_forward(const struct work *w)
{
	int outputs = w->layer->nbias, rows = w->batch * w->layer->positions;
	void *turned = w->gpu->turned[w->number];

	if (turned)
		launch_swap_axes(w->launch, in_count(w), w->in, turned, w->layer->in.channels,
			w->batch, pixels(w));
	multiply(w,
		(struct product){ .form_b = MATRIX_TRANSPOSED,
			.m = rows,
			.n = outputs,
			.k = w->layer->nweights / outputs,
			.a = turned ? turned : w->in,
			.b = w->weights,
			.c = w->out });
	launch_bias_add(w->launch, out_count(w), w->out, w->bias, 1, outputs);
}

static void *dense_backward(const struct work *w, void *grad_out)
{
	int outputs = w->layer->nbias, inputs = w->layer->nweights / outputs;
	int rows = w->batch * w->layer->positions;
	void *turned = w->gpu->turned[w->number], *grad_in = other(w->gpu, grad_out);

	multiply(w,
		(struct product){ .form_a = MATRIX_TRANSPOSED,
			.m = outputs,
			.n = inputs,
			.k = rows,
			.a = grad_out,
			.b = turned ? turned : w->in,
			.c = w->grad_weights,
			.single = true });
	multiply(w,
		(struct product){ .form_a = MATRIX_TRANSPOSED,
			.m = outputs,
			.n = 1,
			.k = rows,
			.a = grad_out,
			.b = w->gpu->ones,
			.c = w->grad_bias,
			.single = true });
	if (!w->number)
		return NULL;
	multiply(w,
		(struct product){ .m = rows,
			.n = inputs,
			.k = outputs,
			.a = grad_out,
			.b = w->weights,
			.c = grad_in });
	if (!turned)
		return grad_in;
	launch_swap_axes(w->launch, in_count(w), grad_in, other(w->gpu, grad_in), w->batch,
		w->layer->in.channels, pixels(w));
	return other(w->gpu, grad_in);
}

static void smooth_forward(const struct work *w)
{
	launch_smooth_forward(w->launch, in_count(w), w->in, w->out);
}

static void *smooth_backward(const struct work *w, void *grad_out)
{
	void *grad_in = other(w->gpu, grad_out);

	launch_smooth_backward(w->launch, in_count(w), w->in, grad_out, grad_in);
	return grad_in;
}

static void pool_forward(const struct work *w)
{
	launch_pool_forward(w->launch, out_count(w), w->in, w->out, w->layer->in.width);
}

static void *pool_backward(const struct work *w, void *grad_out)
{
	void *grad_in = other(w->gpu, grad_out);

	launch_pool_backward(w->launch, out_count(w), grad_out, grad_in, w->layer->in.width);
	return grad_in;
}

static void mean_forward(const struct work *w)
{
	launch_mean_forward(w->launch, out_count(w), w->in, w->out, w->layer->in.channels,
		w->layer->in.width);
}

static void *mean_backward(const struct work *w, void *grad_out)
{
	void *grad_in = other(w->gpu, grad_out);

	launch_mean_backward(w->launch, in_count(w), grad_out, grad_in, w->layer->in.channels,
		w->layer->in.width);
	return grad_in;
}

static const struct {
	const char *name; /* of its layer_ops */
	void (*forward)(const struct work *work);
	void *(*backward)(const struct work *work, void *grad_out);
} kinds[] = {
	{ "conv", conv_forward, conv_backward },
	{ "dense", dense_forward, dense_backward },
	{ "squareplus", smooth_forward, smooth_backward },
	{ "pool", pool_forward, pool_backward },
	{ "mean", mean_forward, mean_backward },
};

static int kind_of(const struct layer *layer)
{
	int kind = 0;

	while (strcmp(kinds[kind].name, layer->ops->name) != 0)
		kind++;
	return kind;
}

/* Planted: the host waits where nothing needs it to. */
static void layer_end(struct gpu *gpu)
{
	if (gpu->needless_sync)
		cuda_do(cudaStreamSynchronize(gpu->compute));
}

void gpu_forward(struct gpu *gpu, int layer, int batch)
{
	struct work work = work_on(gpu, layer, batch);

	kinds[kind_of(work.layer)].forward(&work);
	layer_end(gpu);
}

void gpu_backward(struct gpu *gpu, int layer, int batch)
{
	struct work work = work_on(gpu, layer, batch);

	gpu->grad = kinds[kind_of(work.layer)].backward(&work, gpu->grad);
	layer_end(gpu);
}
