/*
 * noise.c - the table noise: of each rank how long its own time of a step would be without what the
 * machine did to it, and how much of its lateness is a matter of chance; see noise.h. Lateness is
 * that of straggler_sums.c, so parts add up here as there.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "db/query.h"
#include "engine/engine.h"
#include "metrics/noise.h"
#include "metrics/straggler.h"
#include "tables/noise.def"

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

/* The steps of the run, cut into as many ranges of the same length as signs are asked for. */
struct ranges {
	int64_t first, last;
	size_t n;
};

static struct ranges ranges_of(const struct step_sums *sums)
{
	int64_t first = sums->first * ((int64_t)1 << sums->shift);
	int64_t n = (int64_t)sums->nblocks * ((int64_t)1 << sums->shift);

	return (struct ranges){ first, first + n - 1,
		sums->nblocks < NOISE_BLOCKS ? sums->nblocks : NOISE_BLOCKS };
}

static void range_late(const struct step_sums *sums, size_t process, const struct ranges *ranges,
	size_t i, int64_t late[PART_COUNT])
{
	int64_t n = ranges->last - ranges->first + 1, many = (int64_t)ranges->n;
	int64_t first = ranges->first + n * (int64_t)i / many;
	int64_t end = ranges->first + n * (int64_t)(i + 1) / many;

	step_sums_late(sums, process, first, end - 1, late);
}

/* Neighbouring steps share what disturbs them: their signs are a matter of chance together. */
static void chance_set(struct row *row, const double *late, size_t n)
{
	struct noise_flips flips = noise_flip(late, n, noise.alpha);

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

static double ask(struct engine *engine, const char *sql, int64_t about)
{
	sqlite3_stmt *select = query_prepare(engine->tables.db.handle, sql, 1,
		&engine->tables.failed);
	double value = NAN;

	sqlite3_bind_int64(select, 2, about);
	if (query_row_next(select, &engine->tables.failed) &&
		sqlite3_column_type(select, 0) != SQLITE_NULL)
		value = sqlite3_column_double(select, 0);
	sqlite3_finalize(select);
	return value;
}

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
	double part = (double)range->own / (double)range->length;

	row->contention = part *
		crowd_without_core(engine, (uint32_t)(process - engine->tables.model.processes.at),
			range) /
		(double)row->steps;
	row->error = 2 * part * ask(engine, error_sql, process->id) / (double)row->steps;
	row->steal = row->ns * ask(engine, steal_sql, node);
	row->frequency = row->ns *
		(engine->tables.model.devices.n ? ask(engine, clock_sql, node)
						: 1 - clock_of(engine, process) / best);
	row->free = row->ns - known(row->contention) - known(row->steal) - known(row->frequency);
}

#define PART_NAME(id, name) [PART_##id] = name,
static const char *const names[] = { STEP_PARTS(PART_NAME) };

static void rank_write(struct engine *engine, const struct step_sums *sums, size_t process,
	double best, double order)
{
	const struct process *of = &engine->tables.model.processes.at[process];
	struct ranges ranges = ranges_of(sums);
	struct step_range range = step_sums_range(sums, process, ranges.first, ranges.last);
	double parts[PART_COUNT][NOISE_BLOCKS], own[NOISE_BLOCKS];
	struct row row = { .rank = of->rank, .quantity = "own", .steps = range.n };
	int64_t late[PART_COUNT];

	if (!range.n || range.length <= 0)
		return;
	for (size_t i = 0; i < ranges.n; i++) {
		range_late(sums, process, &ranges, i, late);
		own[i] = (double)parts_sum(late);
		for (int part = 0; part < PART_COUNT; part++)
			parts[part][i] = (double)late[part];
	}
	step_sums_late(sums, process, ranges.first, ranges.last, late);
	row.ns = (double)range.own / (double)range.n;
	row.late = (double)parts_sum(late) / (double)range.n;
	chance_set(&row, own, ranges.n);
	row.p = isnan(order) ? row.p : order;
	machine_set(engine, of, &range, best, &row);
	row_put(engine, &row);
	row.ns = row.contention = row.error = row.steal = row.frequency = row.free = NAN;
	for (int part = 0; part < PART_COUNT; part++) {
		if (!late[part])
			continue;
		row.quantity = names[part];
		row.late = (double)late[part] / (double)range.n;
		chance_set(&row, parts[part], ranges.n);
		row_put(engine, &row);
	}
}

void noise_write(struct engine *engine, struct step_sums *sums, const double *order)
{
	double best = clock_best(engine);

	if (engine->tables.model.nranks < 2 || engine->tables.failed ||
		step_sums_read(engine, sums) < 0)
		return;
	for (size_t i = 0; i < engine->tables.model.processes.n && !engine->tables.failed; i++)
		if (engine->tables.model.processes.at[i].rank >= 0)
			rank_write(engine, sums, i, best, order[i]);
}
