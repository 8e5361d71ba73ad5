/* step_model.c - see step_model.h. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "db/query.h"
#include "whatif/step_model.h"

const char *const own_part_names[OWN_PART_COUNT] = {
#define OWN_PART(id, name) [OWN_##id] = name,
	OWN_PARTS(OWN_PART)
#undef OWN_PART
};

static const char ranks_sql[] =
	"select rank from process where run_id = ?1 and rank is not null order by rank";

static const char devices_sql[] =
	"select 1 from device_owner o where o.run_id = ?1 and o.rank is not null"
	" and exists (select 1 from device_time t where t.run_id = ?1 and t.device_id = o.device_id"
	" and t.state in ('compute', 'nccl_wait', 'nccl_transfer', 'nccl', 'memcpy')) limit 1";

/* In the order of the tables: sorting by step is quicker in C. */
static const char steps_sql[] =
	"select n, rank, stands_for, ns - waited, useful, slept, readers, wait, io, omp, ns,"
	" communication, is_summed from (select s.n, p.rank, s.stands_for, s.end_ns - s.start_ns as ns,"
	" coalesce(s.waited_ns, 0) as waited, u.n is not null as is_summed,"
	" total(case h.state when 'useful' then h.ns end) + coalesce(max(0, u.ns - u.io_ns"
	" - u.mpi_ns - u.gloo_ns - u.cuda_ns - u.wait_ns - u.slept_ns), 0) as useful,"
	" coalesce(s.slept_ns, 0) + coalesce(u.slept_ns, 0) as slept,"
	" coalesce(s.readers_ns, 0) as readers, total(case h.state when 'wait' then h.ns end)"
	" + coalesce(u.wait_ns + u.slept_ns, 0) as wait,"
	" total(case h.state when 'io' then h.ns end) + coalesce(u.io_ns, 0) as io,"
	" total(case h.state when 'omp_idle' then h.ns end) as omp,"
	" total(case when h.state in ('mpi', 'gloo') then h.ns end)"
	" + coalesce(u.mpi_ns + u.gloo_ns, 0) as communication"
	" from step s join process p on p.id = s.process_id"
	" left join step_sum u on u.run_id = s.run_id and u.process_id = s.process_id and u.n = s.n"
	" left join host_time h on h.run_id = s.run_id and h.process_id = s.process_id"
	" and h.\"window\" = 'step:' || s.n"
	" where s.run_id = ?1 and p.rank is not null and not s.cut group by s.process_id, s.n)";

/*
 * Where a rank has devices its host waits for them, and so for other ranks, in calls of CUDA: the
 * time of its devices takes the place of the host's states, of several the mean. What the host
 * sleeps, reads or waits while a device works costs nothing: a part of own time is what devices
 * idle for it.
 */
static const char device_steps_sql[] =
	"with used as (select process_id, device_id, count(*) over (partition by process_id) as many"
	" from device_owner where run_id = ?1 and rank is not null and device_id in (select device_id"
	" from device_time where run_id = ?1 and state in ('compute', 'nccl_wait', 'nccl_transfer', 'nccl',"
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
 * Of the rank with most, the time and the number of its steps, those without a row included; then
 * the longest step without a row, -1 where rows represent these.
 */
static const char measured_sql[] =
	"select max(s.ns + coalesce(r.ns, 0)) / 1e9, max(s.n + coalesce(r.steps, 0)),"
	" iif(max(s.standing) > 1, -1, coalesce(max(r.most), -1)) from (select process_id,"
	" sum(end_ns - start_ns) as ns, count(*) as n, max(stands_for) as standing from step"
	" where run_id = ?1 and not cut group by 1) s left join (select process_id,"
	" sum(steps) as steps, sum(ns) as ns, max(max_ns) as most from step_rest"
	" where run_id = ?1 group by 1) r on r.process_id = s.process_id";

/*
 * Of each rank the time outside of its steps, less what it waited for other ranks, and what it
 * slept in it: until its last step ends (-2), and after that (-1). Without steps all of it is
 * before. MPI_Finalize ends when all ranks have entered it: there the last one waits least.
 * Nothing where calls are not in detail: the sums of the run are not those of the steps then.
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
 * Of each rank the time of its workers in samples, by as many as are alive at once. An idle
 * worker is not loading. Then what the thread that feeds the rank takes for its samples.
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
 * Of each rank the share of its runnable time that it had a core in, between its first and last step: run-queue
 * wait counts as time of the state that it is in.
 */
static const char cores_sql[] =
	"select rank, total(case name when 'proc.core_ran' then ns end) / nullif(sum(ns), 0) from (select"
	" p.rank, x.name, max(x.value) - min(x.value) as ns from process p join (select process_id,"
	" min(start_ns) as since, max(end_ns) as till from step where run_id = ?1 group by 1) s"
	" on s.process_id = p.id join sample x on x.run_id = p.run_id and x.node_id = p.node_id and x.process_id = p.id"
	" and x.name in ('proc.core_ran', 'proc.core_waited') and x.t_ns between s.since and s.till"
	" where p.run_id = ?1 and p.rank is not null group by 1, 2) group by 1 order by 1";

static double above(double value)
{
	return value > 0 ? value : 0;
}

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

static bool step_take(struct step_model *model, sqlite3_stmt *row)
{
	struct step_own *step = ARRAY_ADD(&model->steps);
	double wait = sqlite3_column_double(row, 7);

	if (!own_take(model, step, row))
		return false;
	step->useful.ns = sqlite3_column_double(row, 4);
	step->part[OWN_SLEEP] = sqlite3_column_double(row, 5);
	step->part[OWN_READERS] = sqlite3_column_double(row, 6);
	step->part[OWN_WAIT] = above(wait - step->part[OWN_SLEEP] - step->part[OWN_READERS]);
	step->part[OWN_IO] = sqlite3_column_double(row, 8);
	step->part[OWN_OMP] = sqlite3_column_double(row, 9);
	step->length = sqlite3_column_double(row, 10);
	step->communication = sqlite3_column_double(row, 11);
	step->is_summed = sqlite3_column_int(row, 12);
	return true;
}

static int step_compare(const void *a, const void *b)
{
	const struct step_own *x = a, *y = b;

	return x->n != y->n ? (x->n > y->n) - (x->n < y->n)
			    : (x->rank > y->rank) - (x->rank < y->rank);
}

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

/* On a core: who lacks one has no more to do. `room`: for the times of all ranks. */
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

static int rows_read(struct step_model *model, sqlite3 *handle, int64_t run_id)
{
	bool failed = false;
	sqlite3_stmt *ranks = query_prepare(handle, ranks_sql, run_id, &failed),
		     *device = query_prepare(handle, devices_sql, run_id, &failed);
	const bool has_devices = query_row_next(device, &failed);
	sqlite3_stmt *steps = query_prepare(handle, has_devices ? device_steps_sql : steps_sql,
			     run_id, &failed),
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
	while (query_row_next(outside, &failed))
		failed |= !outside_take(model, outside);
	if (query_row_next(measured, &failed)) {
		model->measured_s = sqlite3_column_double(measured, 0);
		model->count = sqlite3_column_double(measured, 1);
		model->unknown_most = sqlite3_column_double(measured, 2);
	}
	sqlite3_finalize(ranks);
	sqlite3_finalize(steps);
	sqlite3_finalize(outside);
	sqlite3_finalize(device);
	sqlite3_finalize(measured);
	failed = !loading_read(model, handle, run_id) || failed;
	failed = !cores_read(model, handle, has_devices ? -1 : run_id) || failed;
	if (failed)
		log_error("cannot read the steps: %s", sqlite3_errmsg(handle));
	return failed ? -1 : 0;
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

/* Whether the rank's wait in the step ends with what the other one does. */
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
 * Whether each rank waits for as long as all before it sleep: who sleeps holds a lock that all
 * take.
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

/* `steps`: those of one rank that have the part. `room`: as many. */
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

/* Only waiting is rare: of computing the other ranks show what is usual. */
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
	if (rows_read(model, handle, run_id) < 0)
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
