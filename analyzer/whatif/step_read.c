/* step_read.c - reads the inputs of a step model from the tables; see step_model.h. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "db/query.h"
#include "whatif/step_model.h"

static const char ranks_sql[] =
	"select rank from process where run_id = ?1 and rank is not null order by rank";

static const char devices_sql[] =
	"select 1 from device_owner o where o.run_id = ?1 and o.rank is not null"
	" and exists (select 1 from device_time t where t.run_id = ?1 and t.\"window\" = 'run'"
	" and t.device_id = o.device_id and t.state in ('compute', 'nccl_wait', 'nccl_transfer', 'nccl', 'memcpy')) limit 1";

/* Their states in host_time are added after that: a scan in its own order is quicker than a join. */
static const char steps_sql[] =
	"select s.n, p.rank, s.stands_for, s.end_ns - s.start_ns - coalesce(s.waited_ns, 0),"
	" coalesce(max(0, u.ns - u.io_ns - u.mpi_ns - u.gloo_ns - u.cuda_ns - u.wait_ns - u.slept_ns), 0),"
	" coalesce(s.slept_ns, 0) + coalesce(u.slept_ns, 0), coalesce(s.readers_ns, 0),"
	" coalesce(u.wait_ns + u.slept_ns, 0), coalesce(u.io_ns, 0), 0, s.end_ns - s.start_ns,"
	" coalesce(u.mpi_ns + u.gloo_ns, 0), u.n is not null"
	" from process p cross join step s on s.run_id = ?1 and s.process_id = p.id"
	" left join step_sum u on u.run_id = s.run_id and u.process_id = s.process_id and u.n = s.n"
	" where p.run_id = ?1 and p.rank is not null and not s.cut";

static const char states_sql[] =
	"select cast(substr(h.\"window\", 6) as integer), p.rank, h.state, h.ns from host_time h"
	" cross join process p on p.id = h.process_id where h.run_id = ?1"
	" and h.\"window\" between 'step:' and 'step;' and p.rank is not null";

/*
 * Where a rank has devices its host waits for them, and so for other ranks, in calls of CUDA: the
 * time of its devices takes the place of the host's states, of several the mean. What the host
 * sleeps, reads or waits while a device works costs nothing: a part of own time is what devices
 * idle for it.
 */
static const char device_steps_sql[] =
	"with used as (select process_id, device_id, count(*) over (partition by process_id) as many"
	" from device_owner where run_id = ?1 and rank is not null and device_id in (select device_id"
	" from device_time where run_id = ?1 and \"window\" = 'run' and state in ('compute', 'nccl_wait', 'nccl_transfer', 'nccl',"
	" 'memcpy'))), spent as (select s.n, p.rank, s.stands_for, s.end_ns - s.start_ns as ns,"
	" coalesce(s.slept_ns, 0) as slept, coalesce(s.readers_ns, 0) as readers,"
	" total(case when t.state in ('nccl_wait', 'idle:mpi_wait', 'absent') then 0 else t.ns end)"
	" / u.many as own,"
	" total(case when t.state in ('compute', 'idle:host_compute') then t.ns end) / u.many as useful,"
	" total(case t.state when 'idle:wait' then t.ns end) / u.many as wait,"
	" total(case when t.state in ('idle:io_wait', 'idle:checkpoint') then t.ns end) / u.many as io,"
	" total(case when t.state in ('nccl_wait', 'nccl_transfer', 'nccl', 'idle:mpi_wait')"
	" then t.ns end) / u.many as communication"
	" from step s join process p on p.id = s.process_id join used u on u.process_id = p.id"
	" cross join device_time t on t.run_id = ?1 and t.device_id = u.device_id"
	" and t.\"window\" = 'step:' || s.n where s.run_id = ?1 and p.rank is not null and not s.cut"
	" group by s.process_id, s.n) select n, rank, stands_for, own, useful, min(slept, wait),"
	" min(readers, wait - min(slept, wait)), wait, io, 0, ns, communication, 0 from spent";

/*
 * For the rank with the most step time: this time and its number of steps, including steps without
 * a row; then the longest step without a row, -1 if other rows represent these.
 */
static const char measured_sql[] =
	"select max(s.ns + coalesce(r.ns, 0)) / 1e9, max(s.n + coalesce(r.steps, 0)),"
	" iif(max(s.standing) > 1, -1, coalesce(max(r.most), -1)) from (select process_id,"
	" sum(end_ns - start_ns) as ns, count(*) as n, max(stands_for) as standing from step"
	" where run_id = ?1 and not cut group by 1) s left join (select process_id,"
	" sum(steps) as steps, sum(ns) as ns, max(max_ns) as most from step_rest"
	" where run_id = ?1 group by 1) r on r.process_id = s.process_id";

/*
 * For each rank the time outside of its steps without waits for other ranks, and its sleep in it:
 * until its last step ends (-2), and after that (-1). Without steps all of it is before.
 * MPI_Finalize ends when all ranks have entered it: there the last one waits least. Empty if calls
 * are not in detail: the sums of the run then differ from the sums of the steps.
 */
static const char outside_sql[] =
	"with stepped as (select process_id as id, max(end_ns) as last,"
	" sum(end_ns - start_ns) as ns, total(waited_ns) as waited, total(slept_ns) as slept"
	" from step where run_id = ?1 group by 1), host as (select subject,"
	" total(case name when 'slept' then value end) as slept,"
	" total(case name when 'slept_after' then value end) as slept_after,"
	" total(case name when 'waited_ranks' then value end) as waited,"
	" total(case name when 'waited_ranks_after' then value end) as waited_after"
	" from metric where run_id = ?1 and \"window\" = 'run' and model = 'host' group by 1),"
	" outside as (select p.rank, p.start_ns, p.end_ns, coalesce(s.last, p.end_ns) as last,"
	" coalesce(s.ns, 0) as stepped, coalesce(s.waited, 0) as stepped_waited,"
	" coalesce(s.slept, 0) as stepped_slept, h.waited, h.slept,"
	" iif(s.last is null, 0, h.waited_after) as waited_after,"
	" iif(s.last is null, 0, h.slept_after) as slept_after,"
	" coalesce(c.total_ns, 0) - coalesce(min(c.total_ns) over (), 0) as finalizes"
	" from process p left join call c on c.run_id = p.run_id and c.process_id = p.id"
	" and c.name = 'MPI_Finalize' join host h on h.subject = 'rank:' || p.rank"
	" left join stepped s on s.id = p.id where p.run_id = ?1 and p.rank is not null"
	" and not exists (select 1 from metric where run_id = ?1 and \"window\" = 'run'"
	" and model = 'quality' and name = 'not_in_detail' and value > 0))"
	" select -2, rank, 1, last - start_ns - stepped"
	" - max(0, waited - waited_after - stepped_waited),"
	" max(0, slept - slept_after - stepped_slept) from outside"
	" union all select -1, rank, 1, end_ns - last - waited_after - finalizes, slept_after"
	" from outside"
	" where last < end_ns order by 1, 2";

/*
 * For each rank the time of its workers in samples, by the number of live workers. An idle worker
 * is not loading. Then the time that the thread which feeds the rank takes for its samples.
 */
static const char loading_sql[] =
	"with child as (select c.parent_id, c.start_ns, c.end_ns, sum(s.ns) as ns from process c"
	" join process p on p.id = c.parent_id and p.rank is not null"
	" join python_sample s on s.run_id = c.run_id and s.process_id = c.id and s.state = 'loading'"
	" where c.run_id = ?1 and c.rank is null group by c.id), alive as (select parent_id,"
	" sum(step) over (partition by parent_id order by t, step) as n from"
	" (select parent_id, start_ns as t, 1 as step from child union all"
	" select parent_id, end_ns, -1 from child)), most as (select parent_id, max(n) as n from alive"
	" group by 1) select p.rank, 1.0 * sum(c.ns) / m.n, 0 from child c"
	" join most m using (parent_id) join process p on p.id = c.parent_id group by p.rank"
	" union all select cast(substr(subject, length('rank:') + 1) as integer), value, 1"
	" from metric where run_id = ?1 and \"window\" = 'run' and model = 'host' and name = 'fed'";

/*
 * For each rank the share of its runnable time in which it had a core, between its first and last
 * step: run-queue wait counts as time of the current state.
 */
static const char cores_sql[] =
	"select rank, total(case name when 'proc.core_ran' then ns end) / nullif(sum(ns), 0) from (select"
	" p.rank, x.name, max(x.value) - min(x.value) as ns from process p join (select process_id,"
	" min(start_ns) as since, max(end_ns) as till from step where run_id = ?1 group by 1) s"
	" on s.process_id = p.id join sample x on x.run_id = p.run_id and x.node_id = p.node_id and x.process_id = p.id"
	" and x.name in ('proc.core_ran', 'proc.core_waited') and x.t_ns between s.since and s.till"
	" where p.run_id = ?1 and p.rank is not null group by 1, 2) group by 1 order by 1";

static int int64_compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int rank_find(const struct step_model *model, int64_t rank)
{
	const int64_t *at = bsearch(&rank, model->ranks.at, model->ranks.n, sizeof(rank),
		int64_compare);

	return at ? (int)(at - model->ranks.at) : -1;
}

/* What steps and the time outside of them have in common. */
static bool own_take(const struct step_model *model, struct step_own *step, sqlite3_stmt *row)
{
	int rank = rank_find(model, sqlite3_column_int64(row, 1));

	if (!step || rank < 0)
		return false;
	*step = (struct step_own){ .n = sqlite3_column_int64(row, 0),
		.rank = (uint32_t)rank,
		.stands_for = sqlite3_column_double(row, 2),
		.own = above(sqlite3_column_double(row, 3)) };
	return true;
}

static bool outside_take(struct step_model *model, sqlite3_stmt *row)
{
	struct step_own *step = ARRAY_ADD(&model->outside);

	if (!own_take(model, step, row))
		return false;
	step->part[OWN_SLEEP_OUTSIDE] = sqlite3_column_double(row, 4);
	return true;
}

/* OWN_WAIT is all that the rank waits, until waits_part(). */
static bool step_take(struct step_model *model, sqlite3_stmt *row)
{
	struct step_own *step = ARRAY_ADD(&model->steps);

	if (!own_take(model, step, row))
		return false;
	step->useful.ns = sqlite3_column_double(row, 4);
	step->part[OWN_SLEEP] = sqlite3_column_double(row, 5);
	step->part[OWN_READERS] = sqlite3_column_double(row, 6);
	step->part[OWN_WAIT] = sqlite3_column_double(row, 7);
	step->part[OWN_IO] = sqlite3_column_double(row, 8);
	step->part[OWN_OMP] = sqlite3_column_double(row, 9);
	step->length = sqlite3_column_double(row, 10);
	step->communication = sqlite3_column_double(row, 11);
	step->is_summed = sqlite3_column_int(row, 12);
	return true;
}

/* Where a step keeps a state of the host; NULL: nowhere. */
static double *state_of(struct step_own *step, const char *state)
{
	if (strcmp(state, "useful") == 0)
		return &step->useful.ns;
	if (strcmp(state, "mpi") == 0 || strcmp(state, "gloo") == 0)
		return &step->communication;
	return strcmp(state, "wait") == 0	 ? &step->part[OWN_WAIT]
		: strcmp(state, "io") == 0	 ? &step->part[OWN_IO]
		: strcmp(state, "omp_idle") == 0 ? &step->part[OWN_OMP]
						 : NULL;
}

static int step_compare(const void *a, const void *b)
{
	const struct step_own *x = a, *y = b;

	return x->n != y->n ? (x->n > y->n) - (x->n < y->n)
			    : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Adds a state to its step; rows of a step follow each other, so it is mostly the one before. */
static void state_take(struct step_model *model, sqlite3_stmt *row, struct step_own **step)
{
	struct step_own key = { .n = sqlite3_column_int64(row, 0) };
	int rank = rank_find(model, sqlite3_column_int64(row, 1));
	double *ns;

	key.rank = (uint32_t)rank;
	if (rank < 0 || !model->steps.n)
		return;
	if (!*step || step_compare(&key, *step) != 0)
		*step = bsearch(&key, model->steps.at, model->steps.n, sizeof(key), step_compare);
	ns = *step ? state_of(*step, (const char *)sqlite3_column_text(row, 2)) : NULL;
	if (ns)
		*ns += sqlite3_column_double(row, 3);
}

/* Removes sleep and waits for readers from the waits. */
static void waits_part(struct step_model *model)
{
	for (size_t i = 0; i < model->steps.n; i++) {
		double *part = model->steps.at[i].part;

		part[OWN_WAIT] = above(part[OWN_WAIT] - part[OWN_SLEEP] - part[OWN_READERS]);
	}
}

/* What the steps of a rank take, and how much longer it waits for threads than for readers. */
struct rank_waits {
	double length, more;
};

/* The workers of a rank cannot have taken longer than its steps: before these they read ahead. */
static void loading_take(struct step_model *model, const struct rank_waits *waits,
	sqlite3_stmt *row)
{
	int rank = rank_find(model, sqlite3_column_int64(row, 0));
	struct loading *loading = rank < 0 ? NULL : &model->loading[rank];
	double ns = sqlite3_column_double(row, 1);

	if (!loading || ns <= loading->ns)
		return;
	loading->ns = fmin(ns, waits[rank].length);
	loading->part = sqlite3_column_int(row, 2) && waits[rank].more > 0 ? OWN_WAIT : OWN_READERS;
}

static bool loading_read(struct step_model *model, sqlite3 *handle, int64_t run_id)
{
	bool failed = false;
	sqlite3_stmt *loading = query_prepare(handle, loading_sql, run_id, &failed);
	struct rank_waits *waits = calloc(model->ranks.n + 1, sizeof(*waits));

	model->loading = calloc(model->ranks.n + 1, sizeof(*model->loading));
	for (size_t i = 0; waits && i < model->steps.n; i++) {
		const struct step_own *step = &model->steps.at[i];

		waits[step->rank].length += step->length * step->stands_for;
		waits[step->rank].more += (step->part[OWN_WAIT] - step->part[OWN_READERS]) *
			step->stands_for;
	}
	while (waits && model->loading && query_row_next(loading, &failed))
		loading_take(model, waits, loading);
	sqlite3_finalize(loading);
	free(waits);
	return waits && model->loading && !failed;
}

/* run_id -1: none, as devices need no core. */
static bool cores_read(struct step_model *model, sqlite3 *handle, int64_t run_id)
{
	bool failed = false;
	sqlite3_stmt *cores = query_prepare(handle, cores_sql, run_id, &failed);

	model->on_core = malloc((model->ranks.n + 1) * sizeof(*model->on_core));
	for (size_t i = 0; model->on_core && i < model->ranks.n; i++)
		model->on_core[i] = 1;
	while (model->on_core && query_row_next(cores, &failed)) {
		int rank = rank_find(model, sqlite3_column_int64(cores, 0));

		if (rank >= 0 && sqlite3_column_double(cores, 1) > 0)
			model->on_core[rank] = sqlite3_column_double(cores, 1);
	}
	sqlite3_finalize(cores);
	return model->on_core && !failed;
}

int step_rows_read(struct step_model *model, sqlite3 *handle, int64_t run_id)
{
	bool failed = false;
	sqlite3_stmt *ranks = query_prepare(handle, ranks_sql, run_id, &failed),
		     *device = query_prepare(handle, devices_sql, run_id, &failed);
	const bool has_devices = query_row_next(device, &failed);
	sqlite3_stmt *steps = query_prepare(handle, has_devices ? device_steps_sql : steps_sql,
			     run_id, &failed),
		     *states = query_prepare(handle, states_sql, has_devices ? -1 : run_id,
			     &failed),
		     *outside = query_prepare(handle, outside_sql, run_id, &failed),
		     *measured = query_prepare(handle, measured_sql, run_id, &failed);

	while (query_row_next(ranks, &failed)) {
		int64_t *rank = ARRAY_ADD(&model->ranks);

		if (rank)
			*rank = sqlite3_column_int64(ranks, 0);
		failed |= !rank;
	}
	while (query_row_next(steps, &failed))
		failed |= !step_take(model, steps);
	if (model->steps.n)
		qsort(model->steps.at, model->steps.n, sizeof(*model->steps.at), step_compare);
	for (struct step_own *step = NULL; query_row_next(states, &failed);)
		state_take(model, states, &step);
	waits_part(model);
	while (query_row_next(outside, &failed))
		failed |= !outside_take(model, outside);
	if (query_row_next(measured, &failed)) {
		model->measured_s = sqlite3_column_double(measured, 0);
		model->count = sqlite3_column_double(measured, 1);
		model->unknown_most = sqlite3_column_double(measured, 2);
	}
	sqlite3_finalize(ranks);
	sqlite3_finalize(steps);
	sqlite3_finalize(states);
	sqlite3_finalize(outside);
	sqlite3_finalize(device);
	sqlite3_finalize(measured);
	failed = !loading_read(model, handle, run_id) || failed;
	failed = !cores_read(model, handle, has_devices ? -1 : run_id) || failed;
	if (failed)
		log_error("cannot read the steps: %s", sqlite3_errmsg(handle));
	return failed ? -1 : 0;
}
