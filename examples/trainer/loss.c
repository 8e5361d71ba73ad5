/* loss.c - see loss.h. */
#include "config.h"

#include <math.h>

#include "loss.h"

static int greatest(const float *values, int count)
{
	int best = 0;

	for (int i = 1; i < count; i++)
		if (values[i] > values[best])
			best = i;
	return best;
}

static double share(const struct target *target, int class)
{
	return (class == target->label[0] ? 1 - target->mix : 0) +
		(class == target->label[1] ? target->mix : 0);
}

void loss_add(const float *logits, const struct target *targets, int batch, int classes,
	struct loss *loss, float *grad_logits, double scale)
{
	for (int n = 0; n < batch; n++, logits += classes) {
		int best = greatest(logits, classes);
		double total = 0;

		for (int c = 0; c < classes; c++)
			total += exp((double)logits[c] - logits[best]);
		for (int c = 0; c < classes; c++) {
			double log_p = (double)logits[c] - logits[best] - log(total);

			loss->sum -= share(&targets[n], c) * log_p;
			if (grad_logits)
				*grad_logits++ = scale * (exp(log_p) - share(&targets[n], c));
		}
		loss->correct += best == targets[n].label[targets[n].mix > 0.5f];
		loss->samples++;
	}
}
