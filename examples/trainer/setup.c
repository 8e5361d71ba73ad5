/* setup.c - trainer_open() and trainer_close() of train.h: data set, model, and what joins them. */
#include "config.h"

#include <stdlib.h>

#include "images.h"
#include "matrix.h"
#include "say.h"
#include "train.h"
#include "truth.h"

/* Rank 0 makes the data set when it is not there; the others wait for its verdict. */
static int data_open(struct trainer *t)
{
	const char *dir = t->options->data_dir;
	struct dataset_spec spec;
	int error = 0;

	t->preprocess = preprocess_from(t->options);
	preprocess_spec(&t->preprocess, t->options, &spec);
	if (t->job.rank == 0 && !dataset_exists(dir)) {
		say("making the data set in %s", dir);
		error = dataset_make(&spec, dir, preprocess_draw, &t->preprocess);
	}
	if (t->job.rank == 0 && !error)
		error = dataset_open(&t->dataset, &spec, dir);
	job_copy(&error, sizeof(error));
	if (!error && t->job.rank != 0)
		error = dataset_open(&t->dataset, &spec, dir);
	return error;
}

static int batch_sizes(struct trainer *t)
{
	const struct options *o = t->options;
	int nranks = t->job.nranks;

	t->global_batch = o->batch_rule == BATCH_WEAK ? o->batch * nranks : o->batch;
	t->local_batch = (t->global_batch + nranks - 1) / nranks;
	t->epoch_steps = o->samples[SPLIT_TRAIN] / t->global_batch;
	if (t->global_batch < nranks || !t->epoch_steps) {
		if (t->job.rank == 0)
			fail("a step of %d samples does not fit %d ranks and %d training samples: "
			     "change --batch or --train-samples",
				t->global_batch, nranks, o->samples[SPLIT_TRAIN]);
		return -1;
	}
	t->steps = o->epochs * t->epoch_steps;
	if (o->steps && (uint64_t)o->steps < t->steps)
		t->steps = o->steps;
	return 0;
}

static int layers_open(struct trainer *t)
{
	int (*make)(struct model *, struct shape, int, int,
		int) = t->options->model == MODEL_MLP ? model_mlp : model_conv;

	if (t->options->workload)
		return workload_model(&t->preprocess.proxy, &t->model, t->local_batch);
	return make(&t->model, preprocess_shape(&t->preprocess), t->classes, t->options->hidden,
		t->local_batch);
}

static int model_open(struct trainer *t)
{
	t->classes = IMAGE_CLASSES;
	t->grad_logits = malloc((size_t)t->local_batch * t->classes * sizeof(float));
	if (!t->grad_logits)
		return fail("not enough memory for a batch of %d", t->local_batch);
	if (layers_open(t) < 0 || model_finish(&t->model, t->options->seed) < 0)
		return -1;
	return optimizer_init(&t->optimizer, &t->model, t->options, t->steps);
}

/* All ranks call it together. */
static int cuda_open(struct trainer *t)
{
	struct cuda_setup setup = {
		.options = t->options,
		.model = &t->model,
		.velocity = t->optimizer.velocity,
		.classes = t->classes,
		.max_batch = t->local_batch,
		.rank = t->job.rank,
		.nranks = t->job.nranks,
		.local_rank = job_local_rank(&t->job),
		.copy_to_all = job_copy,
		.greatest = job_greatest,
	};

	t->module = cuda_load();
	if (job_greatest(!t->module))
		return -1;
	truth_also(t->module->truth);
	t->cuda = t->module->open(&setup);
	return t->cuda ? 0 : -1;
}

/* What computes and sums: the exchange, or GPUs. All ranks call it together. */
static int device_open(struct trainer *t)
{
	const struct options *o = t->options;

	if (o->device == DEVICE_CUDA)
		return cuda_open(t);
	t->exchange = exchange_create(&t->model, &t->job, o, o->plant.tiny_messages);
	return t->exchange ? 0 : -1;
}

static void describe(const struct trainer *t)
{
	const char *name = t->options->model == MODEL_MLP ? "mlp" : "conv";
	int buckets = t->cuda ? t->module->buckets(t->cuda) : exchange_buckets(t->exchange);

	if (t->options->workload) {
		workload_say(&t->preprocess.proxy);
		name = "proxy";
	}
	say("%d rank%s, %s: %zu parameters in %d gradient bucket%s, batch %d, %llu steps; %s%s",
		t->job.nranks, t->job.nranks == 1 ? "" : "s", name, t->model.nweights, buckets,
		buckets == 1 ? "" : "s", t->global_batch, (unsigned long long)t->steps,
		t->cuda ? "" : "matrices: ",
		t->cuda ? t->module->describe(t->cuda) : matrix_library());
}

static int parts_open(struct trainer *t)
{
	const struct options *o = t->options;

	if (model_open(t) < 0)
		return -1;
	if (o->checkpoint) {
		t->checkpoint = checkpoint_create(o, &t->job, &t->model, &t->optimizer);
		if (!t->checkpoint)
			return -1;
	}
	t->loader = loader_create(&t->dataset, &t->preprocess, o->readers, o->prefetch,
		t->local_batch, plant_storage_ms(&o->plant, &t->job));
	return t->loader ? 0 : -1;
}

int trainer_open(struct trainer *t, const struct options *options, const struct job *job)
{
	*t = (struct trainer){ .options = options, .job = *job };
	matrix_init(options->threads);
	if (job_greatest(plant_start(&options->plant) < 0))
		return -1;
	if (batch_sizes(t) < 0 || data_open(t) < 0)
		return -1;
	if (job_greatest(parts_open(t) < 0))
		return -1;
	if (job_greatest(device_open(t) < 0))
		return -1;
	/* All ranks drew the same weights; a real trainer makes sure of it. */
	job_copy(t->model.weights, t->model.nweights * sizeof(float));
	describe(t);
	if (options->resume && checkpoint_load(t->checkpoint, &t->step) < 0)
		return -1;
	return t->cuda ? t->module->push(t->cuda) : 0;
}

int trainer_close(struct trainer *t)
{
	int error = checkpoint_free(t->checkpoint);

	loader_free(t->loader);
	exchange_free(t->exchange);
	if (t->cuda)
		t->module->close(t->cuda);
	optimizer_free(&t->optimizer);
	model_free(&t->model);
	free(t->grad_logits);
	return error;
}
