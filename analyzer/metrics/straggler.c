/* straggler.c - the table straggler, from the steps; see straggler.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "base/log.h"
#include "base/median.h"
#include "metrics/metric.h"
#include "metrics/noise.h"
#include "metrics/straggler.h"
#include "db/query.h"
#include "tables/straggler.def"

enum { MAX_STRETCHES = 16 };

/*
 * Time that a rank's threads and children spent in I/O. For readers of files also their total time,
 * and the largest share of its life that one of them was busy. HELPER_LACKED: upper bound of its
 * children's time without a core (NAN: no account of their CPU time).
 */
enum helper { HELPER_IO, HELPER_READ, HELPER_READING, HELPER_LACKED, HELPER_COUNT };

/* What is needed to inspect all ranks one after the other. */
struct straggler_search {
	double (*helpers)[HELPER_COUNT], *scratch; /* by process; for all of them twice */
	struct late_steps steps;
	struct few few;
	double *x, *base; /* of one rank's steps */
};

/* The node has fewer cores for its ranks than others have. */
enum { PART_CONTENTION = PART_COUNT };

#define PART_NAME(id, name) [PART_##id] = name,
static const char *const part_names[] = { STEP_PARTS(PART_NAME)[PART_CONTENTION] = "contention" };

/* Joined by keys: `cross join` keeps the order of the text. */
const char straggler_helpers_sql[] =
	"with spent as materialized (select l.process_id, l.bytes_read > 0 and not (l.is_main "
	"and p.rank is not null) as reads, sum(t.ns) as life, "
	"sum(case when t.state in ('io', 'useful') then t.ns else 0 end) as busy, "
	"sum(case t.state when 'io' then t.ns else 0 end) as io from location l "
	"cross join process p on p.id = l.process_id cross join location_time t on t.run_id = 1 "
	"and t.location_id = l.id where l.run_id = 1 group by l.id), "
	"member as materialized (select p.id, p.rank, coalesce(p.parent_id, p.id) as owner, "
	"sum(s.io) as io, sum(s.busy) as busy, total(iif(s.reads, s.busy, 0)) as read, "
	"max(iif(s.reads and s.life > 0, 1.0 * s.busy / s.life, 0)) as reading, (select max(c.value) "
	"from sample c where c.run_id = 1 and c.node_id = p.node_id and c.process_id = p.id "
	"and c.name = 'proc.cpu') as cpu from spent s cross join process p on p.id = s.process_id "
	"group by p.id) select cast(owner as integer), total(io), total(read), max(reading), "
	"iif(min(rank is not null or cpu is not null) and max(rank is null), "
	"total(iif(rank is null, max(0.0, busy - cpu), 0)), null) from member group by 1";

static bool helpers_read(struct engine *engine, struct straggler_search *search)
{
	sqlite3_stmt *select = query_prepare(engine->tables.db.handle, straggler_helpers_sql, 1,
		&engine->tables.failed);

	for (size_t i = 0; i < engine->tables.model.processes.n; i++)
		search->helpers[i][HELPER_LACKED] = NAN;
	while (query_row_next(select, &engine->tables.failed))
		for (int i = 0; i < HELPER_COUNT; i++)
			search->helpers[sqlite3_column_int64(select, 0) - 1][i] =
				sqlite3_column_type(select, 1 + i) == SQLITE_NULL
				? NAN
				: sqlite3_column_double(select, 1 + i);
	sqlite3_finalize(select);
	return !engine->tables.failed;
}

/* A stretch of a rank's steps, and its explanation. */
struct late {
	uint32_t process;
	const struct late_step *steps; /* its `n` steps, of nsteps */
	size_t n, nsteps;
	double excess, others, caused, length; /* sums over them; caused: of each other rank */
	int64_t parts[PART_COUNT], contention, waited; /* parts: without contention */
	int cause;				       /* a part, or PART_CONTENTION */
	double cause_share;
	struct crowd_core core;
};

/* The largest part, and how much it is of those above 0. */
static void cause_set(struct late *late)
{
	int64_t most = 0, sum = 0;

	late->cause = PART_COMPUTE;
	for (int part = 0; part < PART_COUNT; part++) {
		sum += late->parts[part] > 0 ? late->parts[part] : 0;
		if (late->parts[part] > most)
			most = late->parts[part], late->cause = part;
	}
	late->cause_share = sum > 0 ? (double)most / (double)sum : NAN;
}

/* What the process's helpers have of a figure above the median of the other ranks'. */
static double helpers_excess(const struct engine *engine, const struct straggler_search *search,
	uint32_t process, enum helper helper)
{
	size_t n = 0;

	for (size_t i = 0; i < engine->tables.model.processes.n; i++)
		if (i != process && engine->tables.model.processes.at[i].rank >= 0)
			search->scratch[n++] = search->helpers[i][helper];
	return n ? search->helpers[process][helper] - median_of(search->scratch, n) : NAN;
}

/* Who lacks a core does so now for longer, now for less: not in all steps, and always as long. */
static bool is_steady(const struct late *late, double level)
{
	size_t n = 0;

	for (size_t i = 0; i < late->n; i++)
		n += fabs(late->steps[i].excess - level) <= noise.steady * level;
	return n >= (1 - noise.steady) * late->n;
}

/*
 * A main thread that waits for its helpers waits for their work. The cause is I/O if the helpers of
 * the other ranks spent less time in I/O by at least half of the wait. Returns false if helpers
 * that read all the time did no more than the others' helpers: samples arrive at the same rate in
 * all ranks, only later in this rank's step. Also false if ranks lack cores, since helpers may lack
 * them as well.
 */
static bool wait_resolve(const struct engine *engine, const struct straggler_search *search,
	double level, struct late *late)
{
	const double *mine = search->helpers[late->process], least = noise.most * level * late->n;

	if (late->cause != PART_WAIT && late->cause != PART_READERS)
		return true;
	if (helpers_excess(engine, search, late->process, HELPER_IO) >= least) {
		late->cause = PART_IO;
		return true;
	}
	if (search->steps.all_crowded && !(late->core.without < noise.crowded) &&
		!is_steady(late, level) && !(mine[HELPER_LACKED] < (1 - noise.part) * late->excess))
		return false;
	return mine[HELPER_READING] < noise.reading ||
		!(helpers_excess(engine, search, late->process, HELPER_READ) < least);
}

/*
 * By how much longer the kernels of a process's devices are than each other process's, as a share
 * of the latter: by the medians and by the shortest, the smaller of both. Stand-ins compute on
 * cores and now and then have none, which affects neither. NULL: there are no two to compare.
 */
static const char more_sql[] =
	"with work as (select o.process_id, sum(k.calls * coalesce(k.median_ns, k.min_ns)) as typical, "
	"sum(k.calls * k.min_ns) as least from kernel k "
	"join device_owner o on o.run_id = k.run_id and o.device_id = k.device_id "
	"where k.run_id = 1 and k.class not in ('nccl', 'memory') group by o.process_id) "
	"select min(min(1.0 * a.typical / b.typical, 1.0 * a.least / b.least)) - 1 "
	"from work a join work b on b.process_id <> a.process_id where a.process_id = ?2";

/*
 * Where cores are short all ranks are late in turn. Who is slow there is so by half for a quarter
 * of the steps and a tenth of their time, and holds the others up for at least half of that; with a
 * quarter more time on a core, or a tenth when it is twice as slow (or the kernel keeps no account of
 * it), or with kernels that are longer by a quarter. Else only a node that others do not resemble can
 * be the cause.
 */
static bool scarcity_explains(struct engine *engine, const struct straggler_search *search,
	struct late *late)
{
	/* all of its lateness but data transfer */
	int64_t own = parts_sum(late->parts) + late->contention - late->parts[PART_LINK];
	bool enough = late->core.excess >= noise.scarce_core * late->core.others ||
		(late->excess >= late->others &&
			!(late->core.excess < noise.scarce_share * late->core.others)) ||
		(engine->tables.model.devices.n &&
			ask_number(engine, more_sql, late->process + 1) >= noise.scarce_core);

	if (late->n < noise.part * late->nsteps || late->caused < noise.most * late->excess ||
		late->excess < noise.most * late->others ||
		late->excess < noise.scarce_share * late->length)
		return true;
	if (enough && (double)own >= noise.most * late->excess)
		return false;
	late->cause = PART_CONTENTION;
	return search->steps.all_crowded;
}

/*
 * True if the process is not late by its own work: it had no core for most of the additional time,
 * or its slowdown is below the share of time in which the node's ranks had no core.
 */
static bool noise_explains(struct engine *engine, const struct straggler_search *search,
	struct late *late)
{
	const struct crowd_core *core = &late->core;

	if (late->cause == PART_SLEEP)
		return false; /* the program asked for it */
	if (isnan(core->excess) ? search->steps.crowded[late->process]
				: core->without >= noise.scarce)
		return scarcity_explains(engine, search, late);
	return core->excess < noise.most * late->excess ||
		late->excess < core->without * late->others;
}

/* What made the process slow in a stretch. False: it only seems so. */
static bool late_explain(struct engine *engine, const struct straggler_search *search, double level,
	struct late *late)
{
	int64_t first = late->steps[0].n, last = late->steps[late->n - 1].n;
	int64_t *compute = &late->parts[PART_COMPUTE];

	for (const struct late_step *step = late->steps; step < late->steps + late->n; step++) {
		late->excess += step->excess;
		late->others += step->others;
		late->caused += step->caused / (engine->tables.model.nranks - 1);
		late->length += (double)(step->end - step->start);
		late->waited += step->waited;
		for (int part = 0; part < PART_COUNT; part++)
			late->parts[part] += step->late[part];
	}
	late->core = engine->tables.model.devices.n
		? (struct crowd_core){ NAN, NAN, NAN, NAN }
		: crowd_core_find(engine, &search->steps, late->process, first, last,
			  search->scratch);
	/* run-queue wait of the rank is part of its computing time */
	late->contention = late->core.waited > 0 ? llround(late->core.waited) : 0;
	if (late->contention > *compute)
		late->contention = *compute > 0 ? *compute : 0;
	*compute -= late->contention;
	if (search->steps.crowded[late->process])
		late->parts[PART_LINK] = 0; /* time in MPI is time without a core there */
	cause_set(late);
	return wait_resolve(engine, search, level, late) && !noise_explains(engine, search, late);
}

static const struct db_table table = DB_TABLE(straggler, "insert", STRAGGLER_COLUMNS);

static void straggler_put(struct engine *engine, const struct late *late,
	const struct stretch *stretch)
{
	double confidence = (1 - fmin(1, stretch->p * engine->tables.model.nranks)) *
		(isnan(late->cause_share) ? 1 : late->cause_share);

	db_put_row(&engine->tables.db, &table, DB_ROW(STRAGGLER_COLUMNS));
}

static void rank_write(struct engine *engine, uint32_t process, struct straggler_search *search)
{
	const struct late_step *steps = &search->steps.rows.at[search->steps.first[process]];
	size_t nsteps = search->steps.first[process + 1] - search->steps.first[process];
	double alpha = noise.alpha / engine->tables.model.nranks;
	struct stretch found[MAX_STRETCHES];
	int n;

	for (size_t i = 0; i < nsteps; i++)
		search->x[i] = steps[i].excess, search->base[i] = steps[i].others;
	n = search->few.n
		? few_slow(&search->few, search->x, search->base, nsteps, alpha, found)
		: series_slow(search->x, search->base, nsteps, alpha, found, MAX_STRETCHES);
	engine->tables.failed |= n < 0;
	for (int i = 0; i < n && !engine->tables.failed; i++) {
		struct late late = { .process = process,
			.steps = steps + found[i].first,
			.n = found[i].end - found[i].first,
			.nsteps = nsteps };

		if (late_explain(engine, search, found[i].level, &late))
			straggler_put(engine, &late, &found[i]);
	}
}

/*
 * Noise that lasts for seconds slows one rank now and another one later. If half of the ranks are
 * slow at times, and never in the same steps, none of them is a straggler.
 */
static void rivals_delete(struct engine *engine)
{
	static const char sql[] =
		"with late as (select rank, sum(excess_ns * (until_step - since_step + 1.0)) as excess "
		"from straggler group by rank) delete from straggler where rank in (select a.rank "
		"from late a join late b on b.rank <> a.rank and b.excess >= ?1 * a.excess "
		"where not exists (select 1 from straggler x join straggler y "
		"on x.since_step <= y.until_step and y.since_step <= x.until_step where x.rank = "
		"a.rank and y.rank = b.rank) "
		"group by a.rank having count(*) + 1 >= ?2)";

	db_put(&engine->tables.db, sql, "dd", noise.turns,
		noise.turns_ranks * engine->tables.model.nranks);
}

/* Room for the longest series; where each rank has few steps, all of them in order. */
static bool search_prepare(struct straggler_search *search, size_t nprocesses)
{
	const struct late_steps *steps = &search->steps;
	size_t most = 0;

	for (size_t i = 0; i < nprocesses; i++)
		if (steps->first[i + 1] - steps->first[i] > most)
			most = steps->first[i + 1] - steps->first[i];
	search->x = calloc(most + 1, sizeof(*search->x));
	search->base = calloc(most + 1, sizeof(*search->base));
	search->few.all = calloc(steps->rows.n + 1, sizeof(*search->few.all));
	if (!search->x || !search->base || !search->few.all)
		return false;
	for (size_t i = 0; i < steps->rows.n && most < noise.few_steps; i++)
		search->few.all[search->few.n++] = steps->rows.at[i].excess +
			steps->rows.at[i].others;
	qsort(search->few.all, search->few.n, sizeof(*search->few.all), compare_numbers);
	return true;
}

void stragglers_write(struct engine *engine)
{
	size_t n = engine->tables.model.processes.n;
	struct straggler_search search = { .helpers = calloc(n + 1, sizeof(*search.helpers)),
		.scratch = calloc(2 * n + 2, sizeof(*search.scratch)) };

	step_devices_write(engine);
	if (search.helpers && search.scratch && crowds_read(engine, &search.steps) &&
		late_steps_read(engine, &search.steps) && helpers_read(engine, &search) &&
		search_prepare(&search, n)) {
		for (size_t i = 0; i < n && !engine->tables.failed; i++)
			if (engine->tables.model.processes.at[i].rank >= 0)
				rank_write(engine, (uint32_t)i, &search);
		rivals_delete(engine);
		noise_write(engine, &search.steps, &search.few);
	} else {
		log_error("cannot search for stragglers: %s",
			sqlite3_errmsg(engine->tables.db.handle));
		engine->tables.failed = true;
	}
	late_steps_free(&search.steps);
	free(search.few.all);
	free(search.helpers);
	free(search.scratch);
	free(search.x);
	free(search.base);
}
