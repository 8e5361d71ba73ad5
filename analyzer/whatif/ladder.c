/* ladder.c - see ladder.h. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "db/query.h"
#include "whatif/ladder.h"
#include "whatif/stay.h"

#define LEAST_SHARE	0.01 /* of the time, see least_of(): what saves less is not in the ladder */
#define EXCESS_SHARE	0.05 /* of MORE_OUTSIDE and CALLS: ranks neither start nor transfer alike */
#define CALLS_STEPS	0.75 /* of all steps have CALLS: a rank without a core is late in few */
#define BOUND_MARGIN	1.000001 /* for the rounding of a bound */
#define SIGNED_LEAST	0.5 /* of a rank's excess that its deficits may not cancel: noise cancels it */
#define STEP_MEAN_SHARE 0.1 /* of the mean of steps with a cause: with less one is not counted */

/* --- causes --- */

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Calls have no line: they are for the same where ranks are as long in them. */
static bool is_alike(double each_ns, double other_ns)
{
	return each_ns <= STAY_ALIKE * other_ns && other_ns <= STAY_ALIKE * each_ns;
}

/* Ranks that have more to do than others are a cause each; other parts are one of all ranks at the same place. */
static struct cause *cause_of(struct ladder *ladder, enum own_part part, const struct stay *stay)
{
	struct cause *cause;

	for (size_t i = 0; !part_is_excess(part) && i < ladder->causes.n; i++) {
		cause = &ladder->causes.at[i];
		if (cause->part == part && cause->is_rare == stay->is_rare &&
			cause->is_more == stay->is_more && same(cause->place, stay->place) &&
			is_alike(cause->each_ns, stay->each_ns))
			return cause;
	}
	cause = ARRAY_ADD(&ladder->causes);
	if (!cause)
		return NULL;
	cause->part = part;
	cause->is_rare = stay->is_rare;
	cause->is_more = stay->is_more;
	cause->each_ns = stay->each_ns;
	cause->place = stay->place ? strdup(stay->place) : NULL;
	cause->share = calloc(ladder->model.ranks.n, sizeof(*cause->share));
	cause->out = calloc(ladder->model.ranks.n, sizeof(*cause->out));
	return cause->share && cause->out && (cause->place || !stay->place) ? cause : NULL;
}

static bool has_share(const struct part_share *share)
{
	return share->usual > 0 || share->rare > 0;
}

/* Chance gives each rank as much too little as too much computing, or time in calls. */
static bool is_noise(const struct step_model *model, enum own_part part, const struct whole *whole)
{
	if (part == OWN_CALLS && whole->steps < CALLS_STEPS * model->count)
		return true;
	return (part == OWN_COMPUTE || part == OWN_CALLS) &&
		whole->signed_ns < SIGNED_LEAST * whole->usual_ns;
}

/* What the steps take, and the time outside of them. */
static struct ladder_times times_of(const struct ladder *ladder, const struct step_left *left)
{
	return (struct ladder_times){ step_model_time(&ladder->model, left),
		step_model_time_of(&ladder->model, left, OWN_SLEEP_OUTSIDE) };
}

/* Seconds that a cause has to save: a share of the steps, outside of them of the run. */
static double least_of(const struct ladder_times *times, enum own_part part)
{
	return (part == OWN_MORE_OUTSIDE || part == OWN_CALLS ? EXCESS_SHARE : LEAST_SHARE) *
		(times->steps_s + (part_is_outside(part) ? times->outside_s : 0));
}

/* A stay of a rank that is long enough is a cause of its time. */
static bool stay_collect(struct ladder *ladder, size_t rank, enum own_part part,
	const struct whole *whole, const struct stay *stay, const struct ladder_times *times)
{
	double ns = stay->share.usual * whole->usual_ns + stay->share.rare * whole->rare_ns;
	struct cause *cause;

	if (ns <= 0 || ns < 1e9 * least_of(times, part) || is_noise(&ladder->model, part, whole))
		return true;
	cause = cause_of(ladder, part, stay);
	if (!cause)
		return false;
	cause->nranks += !has_share(&cause->share[rank]);
	cause->rank = rank;
	cause->share[rank].usual += stay->share.usual;
	cause->share[rank].rare += stay->share.rare;
	cause->own_s += ns / 1e9;
	return true;
}

static bool causes_collect(struct ladder *ladder, struct whole *wholes,
	const struct step_left *left)
{
	static const struct stay anywhere = { .share = { 1, 1 } };
	const struct ladder_times times = times_of(ladder, left);

	for (size_t rank = 0; rank < ladder->model.ranks.n; rank++)
		for (int part = 0; part < OWN_PART_COUNT; part++) {
			const struct whole *whole = whole_of(wholes, rank, part);
			bool good = whole->stays.n ||
				stay_collect(ladder, rank, part, whole, &anywhere, &times);

			for (size_t i = 0; good && i < whole->stays.n; i++)
				good = stay_collect(ladder, rank, part, whole, &whole->stays.at[i],
					&times);
			if (!good)
				return false;
		}
	for (size_t i = 0; i < ladder->causes.n; i++)
		ladder->causes.at[i].own_s /= (double)ladder->causes.at[i].nranks;
	return true;
}

/* In which time outside of steps most of it is. */
static void cause_outside(const struct step_model *model, struct cause *cause)
{
	double most = 0;

	for (size_t i = 0; i < model->outside.n; i++) {
		const struct step_own *row = &model->outside.at[i];
		double ns = cause->share[row->rank].usual * row->part[cause->part];

		if (ns > most) {
			most = ns;
			cause->first = cause->last = row->n;
		}
	}
}

/* How long a rank has it in a step; 0 where that is little of what the rank does. */
static double cause_in_step(const struct cause *cause, const struct step_own *step)
{
	const struct part_share *share = &cause->share[step->rank];
	double rare = step->rare[cause->part];
	double ns = share->usual * (step->part[cause->part] - rare) + share->rare * rare;

	return ns > STEP_HAS_SHARE * step->own ? ns : 0;
}

/*
 * The steps in which its ranks have it. A rank that computes for seconds in a few steps also computes
 * a little more than others in half of the rest; those steps have less than a tenth of the mean.
 */
static void cause_steps(const struct step_model *model, struct cause *cause)
{
	int64_t counted = -1;
	double sum = 0, n = 0;

	cause->first = -1;
	if (part_is_outside(cause->part)) {
		cause_outside(model, cause);
		return;
	}
	for (size_t i = 0; i < model->steps.n; i++) {
		double ns = cause_in_step(cause, &model->steps.at[i]);

		sum += ns * model->steps.at[i].stands_for;
		n += ns > 0 ? model->steps.at[i].stands_for : 0;
	}
	for (size_t i = 0; i < model->steps.n; i++) {
		const struct step_own *step = &model->steps.at[i];
		double ns = cause_in_step(cause, step);

		if (step->n == counted || ns <= 0 || ns < STEP_MEAN_SHARE * sum / n)
			continue;
		counted = step->n;
		cause->steps += step->stands_for;
		cause->first = cause->first < 0 ? step->n : cause->first;
		cause->last = step->n;
	}
}

static char *ranks_text(const struct ladder *ladder, const struct cause *cause)
{
	const int64_t *ranks = ladder->model.ranks.at;
	size_t n = ladder->model.ranks.n, length = 0;
	char *text = malloc(n * 42 + 1);

	for (size_t i = 0, end; text && i < n; i = end) {
		for (end = i + 1;
			has_share(&cause->share[i]) && end < n && has_share(&cause->share[end]);
			end++)
			;
		if (!has_share(&cause->share[i]))
			continue;
		length += (size_t)sprintf(text + length, "%s%lld", length ? "," : "",
			(long long)ranks[i]);
		if (end > i + 1)
			length += (size_t)sprintf(text + length, "%c%lld", end > i + 2 ? '-' : ',',
				(long long)ranks[end - 1]);
	}
	return text;
}

/* --- the ladder --- */

/* Takes a cause's time out of a rank's, once. */
static void take_out(const struct cause *cause, size_t rank, struct step_left *left)
{
	if (cause->out[rank])
		return;
	step_left_take(&left[rank], cause->part, &cause->share[rank]);
	cause->out[rank] = true;
}

/* The shares of a cause that have not been taken out. */
static const struct part_share *shares_left(const struct ladder *ladder, const struct cause *cause)
{
	for (size_t i = 0; i < ladder->model.ranks.n; i++)
		ladder->room[i] = cause->out[i] ? (struct part_share){ 0 } : cause->share[i];
	return ladder->room;
}

/* Whether a cause of one rank cannot save so much. */
static bool is_too_short(const struct ladder *ladder, const struct cause *cause, double least_s)
{
	const double *most_s = ladder->most_s +
		(part_is_outside(cause->part) ? ladder->model.ranks.n : 0);

	return cause->nranks == 1 && most_s[cause->rank] * BOUND_MARGIN < least_s;
}

const struct cause *ladder_next(const struct ladder *ladder, struct step_left *left,
	double *after_s)
{
	const struct ladder_times times = times_of(ladder, left);
	const struct cause *found = NULL;
	double most_s = 0;

	step_model_bounds(&ladder->model, left, OWN_SLEEP, ladder->most_s);
	step_model_bounds(&ladder->model, left, OWN_SLEEP_OUTSIDE,
		ladder->most_s + ladder->model.ranks.n);
	for (size_t i = 0; i < ladder->causes.n; i++) {
		const struct cause *cause = &ladder->causes.at[i];
		double least_s = least_of(&times, cause->part), without_s, saves_s;

		if (is_too_short(ladder, cause, fmax(least_s, most_s)))
			continue;
		without_s = step_model_without(&ladder->model, left, cause->part,
			shares_left(ladder, cause));
		saves_s = (part_is_outside(cause->part) ? times.outside_s : times.steps_s) -
			without_s;
		if (saves_s > most_s && saves_s >= least_s) {
			most_s = saves_s;
			*after_s = without_s;
			found = cause;
		}
	}
	return found;
}

static void all_put_back(const struct ladder *ladder)
{
	for (size_t i = 0; i < ladder->causes.n; i++)
		memset(ladder->causes.at[i].out, 0,
			ladder->model.ranks.n * sizeof(*ladder->causes.at[i].out));
}

static void climb(struct ladder *ladder, struct step_left *left)
{
	const struct cause *next;
	double after_s;

	while ((next = ladder_next(ladder, left, &after_s))) {
		struct cause cause = *next, *to = &ladder->causes.at[ladder->n++];

		cause.before_s = step_model_time_of(&ladder->model, left, cause.part);
		cause.after_s = after_s;
		ladder->causes.at[next - ladder->causes.at] = *to;
		*to = cause;
		for (size_t i = 0; i < ladder->model.ranks.n; i++)
			take_out(&cause, i, left);
	}
	ladder->ideal_s = step_model_time(&ladder->model, left);
	step_model_account(&ladder->model, left, ladder->account_s);
	all_put_back(ladder);
}

static void all_leave(const struct ladder *ladder, struct step_left *left)
{
	for (size_t i = 0; i < ladder->model.ranks.n; i++)
		for (int part = 0; part < OWN_PART_COUNT; part++)
			left[i].part[part] = (struct part_share){ 1, 1 };
}

struct step_left *ladder_all_left(const struct ladder *ladder)
{
	struct step_left *left = calloc(ladder->model.ranks.n, sizeof(*left));

	if (left)
		all_leave(ladder, left);
	else
		log_error("out of memory for %zu ranks", ladder->model.ranks.n);
	return left;
}

struct ladder_times ladder_times_without(const struct ladder *ladder, unsigned without,
	struct step_left *left)
{
	struct ladder_times times;

	for (size_t i = 0; i < ladder->causes.n && i < 8 * sizeof(without); i++)
		for (size_t r = 0; without >> i & 1 && r < ladder->model.ranks.n; r++)
			take_out(&ladder->causes.at[i], r, left);
	times = times_of(ladder, left);
	all_put_back(ladder);
	all_leave(ladder, left);
	return times;
}

static bool made(struct ladder *ladder, struct whole *wholes, struct step_left *left)
{
	if (!causes_collect(ladder, wholes, left))
		return false;
	climb(ladder, left);
	for (size_t i = 0; i < ladder->causes.n; i++) {
		struct cause *cause = &ladder->causes.at[i];

		cause_steps(&ladder->model, cause);
		cause->rank_list = ranks_text(ladder, cause);
		if (!cause->rank_list)
			return false;
	}
	return true;
}

int ladder_make(struct ladder *ladder, sqlite3 *handle, int64_t run_id)
{
	struct step_left *left = NULL;
	struct whole *wholes = NULL;
	int ret = -1;

	*ladder = (struct ladder){ 0 };
	if (step_model_read(&ladder->model, handle, run_id) < 0)
		return -1;
	if (!ladder->model.steps.n && !ladder->model.outside.n)
		return 0;
	left = ladder_all_left(ladder);
	ladder->room = calloc(ladder->model.ranks.n + 1, sizeof(*ladder->room));
	ladder->most_s = calloc(2 * ladder->model.ranks.n + 1, sizeof(*ladder->most_s));
	wholes = stays_read(&ladder->model, handle, run_id);
	if (left && ladder->room && ladder->most_s && wholes && made(ladder, wholes, left))
		ret = 0;
	else
		log_error("cannot find the causes: %s", sqlite3_errmsg(handle));
	stays_free(&ladder->model, wholes);
	free(left);
	return ret;
}

void ladder_free(struct ladder *ladder)
{
	for (size_t i = 0; i < ladder->causes.n; i++) {
		free(ladder->causes.at[i].place);
		free(ladder->causes.at[i].rank_list);
		free(ladder->causes.at[i].share);
		free(ladder->causes.at[i].out);
	}
	free(ladder->causes.at);
	free(ladder->room);
	free(ladder->most_s);
	step_model_free(&ladder->model);
}

/* --- questions --- */

/* What a question names; part and rank -1, place NULL, cause 0: any. */
struct ladder_question {
	int part, rank;
	size_t cause; /* its number */
	const char *place;
};

static int word_read(const struct ladder *ladder, char *word, struct ladder_question *wanted)
{
	char *value = strchr(word, '='), *end;

	if (value)
		*value++ = '\0';
	if (value && strcmp(word, "cause") == 0) {
		wanted->cause = strtoul(value, &end, 10);
		if (wanted->cause > 0 && wanted->cause <= ladder->n && !*end)
			return 0;
		log_error("cause=%s: the run has %zu causes; tacho whatif RUN lists them", value,
			ladder->n);
	} else if (value && strcmp(word, "rank") == 0) {
		wanted->rank = rank_find(&ladder->model, strtoll(value, &end, 10));
		if (wanted->rank >= 0 && end != value && !*end)
			return 0;
		log_error("rank=%s: the run has no such rank", value);
	} else if (value && strcmp(word, "part") == 0) {
		wanted->part = part_find(value);
		if (wanted->part >= 0)
			return 0;
		log_error(
			"part=%s: a part is sleep, readers, wait, io, omp_idle, compute, calls, sleep_outside or more_outside",
			value);
	} else if (value && *value && strcmp(word, "line") == 0) {
		wanted->place = value;
		return 0;
	} else
		log_error("%s: expected cause=N, rank=N, part=NAME or line=TEXT", word);
	return -1;
}

static int fitting(const struct ladder *ladder, const struct ladder_question *wanted,
	struct step_left *left)
{
	int n = 0;

	for (size_t i = 0; i < ladder->causes.n; i++) {
		const struct cause *cause = &ladder->causes.at[i];

		if ((wanted->cause && wanted->cause != i + 1) ||
			(wanted->part >= 0 && cause->part != (enum own_part)wanted->part) ||
			(wanted->place &&
				(!cause->place || !strstr(cause->place, wanted->place))) ||
			(wanted->rank >= 0 && !has_share(&cause->share[wanted->rank])))
			continue;
		n++;
		for (size_t r = 0; r < ladder->model.ranks.n; r++)
			if (wanted->rank < 0 || (size_t)wanted->rank == r)
				take_out(cause, r, left);
	}
	return n;
}

int ladder_without(const struct ladder *ladder, const char *what, struct step_left *left)
{
	struct ladder_question wanted = { .part = -1, .rank = -1 };
	char *copy = strdup(what), *rest = NULL;
	int ret = copy ? 0 : -1;

	for (char *word = copy ? strtok_r(copy, " ", &rest) : NULL; word && ret == 0;
		word = strtok_r(NULL, " ", &rest))
		ret = word_read(ladder, word, &wanted);
	if (ret == 0)
		ret = fitting(ladder, &wanted, left);
	free(copy);
	return ret;
}
