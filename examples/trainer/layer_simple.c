/* layer_simple.c - layers without parameters: rectifier, 2×2 maximum pooling, mean over places. */
#include <stdlib.h>
#include <string.h>

#include "layer.h"

static void relu_forward(struct layer *layer, const float *in, float *out, int batch)
{
	for (size_t i = 0; i < batch * shape_size(layer->in); i++)
		out[i] = in[i] > 0 ? in[i] : 0;
}

static void relu_backward(struct layer *layer, const float *in, const float *out,
			  const float *grad_out, float *grad_in, int batch)
{
	(void)out;
	for (size_t i = 0; i < batch * shape_size(layer->in); i++)
		grad_in[i] = in[i] > 0 ? grad_out[i] : 0;
}

static const struct layer_ops relu = { "relu", relu_forward, relu_backward };

int layer_relu(struct layer *layer, struct shape in)
{
	*layer = (struct layer){ .ops = &relu, .in = in, .out = in };
	return 0;
}

/* Offset of the greatest of the four inputs at (y, x) of the output; the first of equals. */
static int pool_choose(const float *plane, int width, int y, int x)
{
	int best = 2 * y * width + 2 * x;
	const int others[] = { best + 1, best + width, best + width + 1 };

	for (int i = 0; i < 3; i++)
		if (plane[others[i]] > plane[best])
			best = others[i];
	return best;
}

static void pool_forward(struct layer *layer, const float *in, float *out, int batch)
{
	int width = layer->out.width, area = layer->out.height * width, *choice = layer->choice;
	size_t plane = (size_t)layer->in.height * layer->in.width;

	for (int p = 0; p < batch * layer->in.channels; p++, in += plane)
		for (int i = 0; i < area; i++) {
			*choice = pool_choose(in, layer->in.width, i / width, i % width);
			*out++ = in[*choice++];
		}
}

static void pool_backward(struct layer *layer, const float *in, const float *out,
			  const float *grad_out, float *grad_in, int batch)
{
	int area = layer->out.height * layer->out.width, *choice = layer->choice;
	size_t plane = (size_t)layer->in.height * layer->in.width;

	(void)in, (void)out;
	memset(grad_in, 0, batch * shape_size(layer->in) * sizeof(*grad_in));
	for (int p = 0; p < batch * layer->in.channels; p++, grad_in += plane)
		for (int i = 0; i < area; i++)
			grad_in[*choice++] = *grad_out++;
}

static const struct layer_ops pool = { "pool", pool_forward, pool_backward };

int layer_pool(struct layer *layer, struct shape in, int max_batch)
{
	*layer = (struct layer){
		.ops = &pool, .in = in, .out = { in.channels, in.height / 2, in.width / 2 },
	};
	layer->choice = malloc(max_batch * shape_size(layer->out) * sizeof(int));
	return layer->choice ? 0 : -1;
}

static void mean_forward(struct layer *layer, const float *in, float *out, int batch)
{
	int places = layer->in.channels, width = layer->in.width;

	memset(out, 0, (size_t)batch * width * sizeof(*out));
	for (int row = 0; row < batch * places; row++)
		for (int j = 0; j < width; j++)
			out[(size_t)(row / places) * width + j] += in[(size_t)row * width + j] / places;
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
	free(layer->choice);
}
