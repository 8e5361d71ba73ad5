/* model.c - see model.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "model.h"
#include "rng.h"
#include "say.h"

int model_init(struct model *model, struct shape in, int max_layers, int max_batch)
{
	*model = (struct model){ .in = in, .max_batch = max_batch };
	model->layers = calloc(max_layers, sizeof(*model->layers));
	model->tensors = calloc(2 * max_layers, sizeof(*model->tensors));
	model->outputs = calloc(max_layers, sizeof(*model->outputs));
	if (!model->layers || !model->tensors || !model->outputs)
		return fail("not enough memory for a model of %d layers", max_layers);
	return 0;
}

static void tensor_add(struct model *model, size_t count)
{
	if (!count)
		return;
	model->tensors[model->ntensors++] = (struct tensor){ model->nweights, count };
	model->nweights += count;
}

/* Gives each layer its part of the arrays, and its initial weights. */
static void layers_attach(struct model *model, uint64_t seed)
{
	size_t offset = 0;

	for (int i = 0; i < model->nlayers; i++) {
		struct layer *layer = &model->layers[i];
		struct rng r = rng_stream(seed, RNG_WEIGHTS, i);

		layer->weights = model->weights + offset;
		layer->grad_weights = model->grads + offset;
		layer->bias = layer->weights + layer->nweights;
		layer->grad_bias = layer->grad_weights + layer->nweights;
		for (size_t w = 0; w < layer->nweights; w++)
			layer->weights[w] = sqrt(2 / layer->fan_in) * rng_normal(&r);
		offset += layer->nweights + layer->nbias;
	}
}

int model_finish(struct model *model, uint64_t seed)
{
	size_t largest = 0;

	for (int i = 0; i < model->nlayers; i++) {
		size_t out = model->max_batch * shape_size(model->layers[i].out);

		tensor_add(model, model->layers[i].nweights);
		tensor_add(model, model->layers[i].nbias);
		model->outputs[i] = malloc(out * sizeof(float));
		if (!model->outputs[i])
			return fail("not enough memory for a batch of %d", model->max_batch);
		largest = out > largest ? out : largest;
	}
	model->weights = calloc(model->nweights, sizeof(float));
	model->grads = calloc(model->nweights, sizeof(float));
	model->grad_ping = malloc(largest * sizeof(float));
	model->grad_pong = malloc(largest * sizeof(float));
	if (!model->weights || !model->grads || !model->grad_ping || !model->grad_pong)
		return fail("not enough memory for %zu parameters", model->nweights);
	layers_attach(model, seed);
	return 0;
}

/* The input of the layer that is added next. */
static struct shape last_shape(const struct model *model)
{
	return model->nlayers ? model->layers[model->nlayers - 1].out : model->in;
}

int model_add(struct model *model, int error)
{
	model->nlayers++;
	return error ? fail("not enough memory for layer %d", model->nlayers) : 0;
}

static int add_dense(struct model *model, int outputs)
{
	struct layer *layer = &model->layers[model->nlayers];

	return model_add(model, layer_dense(layer, last_shape(model), outputs));
}

static int add_smooth(struct model *model)
{
	return model_add(model, layer_smooth(&model->layers[model->nlayers], last_shape(model)));
}

/* Convolution, smooth rectifier and pooling. */
static int add_conv(struct model *model, int channels)
{
	struct layer *layer = &model->layers[model->nlayers];

	if (model_add(model, layer_conv(layer, last_shape(model), channels, 3)) < 0 ||
		add_smooth(model) < 0)
		return -1;
	layer = &model->layers[model->nlayers];
	return model_add(model, layer_pool(layer, last_shape(model)));
}

int model_mlp(struct model *model, struct shape in, int classes, int hidden, int max_batch)
{
	if (model_init(model, in, 5, max_batch) < 0)
		return -1;
	if (add_dense(model, hidden) < 0 || add_smooth(model) < 0 || add_dense(model, hidden) < 0 ||
		add_smooth(model) < 0)
		return -1;
	return add_dense(model, classes);
}

int model_conv(struct model *model, struct shape in, int classes, int hidden, int max_batch)
{
	if (model_init(model, in, 9, max_batch) < 0)
		return -1;
	if (add_conv(model, 16) < 0 || add_conv(model, 32) < 0 || add_dense(model, hidden) < 0 ||
		add_smooth(model) < 0)
		return -1;
	return add_dense(model, classes);
}

const float *model_forward(struct model *model, const float *input, int batch)
{
	for (int i = 0; i < model->nlayers; i++) {
		struct layer *layer = &model->layers[i];

		layer->ops->forward(layer, input, model->outputs[i], batch);
		input = model->outputs[i];
	}
	return input;
}

void model_backward(struct model *model, const float *input, const float *grad_logits, int batch,
	model_ready *ready, void *context)
{
	const float *grad_out = grad_logits;

	for (int i = model->nlayers - 1; i >= 0; i--) {
		struct layer *layer = &model->layers[i];
		float *grad_in = grad_out == model->grad_ping ? model->grad_pong : model->grad_ping;

		layer->ops->backward(layer, i ? model->outputs[i - 1] : input, model->outputs[i],
			grad_out, i ? grad_in : NULL, batch);
		if (layer->nweights && ready)
			ready(context, layer->grad_weights - model->grads,
				layer->nweights + layer->nbias);
		grad_out = grad_in;
	}
}

uint64_t model_signature(const struct model *model)
{
	struct rng r = { model->nlayers };

	for (int i = 0; i < model->ntensors; i++) {
		r.state += model->tensors[i].count;
		r.state = rng_next(&r);
	}
	return r.state;
}

void model_free(struct model *model)
{
	for (int i = 0; i < model->nlayers; i++) {
		layer_free(&model->layers[i]);
		free(model->outputs[i]);
	}
	free(model->layers);
	free(model->tensors);
	free(model->outputs);
	free(model->weights);
	free(model->grads);
	free(model->grad_ping);
	free(model->grad_pong);
}
