/*
 * step_find.c - from the ranks' sequences to a plan of steps, and following it; see step_find.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "base/log.h"
#include "engine/read/step_find.h"

#define MOST_LEAD 3    /* times the usual gap: the part before the first step was no step */
#define SURE	  0.99 /* nothing that is found is as sure as a mark */

/*
 * With this many periods, a mean below this is the loop of a benchmark or a solver: one all-reduce
 * over a network takes a third of it, and a step has work on top.
 */
#define LEAST_STEP_NS 5e4

enum { SHORT_PERIODS = 100, PEERS_TRIED = 8 };

/* What is common to the ranks with the same period. */
struct cycle {
	uint64_t hash;
	uint32_t length;
	uint32_t border;	/* position in the least rotation where steps begin */
	double *gaps;		/* by position, summed over ranks and periods */
	uint64_t turns;		/* periods in the sums */
	double time;		/* that they took */
	bool *passed;		/* by position: a backward pass is before it, 0: none does */
	bool trains;		/* with backward passes, or by an optimizer */
	ARRAY_OF(double) leads; /* by run: gap before its first step, summed over ranks */
	uint32_t ranks;
};

struct finding {
	struct engine *engine;
	ARRAY_OF(struct cycle) cycles;
	struct found_period *ranks; /* by process */
	uint32_t *cycle_of;	    /* by process */
	bool trains;		    /* some rank does */
};

static uint32_t position(const struct periodic *run, uint32_t length, size_t at)
{
	return (at - run->first + length - run->turn) % length;
}

static struct cycle *cycle_find(struct finding *finding, uint64_t hash, uint32_t length)
{
	struct cycle *cycle;

	for (size_t i = 0; i < finding->cycles.n; i++)
		if (finding->cycles.at[i].hash == hash && finding->cycles.at[i].length == length)
			return &finding->cycles.at[i];
	cycle = ARRAY_ADD(&finding->cycles);
	if (!cycle)
		return NULL;
	*cycle = (struct cycle){ .hash = hash,
		.length = length,
		.gaps = calloc(length, sizeof(double)),
		.passed = calloc(length, sizeof(*cycle->passed)) };
	return cycle->gaps && cycle->passed ? cycle : NULL;
}

/*
 * A step with backward passes ends with one of them, and where not all of them reduce gradients with
 * one that does. Positions are the same for all ranks with this cycle.
 */
static void cycle_passes(struct cycle *cycle, const struct found_period *rank)
{
	const struct periodic *run = &rank->period.runs.at[0];
	const uint32_t *symbols = rank->sequence.symbols.at;
	uint32_t ends = SYMBOL_BACKWARD;

	for (uint32_t i = 0; i < cycle->length; i++) {
		cycle->trains |= symbols[run->first + i] == SYMBOL_OPTIMIZER ||
			symbol_is_backward(symbols[run->first + i]);
		if (symbols[run->first + i] == SYMBOL_REDUCED)
			ends = SYMBOL_REDUCED;
	}
	for (uint32_t i = 0; i < cycle->length; i++)
		if (symbols[run->first + i] == ends)
			cycle->passed[(position(run, cycle->length, run->first + i) + 1) %
				cycle->length] = true;
}

/* A rank's gaps go to its cycle. */
static int cycle_add(struct finding *finding, uint32_t process)
{
	const struct found_period *rank = &finding->ranks[process];
	const struct period *period = &rank->period;
	struct cycle *cycle = cycle_find(finding, period->hash, period->length);

	if (!cycle)
		return -1;
	finding->cycle_of[process] = cycle - finding->cycles.at;
	cycle->ranks++;
	if (period->runs.n)
		cycle_passes(cycle, rank);
	for (size_t r = 0; r < period->runs.n; r++) {
		const struct periodic *run = &period->runs.at[r];

		cycle->turns += (run->end - run->first) / period->length;
		for (size_t i = run->first + 1; i < run->end; i++) {
			cycle->gaps[position(run, period->length, i)] += rank->sequence.gaps.at[i];
			cycle->time += rank->sequence.turns.at[i];
		}
		while (cycle->leads.n <= r)
			if (!ARRAY_ADD(&cycle->leads))
				return -1;
		cycle->leads.at[r] += rank->sequence.gaps.at[run->first];
	}
	return 0;
}

static int rank_scan(struct finding *finding, uint32_t process)
{
	struct found_period *rank = &finding->ranks[process];
	int ret = step_scan(finding->engine, process, rank);

	if (ret == 0 && rank->period.length)
		ret = cycle_add(finding, process);
	sequence_free(&rank->sequence);
	return ret;
}

static bool is_short(const struct cycle *cycle)
{
	return !cycle->trains && cycle->turns > (uint64_t)SHORT_PERIODS * cycle->ranks &&
		cycle->time < LEAST_STEP_NS * cycle->turns;
}

/* When the launches before a run's steps ended; a run in progress begins where the last one ended. */
static int borders_add(struct step_plan *plan, const struct found_period *rank)
{
	const struct step_run *run = &plan->runs.at[plan->runs.n - 1];
	const struct step_run *before = plan->runs.n > 1 ? run - 1 : NULL;
	bool goes_on = before && before->first + before->n * before->period == run->first;

	for (uint64_t i = goes_on; rank->by == FOUND_BY_LAUNCHES && i <= run->n; i++) {
		int64_t *at = ARRAY_ADD(&plan->borders);

		if (!at)
			return -1;
		*at = rank->ends.at[run->first + i * run->period - 1];
	}
	return 0;
}

static int plan_make(const struct found_period *rank, const struct cycle *cycle,
	struct step_plan *plan)
{
	const struct period *period = &rank->period;
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
		*at = (struct step_run){ first, (run->end - first) / period->length, period->length,
			0 };
		if (borders_add(plan, rank) < 0)
			return -1;
	}
	plan->by = rank->by;
	plan->next = plan->runs.n ? plan->runs.at[0].first : UINT64_MAX;
	return 0;
}

static bool is_scanned(const struct engine *engine, size_t process)
{
	const struct process *at = &engine->tables.model.processes.at[process];

	return at->rank >= 0 && at->main != MODEL_NONE &&
		peers_reads_here(&engine->peers, at->main);
}

/* Whether it is a training's, of which other ranks have steps. */
static bool is_peers(const struct finding *finding, size_t process)
{
	return finding->trains && !finding->ranks[process].passes;
}

/* How many steps the ranks that are read here have; those without their own do not count. */
static void steps_count(struct found_steps *found, const struct finding *finding)
{
	for (size_t p = 0; p < finding->engine->tables.model.processes.n; p++) {
		uint64_t n = 0;

		if (!is_scanned(finding->engine, p))
			continue;
		for (size_t r = 0; r < found->plans[p].runs.n; r++)
			n += found->plans[p].runs.at[r].n;
		if (!n && is_peers(finding, p))
			continue;
		found->least = n < found->least ? n : found->least;
		found->most = n > found->most ? n : found->most;
		if (n && finding->ranks[p].period.score < found->score)
			found->score = finding->ranks[p].period.score;
	}
}

/* Ranks agree on how many steps there are, or one is less sure. */
static double agreement(const struct found_steps *found)
{
	return found->most ? found->score * found->least / found->most : 0;
}

/* Steps begin after the greatest possible gap. */
static void border_choose(struct cycle *cycle)
{
	bool any = memchr(cycle->passed, true, cycle->length);

	cycle->border = 0;
	for (uint32_t k = 1; k < cycle->length; k++) {
		uint32_t best = cycle->border;

		if (any && cycle->passed[k] != cycle->passed[best]
				? cycle->passed[k]
				: cycle->gaps[k] > cycle->gaps[best])
			cycle->border = k;
	}
}

static bool is_rank(const struct engine *engine, size_t process)
{
	const struct process *at = &engine->tables.model.processes.at[process];

	return at->rank >= 0 && at->main != MODEL_NONE;
}

/* The steps of a rank that trains, which is read once more, by time. 1, 0: it has none, -1: no memory. */
static int peer_plan(struct finding *finding, uint32_t peer, struct step_plan *plan)
{
	struct found_period rank = { 0 };
	struct cycle *cycle;
	int ret = step_scan(finding->engine, peer, &rank);

	if (ret == 0 && rank.period.length && rank.passes) {
		ret = found_ends_fill(&rank);
		cycle = cycle_find(finding, rank.period.hash, rank.period.length);
		if (ret < 0 || !cycle) {
			ret = -1;
		} else if (rank.period.runs.n) {
			cycle_passes(cycle, &rank);
			border_choose(cycle);
			ret = plan_make(&rank, cycle, plan) < 0 ? -1 : plan->runs.n > 0;
		}
	}
	found_period_free(&rank);
	return ret;
}

/* Steps of the first ranks that train, for one that has none. */
static int plan_of_peers(struct finding *finding, uint32_t process, struct step_plan *plan)
{
	struct engine *engine = finding->engine;
	int ret = 0;

	for (uint32_t p = 0, tried = 0;
		p < engine->tables.model.processes.n && tried < PEERS_TRIED && ret == 0; p++) {
		if (p == process || !is_rank(engine, p))
			continue;
		if (is_scanned(engine, p) && !finding->ranks[p].passes)
			continue; /* read already: it does not train */
		tried++;
		ret = peer_plan(finding, p, plan);
	}
	plan->is_peers = ret > 0;
	return ret < 0 ? -1 : 0;
}

static int plans_make(struct finding *finding)
{
	struct engine *engine = finding->engine;
	struct found_steps *found = &engine->found;

	for (size_t i = 0; i < finding->cycles.n; i++) {
		border_choose(&finding->cycles.at[i]);
		finding->trains |= finding->cycles.at[i].trains;
	}
	for (size_t p = 0; p < engine->tables.model.processes.n; p++) {
		found->plans[p].next = UINT64_MAX;
		if (finding->ranks[p].period.length &&
			!is_short(&finding->cycles.at[finding->cycle_of[p]]) &&
			plan_make(&finding->ranks[p], &finding->cycles.at[finding->cycle_of[p]],
				&found->plans[p]) < 0)
			return -1;
	}
	steps_count(found, finding);
	for (uint32_t p = 0; p < engine->tables.model.processes.n; p++)
		if (is_scanned(engine, p) && !found->plans[p].runs.n && is_peers(finding, p) &&
			plan_of_peers(finding, p, &found->plans[p]) < 0)
			return -1;
	return 0;
}

/* Of ranks that mark no steps, while others do. 0, or -1 without memory. */
static int plans_of_marks(struct engine *engine)
{
	size_t n = engine->tables.model.processes.n;
	uint32_t peer = 0;
	bool any = false;

	for (size_t p = 0; p < n; p++)
		any |= engine->tables.model.processes.at[p].unmarked && is_scanned(engine, p);
	while (peer < n &&
		(!is_rank(engine, peer) || engine->tables.model.processes.at[peer].unmarked))
		peer++;
	if (!any || peer == n)
		return 0;
	engine->found = (struct found_steps){ .plans = calloc(n + 1, sizeof(struct step_plan)),
		.confidence = 1 };
	for (size_t p = 0; engine->found.plans && p < n; p++) {
		engine->found.plans[p].next = UINT64_MAX;
		if (engine->tables.model.processes.at[p].unmarked && is_scanned(engine, p) &&
			step_marks_plan(engine, peer, &engine->found.plans[p]) < 0)
			return -1;
	}
	return engine->found.plans ? 0 : -1;
}

static bool is_marked(const struct model *model, enum region_mark mark)
{
	for (size_t i = 0; i < model->regions.n; i++)
		if (model->regions.at[i].mark == mark)
			return true;
	return false;
}

/* --- several readers: gaps are whole numbers of ns, so that sums are the same in any order --- */

struct wire_cycle {
	uint64_t hash, turns;
	double time;
	uint32_t length, ranks, nleads, trains;
};

static int cycles_send(struct finding *finding)
{
	size_t size = 0, at = 0;
	char *wire;

	for (size_t i = 0; i < finding->cycles.n; i++)
		size += sizeof(struct wire_cycle) +
			(finding->cycles.at[i].length + finding->cycles.at[i].leads.n) *
				sizeof(double);
	wire = malloc(size + 1);
	for (size_t i = 0; wire && i < finding->cycles.n; i++) {
		const struct cycle *cycle = &finding->cycles.at[i];
		struct wire_cycle head = { cycle->hash, cycle->turns, cycle->time, cycle->length,
			cycle->ranks, cycle->leads.n, cycle->trains };

		memcpy(wire + at, &head, sizeof(head));
		at += sizeof(head);
		memcpy(wire + at, cycle->gaps, cycle->length * sizeof(double));
		at += cycle->length * sizeof(double);
		if (cycle->leads.n)
			memcpy(wire + at, cycle->leads.at, cycle->leads.n * sizeof(double));
		at += cycle->leads.n * sizeof(double);
	}
	if (wire)
		finding->engine->peers.calls->send_all(finding->engine, NOTE_FOUND, wire, size);
	free(wire);
	return wire ? 0 : -1;
}

static const char *cycle_merge(struct finding *finding, const char *wire)
{
	struct wire_cycle head;
	struct cycle *cycle;
	const double *gaps;

	memcpy(&head, wire, sizeof(head));
	gaps = (const double *)(wire + sizeof(head));
	cycle = cycle_find(finding, head.hash, head.length);
	while (cycle && cycle->leads.n < head.nleads && ARRAY_ADD(&cycle->leads))
		;
	if (!cycle || cycle->leads.n < head.nleads) {
		finding->engine->tables.failed = true;
		return NULL;
	}
	cycle->turns += head.turns;
	cycle->time += head.time;
	cycle->ranks += head.ranks;
	cycle->trains |= head.trains;
	for (uint32_t i = 0; i < head.length; i++)
		cycle->gaps[i] += gaps[i];
	for (uint32_t i = 0; i < head.nleads; i++)
		cycle->leads.at[i] += gaps[head.length + i];
	return (const char *)(gaps + head.length + head.nleads);
}

void steps_found_take(struct engine *engine, const struct note *note)
{
	const char *at = note->data;

	while (engine->found.finding && at && at < note->data + note->head.size)
		at = cycle_merge(engine->found.finding, at);
	engine->found.nreported++;
}

struct wire_steps {
	uint64_t least, most;
	double score;
};

static void steps_send(struct engine *engine)
{
	struct wire_steps wire = { engine->found.least, engine->found.most, engine->found.score };

	engine->peers.calls->send_all(engine, NOTE_AGREED, &wire, sizeof(wire));
}

void steps_agreed_take(struct engine *engine, const struct note *note)
{
	struct found_steps *found = &engine->found;
	struct wire_steps wire;

	memcpy(&wire, note->data, sizeof(wire));
	found->least = wire.least < found->least ? wire.least : found->least;
	found->most = wire.most > found->most ? wire.most : found->most;
	found->score = wire.score < found->score ? wire.score : found->score;
	found->confidence = agreement(found);
	found->nagreed++;
}

static int plans_agree(struct finding *finding)
{
	struct engine *engine = finding->engine;
	uint32_t others = engine->peers.self ? engine->peers.n - 1 : 0;

	if (others &&
		(cycles_send(finding) < 0 ||
			engine->peers.calls->await(engine, &engine->found.nreported, others) < 0))
		return -1;
	if (plans_make(finding) < 0)
		return -1;
	if (others) {
		steps_send(engine);
		if (engine->peers.calls->await(engine, &engine->found.nagreed, others) < 0)
			return -1;
	}
	engine->found.confidence = agreement(&engine->found);
	return 0;
}

static void finding_free(struct finding *finding)
{
	for (size_t i = 0; finding->ranks && i < finding->engine->tables.model.processes.n; i++)
		found_period_free(&finding->ranks[i]);
	for (size_t i = 0; i < finding->cycles.n; i++) {
		free(finding->cycles.at[i].gaps);
		free(finding->cycles.at[i].passed);
		free(finding->cycles.at[i].leads.at);
	}
	free(finding->ranks);
	free(finding->cycle_of);
	free(finding->cycles.at);
}

int steps_find(struct engine *engine)
{
	size_t n = engine->tables.model.processes.n;
	struct finding finding = { .engine = engine,
		.ranks = calloc(n + 1, sizeof(struct found_period)),
		.cycle_of = calloc(n + 1, sizeof(uint32_t)) };
	struct found_steps *found = &engine->found;
	int ret = finding.ranks && finding.cycle_of ? 0 : -1;

	if (ret < 0 || engine->tables.summary)
		goto out;
	if (is_marked(&engine->tables.model, MARK_STEP)) {
		ret = engine->peers.n && !engine->peers.self ? 0 : plans_of_marks(engine);
		goto out;
	}
	*found = (struct found_steps){ .plans = calloc(n + 1, sizeof(struct step_plan)),
		.least = UINT64_MAX,
		.score = SURE,
		.gaps = !is_marked(&engine->tables.model, MARK_PHASE) };
	ret = found->plans ? 0 : -1;
	if (engine->peers.n && !engine->peers.self)
		goto out; /* readers will report theirs */
	found->finding = &finding;
	for (size_t p = 0; p < n && ret == 0; p++)
		if (is_scanned(engine, p))
			ret = rank_scan(&finding, p);
	if (ret == 0)
		ret = plans_agree(&finding);
	found->finding = NULL;
	if (ret == 0 && found->confidence < 0.5)
		steps_forget(engine);
out:
	finding_free(&finding);
	if (ret < 0)
		log_error("out of memory for the steps of %zu processes", n);
	return ret;
}

static void plan_free(struct step_plan *plan)
{
	free(plan->runs.at);
	free(plan->borders.at);
}

void steps_forget(struct engine *engine)
{
	for (size_t i = 0; engine->found.plans && i < engine->tables.model.processes.n; i++)
		plan_free(&engine->found.plans[i]);
	free(engine->found.plans);
	engine->found = (struct found_steps){ 0 };
}

static struct step_plan *plan_of(const struct track *track)
{
	return track->is_rank && track->engine->found.plans
		? &track->engine->found.plans[track->process]
		: NULL;
}

void step_found_collective(struct track *track, const struct event *event)
{
	struct step_plan *plan = plan_of(track);

	if (plan && plan->by == FOUND_BY_COLLECTIVES && step_is_collective(event))
		plan->seen++;
}

void step_found_leave(struct track *track, const struct event *event)
{
	struct step_plan *plan = plan_of(track);

	if (!plan)
		return;
	switch (step_training(&track->engine->tables.model, event)) {
	case TRAINING_BACKWARD:
		plan->seen += plan->by == FOUND_BY_COLLECTIVES || plan->by == FOUND_BY_BACKWARD;
		plan->passed = true;
		break;
	case TRAINING_OPTIMIZER:
		plan->seen += plan->by == FOUND_BY_OPTIMIZER && plan->passed;
		plan->passed = false;
		break;
	default: break;
	}
}

/* Between two stretches of steps. */
static void gap_report(struct track *track, int64_t t, bool begins)
{
	static const struct region between = { .name = STEPS_BETWEEN, .mark = MARK_PHASE };
	const struct event event = { .t = t };

	if (track->engine->found.gaps)
		track_report(track,
			&(struct replay_input){ begins ? INPUT_WINDOW_ENTER : INPUT_WINDOW_LEAVE,
				.region = begins ? &between : NULL, .event = &event });
}

/* One or several periods end or begin after the collectives that have been. */
static __attribute__((noinline)) void borders_report(struct track *track, struct step_plan *plan,
	int64_t t)
{
	while (plan->seen >= plan->next) {
		const struct step_run *run = &plan->runs.at[plan->run];
		uint64_t done = (plan->next - run->first) / run->period;

		if (plan->is_open)
			track_report(track, &(struct replay_input){ INPUT_FOUND_LEAVE, .t = t });
		else if (plan->run && !plan->joined)
			gap_report(track, t, false);
		plan->is_open = done < run->n;
		if (plan->is_open) {
			if (run->numbered)
				plan->steps = run->numbered - 1 + done;
			track_report(track,
				&(struct replay_input){ INPUT_FOUND_ENTER, .t = t,
					.step = (int64_t)plan->steps++ });
			plan->next += run->period;
			continue;
		}
		plan->run++;
		plan->next = plan->run < plan->runs.n ? plan->runs.at[plan->run].first : UINT64_MAX;
		plan->joined = plan->seen >= plan->next;
		if (plan->run < plan->runs.n && !plan->joined)
			gap_report(track, t, true);
	}
}

/*
 * The borders that have passed by t. If several fall within one call (a thread waits while another
 * launches), only the last one can be reported: these steps become one.
 */
static void borders_pass(struct step_plan *plan, int64_t t)
{
	const struct step_run *run = &plan->runs.at[plan->run];
	uint64_t n = 0;

	while (plan->border < plan->borders.n && plan->borders.at[plan->border] <= t &&
		plan->next + n * run->period <= run->first + run->n * run->period) {
		plan->border++;
		n++;
	}
	if (n) {
		plan->next += (n - 1) * run->period;
		plan->seen = plan->next;
		plan->steps += plan->is_peers ? n - 1 : 0;
	}
}

void step_found_border(struct track *track, int64_t t)
{
	struct step_plan *plan = plan_of(track);
	size_t border;

	/* a call may end after borders of several stretches */
	do {
		border = plan ? plan->border : 0;
		if (plan && plan->by == FOUND_BY_LAUNCHES && plan->run < plan->runs.n)
			borders_pass(plan, t);
		if (plan && plan->seen >= plan->next)
			borders_report(track, plan, t);
	} while (plan && plan->border > border);
}
