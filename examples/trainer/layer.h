/*
 * layer.h - what every layer of the network offers. A layer turns a batch of
 * inputs into a batch of outputs (one sample after the other, each channel by
 * channel, row by row) and back. To add one: write forward and backward, a
 * constructor that sets the shapes and the counts, and a line here.
 */
#ifndef TRAINER_LAYER_H
#define TRAINER_LAYER_H

#include <stddef.h>

struct shape {
	int channels, height, width;
};

static inline size_t shape_size(struct shape s)
{
	return (size_t)s.channels * s.height * s.width;
}

/*
 * The rectifier is squareplus, (x + sqrt(x² + b)) / 2 (Barron 2021), which has no kink. With
 * one, and with maximum pooling, a difference in the last bit of a sum (another number of
 * ranks) now and then sends a gradient elsewhere; smooth layers keep rounding errors as small
 * as they were.
 */
#define SQUAREPLUS_ROOT 0.3f
#define SQUAREPLUS_B	(SQUAREPLUS_ROOT * SQUAREPLUS_ROOT)

struct layer;

struct layer_ops {
	const char *name;
	void (*forward)(struct layer *layer, const float *in, float *out, int batch);
	/* Sets (not adds) the gradients of weights and bias; fills grad_in unless it is NULL. */
	void (*backward)(struct layer *layer, const float *in, const float *out,
		const float *grad_out, float *grad_in, int batch);
};

struct layer {
	const struct layer_ops *ops;
	struct shape in, out;
	size_t nweights, nbias; /* parameters; 0 for layers without */
	/* inputs that meet in one output: sets the initial weights */
	double fan_in;
	float *weights, *bias; /* in the model's arrays */
	float *grad_weights, *grad_bias;
	int kernel;	/* side of the convolution's window */
	int positions;	/* places of a sample to which a dense layer is applied */
	float *scratch; /* owned; size of one sample */
};

/* Constructors: 0, or -1 out of memory. The model provides weights and gradients afterwards. */
int layer_dense(struct layer *layer, struct shape in, int outputs);
int layer_conv(struct layer *layer, struct shape in, int channels, int kernel);
int layer_smooth(struct layer *layer, struct shape in);
/* Height and width must be even. */
int layer_pool(struct layer *layer, struct shape in);
/* A dense layer applied to each of `positions` places of a sample (a proxy's building block). */
int layer_dense_shared(struct layer *layer, int positions, int inputs, int outputs);
/* The mean over the places of a sample. */
int layer_mean(struct layer *layer, struct shape in);

void layer_free(struct layer *layer);

#endif
