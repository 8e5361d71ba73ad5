/* layer_dense.c - fully connected: out = in·weightsᵀ + bias, weights[outputs][inputs]. */
#include "config.h"

#include <string.h>

#include "layer.h"
#include "matrix.h"

static void forward(struct layer *layer, const float *in, float *out, int batch)
{
	int rows = batch * layer->positions, outputs = layer->nbias;

	for (int i = 0; i < rows; i++)
		memcpy(out + (size_t)i * outputs, layer->bias, outputs * sizeof(*out));
	matrix_multiply(MATRIX_PLAIN, MATRIX_TRANSPOSED, rows, outputs, layer->nweights / outputs,
		in, layer->weights, 1, out);
}

static void sum_rows(const float *rows, int nrows, int ncolumns, float *sums)
{
	for (int j = 0; j < ncolumns; j++) {
		double sum = 0;

		for (int i = 0; i < nrows; i++)
			sum += rows[(size_t)i * ncolumns + j];
		sums[j] = sum;
	}
}

static void backward(struct layer *layer, const float *in, const float *out, const float *grad_out,
	float *grad_in, int batch)
{
	int rows = batch * layer->positions, outputs = layer->nbias;
	int inputs = layer->nweights / outputs;

	(void)out;
	matrix_multiply(MATRIX_TRANSPOSED, MATRIX_PLAIN, outputs, inputs, rows, grad_out, in, 0,
		layer->grad_weights);
	sum_rows(grad_out, rows, outputs, layer->grad_bias);
	if (grad_in)
		matrix_multiply(MATRIX_PLAIN, MATRIX_PLAIN, rows, inputs, outputs, grad_out,
			layer->weights, 0, grad_in);
}

static const struct layer_ops dense = { "dense", forward, backward };

int layer_dense_shared(struct layer *layer, int positions, int inputs, int outputs)
{
	*layer = (struct layer){
		.ops = &dense,
		.positions = positions,
		.fan_in = inputs,
		.in = { positions, 1, inputs },
		.out = { positions, 1, outputs },
		.nweights = (size_t)inputs * outputs,
		.nbias = outputs,
	};
	return 0;
}

int layer_dense(struct layer *layer, struct shape in, int outputs)
{
	int ret = layer_dense_shared(layer, 1, shape_size(in), outputs);

	layer->in = in;
	layer->out = (struct shape){ outputs, 1, 1 };
	return ret;
}
