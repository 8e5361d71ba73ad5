/*
 * preprocess.h - what happens to a picture between disk and network: it is
 * enlarged, mirrored and blended with another one. Online the readers do it
 * anew in every epoch, offline it was done once when the data set was made.
 */
#ifndef TRAINER_PREPROCESS_H
#define TRAINER_PREPROCESS_H

#include "dataset.h"
#include "layer.h"
#include "loss.h"
#include "options.h"
#include "workload.h"

struct preprocess {
	int when;	    /* enum preprocess_when */
	int side, upsample; /* pixels of the drawn picture's side; enlargement */
	bool flip;
	double mixup; /* greatest share of the second picture */
	long seed;
	struct proxy proxy; /* its workload: NULL for pictures */
};

struct preprocess preprocess_from(const struct options *options);

/* The picture as the network gets it. */
struct shape preprocess_shape(const struct preprocess *p);

/* Describes the data set that these settings need; `spec` is filled whole. */
void preprocess_spec(const struct preprocess *p, const struct options *options,
	struct dataset_spec *spec);

/* dataset_draw for it; the context is the struct preprocess. */
void preprocess_draw(void *context, int split, uint32_t index, uint8_t *record);

/* Bytes of working memory that preprocess_sample() needs. */
size_t preprocess_scratch(const struct preprocess *p);

/* Does an online training sample need a second record? */
static inline bool preprocess_mixes(const struct preprocess *p)
{
	return p->when == PREPROCESS_ONLINE && p->mixup > 0;
}

/*
 * Turns a record as read (and `other`, for mix-up, else NULL) into the
 * network's input, floats from -1 to 1, and its target. `augment`: a training
 * sample, with the random number `dice` that decides about it.
 */
void preprocess_sample(const struct preprocess *p, const uint8_t *record, const uint8_t *other,
	bool augment, uint64_t dice, uint8_t *scratch, float *input, struct target *target);

#endif
