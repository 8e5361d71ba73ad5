/* loss.h - softmax cross entropy over soft labels, and the count of right answers. */
#ifndef TRAINER_LOSS_H
#define TRAINER_LOSS_H

#include <stddef.h>

struct loss {
	double sum; /* of the samples' cross entropies */
	size_t correct, samples;
};

/* A sample's classes: label[0] with 1 − mix, label[1] with mix (mix-up; else mix = 0). */
struct target {
	int label[2];
	float mix;
};

/*
 * Softmax cross entropy: adds the batch to `loss` and, unless grad_logits is
 * NULL, writes its gradient times `scale` (1 / global batch).
 */
void loss_add(const float *logits, const struct target *targets, int batch, int classes,
	struct loss *loss, float *grad_logits, double scale);

#endif
