/* step_time.c - T(S), the time of all steps without some parts; see step_model.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "whatif/step_model.h"

void step_left_take(struct step_left *left, enum own_part part, const struct part_share *out)
{
	left->part[part].usual = above(left->part[part].usual - out->usual);
	left->part[part].rare = above(left->part[part].rare - out->rare);
}

/* `out`: what else is taken of the part; NULL: nothing. */
static double own_left(const struct step_own *step, const struct step_left *left,
	enum own_part part, const struct part_share *out)
{
	struct step_left rest = left[step->rank];
	double own = step->own;

	if (out)
		step_left_take(&rest, part, &out[step->rank]);
	for (int i = 0; i < OWN_PART_COUNT; i++)
		own -= (1 - rest.part[i].usual) * (step->part[i] - step->rare[i]) +
			(1 - rest.part[i].rare) * step->rare[i];
	return above(own);
}

/* The sum of the longest own times of `n` rows, which are in the order of their steps. */
static double longest_sum(const struct step_own *steps, size_t n, const struct step_left *left,
	enum own_part part, const struct part_share *out)
{
	double sum = 0;

	for (size_t i = 0, j; i < n; i = j) {
		double longest = 0;

		for (j = i; j < n && steps[j].n == steps[i].n; j++)
			longest = fmax(longest, own_left(&steps[j], left, part, out));
		sum += longest * steps[i].stands_for;
	}
	return sum / 1e9;
}

/*
 * The longest sum of a rank's local times. A sender that fills the buffers waits for the receiver
 * without an event that shows it. So communication time above the rank with the least counts as
 * waiting here.
 */
static double sum_longest(const struct step_model *model, const struct step_left *left,
	enum own_part part, const struct part_share *out)
{
	double longest = 0, least = INFINITY, *own = model->sums,
	       *communication = model->sums + model->ranks.n;

	memset(own, 0, 2 * model->ranks.n * sizeof(*own));
	for (const struct step_own *step = model->steps.at; step < model->steps.at + model->steps.n;
		step++) {
		double waited = step->own - (step->length - step->communication);

		own[step->rank] += above(own_left(step, left, part, out) - waited) *
			step->stands_for;
		communication[step->rank] += step->communication * step->stands_for;
	}
	for (size_t i = 0; i < model->ranks.n; i++) {
		longest = fmax(longest, own[i]);
		least = fmin(least, communication[i]);
	}
	return (longest + least) / 1e9;
}

/*
 * The longest time that a rank's workers, or a thread of it, take for the samples, as far as the wait
 * for them is left.
 */
static double longest_loading(const struct step_model *model, const struct step_left *left,
	enum own_part part, const struct part_share *out)
{
	double longest = 0;

	for (size_t i = 0; i < model->ranks.n; i++) {
		const struct loading *loading = &model->loading[i];
		struct step_left rest = left[i];

		if (out && part == loading->part)
			step_left_take(&rest, part, &out[i]);
		longest = fmax(longest, rest.part[loading->part].usual * loading->ns);
	}
	return longest / 1e9;
}

double step_model_without(const struct step_model *model, const struct step_left *left,
	enum own_part part, const struct part_share *out)
{
	if (part_is_outside(part))
		return longest_sum(model->outside.at, model->outside.n, left, part, out);
	return fmax(longest_loading(model, left, part, out),
		model->apart ? sum_longest(model, left, part, out)
			     : longest_sum(model->steps.at, model->steps.n, left, part, out));
}

double step_model_time(const struct step_model *model, const struct step_left *left)
{
	return step_model_without(model, left, OWN_SLEEP, NULL);
}

double step_model_time_of(const struct step_model *model, const struct step_left *left,
	enum own_part part)
{
	return step_model_without(model, left, part, NULL);
}

/* --- savings of a single rank --- */

/* A rank shortens a step only where it is the longest, and until the next one is. */
static void margins_add(const struct step_own *steps, size_t n, const struct step_left *left,
	double *most_s)
{
	for (size_t i = 0, j; i < n; i = j) {
		double longest = 0, next = 0;
		uint32_t rank = steps[i].rank;

		for (j = i; j < n && steps[j].n == steps[i].n; j++) {
			double own = own_left(&steps[j], left, OWN_SLEEP, NULL);

			if (own > longest)
				rank = steps[j].rank;
			next = fmax(next, fmin(own, longest));
			longest = fmax(longest, own);
		}
		most_s[rank] += (longest - next) * steps[i].stands_for / 1e9;
	}
}

void step_model_bounds(const struct step_model *model, const struct step_left *left,
	enum own_part part, double *most_s)
{
	const struct step_own *rows = model->steps.at;
	size_t n = model->steps.n;
	bool is_known = true;

	if (part_is_outside(part)) {
		rows = model->outside.at;
		n = model->outside.n;
	} else { /* sums of steps, and loading, have other longest ranks */
		is_known = !model->apart &&
			longest_loading(model, left, part, NULL) <=
				longest_sum(rows, n, left, part, NULL);
	}
	for (size_t i = 0; i < model->ranks.n; i++)
		most_s[i] = is_known ? 0 : INFINITY;
	if (is_known)
		margins_add(rows, n, left, most_s);
}

/* --- composition of the time --- */

static double part_left(const struct step_own *step, const struct step_left *left,
	enum own_part part)
{
	const struct part_share *share = &left[step->rank].part[part];

	return share->usual * (step->part[part] - step->rare[part]) +
		share->rare * step->rare[part];
}

static void account_step(const struct step_own *step, const struct step_left *left,
	double account_s[ACCOUNT_PART_COUNT])
{
	double s = step->stands_for / 1e9;

	account_s[ACCOUNT_COMPUTE] += s *
		(step->useful.ns - step->part[OWN_COMPUTE] + part_left(step, left, OWN_COMPUTE));
	account_s[ACCOUNT_IO] += s * part_left(step, left, OWN_IO);
	account_s[ACCOUNT_OMP] += s * part_left(step, left, OWN_OMP);
	account_s[ACCOUNT_WAIT] += s *
		(part_left(step, left, OWN_SLEEP) + part_left(step, left, OWN_READERS) +
			part_left(step, left, OWN_WAIT));
	account_s[ACCOUNT_COMMUNICATION] += s *
		above(step->communication - (step->length - step->own) - step->part[OWN_CALLS] +
			part_left(step, left, OWN_CALLS));
}

/* The longest of the rows from i to `end`. */
static const struct step_own *longest_of(const struct step_own *rows, size_t i, size_t end,
	const struct step_left *left)
{
	const struct step_own *longest = &rows[i];

	while (++i < end)
		if (own_left(&rows[i], left, OWN_SLEEP, NULL) >
			own_left(longest, left, OWN_SLEEP, NULL))
			longest = &rows[i];
	return longest;
}

/* The rank with the longest sum of local times, where that decides; else -1. */
static int64_t rank_deciding(const struct step_model *model, const struct step_left *left)
{
	int64_t rank = 0;

	if (!model->apart)
		return -1;
	sum_longest(model, left, OWN_SLEEP, NULL);
	for (size_t i = 1; i < model->ranks.n; i++)
		if (model->sums[i] > model->sums[rank])
			rank = (int64_t)i;
	return rank;
}

void step_model_account(const struct step_model *model, const struct step_left *left,
	double account_s[ACCOUNT_PART_COUNT])
{
	int64_t rank = rank_deciding(model, left);
	double rest = step_model_time(model, left);

	memset(account_s, 0, ACCOUNT_PART_COUNT * sizeof(*account_s));
	for (size_t i = 0, end; i < model->steps.n; i = end) {
		for (end = i;
			end < model->steps.n && model->steps.at[end].n == model->steps.at[i].n;
			end++)
			if (model->steps.at[end].rank == rank)
				account_step(&model->steps.at[end], left, account_s);
		if (rank < 0)
			account_step(longest_of(model->steps.at, i, end, left), left, account_s);
	}
	for (int part = 0; part < ACCOUNT_PART_COUNT; part++)
		rest -= account_s[part];
	account_s[ACCOUNT_OTHER] = rest;
	for (size_t i = 0, end; i < model->outside.n; i = end) {
		const struct step_own *longest;

		for (end = i; end < model->outside.n &&
			model->outside.at[end].n == model->outside.at[i].n;
			end++)
			;
		longest = longest_of(model->outside.at, i, end, left);
		account_s[longest->n < -1 ? ACCOUNT_START : ACCOUNT_END] += own_left(longest, left,
										    OWN_SLEEP,
										    NULL) /
			1e9;
	}
}
