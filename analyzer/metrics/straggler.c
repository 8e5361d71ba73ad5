/* straggler.c - the table straggler, from the steps; see straggler.h. */
#include "config.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "engine/engine.h"
#include "base/log.h"
#include "base/median.h"
#include "metrics/noise.h"
#include "metrics/straggler.h"
#include "db/query.h"
#include "tables/straggler.def"

enum { MAX_STRETCHES = 16, MAX_STEPS = 1 << 20 };

/* One rank's steps. */
struct steps {
	ARRAY_OF(int64_t) n;
	ARRAY_OF(double) excess;
	ARRAY_OF(double) others;
	ARRAY_OF(double) caused; /* time that other ranks waited for it, their sum */
	ARRAY_OF(double) length;
};

/*
 * What the threads and children of a rank spent in I/O during the run; of those that read for it
 * also what they did in all, and the largest share of its life that one did something. What its
 * children did without a core, at most (NAN: they have no account of their CPU time), and with one.
 */
struct helpers {
	double io, read, reading, lacked, ran;
};

/* What is needed to inspect all ranks one after the other. */
struct search {
	struct helpers *helpers; /* by process */
	double *scratch;
	struct crowd crowd;
	struct step_sums sums; /* read when they are first wanted */
	struct few few;
};

static void steps_empty(struct steps *steps)
{
	steps->n.n = steps->excess.n = steps->others.n = steps->caused.n = steps->length.n = 0;
}

static bool step_add(struct steps *steps, int64_t n, double excess, double own, double caused,
	double length)
{
	int64_t *to_n = ARRAY_ADD(&steps->n);
	double *to_excess = ARRAY_ADD(&steps->excess), *to_others = ARRAY_ADD(&steps->others);
	double *to_caused = ARRAY_ADD(&steps->caused), *to_length = ARRAY_ADD(&steps->length);

	if (!to_n || !to_excess || !to_others || !to_caused || !to_length)
		return false;
	*to_n = n;
	*to_excess = excess;
	*to_others = own - excess;
	*to_caused = caused;
	*to_length = length;
	return true;
}

static bool steps_read(sqlite3_stmt *select, struct steps *steps)
{
	steps_empty(steps);
	while (sqlite3_step(select) == SQLITE_ROW && steps->n.n < MAX_STEPS)
		if (!step_add(steps, sqlite3_column_int64(select, 0),
			    sqlite3_column_double(select, 1), sqlite3_column_double(select, 2),
			    sqlite3_column_double(select, 3), sqlite3_column_double(select, 4)))
			return false;
	return true;
}

/* As steps_sql has it. */
static int64_t row_own(const struct step_row *row, bool limited)
{
	if (row->crowded)
		return own_outside(row);
	return (limited ? row->outside + row->mpi : row->end - row->start) - row->waited;
}

/* The same of steps in memory. */
static bool steps_take(const struct step_rows *rows, size_t process, bool limited,
	struct steps *steps)
{
	steps_empty(steps);
	for (size_t i = rows->first[process]; i < rows->first[process + 1]; i++) {
		const struct step_row *row = &rows->rows.at[rows->order[i]];

		if (row->compared && !row->cut &&
			!step_add(steps, row->n, (double)row->excess, (double)row_own(row, limited),
				(double)row->caused, (double)(row->end - row->start)))
			return false;
	}
	return true;
}

/* The node has fewer cores for its ranks than others have. */
enum { PART_CONTENTION = PART_COUNT };

#define PART_NAME(id, name) [PART_##id] = name,
static const char *const part_names[] = { STEP_PARTS(PART_NAME)[PART_CONTENTION] = "contention" };

/* Each part is one pass, joined by keys: the order of `cross join` is that of the text, and no part searches for a row's. */
const char straggler_helpers_sql[] =
	"with busy as materialized (select l.process_id, sum(t.ns) as ns from location l "
	"cross join location_time t on t.run_id = 1 and t.location_id = l.id where l.run_id = 1 "
	"and t.state in ('io', 'useful') group by 1), "
	"child as materialized (select p.parent_id, (select max(s.value) from sample s "
	"where s.run_id = 1 and s.node_id = p.node_id and s.process_id = p.id "
	"and s.name = 'proc.cpu') as cpu, coalesce(b.ns, 0.0) as busy "
	"from process p left join busy b on b.process_id = p.id "
	"where p.run_id = 1 and p.rank is null and p.parent_id is not null), "
	"children as materialized (select parent_id, case when count(cpu) = count(*) "
	"then sum(max(0.0, busy - cpu)) end as lacked, total(cpu) as ran from child group by 1), "
	"io as materialized (select cast(coalesce(p.parent_id, p.id) as integer) as id, sum(c.ns) "
	"as ns from temp.io_call c cross join process p on p.id = c.process_id group by 1), "
	"life as materialized (select l.id, l.process_id, sum(t.ns) as life, "
	"sum(case when t.state in ('io', 'useful') then t.ns else 0 end) as ns "
	"from location l cross join location_time t on t.run_id = 1 and t.location_id = l.id "
	"where l.run_id = 1 and l.bytes_read > 0 "
	"and not (l.is_main and l.process_id in (select id from process where rank is not null)) "
	"group by l.id), "
	"reader as materialized (select cast(coalesce(p.parent_id, p.id) as integer) as "
	"process_id, sum(f.ns) as ns, "
	"max(1.0 * f.ns / f.life) as share from life f cross join process p on p.id = f.process_id "
	"where f.life > 0 group by 1) "
	"select p.id, total(io.ns), total(r.ns), total(r.share), c.lacked, total(c.ran) "
	"from process p left join io on io.id = p.id "
	"left join reader r on r.process_id = p.id left join children c on c.parent_id = p.id "
	"where p.run_id = 1 and p.rank is not null group by p.id";

/* As the table `call` has it, which has a row for each process and region. */
static void io_gather(struct engine *engine)
{
	const struct model *model = &engine->tables.model;

	db_put(&engine->tables.db, "create temp table io_call(process_id integer, ns integer)", "");
	for (size_t p = 0; p < model->processes.n; p++)
		if (engine->tables.calls[p].nio)
			db_put(&engine->tables.db, "insert into temp.io_call values (?,?)", "ii",
				model->processes.at[p].id, (int64_t)engine->tables.calls[p].io_ns);
}

static bool helpers_read(struct engine *engine, struct helpers *helpers)
{
	sqlite3_stmt *select = NULL;

	io_gather(engine);
	if (sqlite3_prepare_v2(engine->tables.db.handle, straggler_helpers_sql, -1, &select,
		    NULL) != SQLITE_OK) {
		log_error("cannot read the calls: %s", sqlite3_errmsg(engine->tables.db.handle));
		return false;
	}
	while (sqlite3_step(select) == SQLITE_ROW) {
		struct helpers *of = &helpers[sqlite3_column_int64(select, 0) - 1];

		of->io = sqlite3_column_double(select, 1);
		of->read = sqlite3_column_double(select, 2);
		of->reading = sqlite3_column_double(select, 3);
		of->lacked = sqlite3_column_type(select, 4) == SQLITE_NULL
			? NAN
			: sqlite3_column_double(select, 4);
		of->ran = sqlite3_column_double(select, 5);
	}
	sqlite3_finalize(select);
	return true;
}

struct cause {
	int part; /* or PART_CONTENTION */
	double share;
};

/* The largest part, and how much it is of those above 0. */
static struct cause cause_of(const int64_t late[PART_COUNT])
{
	struct cause cause = { PART_COMPUTE, NAN };
	int64_t most = 0, sum = 0;

	for (int part = 0; part < PART_COUNT; part++) {
		sum += late[part] > 0 ? late[part] : 0;
		if (late[part] > most)
			most = late[part], cause.part = part;
	}
	cause.share = sum > 0 ? (double)most / (double)sum : NAN;
	return cause;
}

/* What the process's helpers have of a figure above the median of the other ranks'. */
static double excess_of(const struct engine *engine, const struct search *search, uint32_t process,
	size_t figure)
{
	size_t n = 0;
	double mine = *(const double *)((const char *)&search->helpers[process] + figure);

	for (size_t i = 0; i < engine->tables.model.processes.n; i++)
		if (i != process && engine->tables.model.processes.at[i].rank >= 0)
			search->scratch[n++] = *(
				const double *)((const char *)&search->helpers[i] + figure);
	return n ? mine - median_of(search->scratch, n) : NAN;
}

/* Whether helpers may be what it waited for. */
static bool part_is_helped(int part)
{
	return part == PART_WAIT || part == PART_READERS;
}

/*
 * A main thread that waits for its helpers waits for what they do: for I/O,
 * when those of the other ranks spent less in it by at least half of the wait.
 * Returns false where helpers that read all the time did no more than those of
 * the others: samples come at their pace to all ranks, to this one only later
 * in the step, and the others would have to wait for their next ones instead.
 */
static bool wait_resolve(const struct engine *engine, const struct search *search, uint32_t process,
	double waited, struct cause *cause)
{
	double io = excess_of(engine, search, process, offsetof(struct helpers, io));
	double read = excess_of(engine, search, process, offsetof(struct helpers, read));

	if (!part_is_helped(cause->part) || isnan(io))
		return true;
	if (io >= noise.most * waited)
		cause->part = PART_IO;
	return io >= noise.most * waited || read >= noise.most * waited ||
		search->helpers[process].reading < noise.reading;
}

/*
 * What others waited for a process in these steps; where some have no row, as in those that have
 * one.
 */
static int64_t caused_ns(struct engine *engine, int64_t process, int64_t first, int64_t last)
{
	sqlite3_stmt *select = query_prepare(engine->tables.db.handle,
		"select coalesce(sum(caused_ns * stands_for), 0) from step where run_id = ?1 and "
		"process_id = ?2 and n between ?3 and ?4",
		1, &engine->tables.failed);
	int64_t ns = 0;

	sqlite3_bind_int64(select, 2, process);
	sqlite3_bind_int64(select, 3, first);
	sqlite3_bind_int64(select, 4, last);
	if (query_row_next(select, &engine->tables.failed))
		ns = sqlite3_column_int64(select, 0);
	sqlite3_finalize(select);
	return ns;
}

static const struct db_table table = DB_TABLE(straggler, "insert", STRAGGLER_COLUMNS);

/* What is told of a stretch: its parts, from which what was contention has been taken. */
struct found {
	int64_t late[PART_COUNT], contention;
	struct cause cause;
};

static void straggler_put(struct engine *engine, uint32_t process, const struct steps *steps,
	const struct stretch *stretch, const struct found *found)
{
	const int64_t *late = found->late;
	int64_t contention = found->contention;
	const struct cause *cause = &found->cause;
	int64_t first = steps->n.at[stretch->first], last = steps->n.at[stretch->end - 1];
	const struct process *at = &engine->tables.model.processes.at[process];
	double excess = 0, others = 0, confidence;
	int64_t waited;

	for (size_t i = stretch->first; i < stretch->end; i++) {
		excess += steps->excess.at[i];
		others += steps->others.at[i];
	}
	waited = caused_ns(engine, at->id, first, last);
	confidence = (1 - fmin(1, stretch->p * engine->tables.model.nranks)) *
		(isnan(cause->share) ? 1 : cause->share);
	db_put_row(&engine->tables.db, &table, DB_ROW(STRAGGLER_COLUMNS));
}

/* Sums over a stretch. */
struct sums {
	double n, excess, others, caused, length;
};

static struct sums stretch_sum(const struct engine *engine, const struct steps *steps,
	const struct stretch *stretch)
{
	struct sums sums = { .n = stretch->end - stretch->first };

	for (size_t i = stretch->first; i < stretch->end; i++) {
		sums.excess += steps->excess.at[i];
		sums.others += steps->others.at[i];
		sums.caused += steps->caused.at[i] / (engine->tables.model.nranks - 1);
		sums.length += steps->length.at[i];
	}
	return sums;
}

/*
 * Where cores are short all ranks are late in turn. Who is slow there is so by half for a quarter
 * of the steps and a tenth of their time, and holds the others up for at least half of that; with a
 * third more time on a core, or a tenth when it is twice as slow (or the kernel keeps no account of
 * it), or with kernels that are longer by a third. Else only a node that others do not resemble can
 * be the cause.
 */
static bool crowd_explains(struct engine *engine, const struct search *search, uint32_t process,
	size_t nsteps, const struct sums *sums, const struct crowd_core *core, struct found *found)
{
	/* of what it is late all but moving data */
	int64_t own = parts_sum(found->late) + found->contention - found->late[PART_LINK];
	bool enough = core->excess >= noise.scarce_core * core->others ||
		(sums->excess >= sums->others &&
			!(core->excess < noise.scarce_share * core->others)) ||
		(engine->tables.model.devices.n &&
			straggler_device_more(engine, process) >= noise.scarce_core);

	if (sums->n < noise.part * nsteps || sums->caused < noise.most * sums->excess ||
		sums->excess < noise.most * sums->others ||
		sums->excess < noise.scarce_share * sums->length)
		return true;
	if (enough && (double)own >= noise.most * sums->excess)
		return false;
	found->cause.part = PART_CONTENTION;
	return search->crowd.all;
}

/* Who lacks a core does so now for longer, now for less: not in all steps, and always as long. */
static bool is_steady(const struct steps *steps, const struct stretch *stretch)
{
	size_t n = 0, nsteps = stretch->end - stretch->first;

	for (size_t i = stretch->first; i < stretch->end; i++)
		n += fabs(steps->excess.at[i] - stretch->level) <= noise.steady * stretch->level;
	return n >= (1 - noise.steady) * nsteps;
}

/*
 * Children that lack cores have less CPU time, not more: one that has much more of it than those of
 * the others has more to do, however long that takes without a core.
 */
static bool helpers_ran_longer(const struct engine *engine, const struct search *search,
	uint32_t process, double late)
{
	double mine = search->helpers[process].ran;
	double more = excess_of(engine, search, process, offsetof(struct helpers, ran));

	return more >= noise.part * late && mine >= (1 + noise.scarce_core) * (mine - more);
}

/*
 * Whether the process is late for nothing of its own: without a core for most of what it took
 * longer, or slower by less than the part of the time in which the node's ranks had none.
 */
static bool noise_explains(struct engine *engine, const struct search *search, uint32_t process,
	const struct steps *steps, const struct stretch *stretch, const struct crowd_core *core,
	struct found *found)
{
	struct sums sums = stretch_sum(engine, steps, stretch);

	if (found->cause.part == PART_SLEEP)
		return false; /* the program asked for it */
	if (part_is_helped(found->cause.part) && search->crowd.all &&
		!(core->without < noise.crowded) && !is_steady(steps, stretch) &&
		!(search->helpers[process].lacked < noise.most * sums.excess) &&
		!helpers_ran_longer(engine, search, process, sums.excess))
		return true; /* helpers have no core either */
	if (isnan(core->excess) ? crowd_has(&search->crowd, engine, process)
				: core->without >= noise.scarce)
		return crowd_explains(engine, search, process, steps->n.n, &sums, core, found);
	return core->excess < noise.most * sums.excess || sums.excess < core->without * sums.others;
}

/* What the rank waited for a core was in its computing. */
static void contention_take(struct found *found, const struct crowd_core *core)
{
	int64_t *compute = &found->late[PART_COMPUTE];

	found->contention = core->waited > 0 ? llround(core->waited) : 0;
	if (found->contention > *compute)
		found->contention = *compute > 0 ? *compute : 0;
	*compute -= found->contention;
}

/* What made the process slow in a stretch. False: it only seems so. */
static bool stretch_explain(struct engine *engine, struct search *search, uint32_t process,
	const struct steps *steps, const struct stretch *stretch, struct found *found)
{
	int64_t first = steps->n.at[stretch->first], last = steps->n.at[stretch->end - 1];
	struct crowd_core core = { NAN, NAN, NAN, NAN };

	step_sums_late(&search->sums, process, first, last, found->late);
	if (!engine->tables.model.devices.n)
		core = crowd_core_find(engine, &search->sums, process, first, last,
			search->scratch);
	contention_take(found, &core);
	if (crowd_has(&search->crowd, engine, process))
		found->late[PART_LINK] = 0; /* time in MPI is time without a core there */
	found->cause = cause_of(found->late);
	return wait_resolve(engine, search, process,
		       stretch->level * (stretch->end - stretch->first), &found->cause) &&
		!noise_explains(engine, search, process, steps, stretch, &core, found);
}

static void rank_write(struct engine *engine, uint32_t process, const struct steps *steps,
	struct search *search)
{
	struct stretch found[MAX_STRETCHES];
	uint32_t nranks = engine->tables.model.nranks;
	int n = search->few.nall
		? few_slow(&search->few, process, nranks, steps->excess.at, steps->others.at, found)
		: series_slow(steps->excess.at, steps->others.at, steps->n.n, noise.least_share,
			  noise.alpha / nranks, found, MAX_STRETCHES);

	if (!n && !search->few.nall)
		n = series_slow_folded(steps->excess.at, steps->others.at, steps->n.n,
			noise.least_share, noise.alpha / nranks, found, MAX_STRETCHES);
	if (n < 0 || (n > 0 && step_sums_read(engine, &search->sums) < 0))
		engine->tables.failed = true;
	for (int i = 0; i < n && !engine->tables.failed; i++) {
		struct found why;

		if (stretch_explain(engine, search, process, steps, &found[i], &why))
			straggler_put(engine, process, steps, &found[i], &why);
	}
}

/*
 * Of noise that lasts for seconds one rank has more now, another then. Where half of the ranks are
 * slow at times, none of them in the steps of the other, none is a straggler.
 */
static void rivals_delete(struct engine *engine)
{
	static const char sql[] =
		"delete from straggler where rank in (select a.rank from "
		"(select rank, sum(excess_ns * (until_step - since_step + 1.0)) as excess "
		"from straggler group by rank) a "
		"join (select rank, sum(excess_ns * (until_step - since_step + 1.0)) as excess "
		"from straggler group by rank) b "
		"on b.rank <> a.rank and b.excess >= ?1 * a.excess "
		"where not exists (select 1 from straggler x join straggler y "
		"on x.since_step <= y.until_step and y.since_step <= x.until_step where x.rank = "
		"a.rank and y.rank = b.rank) "
		"group by a.rank having count(*) + 1 >= ?2)";

	db_put(&engine->tables.db, sql, "dd", noise.turns,
		noise.turns_ranks * engine->tables.model.nranks);
}

/*
 * On a crowded node (?2) a step's own time is that outside of MPI. With a capture window (?3) parts
 * of steps may not have been recorded.
 */
static const char steps_sql[] =
	"select s.n, coalesce(c.excess, s.excess_ns), coalesce(c.own, case when ?3 then "
	"(select sum(h.ns) from host_time h where h.run_id = 1 and h.window = 'step:' || s.n "
	"and h.process_id = s.process_id and h.state <> 'absent') "
	"else s.end_ns - s.start_ns end - s.waited_ns), s.caused_ns, s.end_ns - s.start_ns "
	"from step s left join temp.crowd_step c "
	"on ?2 and c.process_id = s.process_id and c.n = s.n "
	"where s.run_id = 1 and s.process_id = ?1 and s.excess_ns is not null and not s.cut "
	"order by s.n";

/* Whether the capture was off for some time, or events were lost. */
static bool is_limited(const struct engine *engine)
{
	for (size_t i = 0; i < engine->tables.model.processes.n; i++) {
		uint32_t main = engine->tables.model.processes.at[i].main;

		if (main != MODEL_NONE && host_absent(engine->tracks[main].spent))
			return true;
	}
	return false;
}

/* Where the steps of ranks come from: memory, or the database. */
struct source {
	const struct step_rows *rows;
	sqlite3_stmt *select;
	bool limited;
};

static bool steps_get(const struct engine *engine, const struct search *search,
	const struct source *source, size_t process, struct steps *steps)
{
	if (source->rows)
		return steps_take(source->rows, process, source->limited, steps);
	sqlite3_reset(source->select);
	sqlite3_bind_int64(source->select, 1, engine->tables.model.processes.at[process].id);
	sqlite3_bind_int(source->select, 2, crowd_has(&search->crowd, engine, (uint32_t)process));
	sqlite3_bind_int(source->select, 3, source->limited);
	return steps_read(source->select, steps);
}

/* Steps of all ranks are inspected together where each has few. */
static void few_gather(struct engine *engine, struct search *search, const struct source *source,
	struct steps *steps)
{
	size_t n = engine->tables.model.processes.n;

	for (size_t i = 0; i < n && !engine->tables.failed; i++) {
		if (engine->tables.model.processes.at[i].rank < 0)
			continue;
		if (!steps_get(engine, search, source, i, steps))
			engine->tables.failed = true;
		else if (!few_add(&search->few, i, steps->excess.at, steps->others.at, steps->n.n))
			return;
	}
	few_finish(&search->few, n);
}

static void ranks_search(struct engine *engine, struct search *search, const struct source *source)
{
	struct steps steps = { 0 };

	few_gather(engine, search, source, &steps);
	for (size_t i = 0; i < engine->tables.model.processes.n && !engine->tables.failed; i++) {
		if (engine->tables.model.processes.at[i].rank < 0)
			continue;
		if (steps_get(engine, search, source, i, &steps))
			rank_write(engine, (uint32_t)i, &steps, search);
		else
			engine->tables.failed = true;
	}
	free(steps.n.at);
	free(steps.excess.at);
	free(steps.others.at);
	free(steps.caused.at);
	free(steps.length.at);
}

static void ranks_write(struct engine *engine, struct search *search)
{
	struct source source = { .rows = step_rows_whole(&engine->tables),
		.limited = is_limited(engine) };

	if (sqlite3_prepare_v2(engine->tables.db.handle, steps_sql, -1, &source.select, NULL) ==
		SQLITE_OK) {
		ranks_search(engine, search, &source);
	} else {
		log_error("cannot compute stragglers: %s",
			sqlite3_errmsg(engine->tables.db.handle));
		engine->tables.failed = true;
	}
	sqlite3_finalize(source.select);
}

void stragglers_write(struct engine *engine)
{
	size_t n = engine->tables.model.processes.n;
	struct search search = { .helpers = calloc(n + 1, sizeof(*search.helpers)),
		.scratch = calloc(2 * n + 2, sizeof(*search.scratch)) };

	if (!search.helpers || !search.scratch) {
		log_error("out of memory for the search for stragglers");
		engine->tables.failed = true;
	}
	straggler_device_steps(engine);
	engine->tables.failed |= crowd_read(engine, &search.crowd) < 0 ||
		few_open(&search.few, n) < 0;
	if (!engine->tables.failed && helpers_read(engine, search.helpers)) {
		ranks_write(engine, &search);
		rivals_delete(engine);
		noise_write(engine, &search.sums, search.few.order);
	} else {
		engine->tables.failed = true;
	}
	crowd_free(&search.crowd);
	few_close(&search.few);
	step_sums_free(&search.sums);
	free(search.helpers);
	free(search.scratch);
}
