/* optimizer.h - stochastic gradient descent with momentum and a schedule for its rate. */
#ifndef TRAINER_OPTIMIZER_H
#define TRAINER_OPTIMIZER_H

#include "model.h"
#include "options.h"

struct optimizer {
	float *velocity; /* as many as the model has weights */
	double rate, momentum, decay;
	int schedule, warmup;
	uint64_t steps; /* of the whole run: where the schedule ends */
};

/* 0, or -1 having reported why. */
int optimizer_init(struct optimizer *optimizer, const struct model *model,
	const struct options *options, uint64_t steps);
/* The learning rate of step `step`. */
double optimizer_rate(const struct optimizer *optimizer, uint64_t step);
/* weights -= rate · velocity, velocity = momentum · velocity + gradient + decay · weight. */
void optimizer_step(struct optimizer *optimizer, struct model *model, uint64_t step);
void optimizer_free(struct optimizer *optimizer);

#endif
