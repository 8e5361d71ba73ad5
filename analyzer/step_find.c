/* step_find.c - from sequences of collectives to a plan of steps, and following it; see step_find.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "analysis.h"
#include "log.h"
#include "step_find.h"

#define MOST_LEAD	3	/* times the usual gap: what lies before the first step was no step */
#define SURE		0.99	/* nothing that is found is as sure as a mark */

enum { MOST_COLLECTIVES = 1 << 24, MOST_READ = 1 << 30 };

/* One rank's main thread while it is read. */
struct scan {
	struct analysis *analysis;
	struct sequence sequence;
	int64_t entered, ended;		/* latest MPI call's begin; end of the latest collective */
	bool failed;
};

static bool is_collective(const struct event *event)
{
	return (event->kind == EVENT_COLLECTIVE_END || event->kind == EVENT_COLLECTIVE_COMPLETE) &&
		collective_op(event->tag);
}

static bool scan_take(void *user, const struct event *event)
{
	struct scan *scan = user;
	const struct model *model = &scan->analysis->model;
	uint32_t *symbol, region;
	float *gap;

	if (event->kind == EVENT_ENTER) {
		region = model_region(model, event->ref);
		if (region != MODEL_NONE && model->regions.at[region].kind == KIND_MPI)
			scan->entered = event->t;
	}
	if (!is_collective(event))
		return true;
	symbol = ARRAY_ADD(&scan->sequence.symbols);
	gap = ARRAY_ADD(&scan->sequence.gaps);
	scan->failed |= !symbol || !gap;
	if (scan->failed)
		return false;
	*symbol = (uint32_t)hash_mix(hash_mix(event->ref, event->tag), hash_mix(event->bytes, event->received));
	*gap = scan->entered > scan->ended ? scan->entered - scan->ended : 0;
	scan->ended = event->t;
	return scan->sequence.symbols.n < MOST_COLLECTIVES;
}

/* What is common to the ranks with the same period. */
struct cycle {
	uint64_t hash;
	uint32_t length;
	uint32_t border;		/* position in the least rotation where steps begin */
	double *gaps;			/* by position, summed over ranks and periods */
	uint64_t turns;			/* periods in the sums */
	ARRAY_OF(double) leads;		/* by run: gap before its first step, summed over ranks */
	uint32_t ranks;
};

struct finding {
	struct analysis *analysis;
	ARRAY_OF(struct cycle) cycles;
	struct period *periods;		/* by process */
	uint32_t *cycle_of;		/* by process */
};

static uint32_t position(const struct periodic *run, uint32_t length, size_t at)
{
	return (at - run->first + length - run->turn) % length;
}

static struct cycle *cycle_find(struct finding *finding, const struct period *period, uint32_t process)
{
	struct cycle *cycle;

	for (size_t i = 0; i < finding->cycles.n; i++)
		if (finding->cycles.at[i].hash == period->hash && finding->cycles.at[i].length == period->length) {
			finding->cycle_of[process] = i;
			return &finding->cycles.at[i];
		}
	cycle = ARRAY_ADD(&finding->cycles);
	if (!cycle)
		return NULL;
	finding->cycle_of[process] = finding->cycles.n - 1;
	*cycle = (struct cycle){ .hash = period->hash, .length = period->length,
		.gaps = calloc(period->length, sizeof(double)) };
	return cycle->gaps ? cycle : NULL;
}

/* A rank's gaps go to its cycle. */
static int cycle_add(struct finding *finding, const struct sequence *sequence, uint32_t process)
{
	const struct period *period = &finding->periods[process];
	struct cycle *cycle = cycle_find(finding, period, process);

	if (!cycle)
		return -1;
	cycle->ranks++;
	for (size_t r = 0; r < period->runs.n; r++) {
		const struct periodic *run = &period->runs.at[r];

		cycle->turns += (run->end - run->first) / period->length;
		for (size_t i = run->first + 1; i < run->end; i++)
			cycle->gaps[position(run, period->length, i)] += sequence->gaps.at[i];
		while (cycle->leads.n <= r)
			if (!ARRAY_ADD(&cycle->leads))
				return -1;
		cycle->leads.at[r] += sequence->gaps.at[run->first];
	}
	return 0;
}

static int rank_scan(struct finding *finding, uint32_t process)
{
	struct analysis *analysis = finding->analysis;
	const struct location *main = &analysis->model.locations.at[analysis->model.processes.at[process].main];
	struct scan scan = { .analysis = analysis };
	struct cursor cursor;
	int ret;

	cursor_open(&cursor, &analysis->archive, main->in, scan_take, &scan);
	while (!cursor.ended && !scan.failed && scan.sequence.symbols.n < MOST_COLLECTIVES)
		cursor_run(&cursor, MOST_READ);
	cursor_close(&cursor);
	ret = scan.failed || period_find(&scan.sequence, &finding->periods[process]) < 0 ? -1 : 0;
	if (ret == 0 && finding->periods[process].length)
		ret = cycle_add(finding, &scan.sequence, process);
	free(scan.sequence.symbols.at);
	free(scan.sequence.gaps.at);
	return ret;
}

static int plan_make(struct finding *finding, uint32_t process, struct step_plan *plan)
{
	const struct period *period = &finding->periods[process];
	const struct cycle *cycle = &finding->cycles.at[finding->cycle_of[process]];
	double usual = cycle->gaps[cycle->border] / cycle->turns;

	for (size_t r = 0; r < period->runs.n; r++) {
		const struct periodic *run = &period->runs.at[r];
		size_t first = run->first;
		struct step_run *at;

		while (position(run, period->length, first) != cycle->border)
			first++;
		if (first == run->first &&
			(first == 0 || cycle->leads.at[r] > MOST_LEAD * usual * cycle->ranks))
			first += period->length;
		if (first + period->length > run->end)
			continue;
		at = ARRAY_ADD(&plan->runs);
		if (!at)
			return -1;
		*at = (struct step_run){ first, (run->end - first) / period->length, period->length };
	}
	plan->next = plan->runs.n ? plan->runs.at[0].first : UINT64_MAX;
	return 0;
}

/* Ranks agree on how many steps there are, or one is less sure. */
static double agreement(const struct found_steps *found, const struct finding *finding)
{
	const struct model *model = &finding->analysis->model;
	uint64_t least = UINT64_MAX, most = 0;
	double score = SURE;

	for (size_t p = 0; p < model->processes.n; p++) {
		uint64_t n = 0;

		if (model->processes.at[p].rank < 0 || model->processes.at[p].main == MODEL_NONE)
			continue;
		for (size_t r = 0; r < found->plans[p].runs.n; r++)
			n += found->plans[p].runs.at[r].n;
		least = n < least ? n : least;
		most = n > most ? n : most;
		if (n && finding->periods[p].score < score)
			score = finding->periods[p].score;
	}
	return most ? score * least / most : 0;
}

static int plans_make(struct finding *finding)
{
	struct analysis *analysis = finding->analysis;
	struct found_steps *found = &analysis->found;

	for (size_t i = 0; i < finding->cycles.n; i++) {
		struct cycle *cycle = &finding->cycles.at[i];

		for (uint32_t k = 1; k < cycle->length; k++)
			if (cycle->gaps[k] > cycle->gaps[cycle->border])
				cycle->border = k;
	}
	for (size_t p = 0; p < analysis->model.processes.n; p++) {
		found->plans[p].next = UINT64_MAX;
		if (finding->periods[p].length && plan_make(finding, p, &found->plans[p]) < 0)
			return -1;
	}
	found->confidence = agreement(found, finding);
	return 0;
}

static bool is_marked(const struct model *model)
{
	for (size_t i = 0; i < model->regions.n; i++)
		if (model->regions.at[i].mark == MARK_STEP)
			return true;
	return false;
}

int steps_find(struct analysis *analysis)
{
	size_t n = analysis->model.processes.n;
	struct finding finding = { .analysis = analysis, .periods = calloc(n + 1, sizeof(struct period)),
		.cycle_of = calloc(n + 1, sizeof(uint32_t)) };
	int ret = finding.periods && finding.cycle_of ? 0 : -1;

	if (analysis->options->summary || is_marked(&analysis->model))
		goto out;
	analysis->found.plans = calloc(n + 1, sizeof(struct step_plan));
	ret = analysis->found.plans ? ret : -1;
	for (size_t p = 0; p < n && ret == 0; p++)
		if (analysis->model.processes.at[p].rank >= 0 && analysis->model.processes.at[p].main != MODEL_NONE)
			ret = rank_scan(&finding, p);
	if (ret == 0)
		ret = plans_make(&finding);
	if (ret == 0 && analysis->found.confidence < 0.5)
		steps_forget(analysis);
out:
	for (size_t i = 0; finding.periods && i < n; i++)
		free(finding.periods[i].runs.at);
	for (size_t i = 0; i < finding.cycles.n; i++) {
		free(finding.cycles.at[i].gaps);
		free(finding.cycles.at[i].leads.at);
	}
	free(finding.periods);
	free(finding.cycle_of);
	free(finding.cycles.at);
	if (ret < 0)
		log_error("out of memory for the collectives of %zu processes", n);
	return ret;
}

void steps_forget(struct analysis *analysis)
{
	for (size_t i = 0; analysis->found.plans && i < analysis->model.processes.n; i++)
		free(analysis->found.plans[i].runs.at);
	free(analysis->found.plans);
	analysis->found = (struct found_steps){ 0 };
}

static struct step_plan *plan_of(const struct track *track)
{
	return track->is_rank && track->analysis->found.plans ? &track->analysis->found.plans[track->process] : NULL;
}

void step_found_collective(struct track *track, const struct event *event)
{
	struct step_plan *plan = plan_of(track);

	if (plan && is_collective(event))
		plan->seen++;
}

void step_found_border(struct track *track, int64_t t)
{
	struct step_plan *plan = plan_of(track);

	while (plan && plan->seen >= plan->next) {
		const struct step_run *run = &plan->runs.at[plan->run];
		uint64_t done = (plan->next - run->first) / run->period;

		if (done)
			window_found_leave(track, t);
		if (done < run->n) {
			window_found_enter(track, t, plan->steps++);
			plan->next += run->period;
			continue;
		}
		plan->run++;
		plan->next = plan->run < plan->runs.n ? plan->runs.at[plan->run].first : UINT64_MAX;
	}
}
