/*
 * noise.c - the table noise: for each rank, the length of its local step time without the machine's
 * influence, and the part of its lateness that chance explains; see noise.h. Lateness is defined as
 * in the table step, so parts add up in both tables.
 */
#include "config.h"

#include <math.h>
#include <string.h>

#include "db/query.h"
#include "engine/engine.h"
#include "metrics/noise.h"
#include "metrics/straggler.h"
#include "tables/noise.def"

enum { STEPS_FEW = 16 };

/* All of a step on average, ns; NAN: not known. */
struct row {
	int64_t rank, steps;
	const char *quantity;
	double ns, late, chance, p, contention, steal, frequency, error, free;
};

static const struct db_table table = DB_TABLE(noise, "insert", NOISE_COLUMNS);

static void row_put(struct engine *engine, const struct row *row)
{
	db_put_row(&engine->tables.db, &table, DB_ROW(NOISE_COLUMNS));
}

/* The steps of the run are cut into as many ranges of the same length as signs are asked for. */
static size_t ranges_count(const struct late_steps *steps)
{
	int64_t n = steps->high - steps->low + 1;

	return n < NOISE_BLOCKS ? (size_t)n : NOISE_BLOCKS;
}

/* By which parts a process was late in each range. */
static void ranges_add(const struct late_steps *steps, size_t process,
	double parts[PART_COUNT][NOISE_BLOCKS])
{
	int64_t n = steps->high - steps->low + 1, many = (int64_t)ranges_count(steps);

	for (size_t i = steps->first[process]; i < steps->first[process + 1]; i++) {
		const struct late_step *step = &steps->rows.at[i];
		int64_t range = ((step->n - steps->low + 1) * many - 1) / n;

		for (int part = 0; part < PART_COUNT; part++)
			parts[part][range] += (double)step->late[part];
	}
}

static double sum_of(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum;
}

/* Neighbouring steps share what disturbs them: their signs are a matter of chance together. */
static void late_set(struct row *row, const double *late, size_t n)
{
	struct noise_flips flips = noise_flip(late, n, noise.alpha);

	row->late = sum_of(late, n) / (double)row->steps;
	row->p = flips.p;
	row->chance = flips.chance / (double)row->steps;
}

/* Share of the CPU time of its node's ranks that the hypervisor took, or NAN. */
static const char steal_sql[] =
	"select m.value from metric m join node n on m.subject = 'node:' || n.hostname where "
	"m.run_id = ?1 and m.\"window\" = 'run' and m.model = 'counters' and m.name = 'stolen' and n.id = ?2";

/* The same of its node's GPUs' clocks. */
static const char clock_sql[] =
	"select 1 - m.value from metric m join node n on m.subject = 'node:' || n.hostname where "
	"m.run_id = ?1 and m.\"window\" = 'run' and m.model = 'counters' and m.name = 'gpu_clock' and n.id = ?2";

/* What a first thread waited for a core between two readings at most. */
static const char error_sql[] =
	"select max(more) from (select value - lag(value) over (order by t_ns) as more from sample "
	"where run_id = ?1 and name = 'proc.core_waited' and process_id = ?2)";

/* Cycles in a second of useful time of a rank's main thread; NAN: not counted. */
static double clock_of(const struct engine *engine, const struct process *process)
{
	const struct track *track = process->main == MODEL_NONE ? NULL
								: &engine->tracks[process->main];

	return track && track->work.of[WORK_CYCLES].any && track->spent[HOST_USEFUL] > 0
		? track->work.of[WORK_CYCLES].useful / (double)track->spent[HOST_USEFUL]
		: NAN;
}

static double clock_best(const struct engine *engine)
{
	double best = NAN;

	for (size_t i = 0; i < engine->tables.model.processes.n; i++)
		if (engine->tables.model.processes.at[i].rank >= 0)
			best = fmax(best, clock_of(engine, &engine->tables.model.processes.at[i]));
	return best;
}

/* What is not known takes nothing off. */
static double known(double value)
{
	return value > 0 ? value : 0;
}

static void machine_set(struct engine *engine, const struct process *process,
	const struct step_range *range, double best, struct row *row)
{
	int64_t node = process->node == MODEL_NONE ? 0 : (int64_t)process->node + 1;
	double part = range->own / range->length;

	row->contention = part *
		crowd_without_core(engine, (uint32_t)(process - engine->tables.model.processes.at),
			range) /
		(double)row->steps;
	row->error = 2 * part * ask_number(engine, error_sql, process->id) / (double)row->steps;
	row->steal = row->ns * ask_number(engine, steal_sql, node);
	row->frequency = row->ns *
		(engine->tables.model.devices.n ? ask_number(engine, clock_sql, node)
						: 1 - clock_of(engine, process) / best);
	row->free = row->ns - known(row->contention) - known(row->steal) - known(row->frequency);
}

#define PART_NAME(id, name) [PART_##id] = name,
static const char *const names[] = { STEP_PARTS(PART_NAME) };

/* The p-value from the order of a small number of steps; NAN: there are too many steps for it. */
static double order_of(const struct late_steps *steps, const struct few *few, size_t process)
{
	double own[STEPS_FEW];
	size_t n = 0;

	for (size_t i = steps->first[process]; i < steps->first[process + 1] && n < STEPS_FEW; i++)
		own[n++] = steps->rows.at[i].excess + steps->rows.at[i].others;
	return few->n ? few_order(few, own, n) : NAN;
}

static void rank_write(struct engine *engine, const struct late_steps *steps, size_t process,
	double best, double order)
{
	const struct process *of = &engine->tables.model.processes.at[process];
	struct step_range range = step_range_of(steps, process, steps->low, steps->high);
	double parts[PART_COUNT][NOISE_BLOCKS] = { 0 }, own[NOISE_BLOCKS] = { 0 };
	struct row row = { .rank = of->rank, .quantity = "own", .steps = range.n };
	size_t n = ranges_count(steps);

	if (!range.n || range.length <= 0)
		return;
	ranges_add(steps, process, parts);
	for (size_t i = 0; i < n; i++)
		for (int part = 0; part < PART_COUNT; part++)
			own[i] += parts[part][i];
	row.ns = range.own / (double)range.n;
	late_set(&row, own, n);
	row.p = isnan(order) ? row.p : order;
	machine_set(engine, of, &range, best, &row);
	row_put(engine, &row);
	row.ns = row.contention = row.error = row.steal = row.frequency = row.free = NAN;
	for (int part = 0; part < PART_COUNT; part++) {
		row.quantity = names[part];
		late_set(&row, parts[part], n);
		if (row.late != 0)
			row_put(engine, &row);
	}
}

void noise_write(struct engine *engine, const struct late_steps *steps, const struct few *few)
{
	double best = clock_best(engine);

	if (engine->tables.model.nranks < 2 || !steps->rows.n)
		return;
	for (size_t i = 0; i < engine->tables.model.processes.n && !engine->tables.failed; i++)
		if (engine->tables.model.processes.at[i].rank >= 0)
			rank_write(engine, steps, i, best, order_of(steps, few, i));
}
