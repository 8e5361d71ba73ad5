/* checkpoint.c - see checkpoint.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checkpoint.h"
#include "say.h"
#include "tacho.h"
#include "truth.h"

#define MAGIC "tachock1"

/* The file: this, the weights, the velocities. */
struct header {
	char magic[8];
	uint64_t signature;	      /* of the model and what decides the training's course */
	uint64_t nweights, step, sum; /* sum: of the bytes that follow */
};

struct checkpoint {
	const struct options *options;
	const struct job *job;
	const struct model *model;
	const struct optimizer *optimizer;
	char temporary[4096];
	float *image; /* weights and velocities as they are written */

	/* In the background: one writer at a time. */
	pthread_t thread;
	bool writing, failed;
	struct header header;
};

/* FNV-1a, by words. */
static uint64_t sum_bytes(const void *data, size_t nbytes)
{
	uint64_t sum = 0xcbf29ce484222325;
	uint32_t word;

	for (size_t i = 0; i + sizeof(word) <= nbytes; i += sizeof(word)) {
		memcpy(&word, (const char *)data + i, sizeof(word));
		sum = (sum ^ word) * 0x100000001b3;
	}
	return sum;
}

static uint64_t signature(const struct checkpoint *c)
{
	const struct options *o = c->options;
	uint64_t numbers[] = {
		model_signature(c->model),
		o->seed,
		o->samples[SPLIT_TRAIN],
		c->optimizer->steps,
		o->batch,
		o->batch_rule == BATCH_WEAK ? c->job->nranks : 1,
	};

	return sum_bytes(numbers, sizeof(numbers));
}

static size_t image_bytes(const struct checkpoint *c)
{
	return 2 * c->model->nweights * sizeof(float);
}

struct checkpoint *checkpoint_create(const struct options *options, const struct job *job,
	const struct model *model, const struct optimizer *optimizer)
{
	struct checkpoint *c = calloc(1, sizeof(*c));

	if (c)
		c->image = malloc(2 * model->nweights * sizeof(float));
	if (!c || !c->image) {
		fail("not enough memory for a checkpoint");
		free(c);
		return NULL;
	}
	c->options = options;
	c->job = job;
	c->model = model;
	c->optimizer = optimizer;
	snprintf(c->temporary, sizeof(c->temporary), "%s.tmp", options->checkpoint);
	return c;
}

static int file_write(struct checkpoint *c)
{
	int fd = truth_open(FILE_CHECKPOINT, c->temporary, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	int error;

	if (fd < 0)
		return fail("cannot write the checkpoint %s: %m", c->temporary);
	error = truth_write(FILE_CHECKPOINT, fd, &c->header, sizeof(c->header)) < 0 ||
		truth_write(FILE_CHECKPOINT, fd, c->image, image_bytes(c)) < 0 ||
		truth_fsync(FILE_CHECKPOINT, fd) < 0;
	error |= truth_close(FILE_CHECKPOINT, fd) < 0;
	if (error || rename(c->temporary, c->options->checkpoint) < 0) {
		fail("cannot write the checkpoint %s: %m", c->options->checkpoint);
		unlink(c->temporary);
		return -1;
	}
	return 0;
}

static void *thread_run(void *argument)
{
	struct checkpoint *c = argument;

	tacho_region_begin("checkpoint write");
	c->failed = file_write(c) < 0;
	tacho_region_end();
	return NULL;
}

/* Waits until the thread has written the one before. */
static int thread_join(struct checkpoint *c)
{
	if (c->writing)
		pthread_join(c->thread, NULL);
	c->writing = false;
	return c->failed ? -1 : 0;
}

static void image_take(struct checkpoint *c, uint64_t step)
{
	size_t half = image_bytes(c) / 2;

	memcpy(c->image, c->model->weights, half);
	memcpy((char *)c->image + half, c->optimizer->velocity, half);
	c->header = (struct header){
		.magic = MAGIC,
		.signature = signature(c),
		.nweights = c->model->nweights,
		.step = step,
		.sum = sum_bytes(c->image, image_bytes(c)),
	};
}

static int save_blocking(struct checkpoint *c, uint64_t step)
{
	int error = 0;

	tacho_phase_begin("checkpoint");
	if (c->job->rank == 0) {
		image_take(c, step);
		error = file_write(c);
	}
	job_copy(&error, sizeof(error));
	tacho_phase_end();
	return error;
}

static int save_in_background(struct checkpoint *c, uint64_t step)
{
	if (c->job->rank)
		return 0;
	if (thread_join(c) < 0)
		return -1;
	tacho_region_begin("checkpoint copy");
	image_take(c, step);
	tacho_region_end();
	if (pthread_create(&c->thread, NULL, thread_run, c))
		return fail("cannot start the thread for --checkpoint-mode background");
	c->writing = true;
	return 0;
}

bool checkpoint_due(const struct checkpoint *c, uint64_t step)
{
	return c && step && step % c->options->checkpoint_every == 0;
}

int checkpoint_save(struct checkpoint *c, uint64_t step)
{
	return c->options->checkpoint_mode == CHECKPOINT_BLOCKING ? save_blocking(c, step)
								  : save_in_background(c, step);
}

/* Reads the file into header and image. 1, 0 when there is none, -1 having reported why. */
static int file_read(struct checkpoint *c)
{
	const char *path = c->options->checkpoint;
	int fd = truth_open(FILE_CHECKPOINT, path, O_RDONLY, 0);
	ssize_t head, rest;

	if (fd < 0)
		return errno == ENOENT ? 0 : fail("cannot read the checkpoint %s: %m", path);
	head = truth_read(FILE_CHECKPOINT, fd, &c->header, sizeof(c->header));
	rest = truth_read(FILE_CHECKPOINT, fd, c->image, image_bytes(c));
	truth_close(FILE_CHECKPOINT, fd);
	if (head != sizeof(c->header) || memcmp(c->header.magic, MAGIC, sizeof(c->header.magic)))
		return fail("%s is no checkpoint of tacho-trainer", path);
	if (c->header.signature != signature(c) || c->header.nweights != c->model->nweights)
		return fail("the checkpoint %s is of another training: give the options that it "
			    "was written with",
			path);
	if (rest != (ssize_t)image_bytes(c) || sum_bytes(c->image, image_bytes(c)) != c->header.sum)
		return fail("the checkpoint %s is damaged: delete it to start anew", path);
	return 1;
}

int checkpoint_load(struct checkpoint *c, uint64_t *step)
{
	size_t half = image_bytes(c) / 2;
	struct {
		int found;
		uint64_t step;
	} verdict = { 0, 0 };

	if (c->job->rank == 0) {
		verdict.found = file_read(c);
		verdict.step = c->header.step;
	}
	job_copy(&verdict, sizeof(verdict));
	if (verdict.found < 0)
		return -1;
	if (!verdict.found) {
		say("no checkpoint %s: starting from the beginning", c->options->checkpoint);
		return 0;
	}
	job_copy(c->image, image_bytes(c));
	memcpy(c->model->weights, c->image, half);
	memcpy(c->optimizer->velocity, (char *)c->image + half, half);
	*step = verdict.step;
	say("going on from step %llu of %s", (unsigned long long)*step, c->options->checkpoint);
	return 0;
}

int checkpoint_free(struct checkpoint *c)
{
	int error;

	if (!c)
		return 0;
	error = thread_join(c);
	free(c->image);
	free(c);
	return error;
}
