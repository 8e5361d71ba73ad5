/* step_rest.c - see step_rest.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/window/step_rest.h"
#include "tables/phase_rest.def"
#include "tables/row_budget.h"
#include "tables/step_excess.h"
#include "tables/step_rest.def"

enum {
	STEPS_MOST = 100000,  /* with rows: a day of a training with a step per second */
	ROWS_MOST = 10000000, /* of all ranks: about 1 GB with their times by state */
	STEPS_LEAST = 1000,   /* however many ranks there are */
	LONGEST_MOST = 100,
	LONGEST_RANKS_MOST = 100000, /* 20 MB */
};

static const struct db_table steps = DB_TABLE(step_rest, "insert", STEP_REST_COLUMNS);
static const struct db_table phases = DB_TABLE(phase_rest, "insert", PHASE_REST_COLUMNS);

static uint64_t most(struct engine *engine)
{
	uint64_t *n = &engine->step_rests.most;
	uint64_t each = ROWS_MOST / (engine->tables.model.nranks ? engine->tables.model.nranks : 1);

	if (!*n)
		*n = row_budget(each > STEPS_MOST    ? STEPS_MOST
				: each < STEPS_LEAST ? STEPS_LEAST
						     : each);
	return *n;
}

/* Counted from the first. */
static uint64_t nth_of(const struct engine *engine, int64_t n)
{
	int64_t first = engine->windows.first_step;

	return n > first ? (uint64_t)n - (uint64_t)first : 0;
}

/* The distance between steps with rows there. */
static uint64_t apart_at(struct engine *engine, int64_t n)
{
	return row_apart(most(engine), nth_of(engine, n));
}

bool step_has_rows(struct engine *engine, int64_t n)
{
	return nth_of(engine, n) % apart_at(engine, n) == 0;
}

int64_t step_stands_for(struct engine *engine, int64_t n)
{
	return step_has_rows(engine, n) ? (int64_t)apart_at(engine, n) : 1;
}

bool window_has_rows(struct engine *engine, const char *window)
{
	return strncmp(window, "step:", 5) != 0 ||
		step_has_rows(engine, strtoll(window + 5, NULL, 10));
}

bool phase_has_row(struct engine *engine, uint32_t instance)
{
	return instance < most(engine);
}

static struct step_rest *sum_find(struct engine *engine, uint32_t process, int64_t phase)
{
	struct step_rests *rests = &engine->step_rests;
	uint64_t key = idmap_key(hash_mix(process, (uint64_t)phase));
	struct step_rest *sum;
	uint32_t i;

	for (; (i = idmap_find(&rests->numbers, key)) != IDMAP_NONE; key = idmap_key(key + 1))
		if (rests->sums.at[i].process == process && rests->sums.at[i].phase == phase)
			return &rests->sums.at[i];
	sum = ARRAY_ADD(&rests->sums);
	if (!sum || idmap_set(&rests->numbers, key, (uint32_t)(rests->sums.n - 1)) < 0)
		return NULL;
	*sum = (struct step_rest){ .process = process, .phase = phase, .least = INT64_MAX };
	return sum;
}

static void rank_add(struct step_rest *sum, const struct window_rank *rank, bool compared)
{
	int64_t ns = rank->end - rank->start;
	bool captured = step_is_captured(rank);

	sum->steps++;
	sum->sampled |= rank->sampled;
	sum->captured |= captured;
	sum->compared |= compared && captured;
	sum->samples += rank->sampled ? rank->samples : 0;
	sum->ns += ns;
	sum->least = ns < sum->least ? ns : sum->least;
	sum->most = ns > sum->most ? ns : sum->most;
	sum->waited += captured ? rank->waited : 0;
	sum->waited_io += captured ? rank->waited_io : 0;
	sum->excess += compared && captured ? rank->excess : 0;
	sum->caused += rank->caused;
}

void step_rest_merge(struct engine *engine, const struct step_rest *add)
{
	struct step_rest *sum = add->process < engine->tables.model.processes.n
		? sum_find(engine, add->process, add->phase)
		: NULL;

	if (!sum) {
		engine->tables.failed = true;
		return;
	}
	sum->steps += add->steps;
	sum->sampled |= add->sampled;
	sum->samples += add->samples;
	sum->ns += add->ns;
	sum->least = add->least < sum->least ? add->least : sum->least;
	sum->most = add->most > sum->most ? add->most : sum->most;
}

bool step_rest_read(struct engine *engine, uint32_t process, int64_t phase,
	const struct event *event)
{
	const OTF2_AttributeRef *refs = engine->tables.model.attributes;
	uint64_t n, ns, least, most, samples = 0;

	if (!event_number(event, refs[ATTRIBUTE_CALLS], &n) ||
		!event_number(event, refs[ATTRIBUTE_TOTAL], &ns) ||
		!event_number(event, refs[ATTRIBUTE_SHORTEST], &least) ||
		!event_number(event, refs[ATTRIBUTE_LONGEST], &most) || ns > INT64_MAX ||
		most > ns || least > most)
		return false;
	event_number(event, refs[ATTRIBUTE_SAMPLES], &samples);
	step_rest_merge(engine,
		&(struct step_rest){ .process = process,
			.phase = phase,
			.steps = n,
			.sampled = samples > 0,
			.samples = (int64_t)samples,
			.ns = (int64_t)ns,
			.least = (int64_t)least,
			.most = (int64_t)most });
	return true;
}

static void step_add(struct engine *engine, struct step_window *step)
{
	bool compared = step_excess_set(step->ranks, engine->tables.model.processes.n) >= 2;

	for (uint32_t p = 0; p < engine->tables.model.processes.n; p++) {
		struct step_rest *sum = step->ranks[p].any
			? sum_find(engine, p, step->ranks[p].phase)
			: NULL;

		engine->tables.failed |= step->ranks[p].any && !sum;
		if (sum)
			rank_add(sum, &step->ranks[p], compared);
	}
}

/* By length; of equal ones the later is the shorter: the same in whatever order they come. */
static bool is_shorter(const struct step_window *a, const struct step_window *b)
{
	int64_t x = a->span.last - a->span.first, y = b->span.last - b->span.first;

	return x != y ? x < y : a->n > b->n;
}

/* Devices report a step later than ranks do; they have rows for the same steps. */
static size_t longest_most(const struct engine *engine)
{
	size_t n = LONGEST_RANKS_MOST / (engine->tables.model.processes.n + 1);

	return engine->tables.model.devices.n ? 0 : n < LONGEST_MOST ? n : LONGEST_MOST;
}

/* Sorts the last one in. */
static void longest_sort(struct step_rests *rests)
{
	struct step_window *at = rests->longest.at, last;

	for (size_t i = rests->longest.n; i-- > 1 && is_shorter(&at[i], &at[i - 1]);) {
		last = at[i];
		at[i] = at[i - 1];
		at[i - 1] = last;
	}
}

/* Takes the place of the shortest one, which continues up to where it belongs. */
static void longest_exchange(struct step_rests *rests, struct step_window *step)
{
	struct step_window *at = rests->longest.at, out = at[0];
	size_t i = 0;

	for (; i + 1 < rests->longest.n && is_shorter(&at[i + 1], step); i++)
		at[i] = at[i + 1];
	at[i] = *step;
	step->ranks = out.ranks;
	step->span = out.span;
}

void step_rest_take(struct engine *engine, struct step_window *step)
{
	struct step_rests *rests = &engine->step_rests;
	size_t room = longest_most(engine);
	struct window_rank *ranks;
	struct step_window *at;

	if (rests->longest.n < room) {
		ranks = calloc(engine->tables.model.processes.n + 1, sizeof(*ranks));
		at = ranks ? ARRAY_ADD(&rests->longest) : NULL;
		engine->tables.failed |= !at;
		if (!at) {
			free(ranks);
			return;
		}
		*at = *step;
		step->ranks = ranks;
		longest_sort(rests);
		return;
	}
	if (room && is_shorter(&rests->longest.at[0], step))
		longest_exchange(rests, step);
	step_add(engine, step);
}

void step_rests_write(struct engine *engine)
{
	bool waits = !engine->tables.summary;

	for (size_t i = 0; i < engine->step_rests.sums.n; i++) {
		const struct step_rest *sum = &engine->step_rests.sums.at[i];
		const struct process *process = &engine->tables.model.processes.at[sum->process];

		db_put_row(&engine->tables.db, &steps, DB_ROW(STEP_REST_COLUMNS));
	}
}

void phase_rest_write(struct engine *engine, const struct phase_window *phase)
{
	for (size_t p = 0; p < engine->tables.model.processes.n; p++) {
		const struct process *process = &engine->tables.model.processes.at[p];
		const struct window_rank *rank = &phase->ranks[p];

		if (rank->instances > most(engine))
			db_put_row(&engine->tables.db, &phases, DB_ROW(PHASE_REST_COLUMNS));
	}
}

void step_rests_free(struct step_rests *rests)
{
	for (size_t i = 0; i < rests->longest.n; i++)
		free(rests->longest.at[i].ranks);
	free(rests->longest.at);
	free(rests->sums.at);
	idmap_free(&rests->numbers);
}
