/*
 * step_period.c - the period of one sequence of collectives; see step_find.h. A period P explains
 * the stretches in which each symbol equals the symbol P before it, if they hold three periods or
 * more. The result is the smallest period that explains 90 % of the collectives and of the time
 * between collectives. The time before its first and after its last stretch does not count, nor
 * does the longest gap between two stretches, which may be one stall. Within a step with many equal
 * collectives the smaller period explains the collectives, but not the time. Where evaluation takes
 * more than that, the smallest period of long stretches is preferred over the period of whole
 * epochs.
 */
#include "config.h"

#include <math.h>

#include "base/guard.h"
#include "engine/read/step_find.h"

#define EXPLAINS       0.9 /* shares */
#define LONG_EXPLAINS  0.6 /* ... of a period that continues for LONG_RUN periods at a time */
#define LEAST_EXPLAINS 0.5
#define BETTER	       1.05 /* by how much a longer period has to be better */

enum { MOST_LENGTH = 4096, LONG_RUN = 20, LEAST_RUN = 3, SAMPLE = 8192, SAMPLES = 3 };

/* What a period explains. */
struct fit {
	size_t first, end, covered, runs;
	double time, stall; /* explained; the longest gap between two stretches */
};

/* Calls `add` for each stretch [first, end) that period `length` explains. */
static void runs_walk(const struct sequence *s, uint32_t length,
	void (*add)(void *, size_t, size_t), void *user)
{
	const uint32_t *at = s->symbols.at;
	size_t n = s->symbols.n, end = 0;

	for (size_t i = length; i < n; i++) {
		size_t first = i - length;

		while (i < n && at[i] == at[i - length])
			i++;
		first = first > end ? first : end;
		if (i - first < (size_t)LEAST_RUN * length)
			continue;
		add(user, first, i);
		end = i;
	}
}

struct fitting {
	const struct sequence *sequence;
	struct fit fit;
};

static void fit_add(void *user, size_t first, size_t end)
{
	struct fitting *fitting = user;

	if (!fitting->fit.runs++)
		fitting->fit.first = first;
	else
		for (size_t i = fitting->fit.end; i <= first; i++)
			fitting->fit.stall = fmax(fitting->fit.stall,
				fitting->sequence->gaps.at[i]);
	fitting->fit.end = end;
	fitting->fit.covered += end - first;
	for (size_t i = first + 1; i < end; i++)
		fitting->fit.time += fitting->sequence->gaps.at[i];
}

/* Does the period hold in some part of the sequence? Spares most lengths a walk over all of it. */
static bool promising(const struct sequence *s, uint32_t length)
{
	size_t n = s->symbols.n;

	for (int k = 0; k < SAMPLES; k++) {
		size_t first = n <= SAMPLE ? 0 : (n - SAMPLE) * k / (SAMPLES - 1), same = 0;
		size_t end = first + SAMPLE < n ? first + SAMPLE : n;

		if (end - first < (size_t)2 * length)
			return true;
		for (size_t i = first + length; i < end; i++)
			same += s->symbols.at[i] == s->symbols.at[i - length];
		if (2 * same >= end - first - length)
			return true;
	}
	return false;
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static void run_add(void *user, size_t first, size_t end)
{
	struct period *period = user;
	struct periodic *run = ARRAY_ADD(&period->runs);

	if (run)
		*run = (struct periodic){ first, end, 0 };
	else
		period->length = 0;
}

/*
 * Where the least rotation of cycle[0..n) begins: two candidates run against each other, in linear
 * time.
 */
static uint32_t least_rotation(const uint32_t *cycle, uint32_t n)
{
	uint32_t i = 0, j = 1, k = 0;

	while (i < n && j < n && k < n) {
		uint32_t a = cycle[(i + k) % n], b = cycle[(j + k) % n];

		if (a == b) {
			k++;
			continue;
		}
		if (a > b)
			i += k + 1;
		else
			j += k + 1;
		j += i == j;
		k = 0;
	}
	return i < j ? i : j;
}

static uint64_t cycle_hash(const struct sequence *s, const struct periodic *run, uint32_t length)
{
	uint64_t hash = length;

	for (uint32_t i = 0; i < length; i++)
		hash = hash_mix(hash, s->symbols.at[run->first + (run->turn + i) % length]);
	return hash;
}

/*
 * Stretches that repeat something else than most (a few equal collectives of
 * an evaluation) are no steps. Most is by a vote in which unlike ones cancel.
 */
static void runs_unify(const struct sequence *s, struct period *period)
{
	size_t votes = 0, kept = 0;

	for (size_t i = 0; i < period->runs.n; i++) {
		uint64_t hash = cycle_hash(s, &period->runs.at[i], period->length);
		size_t n = period->runs.at[i].end - period->runs.at[i].first;

		if (hash == period->hash) {
			votes += n;
		} else if (n > votes) {
			period->hash = hash;
			votes = n - votes;
		} else {
			votes -= n;
		}
	}
	for (size_t i = 0; i < period->runs.n; i++)
		if (cycle_hash(s, &period->runs.at[i], period->length) == period->hash)
			period->runs.at[kept++] = period->runs.at[i];
	period->runs.n = kept;
}

/* Score of a period, 0 when it is none. `enough`: it is the one if it is the smallest. */
static double score_of(const struct sequence *s, uint32_t length, bool *enough)
{
	struct fitting fitting = { .sequence = s };
	double count, share, time = 0;
	size_t periods;

	runs_walk(s, length, fit_add, &fitting);
	periods = fitting.fit.covered / length;
	if (periods < STEP_LEAST_PERIODS || fitting.fit.covered < LEAST_EXPLAINS * s->symbols.n)
		return 0;
	for (size_t i = fitting.fit.first + 1; i < fitting.fit.end; i++)
		time += s->gaps.at[i];
	time -= fitting.fit.stall;
	count = (double)fitting.fit.covered / (fitting.fit.end - fitting.fit.first);
	share = time > 0 ? fitting.fit.time / time : count;
	*enough = least(count, share) >= EXPLAINS ||
		(least(count, share) >= LONG_EXPLAINS && periods >= LONG_RUN * fitting.fit.runs);
	return least(count, share);
}

int period_find(const struct sequence *s, struct period *period)
{
	double best = 0;
	bool enough = false;
	uint32_t length = 0;

	period->length = 0;
	period->hash = 0;
	period->runs.n = 0;
	for (uint32_t p = 1; p <= MOST_LENGTH && (size_t)p * LEAST_RUN <= s->symbols.n && !enough;
		p++) {
		double score = promising(s, p) ? score_of(s, p, &enough) : 0;

		guard->progress++;
		if (!enough && (score < LEAST_EXPLAINS || score < best * BETTER))
			continue;
		best = score;
		length = p;
	}
	if (!length)
		return 0;
	period->length = length;
	period->score = best;
	runs_walk(s, length, run_add, period);
	for (size_t i = 0; i < period->runs.n; i++)
		period->runs.at[i].turn = least_rotation(s->symbols.at + period->runs.at[i].first,
			length);
	if (!period->length)
		return -1;
	runs_unify(s, period);
	return 0;
}
