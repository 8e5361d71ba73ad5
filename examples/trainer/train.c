/* train.c - see train.h. */
#include "config.h"

#include <math.h>
#include <time.h>

#include "loss.h"
#include "say.h"
#include "tacho.h"
#include "train.h"
#include "truth.h"

/* Where this rank's time of an epoch went, in seconds. */
struct clock {
	double read, compute, exchange;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Adds the time since *since to *total, and moves *since on. */
static void lap(double *since, double *total)
{
	double t = now();

	*total += t - *since;
	*since = t;
}

static void step_compute(struct trainer *t, const struct batch *batch, struct loss *loss)
{
	const float *logits = model_forward(&t->model, batch->input, batch->count);

	loss_add(logits, batch->targets, batch->count, t->classes, loss, t->grad_logits,
		1.0 / batch->total);
	exchange_begin(t->exchange);
	model_backward(&t->model, batch->input, t->grad_logits, batch->count, exchange_ready,
		t->exchange);
}

/* Computes, sums and steps on the CPU. */
static void step_cpu(struct trainer *t, const struct batch *batch, struct loss *loss,
	struct clock *clock, double *since)
{
	double start = *since;

	step_compute(t, batch, loss);
	loader_done(t->loader);
	plant_after_compute(&t->options->plant, &t->job, t->step, now() - start);
	lap(since, &clock->compute);
	exchange_end(t->exchange);
	lap(since, &clock->exchange);
	optimizer_step(&t->optimizer, &t->model, t->step);
	lap(since, &clock->compute);
}

/* Queues the same for the GPUs; a forward pass is about a third of a step's computing. */
static int step_cuda(struct trainer *t, const struct batch *batch, struct clock *clock,
	double *since)
{
	double slowness = plant_slowness(&t->options->plant, &t->job, t->step);
	int error = t->module->step(t->cuda, batch, optimizer_rate(&t->optimizer, t->step),
		lround(3 * (slowness - 1)));

	loader_done(t->loader);
	lap(since, &clock->compute);
	return error;
}

static int step_run(struct trainer *t, struct loss *loss, struct clock *clock)
{
	struct batch batch;
	double since = now();
	int error = 0;

	if (!t->options->unmarked)
		tacho_step_begin(t->step);
	if (loader_next(t->loader, &batch) != 1)
		return -1;
	lap(&since, &clock->read);
	plant_before_compute(&t->options->plant, &t->job, t->step);
	if (t->cuda)
		error = step_cuda(t, &batch, clock, &since);
	else
		step_cpu(t, &batch, loss, clock, &since);
	if (!t->options->unmarked)
		tacho_step_end(batch.count);
	truth_step(batch.count);
	t->step++;
	return error;
}

/* Sums the figures of all ranks. */
static void loss_sum(struct loss *loss)
{
	double all[] = { loss->sum, loss->correct, loss->samples };

	job_sum(all, 3);
	*loss = (struct loss){ all[0], all[1], all[2] };
}

static void epoch_say(struct trainer *t, uint64_t epoch, const struct loss *train,
	const struct loss *validate, const struct clock *clock, double seconds)
{
	if (!t->headed)
		say("epoch    loss  accuracy  validate  samples/s     read  compute  exchange  "
		    "(rank 0, s)");
	t->headed = true;
	say("%5llu %7.4f  %8.4f  %8.4f  %9.0f  %7.3f  %7.3f  %8.3f", (unsigned long long)epoch + 1,
		train->sum / train->samples, (double)train->correct / train->samples,
		(double)validate->correct / validate->samples, train->samples / seconds,
		clock->read, clock->compute, clock->exchange);
}

static int save(struct trainer *t)
{
	if (t->cuda && t->module->pull(t->cuda) < 0)
		return -1;
	return checkpoint_save(t->checkpoint, t->step);
}

/* The steps of the epoch that t->step is in, to its end or the end of the run. */
static int epoch_train(struct trainer *t, struct loss *loss, struct clock *clock)
{
	uint64_t epoch = t->step / t->epoch_steps, first = epoch * t->epoch_steps;
	uint64_t last = first + t->epoch_steps < t->steps ? first + t->epoch_steps : t->steps;
	struct plan plan = {
		.split = SPLIT_TRAIN,
		.augment = true,
		.shuffle = true,
		.epoch = epoch,
		.seed = t->options->seed,
		.nsamples = t->dataset.spec.samples[SPLIT_TRAIN],
		.batch = t->global_batch,
		.first_batch = t->step - first,
		.last_batch = last - first,
		.rank = t->job.rank,
		.nranks = t->job.nranks,
	};
	int error;

	tacho_phase_begin("train");
	error = loader_start(t->loader, &plan);
	while (!error && t->step < last) {
		error = step_run(t, loss, clock);
		if (error || !checkpoint_due(t->checkpoint, t->step))
			continue;
		tacho_phase_end();
		error = save(t);
		tacho_phase_begin("train");
	}
	if (!error && t->cuda)
		error = t->module->loss(t->cuda, loss);
	tacho_phase_end();
	return error;
}

static int batch_evaluate(struct trainer *t, const struct batch *batch, struct loss *loss)
{
	const struct plant *plant = &t->options->plant;
	double since = now();
	int error = 0;

	if (t->cuda)
		error = t->module->evaluate(t->cuda, batch,
			lround(plant_unevenness(plant, &t->job) - 1));
	else
		loss_add(model_forward(&t->model, batch->input, batch->count), batch->targets,
			batch->count, t->classes, loss, NULL, 0);
	loader_done(t->loader);
	if (!t->cuda)
		plant_after_held_out(plant, &t->job, now() - since);
	return error;
}

/* The held-out samples of this rank (serial: all of them on rank 0, none elsewhere). */
static int held_out(struct trainer *t, int split, struct loss *loss)
{
	bool serial = t->options->test_phase == TEST_SERIAL;
	int nranks = serial ? 1 : t->job.nranks;
	struct plan plan = {
		.split = split,
		.seed = t->options->seed,
		.nsamples = t->dataset.spec.samples[split],
		.batch = t->local_batch * nranks,
		.rank = serial ? 0 : t->job.rank,
		.nranks = nranks,
	};
	struct batch batch;
	int more;

	plan.last_batch = (plan.nsamples + plan.batch - 1) / plan.batch;
	if (serial && t->job.rank)
		return 0;
	if (loader_start(t->loader, &plan) < 0)
		return -1;
	while ((more = loader_next(t->loader, &batch)) == 1)
		if (batch_evaluate(t, &batch, loss) < 0)
			return -1;
	return !more && t->cuda ? t->module->loss(t->cuda, loss) : more;
}

/* Validation or test: its own phase that ends when all ranks have its figures. */
static int evaluate(struct trainer *t, int split, const char *phase, struct loss *loss)
{
	int error;

	tacho_phase_begin(phase);
	error = held_out(t, split, loss);
	if (!error)
		loss_sum(loss);
	tacho_phase_end();
	return error;
}

static int epoch_run(struct trainer *t)
{
	uint64_t epoch = t->step / t->epoch_steps;
	struct loss train = { 0 }, validate = { 0 };
	struct clock clock = { 0 };
	double start = now(), seconds;

	if (epoch_train(t, &train, &clock) < 0)
		return -1;
	loss_sum(&train);
	seconds = now() - start;
	if (evaluate(t, SPLIT_VALIDATE, "validate", &validate) < 0)
		return -1;
	epoch_say(t, epoch, &train, &validate, &clock, seconds);
	return 0;
}

int trainer_run(struct trainer *t)
{
	struct loss test = { 0 };

	while (t->step < t->steps)
		if (epoch_run(t) < 0)
			return -1;
	if (evaluate(t, SPLIT_TEST, "test", &test) < 0)
		return -1;
	say("test: loss %.4f, accuracy %.4f over %zu held-out samples (chance %.2f)",
		test.sum / test.samples, (double)test.correct / test.samples, test.samples,
		1.0 / t->classes);
	return t->cuda ? t->module->pull(t->cuda) : 0;
}
