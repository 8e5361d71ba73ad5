/* layer_simple.c - layers without parameters: smooth rectifier, 2×2 pooling, mean over places. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layer.h"

static void smooth_forward(struct layer *layer, const float *in, float *out, int batch)
{
	size_t count = batch * shape_size(layer->in);

	for (size_t i = 0; i < count; i++)
		out[i] = 0.5f * (in[i] + sqrtf(in[i] * in[i] + SQUAREPLUS_B) - SQUAREPLUS_ROOT);
}

static void smooth_backward(struct layer *layer, const float *in, const float *out,
	const float *grad_out, float *grad_in, int batch)
{
	size_t count = batch * shape_size(layer->in);

	(void)out;
	for (size_t i = 0; i < count; i++)
		grad_in[i] = grad_out[i] *
			(0.5f + 0.5f * in[i] / sqrtf(in[i] * in[i] + SQUAREPLUS_B));
}

static const struct layer_ops smooth = { "squareplus", smooth_forward, smooth_backward };

int layer_smooth(struct layer *layer, struct shape in)
{
	*layer = (struct layer){ .ops = &smooth, .in = in, .out = in };
	return 0;
}

static void pool_forward(struct layer *layer, const float *in, float *out, int batch)
{
	int width = layer->in.width, rows = batch * layer->out.channels * layer->out.height;

	for (int row = 0; row < rows; row++, in += 2 * width)
		for (int x = 0; x < width; x += 2)
			*out++ = 0.5f * (in[x] + in[x + 1] + in[width + x] + in[width + x + 1]);
}

static void pool_backward(struct layer *layer, const float *in, const float *out,
	const float *grad_out, float *grad_in, int batch)
{
	int width = layer->in.width, rows = batch * layer->out.channels * layer->out.height;

	(void)in, (void)out;
	for (int row = 0; row < rows; row++, grad_in += 2 * width)
		for (int x = 0; x < width; x += 2)
			grad_in[x] = grad_in[x + 1] = grad_in[width + x] = grad_in[width + x + 1] =
				0.5f * *grad_out++;
}

static const struct layer_ops pool = { "pool", pool_forward, pool_backward };

int layer_pool(struct layer *layer, struct shape in)
{
	*layer = (struct layer){
		.ops = &pool,
		.in = in,
		.out = { in.channels, in.height / 2, in.width / 2 },
	};
	return 0;
}

static void mean_forward(struct layer *layer, const float *in, float *out, int batch)
{
	int places = layer->in.channels, width = layer->in.width;

	memset(out, 0, (size_t)batch * width * sizeof(*out));
	for (int row = 0; row < batch * places; row++) {
		float *sum = out + (size_t)(row / places) * width;

		for (int j = 0; j < width; j++)
			sum[j] += in[(size_t)row * width + j] / places;
	}
}

static void mean_backward(struct layer *layer, const float *in, const float *out,
	const float *grad_out, float *grad_in, int batch)
{
	int places = layer->in.channels, width = layer->in.width;

	(void)in, (void)out;
	for (int row = 0; row < batch * places; row++)
		for (int j = 0; j < width; j++)
			grad_in[(size_t)row * width + j] =
				grad_out[(size_t)(row / places) * width + j] / places;
}

static const struct layer_ops mean = { "mean", mean_forward, mean_backward };

int layer_mean(struct layer *layer, struct shape in)
{
	*layer = (struct layer){ .ops = &mean, .in = in, .out = { in.width, 1, 1 } };
	return 0;
}

void layer_free(struct layer *layer)
{
	free(layer->scratch);
}
