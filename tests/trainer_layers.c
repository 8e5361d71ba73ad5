/*
 * trainer_layers.c - the trainer's arithmetic: products of matrices against
 * plain sums, gradients of every layer against differences of the loss, and
 * the data path of bytes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../examples/trainer/images.h"
#include "../examples/trainer/loss.h"
#include "../examples/trainer/matrix.h"
#include "../examples/trainer/model.h"
#include "../examples/trainer/preprocess.h"
#include "../examples/trainer/rng.h"

#define BATCH	3
#define CLASSES 4

static void fill(float *values, size_t count, uint64_t seed)
{
	struct rng r = { seed };

	for (size_t i = 0; i < count; i++)
		values[i] = rng_normal(&r);
}

static void product_is_right(enum matrix_form form_a, enum matrix_form form_b, int m, int n, int k)
{
	float *a = malloc(m * k * sizeof(float)), *b = malloc(k * n * sizeof(float));
	float *c = malloc(m * n * sizeof(float));

	fill(a, m * k, 1);
	fill(b, k * n, 2);
	fill(c, m * n, 3);
	for (int beta = 0; beta < 2; beta++) {
		float *before = malloc(m * n * sizeof(float));

		memcpy(before, c, m * n * sizeof(float));
		matrix_multiply(form_a, form_b, m, n, k, a, b, beta, c);
		for (int i = 0; i < m; i++)
			for (int j = 0; j < n; j++) {
				double sum = beta * before[i * n + j];

				for (int l = 0; l < k; l++)
					sum += (double)a[form_a ? l * m + i : i * k + l] *
						b[form_b ? j * k + l : l * n + j];
				assert_float_equal(c[i * n + j], sum, 1e-3);
			}
		free(before);
	}
	free(a);
	free(b);
	free(c);
}

static void multiplies_matrices(void **state)
{
	(void)state;
	product_is_right(MATRIX_PLAIN, MATRIX_PLAIN, 7, 150, 140);
	product_is_right(MATRIX_TRANSPOSED, MATRIX_PLAIN, 150, 9, 131);
	product_is_right(MATRIX_PLAIN, MATRIX_TRANSPOSED, 5, 141, 129);
	product_is_right(MATRIX_PLAIN, MATRIX_PLAIN, 1, 1, 1);
}

static const struct target targets[BATCH] = {
	{ { 1, 1 }, 0 },
	{ { 3, 0 }, 0.25f },
	{ { 2, 2 }, 0 },
};

static double loss_of(struct model *model, const float *input)
{
	struct loss loss = { 0 };

	loss_add(model_forward(model, input, BATCH), targets, BATCH, CLASSES, &loss, NULL, 0);
	return loss.sum / BATCH;
}

/*
 * (loss(w + h) - loss(w - h)) / 2h against the gradient of backward, for weights spread over the
 * model.
 */
static void gradients_are_right(struct model *model, const float *input)
{
	struct loss loss = { 0 };
	float grad_logits[BATCH * CLASSES], step = 1e-2f;

	loss_add(model_forward(model, input, BATCH), targets, BATCH, CLASSES, &loss, grad_logits,
		1.0 / BATCH);
	model_backward(model, input, grad_logits, BATCH, NULL, NULL);
	for (size_t i = 0; i < model->nweights; i += 1 + model->nweights / 300) {
		float weight = model->weights[i];
		double up, down;

		model->weights[i] = weight + step;
		up = loss_of(model, input);
		model->weights[i] = weight - step;
		down = loss_of(model, input);
		model->weights[i] = weight;
		assert_float_equal((up - down) / (2 * step), model->grads[i], 2e-3);
	}
}

static void mlp_gradients(void **state)
{
	struct shape in = { 3, 4, 4 };
	struct model model;
	float input[BATCH * 48];

	(void)state;
	fill(input, BATCH * 48, 4);
	assert_int_equal(model_mlp(&model, in, CLASSES, 10, BATCH), 0);
	assert_int_equal(model_finish(&model, 5), 0);
	gradients_are_right(&model, input);
	model_free(&model);
}

static void conv_gradients(void **state)
{
	struct shape in = { 3, 8, 8 };
	struct model model;
	float input[BATCH * 192];

	(void)state;
	fill(input, BATCH * 192, 6);
	assert_int_equal(model_conv(&model, in, CLASSES, 10, BATCH), 0);
	assert_int_equal(model_finish(&model, 7), 0);
	gradients_are_right(&model, input);
	model_free(&model);
}

static void shared_gradients(void **state)
{
	struct shape in = { 5, 1, 6 };
	struct model model;
	float input[BATCH * 30];

	(void)state;
	fill(input, BATCH * 30, 8);
	assert_int_equal(model_init(&model, in, 4, BATCH), 0);
	assert_int_equal(model_add(&model, layer_dense_shared(&model.layers[0], 5, 6, 7)), 0);
	assert_int_equal(model_add(&model, layer_smooth(&model.layers[1], model.layers[0].out)), 0);
	assert_int_equal(model_add(&model, layer_mean(&model.layers[2], model.layers[1].out)), 0);
	assert_int_equal(model_add(&model,
				 layer_dense(&model.layers[3], model.layers[2].out, CLASSES)),
		0);
	assert_int_equal(model_finish(&model, 9), 0);
	gradients_are_right(&model, input);
	model_free(&model);
}

struct seen {
	size_t end, total;
};

static void note_ready(void *context, size_t offset, size_t count)
{
	struct seen *seen = context;

	assert_int_equal(offset + count, seen->end);
	seen->end = offset;
	seen->total += count;
}

static void gradients_get_ready_from_the_end(void **state)
{
	struct shape in = { 3, 8, 8 };
	float input[BATCH * 192], grad_logits[BATCH * CLASSES];
	struct model model;
	struct seen seen;

	(void)state;
	fill(input, BATCH * 192, 6);
	fill(grad_logits, BATCH * CLASSES, 6);
	model_conv(&model, in, CLASSES, 10, BATCH);
	assert_int_equal(model_finish(&model, 7), 0);
	seen = (struct seen){ model.nweights, 0 };
	model_forward(&model, input, BATCH);
	model_backward(&model, input, grad_logits, BATCH, note_ready, &seen);
	assert_int_equal(seen.total, model.nweights);
	model_free(&model);
}

static void pictures_repeat_and_classes_occur(void **state)
{
	uint8_t one[3 * 16 * 16], two[3 * 16 * 16];
	int counts[IMAGE_CLASSES] = { 0 };

	(void)state;
	for (int i = 0; i < 500; i++) {
		int class = image_draw(1, i, 16, one);

		assert_int_equal(class, image_draw(1, i, 16, two));
		assert_memory_equal(one, two, sizeof(one));
		counts[class]++;
	}
	for (int c = 0; c < IMAGE_CLASSES; c++)
		assert_in_range(counts[c], 25, 80);
}

/* An enlarged flat picture stays flat. */
static void enlarging_keeps_flat_pictures(void **state)
{
	struct preprocess p = { .when = PREPROCESS_ONLINE, .side = 8, .upsample = 3 };
	uint8_t record[RECORD_HEAD + 192] = { 2, 2 }, *scratch = malloc(preprocess_scratch(&p));
	float *input = malloc(3 * 24 * 24 * sizeof(float));
	struct target target;

	(void)state;
	memset(record + RECORD_HEAD, 255, 192);
	preprocess_sample(&p, record, NULL, false, 0, scratch, input, &target);
	for (int i = 0; i < 3 * 24 * 24; i++)
		assert_float_equal(input[i], 1, 1e-6);
	assert_int_equal(target.label[0], 2);
	free(scratch);
	free(input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiplies_matrices),
		cmocka_unit_test(mlp_gradients),
		cmocka_unit_test(conv_gradients),
		cmocka_unit_test(shared_gradients),
		cmocka_unit_test(gradients_get_ready_from_the_end),
		cmocka_unit_test(pictures_repeat_and_classes_occur),
		cmocka_unit_test(enlarging_keeps_flat_pictures),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
