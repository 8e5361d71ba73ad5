/*
 * rng.h - random numbers that depend on nothing but their seed: the same on every rank, machine and
 * thread. A stream is made from up to three numbers (seed, purpose, index), so that sample 17 is
 * the same wherever it is drawn.
 */
#ifndef TRAINER_RNG_H
#define TRAINER_RNG_H

#include <math.h>
#include <stdint.h>

struct rng {
	uint64_t state;
};

/* What a stream is for: keeps streams with equal indices apart. */
enum rng_purpose { RNG_IMAGE, RNG_ORDER, RNG_WEIGHTS, RNG_AUGMENT, RNG_PROXY };

/* splitmix64 (Steele, Lea, Flood 2014). */
static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static inline struct rng rng_stream(uint64_t seed, enum rng_purpose purpose, uint64_t index)
{
	struct rng r = { seed };

	r.state = rng_next(&r) + purpose;
	r.state = rng_next(&r) + index;
	rng_next(&r);
	return r;
}

/* Uniform in [0, 1). */
static inline double rng_unit(struct rng *r)
{
	return (rng_next(r) >> 11) * 0x1p-53;
}

static inline double rng_range(struct rng *r, double low, double high)
{
	return low + (high - low) * rng_unit(r);
}

static inline uint64_t rng_below(struct rng *r, uint64_t bound)
{
	return (uint64_t)(rng_unit(r) * bound);
}

/* Normal with mean 0 and deviation 1 (Box-Muller). */
static inline double rng_normal(struct rng *r)
{
	double radius = sqrt(-2 * log(1 - rng_unit(r)));

	return radius * cos(2 * M_PI * rng_unit(r));
}

#endif
