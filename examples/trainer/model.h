/*
 * model.h - a network: its layers in order, and all parameters and gradients
 * in one array each, so that exchange, optimizer and checkpoint need no lists.
 */
#ifndef TRAINER_MODEL_H
#define TRAINER_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "layer.h"

/* A weight matrix or bias vector: a stretch of the parameter array. */
struct tensor {
	size_t offset, count; /* floats */
};

struct model {
	struct shape in;
	struct layer *layers;
	int nlayers;
	struct tensor *tensors; /* in the order of the layers */
	int ntensors;
	float *weights, *grads; /* nweights each */
	size_t nweights;
	float **outputs;	      /* of each layer, for a batch */
	float *grad_ping, *grad_pong; /* gradients of two neighbouring outputs */
	int max_batch;
};

/* Called when the gradients of parameters [offset, offset + count) are final. */
typedef void model_ready(void *context, size_t offset, size_t count);

/* Starts an empty model for batches of at most `max_batch`. 0, or -1 having reported why. */
int model_init(struct model *model, struct shape in, int max_layers, int max_batch);
/*
 * Counts layers[nlayers], just constructed with the result `error`, in. 0, or -1 having reported
 * why.
 */
int model_add(struct model *model, int error);
/*
 * Allocates and draws the parameters (He initialisation) from the seed. 0, or -1 having reported
 * why.
 */
int model_finish(struct model *model, uint64_t seed);

/* --model mlp: two hidden dense layers of `hidden`. */
int model_mlp(struct model *model, struct shape in, int classes, int hidden, int max_batch);
/* --model conv: 16 and 32 3×3 windows, each pooled, and a hidden dense layer. */
int model_conv(struct model *model, struct shape in, int classes, int hidden, int max_batch);

/* The outputs (logits) for a batch, [batch][classes]; valid until the next call. */
const float *model_forward(struct model *model, const float *input, int batch);
/* Gradients from grad_logits [batch][classes], which stays; calls ready layer by layer. */
void model_backward(struct model *model, const float *input, const float *grad_logits, int batch,
	model_ready *ready, void *context);

/* A number that differs between models of different layers: guards checkpoints. */
uint64_t model_signature(const struct model *model);

void model_free(struct model *model);

#endif
