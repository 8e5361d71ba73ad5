/* step_model.c - see step_model.h. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "whatif/step_model.h"

const char *const own_part_names[OWN_PART_COUNT] = {
#define OWN_PART(id, name) [OWN_##id] = name,
	OWN_PARTS(OWN_PART)
#undef OWN_PART
};

/* The end of the step that begins at i. */
static size_t step_end(const struct step_model *model, size_t i)
{
	size_t end = i;

	while (end < model->steps.n && model->steps.at[end].n == model->steps.at[i].n)
		end++;
	return end;
}

static int double_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The lower median of the sorted values but for the one at `out`. */
static double median_without(const double *sorted, size_t n, size_t out)
{
	size_t at = (n - 2) / 2;

	return sorted[at >= out ? at + 1 : at];
}

static size_t place_of(const double *sorted, size_t n, double value)
{
	size_t at = 0;

	while (at + 1 < n && sorted[at] < value)
		at++;
	return at;
}

/*
 * In a step that a rank has as sums only (step_sum) it is not known how long the ranks waited for
 * each other: it is the communication that a rank had more of than the rank with the least of it.
 */
static void summed_wait(struct step_own *steps, size_t n)
{
	double least = INFINITY;
	bool is_summed = false;

	for (size_t i = 0; i < n; i++) {
		is_summed |= steps[i].is_summed;
		least = fmin(least, steps[i].communication);
	}
	for (size_t i = 0; is_summed && i < n; i++)
		steps[i].own = fmin(steps[i].own,
			above(steps[i].length - (steps[i].communication - least)));
}

/* What no other part shows. */
static void calls_set(struct step_own *step)
{
	step->calls.ns = step->own - step->useful.ns;
	for (int part = 0; part < OWN_COMPUTE; part++)
		step->calls.ns -= step->part[part];
	step->calls.ns = above(step->calls.ns);
}

static struct beyond *beyond_of(struct step_own *step, enum own_part part)
{
	return part == OWN_COMPUTE ? &step->useful : &step->calls;
}

/*
 * Time on a core: a rank without a core has no more work to do. `room`: for the times of all ranks.
 */
static void excess_set(const struct step_model *model, struct step_own *steps, size_t n,
	enum own_part part, double *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] = beyond_of(&steps[i], part)->ns * model->on_core[steps[i].rank];
	qsort(room, n, sizeof(*room), double_compare);
	for (size_t i = 0; i < n && n > 1; i++) {
		struct beyond *beyond = beyond_of(&steps[i], part);

		double ns = beyond->ns * model->on_core[steps[i].rank];

		beyond->excess = ns - median_without(room, n, place_of(room, n, ns));
		steps[i].part[part] = above(beyond->excess);
	}
}

/*
 * The same outside of steps, of all that is no sleep; shared among all ranks each keeps a part of
 * it.
 */
static void outside_set(struct step_own *rows, size_t n, double *room)
{
	for (size_t i = 0; i < n; i++)
		room[i] = above(rows[i].own - rows[i].part[OWN_SLEEP_OUTSIDE]);
	qsort(room, n, sizeof(*room), double_compare);
	for (size_t i = 0; i < n && n > 1; i++) {
		double own = above(rows[i].own - rows[i].part[OWN_SLEEP_OUTSIDE]);

		rows[i].part[OWN_MORE_OUTSIDE] = above(own -
							 median_without(room, n,
								 place_of(room, n, own))) *
			(1 - 1 / (double)n);
	}
}

/* --- steps without a row --- */

static bool is_long(const struct step_model *model, size_t i, size_t end)
{
	for (size_t k = i; k < end; k++)
		if (model->steps.at[k].length > model->unknown_most)
			return true;
	return false;
}

/*
 * Whether the step has rows of all ranks that have steps, and is as short as those without a row.
 */
static bool is_common(const struct step_model *model, size_t i, size_t end, size_t nranks)
{
	return end - i == nranks && !is_long(model, i, end);
}

/*
 * Each rank of a bounded run keeps the steps that are long, and some of the others. Those of
 * which all ranks have a row represent all that are as short; long ones are all there, and
 * represent themselves.
 */
static void rest_weigh(struct step_model *model)
{
	size_t nranks = 0, kept = 0;
	double common = 0, longs = 0;

	if (model->unknown_most < 0)
		return;
	for (size_t i = 0, end; i < model->steps.n; i = end) {
		end = step_end(model, i);
		nranks = end - i > nranks ? end - i : nranks;
	}
	for (size_t i = 0, end; i < model->steps.n; i = end) {
		end = step_end(model, i);
		common += is_common(model, i, end, nranks);
		longs += is_long(model, i, end);
	}
	if (common <= 0)
		return;
	for (size_t i = 0, end; i < model->steps.n; i = end) {
		bool stands = is_common(model, i, end = step_end(model, i), nranks);

		for (size_t k = i; k < end && (stands || is_long(model, i, end)); k++) {
			model->steps.at[kept] = model->steps.at[k];
			if (stands)
				model->steps.at[kept].stands_for = (model->count - longs) / common;
			kept++;
		}
	}
	model->steps.n = kept;
}

/* --- ranks that run ahead of each other --- */

#define APART                                                                                      \
	1.05 /* the steps' model by their measured time: more is not possible where all wait */

static bool apart_find(struct step_model *model)
{
	struct step_left *left = calloc(model->ranks.n, sizeof(*left));

	model->sums = calloc(2 * model->ranks.n + 1, sizeof(*model->sums));
	for (size_t i = 0; left && i < model->ranks.n; i++)
		for (int part = 0; part < OWN_PART_COUNT; part++)
			left[i].part[part] = (struct part_share){ 1, 1 };
	if (left && model->sums)
		model->apart = step_model_time(model, left) > APART * model->measured_s;
	free(left);
	return left && model->sums;
}

/* --- waits for other ranks that no call shows --- */

#define DEPENDS_LEAST 0.05 /* of a rank's own time it waits so */
#define DEPENDS_CLOSE 0.1  /* of a step: two ends that are one */
#define DEPENDS_MOST  0.8  /* of the waiting ends so */
#define DEPENDS_VARY  0.3  /* standard deviation by mean: equal ends by chance are excluded */

/* What was seen of the waits of a rank. */
struct depends {
	double own, wait, ends, n, doing, squares, still;
};

/* What a rank does in a step itself, without waiting. */
static double doing(const struct step_own *step)
{
	return above(step->own - step->part[OWN_WAIT] - step->part[OWN_READERS]);
}

static const struct step_own *longest_doing(const struct step_own *steps, size_t n)
{
	const struct step_own *longest = steps;

	for (size_t i = 1; i < n; i++)
		if (doing(&steps[i]) > doing(longest))
			longest = &steps[i];
	return longest;
}

/* True if the rank's wait in the step ends together with the other one's work. */
static bool ends_with(const struct step_own *step, const struct step_own *other)
{
	double apart = step->own - doing(other);

	return step != other && step->part[OWN_WAIT] > 0 &&
		(apart < 0 ? -apart : apart) <= DEPENDS_CLOSE * step->own;
}

static void depends_note(struct depends *depends, const struct step_own *step,
	const struct step_own *longest)
{
	double ns = doing(longest);

	depends->own += step->own;
	depends->wait += step->part[OWN_WAIT];
	if (!ends_with(step, longest))
		return;
	depends->ends += step->part[OWN_WAIT];
	depends->n++;
	depends->doing += ns;
	depends->squares += ns * ns;
	depends->still += longest->part[OWN_SLEEP] + longest->part[OWN_IO];
}

/*
 * Ends may be equal by chance where both last as long in each step: so the other one must sleep
 * or read, which makes no other rank wait, or the lengths differ from step to step.
 */
static bool depends_is_sure(const struct depends *depends)
{
	double mean = depends->n ? depends->doing / depends->n : 0,
	       spread = depends->n ? depends->squares / depends->n - mean * mean : 0;

	return depends->wait >= DEPENDS_LEAST * depends->own && depends->n > 1 &&
		depends->ends >= DEPENDS_MOST * depends->wait &&
		(depends->still >= DEPENDS_MOST * depends->doing ||
			spread >= DEPENDS_VARY * DEPENDS_VARY * mean * mean);
}

/*
 * Takes waits that end with another rank's work out of own time. `room`: one for each rank, all
 * 0.
 */
static void steps_depend(struct step_model *model, struct depends *room)
{
	for (size_t i = 0, end; i < model->steps.n; i = end) {
		const struct step_own *longest;

		end = step_end(model, i);
		longest = longest_doing(&model->steps.at[i], end - i);
		for (size_t j = i; j < end; j++)
			depends_note(&room[model->steps.at[j].rank], &model->steps.at[j], longest);
	}
	for (size_t i = 0, end; i < model->steps.n; i = end) {
		const struct step_own *longest;

		end = step_end(model, i);
		longest = longest_doing(&model->steps.at[i], end - i);
		for (size_t j = i; j < end; j++) {
			struct step_own *step = &model->steps.at[j];

			if (!depends_is_sure(&room[step->rank]) || !ends_with(step, longest))
				continue;
			step->own -= step->part[OWN_WAIT];
			step->part[OWN_WAIT] = 0;
		}
	}
}

/* --- ranks that queue for a lock --- */

#define QUEUE_LEAST 0.5 /* of the own time of the rank that waits for all others */

static double waits(const struct step_own *step)
{
	return step->part[OWN_WAIT] + step->part[OWN_IO];
}

/*
 * The rank that waits least among those behind `after`, in the order of their waits; NULL: the
 * first one.
 */
static struct step_own *waits_next(struct step_own *steps, size_t n, const struct step_own *after)
{
	struct step_own *next = NULL;

	for (struct step_own *step = steps; step < steps + n; step++)
		if ((!after || waits(step) > waits(after) ||
			    (step > after && waits(step) == waits(after))) &&
			(!next || waits(step) < waits(next)))
			next = step;
	return next;
}

/*
 * True if each rank waits for as long as all before it sleep: a sleeper holds a lock that all take.
 */
static bool is_queue(struct step_own *steps, size_t n)
{
	const struct step_own *step = NULL;
	double slept = 0;

	for (size_t i = 0; i < n; i++) {
		double apart;

		step = waits_next(steps, n, step);
		apart = waits(step) - slept;
		if ((apart < 0 ? -apart : apart) >
			DEPENDS_CLOSE * (waits(step) + step->part[OWN_SLEEP]))
			return false;
		slept += step->part[OWN_SLEEP];
	}
	return n > 1 && slept >= QUEUE_LEAST * step->own;
}

static void queue_take(struct step_own *step)
{
	step->queued = waits(step);
	step->part[OWN_SLEEP] += step->queued;
	step->part[OWN_WAIT] = step->part[OWN_IO] = 0;
}

/* The share of all waits that is in queues. `take`: they go with the sleep that others wait for. */
static double steps_queue(struct step_model *model, bool take)
{
	double queued = 0, all = 0;

	for (size_t i = 0, end; i < model->steps.n; i = end) {
		bool queue;

		end = step_end(model, i);
		queue = is_queue(&model->steps.at[i], end - i);
		for (size_t j = i; j < end; j++) {
			all += waits(&model->steps.at[j]);
			queued += queue ? waits(&model->steps.at[j]) : 0;
			if (queue && take)
				queue_take(&model->steps.at[j]);
		}
	}
	return all > 0 ? queued / all : 0;
}

/* --- what few steps have --- */

#define RARE_TIMES 4	/* the median of the steps that have it, or more */
#define RARE_STEPS 0.25 /* at most, of these */
#define RARE_SHARE 0.2	/* of the rank's time in the part, or more: less is scatter */

static bool has_part(const struct step_own *step, int part)
{
	return step->part[part] > STEP_HAS_SHARE * step->own;
}

/* `steps`: one rank's steps with this part. `room`: as many. */
static void rare_set(struct step_own *const *steps, size_t n, int part, double *room)
{
	double usual, all = 0, beyond = 0;
	size_t rare = 0;

	for (size_t i = 0; i < n; i++)
		room[i] = steps[i]->part[part];
	qsort(room, n, sizeof(*room), double_compare);
	usual = n ? room[n / 2] : 0;
	for (size_t i = 0; i < n; i++) {
		all += room[i];
		if (room[i] > RARE_TIMES * usual) {
			beyond += room[i] - usual;
			rare++;
		}
	}
	if ((double)rare > RARE_STEPS * (double)n || beyond < RARE_SHARE * all)
		return;
	for (size_t i = 0; i < n; i++)
		if (steps[i]->part[part] > RARE_TIMES * usual)
			steps[i]->rare[part] = steps[i]->part[part] - usual;
}

static int rank_compare(const void *a, const void *b)
{
	const struct step_own *const *x = a, *const *y = b;

	return (*x)->rank != (*y)->rank ? ((*x)->rank > (*y)->rank) - ((*x)->rank < (*y)->rank)
					: (*x > *y) - (*x < *y);
}

/* Only waits are split into rare and usual: for computing the other ranks show the usual time. */
static bool rare_split(struct step_model *model)
{
	static const enum own_part parts[] = { OWN_SLEEP, OWN_READERS, OWN_WAIT, OWN_IO };
	struct step_own **have = malloc((model->steps.n + 1) * sizeof(struct step_own *));
	double *room = malloc((model->steps.n + 1) * sizeof(*room));

	for (size_t p = 0; have && room && p < sizeof(parts) / sizeof(*parts); p++) {
		size_t n = 0;

		for (size_t i = 0; i < model->steps.n; i++)
			if (has_part(&model->steps.at[i], parts[p]))
				have[n++] = &model->steps.at[i];
		qsort(have, n, sizeof(struct step_own *), rank_compare);
		for (size_t i = 0, end; i < n; i = end) {
			for (end = i; end < n && have[end]->rank == have[i]->rank; end++)
				;
			rare_set(&have[i], end - i, parts[p], room);
		}
	}
	free(have);
	free(room);
	return have && room;
}

int step_model_read(struct step_model *model, sqlite3 *handle, int64_t run_id)
{
	struct depends *depends;
	double *room;

	*model = (struct step_model){ 0 };
	if (step_rows_read(model, handle, run_id) < 0)
		return -1;
	room = malloc(model->ranks.n * sizeof(*room));
	depends = calloc(model->ranks.n, sizeof(*depends));
	if (!room || !depends) {
		free(room);
		free(depends);
		log_error("out of memory for the steps of %zu ranks", model->ranks.n);
		return -1;
	}
	rest_weigh(model);
	for (size_t i = 0, end; i < model->steps.n; i = end) {
		end = step_end(model, i);
		summed_wait(&model->steps.at[i], end - i);
		for (size_t k = i; k < end; k++)
			calls_set(&model->steps.at[k]);
		excess_set(model, &model->steps.at[i], end - i, OWN_COMPUTE, room);
		excess_set(model, &model->steps.at[i], end - i, OWN_CALLS, room);
	}
	for (size_t i = 0, end; i < model->outside.n; i = end) {
		for (end = i; end < model->outside.n &&
			model->outside.at[end].n == model->outside.at[i].n;
			end++)
			;
		outside_set(&model->outside.at[i], end - i, room);
	}
	steps_depend(model, depends);
	if (steps_queue(model, false) >= DEPENDS_MOST)
		steps_queue(model, true);
	free(room);
	free(depends);
	if (rare_split(model) && apart_find(model))
		return 0;
	log_error("out of memory for %zu steps", model->steps.n);
	return -1;
}

void step_model_free(struct step_model *model)
{
	free(model->steps.at);
	free(model->outside.at);
	free(model->ranks.at);
	free(model->sums);
	free(model->loading);
	free(model->on_core);
}
