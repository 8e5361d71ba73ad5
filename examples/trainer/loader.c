/* loader.c - see loader.h. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "loader.h"
#include "plant.h"
#include "rng.h"
#include "say.h"

/* A batch being filled: batch number n of the plan lives in slot n % prefetch. */
struct slot {
	float *input;
	struct target *targets;
	int filled;
};

/* What one thread needs to read and prepare a sample. */
struct bench {
	struct cursor cursor;
	uint8_t *record, *other, *scratch;
};

struct reader {
	struct loader *loader;
	struct bench bench;
	pthread_t thread;
};

struct loader {
	const struct dataset *dataset;
	const struct preprocess *preprocess;
	int nreaders, prefetch;
	double delay_ms;
	struct reader *readers;
	struct bench own; /* used by loader_next() when there are no readers */
	struct slot *slots;
	struct plan plan;
	uint32_t *order;
	size_t input_size; /* floats of a sample */

	pthread_mutex_t lock; /* guards all below, and slots[].filled */
	pthread_cond_t work;  /* there may be a sample to read */
	pthread_cond_t ready; /* a batch may be complete */
	int batch, position;  /* the next sample to hand out */
	int consumed;	      /* the next batch the trainer gets */
	bool failed, stop;
};

/* This rank's part of batch n of the plan: [*first, *first + count) of the order. */
static int plan_part(const struct plan *plan, int n, int *first, int *total)
{
	int start = n * plan->batch, left = plan->nsamples - start;
	long whole = left < plan->batch ? left : plan->batch;
	int low = whole * plan->rank / plan->nranks, high = whole * (plan->rank + 1) / plan->nranks;

	*first = start + low;
	if (total)
		*total = whole;
	return high - low;
}

static int bench_init(struct bench *b, const struct dataset *dataset, const struct preprocess *p)
{
	cursor_init(&b->cursor);
	b->record = malloc(dataset_record(dataset));
	b->other = malloc(dataset_record(dataset));
	b->scratch = malloc(preprocess_scratch(p));
	return b->record && b->other && b->scratch ? 0 : -1;
}

static void bench_free(struct bench *b)
{
	cursor_close(&b->cursor);
	free(b->record);
	free(b->other);
	free(b->scratch);
}

/* Reads and prepares the sample at `place` of the order into place `at` of the slot. */
static int sample_read(struct loader *l, struct bench *b, int place, struct slot *slot, int at)
{
	const struct plan *plan = &l->plan;
	uint32_t index = l->order[place];
	struct rng r = rng_stream(plan->seed, RNG_AUGMENT, plan->epoch << 32 | index);
	bool mix = plan->augment && preprocess_mixes(l->preprocess);
	uint32_t partner = l->order[rng_below(&r, plan->nsamples)];

	if (l->delay_ms > 0)
		plant_storage(l->delay_ms);
	if (dataset_read(l->dataset, &b->cursor, plan->split, index, b->record) < 0)
		return -1;
	if (mix && dataset_read(l->dataset, &b->cursor, plan->split, partner, b->other) < 0)
		return -1;
	preprocess_sample(l->preprocess, b->record, mix ? b->other : NULL, plan->augment,
		rng_next(&r), b->scratch, slot->input + at * l->input_size, &slot->targets[at]);
	return 0;
}

/*
 * Takes the next sample that has a free place, if any. Called with the lock
 * held. Returns false when there is none now.
 */
static bool sample_take(struct loader *l, int *batch, int *position)
{
	int first;

	while (l->batch < l->plan.last_batch &&
		l->position >= plan_part(&l->plan, l->batch, &first, NULL)) {
		l->batch++;
		l->position = 0;
	}
	if (l->failed || l->batch >= l->plan.last_batch || l->batch >= l->consumed + l->prefetch)
		return false;
	*batch = l->batch;
	*position = l->position++;
	return true;
}

/* Reads a sample taken by sample_take(); called and returns with the lock held. */
static void sample_fill(struct loader *l, struct bench *b, int batch, int position)
{
	struct slot *slot = &l->slots[batch % l->prefetch];
	int first, count = plan_part(&l->plan, batch, &first, NULL), error;

	pthread_mutex_unlock(&l->lock);
	error = sample_read(l, b, first + position, slot, position);
	pthread_mutex_lock(&l->lock);
	l->failed |= error < 0;
	if (++slot->filled == count || l->failed)
		pthread_cond_signal(&l->ready);
}

static void *reader_run(void *argument)
{
	struct reader *reader = argument;
	struct loader *l = reader->loader;
	int batch, position;

	pthread_mutex_lock(&l->lock);
	while (!l->stop) {
		if (sample_take(l, &batch, &position))
			sample_fill(l, &reader->bench, batch, position);
		else
			pthread_cond_wait(&l->work, &l->lock);
	}
	pthread_mutex_unlock(&l->lock);
	return NULL;
}

static int slots_allocate(struct loader *l, int max_batch)
{
	l->slots = calloc(l->prefetch, sizeof(*l->slots));
	if (!l->slots)
		return -1;
	for (int i = 0; i < l->prefetch; i++) {
		l->slots[i].input = malloc(max_batch * l->input_size * sizeof(float));
		l->slots[i].targets = malloc(max_batch * sizeof(struct target));
		if (!l->slots[i].input || !l->slots[i].targets)
			return -1;
	}
	return 0;
}

static int readers_start(struct loader *l, int readers)
{
	l->readers = calloc(readers + 1, sizeof(*l->readers));
	if (!l->readers)
		return fail("not enough memory for %d readers", readers);
	for (; l->nreaders < readers; l->nreaders++) {
		struct reader *r = &l->readers[l->nreaders];
		int error;

		r->loader = l;
		error = bench_init(&r->bench, l->dataset, l->preprocess);
		if (!error)
			error = pthread_create(&r->thread, NULL, reader_run, r);
		if (error)
			return fail("cannot start reader thread %d (--readers)", l->nreaders);
	}
	return 0;
}

struct loader *loader_create(const struct dataset *dataset, const struct preprocess *preprocess,
	int readers, int prefetch, int max_batch, double delay_ms)
{
	struct loader *l = calloc(1, sizeof(*l));

	if (!l) {
		fail("not enough memory for the loader");
		return NULL;
	}
	*l = (struct loader){
		.dataset = dataset,
		.preprocess = preprocess,
		.prefetch = prefetch,
		.delay_ms = delay_ms,
		.input_size = shape_size(preprocess_shape(preprocess)),
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.work = PTHREAD_COND_INITIALIZER,
		.ready = PTHREAD_COND_INITIALIZER,
	};
	if (bench_init(&l->own, dataset, preprocess) < 0 || slots_allocate(l, max_batch) < 0) {
		fail("not enough memory for %d prefetched batches (--prefetch)", prefetch);
		goto out;
	}
	if (readers_start(l, readers) == 0)
		return l;
out:
	loader_free(l);
	return NULL;
}

/* The order of the split's samples: as stored, or shuffled by (seed, epoch) alike on all ranks. */
static int order_make(struct loader *l, const struct plan *plan)
{
	struct rng r = rng_stream(plan->seed, RNG_ORDER, plan->epoch);

	free(l->order);
	l->order = malloc(plan->nsamples * sizeof(*l->order));
	if (!l->order)
		return fail("not enough memory for the order of %d samples", plan->nsamples);
	for (int i = 0; i < plan->nsamples; i++)
		l->order[i] = i;
	for (int i = plan->nsamples - 1; plan->shuffle && i > 0; i--) {
		int other = rng_below(&r, i + 1);
		uint32_t index = l->order[i];

		l->order[i] = l->order[other];
		l->order[other] = index;
	}
	return 0;
}

int loader_start(struct loader *l, const struct plan *plan)
{
	int error;

	pthread_mutex_lock(&l->lock);
	error = order_make(l, plan);
	if (!error) {
		l->plan = *plan;
		l->batch = l->consumed = plan->first_batch;
		l->position = 0;
		for (int i = 0; i < l->prefetch; i++)
			l->slots[i].filled = 0;
		pthread_cond_broadcast(&l->work);
	}
	pthread_mutex_unlock(&l->lock);
	return error;
}

int loader_next(struct loader *l, struct batch *batch)
{
	int first, at, position;
	struct slot *slot;
	bool failed;

	if (l->consumed >= l->plan.last_batch)
		return 0;
	slot = &l->slots[l->consumed % l->prefetch];
	batch->count = plan_part(&l->plan, l->consumed, &first, &batch->total);
	batch->input = slot->input;
	batch->targets = slot->targets;
	pthread_mutex_lock(&l->lock);
	while (!l->failed && slot->filled < batch->count) {
		if (l->nreaders)
			pthread_cond_wait(&l->ready, &l->lock);
		else if (sample_take(l, &at, &position))
			sample_fill(l, &l->own, at, position);
	}
	failed = l->failed;
	pthread_mutex_unlock(&l->lock);
	return failed ? -1 : 1;
}

void loader_done(struct loader *l)
{
	pthread_mutex_lock(&l->lock);
	l->slots[l->consumed % l->prefetch].filled = 0;
	l->consumed++;
	pthread_cond_broadcast(&l->work);
	pthread_mutex_unlock(&l->lock);
}

static void slots_free(struct loader *l)
{
	for (int i = 0; l->slots && i < l->prefetch; i++) {
		free(l->slots[i].input);
		free(l->slots[i].targets);
	}
	free(l->slots);
}

void loader_free(struct loader *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&l->lock);
	l->stop = true;
	pthread_cond_broadcast(&l->work);
	pthread_mutex_unlock(&l->lock);
	for (int i = 0; i < l->nreaders; i++) {
		pthread_join(l->readers[i].thread, NULL);
		bench_free(&l->readers[i].bench);
	}
	bench_free(&l->own);
	slots_free(l);
	free(l->readers);
	free(l->order);
	free(l);
}
