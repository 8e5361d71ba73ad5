/*
 * compare_disturbed.c - tests whether the verdict would change without interference from other
 * programs (reports/compare/compare_disturbances.sql); see compare.h.
 */
#include "config.h"

#include <math.h>

#include "compare/compare.h"

#define CALL_SHARE 0.5 /* of the change: of less, something else is the cause */
#define CALL_TIMES 10  /* a call is so many times as long, besides what contention may do */

enum verdict { VERDICT_FASTER, VERDICT_SAME, VERDICT_SLOWER };

/* The change if the new run's steps were shorter by that factor. */
static struct change change_less(const struct change *change, double factor)
{
	struct change less = *change;

	less.share = (1 + change->share) / factor - 1;
	less.low = (1 + change->low) / factor - 1;
	less.high = (1 + change->high) / factor - 1;
	return less;
}

static enum verdict verdict_of(const struct change *change, double threshold)
{
	double low = isnan(change->low) ? change->share : change->low;
	double high = isnan(change->high) ? change->share : change->high;

	return low > threshold ? VERDICT_SLOWER : high < -threshold ? VERDICT_FASTER : VERDICT_SAME;
}

static double cell(const struct compare *compare, size_t row, const char *column)
{
	int i = result_column(&compare->disturbances, column);

	return i < 0 ? NAN : result_cell(&compare->disturbances, row, i)->number;
}

double compare_disturbance(const struct compare *compare, bool most)
{
	double factor = 1;

	for (size_t row = 0; row < compare->disturbances.nrows; row++) {
		double times = most ? cell(compare, row, "amplified") : 1;

		factor *= pow(1 + cell(compare, row, "explains"), times);
	}
	return factor;
}

static bool turns(const struct compare *compare, const struct change *change, bool faster_counts)
{
	enum verdict now = verdict_of(change, compare->threshold);

	for (int most = 0; most < 2; most++) {
		struct change less = change_less(change, compare_disturbance(compare, most));
		enum verdict then = verdict_of(&less, compare->threshold);

		if (faster_counts ? then != now
				  : (then == VERDICT_SLOWER) != (now == VERDICT_SLOWER))
			return true;
	}
	return false;
}

static double computed(const struct compare *compare, const char *column)
{
	int i = result_column(&compare->computing, column);

	return i < 0 || !compare->computing.nrows ? NAN
						  : result_cell(&compare->computing, 0, i)->number;
}

bool compare_computing_is_slower(const struct compare *compare, struct computing *computing)
{
	double envelope = 1 + computed(compare, "envelope");

	*computing = (struct computing){ .base_ns = computed(compare, "base"),
		.new_ns = computed(compare, "new") };
	computing->share = computing->new_ns / computing->base_ns - 1;
	computing->of_step = (computing->new_ns - computing->base_ns) / computed(compare, "step");
	return computed(compare, "sure") > 0 &&
		1 + computing->share > envelope * (1 + compare->threshold) &&
		computing->of_step > envelope * compare->threshold;
}

bool compare_is_beyond(const struct compare *compare)
{
	return compare->disturbances.nrows && cell(compare, 0, "beyond") > 0;
}

/* What a step may be longer by at most for all that others took from either run, as a factor. */
static double most_longer(const struct compare *compare)
{
	double factor = 1;

	for (size_t row = 0; row < compare->disturbances.nrows; row++) {
		double base = cell(compare, row, "base"), new = cell(compare, row, "new");

		if (cell(compare, row, "beyond") > 0)
			factor *= pow(1 - fmax(base, new), -cell(compare, row, "amplified"));
	}
	return factor;
}

/* Only the other run was disturbed more: `sign` is 1 for a slower new run, -1 for a faster one. */
static bool is_one_sided(const struct compare *compare, int sign)
{
	for (size_t row = 0; row < compare->disturbances.nrows; row++)
		if (sign * cell(compare, row, "explains") > 0)
			return false;
	return true;
}

static double caused(const struct compare *compare, const char *column)
{
	return result_cell(&compare->causes, 0, result_column(&compare->causes, column))->number;
}

/*
 * True if one call alone makes the steps longer by more than the threshold, and by more than
 * contention could.
 */
static bool call_explains(const struct compare *compare, double most)
{
	const struct change *change = &compare->change;
	double more;

	if (!compare->causes.nrows)
		return false;
	more = caused(compare, "difference");
	return more > compare->threshold * change->base_ns &&
		more > CALL_SHARE * (change->new_ns - change->base_ns) &&
		caused(compare, "new") > CALL_TIMES * most * caused(compare, "base");
}

/* Whether the verdict is no work of disturbances, whatever these took. */
static bool is_certain(const struct compare *compare)
{
	const struct change *change = &compare->change;
	double most = most_longer(compare), threshold = compare->threshold;

	if (isnan(change->low))
		return false;
	if (verdict_of(change, threshold) == VERDICT_SLOWER)
		return call_explains(compare, most) ||
			(is_one_sided(compare, 1) && (1 + change->low) / most - 1 > threshold);
	return verdict_of(change, threshold) == VERDICT_FASTER && is_one_sided(compare, -1) &&
		(1 + change->high) * most - 1 < -threshold;
}

const char *compare_disturbed(const struct compare *compare, bool faster_counts)
{
	bool step = compare->mean.nbase > 0;

	if (!compare->disturbances.nrows || isnan(compare->change.share) || is_certain(compare) ||
		!(compare_is_beyond(compare) || turns(compare, &compare->change, faster_counts) ||
			(step && turns(compare, &compare->mean, false))))
		return NULL;
	return result_cell(&compare->disturbances, 0,
		result_column(&compare->disturbances, "words"))
		->text;
}
