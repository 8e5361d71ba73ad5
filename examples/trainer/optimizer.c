/* optimizer.c - see optimizer.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "optimizer.h"
#include "say.h"

int optimizer_init(struct optimizer *o, const struct model *model, const struct options *options,
	uint64_t steps)
{
	*o = (struct optimizer){
		.rate = options->rate,
		.momentum = options->momentum,
		.decay = options->decay,
		.schedule = options->schedule,
		.warmup = options->warmup,
		.steps = steps,
		.velocity = calloc(model->nweights, sizeof(float)),
	};
	return o->velocity ? 0 : fail("not enough memory for %zu parameters", model->nweights);
}

double optimizer_rate(const struct optimizer *o, uint64_t step)
{
	double done = o->steps ? (double)step / o->steps : 0;

	if (step < (uint64_t)o->warmup)
		return o->rate * (step + 1) / o->warmup;
	switch (o->schedule) {
	case SCHEDULE_STEP: return o->rate * (done < 0.5 ? 1 : done < 0.75 ? 0.1 : 0.01);
	case SCHEDULE_COSINE: return o->rate * (1 + cos(M_PI * done)) / 2;
	default: return o->rate;
	}
}

void optimizer_step(struct optimizer *o, struct model *model, uint64_t step)
{
	float rate = optimizer_rate(o, step), momentum = o->momentum, decay = o->decay;
	float *weights = model->weights, *grads = model->grads, *velocity = o->velocity;

	for (size_t i = 0; i < model->nweights; i++) {
		velocity[i] = momentum * velocity[i] + grads[i] + decay * weights[i];
		weights[i] -= rate * velocity[i];
	}
}

void optimizer_free(struct optimizer *o)
{
	free(o->velocity);
}
