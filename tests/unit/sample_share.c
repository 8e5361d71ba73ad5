/*
 * sample_share.c - shares estimated from a sample of steps against those of the whole run, as if nothing
 * were recorded, in 1,000 made runs of each kind: drifting machines, neighbouring steps that are alike, outliers, another
 * share of steps in a part of the run. Of 95 % intervals as many have to hold the true share, and the middle one must
 * not be wider than three times the one of an estimator that knew its own scatter.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/gpu/sample_share.h"

enum { RUNS = 1000, STEPS = 4000, HELD = RUNS * 95 / 100, WIDE = 3 };

static uint64_t seed = 88172645463325252ull;

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) * 0x1p-53;
}

static double normal(void)
{
	return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

struct kind {
	const char *name;
	double trend;	 /* of the time per launch: last step by first one, less 1 */
	double wanders;	 /* its logarithm's step, from step to step, which fades */
	double outliers; /* share of steps that last ten times as long */
	double kernels;	 /* the trend of the time of kernels */
	double alike;	 /* scatter of kernels that neighbouring steps share */
	double first,
		later; /* shares of steps that are recorded: of the first tenth, of the rest */
};

static const struct kind kinds[] = {
	{ "steady", 0, 0, 0, 0, 0, 0.05, 0.05 },
	{ "drifting", 1.0, 0.02, 0, 0, 0, 0.05, 0.05 },
	{ "drifting, another share", 2.0, 0.02, 0, 0.5, 0, 0.5, 0.04 },
	{ "outliers", 0, 0.02, 0.01, 0, 0, 0.05, 0.05 },
	{ "neighbours alike", 0.5, 0.05, 0, 0.2, 0.1, 0.5, 0.05 },
	{ "all of it", 1.0, 0.05, 0.01, 0.3, 0.1, 0.5, 0.04 },
	{ "few pieces", 0.5, 0.02, 0, 0.1, 0.05, 0.02, 0.004 },
};

struct run {
	struct sample_block blocks[STEPS];
	size_t n;
	struct sample_piece piece;
	bool was_on;
	double busy, time;	       /* of all steps */
	double known_busy, known_time; /* up to the last one that was recorded */
};

static void piece_end(struct run *run)
{
	if (run->was_on && run->piece.gap > 0 && run->piece.time > 0) {
		if (!run->n || run->blocks[run->n - 1].n == SAMPLE_BLOCK)
			run->blocks[run->n++] = (struct sample_block){ 0 };
		sample_block_add(&run->blocks[run->n - 1], &run->piece);
	}
	if (run->was_on)
		run->piece = (struct sample_piece){ 0 };
	run->was_on = false;
}

static void step_add(struct run *run, bool on, double launches, double time, double busy)
{
	run->busy += busy;
	run->time += time;
	if (!on) {
		piece_end(run);
		run->piece.gap += time;
		run->piece.missed += launches;
		return;
	}
	run->was_on = true;
	run->known_busy = run->busy;
	run->known_time = run->time;
	run->piece.launches += launches;
	run->piece.time += time * (1.35 + 0.1 * uniform());
	run->piece.part[SAMPLE_BUSY] += busy;
	run->piece.part[SAMPLE_AT_WORK] += busy;
}

/* One random step of every 1 / share steps, as cuda_sample.c chooses it. */
static bool chosen(int step, double share)
{
	static int stratum = -1, at;
	int now = (int)(step * share);

	if (now != stratum || step == 0)
		at = (int)((now + uniform()) / share);
	stratum = now;
	return step == at;
}

static void run_make(struct run *run, const struct kind *kind)
{
	double wander = 0, alike = 0;

	*run = (struct run){ 0 };
	for (int i = 0; i < STEPS; i++) {
		double at = (double)i / STEPS;
		double launches = 30 + floor(61 * uniform()), each, kernel;

		wander = 0.999 * wander + kind->wanders * normal();
		alike = 0.98 * alike + kind->alike * sqrt(1 - 0.98 * 0.98) * normal();
		each = 20 * (1 + kind->trend * at) * exp(wander);
		if (uniform() < kind->outliers)
			each *= 10;
		kernel = 5 * (1 + kind->kernels * at) * exp(alike);
		step_add(run, chosen(i, at < 0.1 ? kind->first : kind->later), launches,
			300 + launches * each * (1 + 0.05 * normal()),
			100 + launches * kernel * (1 + 0.05 * normal()));
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static bool kind_try(const struct kind *kind)
{
	static struct run run;
	static double errors[RUNS];
	double squares = 0, sum = 0, perfect, wide;
	int held = 0;

	for (int i = 0; i < RUNS; i++) {
		struct sample_share share;
		double off;

		run_make(&run, kind);
		share = sample_share(run.blocks, run.n, SAMPLE_BUSY);
		off = share.share - run.known_busy / run.known_time;
		held += fabs(off) <= share.error;
		errors[i] = share.error / (run.known_busy / run.known_time);
		off /= run.known_busy / run.known_time;
		sum += off;
		squares += off * off;
	}
	qsort(errors, RUNS, sizeof(*errors), compare);
	perfect = 1.96 * sqrt(squares / RUNS);
	wide = errors[RUNS / 2] / perfect;
	printf("%s - %s: %d of %d intervals hold the share, the middle one is %.2f %% of it and %.2f times the perfect one, "
	       "%+.3f %% off on average\n",
		held >= HELD && wide < WIDE ? "ok" : "not ok", kind->name, held, RUNS,
		100 * errors[RUNS / 2], wide, 100 * sum / RUNS);
	return held >= HELD && wide < WIDE;
}

int main(void)
{
	size_t n = sizeof(kinds) / sizeof(*kinds);
	bool good = true;

	printf("1..%zu\n", n);
	for (size_t i = 0; i < n; i++)
		good &= kind_try(&kinds[i]);
	return !good;
}
