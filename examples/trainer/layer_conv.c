/*
 * layer_conv.c - convolution with an odd square window, step 1, zero padding
 * that keeps height and width: per sample the windows are laid out as columns
 * (im2col) and multiplied by weights[channels out][channels in · window].
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "layer.h"
#include "matrix.h"

/* Length of one window over all channels. */
static int window_size(const struct layer *layer)
{
	return layer->in.channels * layer->kernel * layer->kernel;
}

struct run {
	size_t plane, column; /* first element in the image and in the columns */
	int count;
};

/* The part of output row y that window element (ky, kx) sees; count 0 when it is all padding. */
static struct run run_find(const struct layer *layer, int line, int y)
{
	int kernel = layer->kernel, width = layer->in.width, height = layer->in.height;
	int channel = line / (kernel * kernel);
	int dy = line / kernel % kernel - kernel / 2, dx = line % kernel - kernel / 2;
	int first = dx < 0 ? -dx : 0, last = dx > 0 ? width - dx : width;

	if (y + dy < 0 || y + dy >= height || first >= last)
		return (struct run){ 0 };
	return (struct run){
		.plane = ((size_t)channel * height + y + dy) * width + first + dx,
		.column = ((size_t)line * height + y) * width + first,
		.count = last - first,
	};
}

static void columns_fill(const struct layer *layer, const float *image, float *columns)
{
	int lines = window_size(layer), height = layer->in.height;

	memset(columns, 0, lines * (size_t)height * layer->in.width * sizeof(*columns));
	for (int line = 0; line < lines; line++)
		for (int y = 0; y < height; y++) {
			struct run run = run_find(layer, line, y);

			memcpy(columns + run.column, image + run.plane, run.count * sizeof(*image));
		}
}

/* The reverse of columns_fill: adds every column element to the pixel it was copied from. */
static void columns_add(const struct layer *layer, const float *columns, float *image)
{
	int lines = window_size(layer), height = layer->in.height;

	memset(image, 0, shape_size(layer->in) * sizeof(*image));
	for (int line = 0; line < lines; line++)
		for (int y = 0; y < height; y++) {
			struct run run = run_find(layer, line, y);

			for (int i = 0; i < run.count; i++)
				image[run.plane + i] += columns[run.column + i];
		}
}

static void forward(struct layer *layer, const float *in, float *out, int batch)
{
	int channels = layer->out.channels, pixels = layer->out.height * layer->out.width;

	for (int n = 0; n < batch; n++) {
		columns_fill(layer, in + n * shape_size(layer->in), layer->scratch);
		for (int c = 0; c < channels; c++)
			for (int i = 0; i < pixels; i++)
				out[(size_t)c * pixels + i] = layer->bias[c];
		matrix_multiply(MATRIX_PLAIN, MATRIX_PLAIN, channels, pixels, window_size(layer),
			layer->weights, layer->scratch, 1, out);
		out += shape_size(layer->out);
	}
}

static void bias_gradient(struct layer *layer, const float *grad_out, int batch)
{
	int channels = layer->out.channels, pixels = layer->out.height * layer->out.width;

	for (int c = 0; c < channels; c++) {
		double sum = 0;

		for (int n = 0; n < batch; n++)
			for (int i = 0; i < pixels; i++)
				sum += grad_out[((size_t)n * channels + c) * pixels + i];
		layer->grad_bias[c] = sum;
	}
}

static void backward(struct layer *layer, const float *in, const float *out, const float *grad_out,
	float *grad_in, int batch)
{
	int channels = layer->out.channels, pixels = layer->out.height * layer->out.width;
	int window = window_size(layer);

	(void)out;
	bias_gradient(layer, grad_out, batch);
	memset(layer->grad_weights, 0, layer->nweights * sizeof(float));
	for (int n = 0; n < batch; n++) {
		columns_fill(layer, in + n * shape_size(layer->in), layer->scratch);
		matrix_multiply(MATRIX_PLAIN, MATRIX_TRANSPOSED, channels, window, pixels, grad_out,
			layer->scratch, 1, layer->grad_weights);
		if (grad_in) {
			matrix_multiply(MATRIX_TRANSPOSED, MATRIX_PLAIN, window, pixels, channels,
				layer->weights, grad_out, 0, layer->scratch);
			columns_add(layer, layer->scratch, grad_in + n * shape_size(layer->in));
		}
		grad_out += shape_size(layer->out);
	}
}

static const struct layer_ops conv = { "conv", forward, backward };

int layer_conv(struct layer *layer, struct shape in, int channels, int kernel)
{
	*layer = (struct layer){
		.ops = &conv,
		.in = in,
		.out = { channels, in.height, in.width },
		.kernel = kernel,
		.nbias = channels,
	};
	layer->fan_in = window_size(layer);
	layer->nweights = (size_t)channels * window_size(layer);
	layer->scratch = malloc((size_t)window_size(layer) * in.height * in.width * sizeof(float));
	return layer->scratch ? 0 : -1;
}
