/* metric_threads.c - models hybrid and quality: all threads of the ranks together; see metric.h. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "base/log.h"
#include "metrics/metric.h"

#define WEIGHT 0.05 /* of the main thread's useful time: with less a thread is no worker */
#define SPINS                                                                                         \
	"upper bound: threads without recorded calls (OpenMP, pools) may spin, also the main thread " \
	"at the end of a parallel region, and spinning counts as useful"
#define CARRIES 1000 /* ns of useful time per byte: even summing each byte takes less */

/* The threads of a process with a rank; `outside`: how long the busiest of them was not in MPI. */
struct threads {
	double useful, outside;
	uint64_t n;
	double ran, main_ran, main_waited; /* of counters, 0: not known */
	double others;			   /* useful of all but the main one, as recorded */
};

/*
 * How much of a thread's useful time can have been work. A wait outside of recorded calls counts as
 * useful, but needs no core. The bound is the time that the recording threads ran, plus run-queue
 * wait in the main thread's proportion.
 */
static double worked(const struct threads *of, double useful)
{
	double most = of->ran * (1 + (of->main_ran > 0 ? of->main_waited / of->main_ran : 0));

	return of->ran > 0 && most < of->others ? useful * most / of->others : useful;
}

static bool is_helper(const struct engine *engine, size_t location)
{
	const struct location *at = &engine->tables.model.locations.at[location];
	const struct process *process;

	if (at->in->type != OTF2_LOCATION_TYPE_CPU_THREAD || at->process == MODEL_NONE)
		return false;
	process = &engine->tables.model.processes.at[at->process];
	return process->rank >= 0 && process->main != MODEL_NONE && !at->is_main &&
		engine->tracks[location].spent[HOST_USEFUL] > 0;
}

/* A thread that carries data through sockets for most of its time is communication's, as gloo's are. */
static bool carries(const struct track *track)
{
	return (double)track->carried * CARRIES >= track->spent[HOST_USEFUL];
}

static bool is_worker(const struct engine *engine, const struct threads *of, size_t location)
{
	const struct track *track = &engine->tracks[location];

	return is_helper(engine, location) && !carries(track) &&
		worked(of, track->spent[HOST_USEFUL]) >= WEIGHT *
			engine->tracks[engine->tables.model.processes.at[track->process].main]
				.spent[HOST_USEFUL];
}

static double time_outside(const struct track *track)
{
	double outside = 0;

	for (int state = 0; state < HOST_ABSENT; state++)
		outside += host_communicates(state) ? 0 : track->spent[state];
	return outside - (double)track->replay.in_sockets;
}

static void threads_of_processes(const struct engine *engine, struct threads *of)
{
	for (size_t i = 0; i < engine->tables.model.locations.n; i++)
		if (is_helper(engine, i))
			of[engine->tracks[i].process].others += engine->tracks[i]
									.spent[HOST_USEFUL];
	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		const struct track *track = &engine->tracks[i];
		bool is_main = track->is_rank && track->any;
		struct threads *threads;
		double useful;

		if (!is_main &&
			(!is_helper(engine, i) || !is_worker(engine, &of[track->process], i)))
			continue;
		threads = &of[track->process];
		useful = track->spent[HOST_USEFUL];
		if (!is_main)
			useful = worked(threads, useful);
		threads->n++;
		threads->useful += useful;
		threads->outside = fmax(threads->outside, is_main ? time_outside(track) : useful);
	}
}

/* The last value of a counter that this is a series of, in ns or threads; -1 for another one. */
static double series_is(const struct counter_series *series, const char *name)
{
	return series->n && strcmp(series->member->name, name) == 0 ? series->last : -1;
}

/* What the process itself has counted of its threads' time. */
static void counters_take_in(const struct engine *engine, struct threads *of)
{
	const struct counters *counters = &engine->tables.counters;

	for (size_t i = 0; i < counters->series.n; i++) {
		const struct counter_series *series = &counters->series.at[i];
		struct threads *threads;

		if (series->process == MODEL_NONE)
			continue;
		threads = &of[series->process];
		threads->ran = fmax(threads->ran, series_is(series, "proc.threads_ran"));
		threads->main_ran = fmax(threads->main_ran, series_is(series, "proc.core_ran"));
		threads->main_waited = fmax(threads->main_waited,
			series_is(series, "proc.core_waited"));
	}
}

/* Adds threads that recorded nothing, of which the process itself has counted the time. Whether any count. */
static bool silent_threads(struct engine *engine, struct threads *of)
{
	const struct counters *counters = &engine->tables.counters;
	bool any = false;

	for (size_t i = 0; i < counters->series.n; i++) {
		const struct counter_series *series = &counters->series.at[i];
		struct threads *threads;
		int64_t rank;

		if (series->process == MODEL_NONE || !of[series->process].n)
			continue;
		rank = engine->tables.model.processes.at[series->process].rank;
		threads = &of[series->process];
		threads->n += fmax(series_is(series, "proc.workers"), 0);
		threads->useful += fmax(series_is(series, "proc.workers_ran"), 0);
		any |= series_is(series, "proc.workers") > 0;
		threads->outside = fmax(threads->outside, series_is(series, "proc.workers_most"));
		if (series_is(series, "proc.silent_ran") > 0) {
			char subject[32];

			snprintf(subject, sizeof(subject), "rank:%" PRId64, rank);
			metric_put_about(engine, "run", METRIC_hybrid_silent, subject, series->last,
				NULL);
		}
	}
	return any;
}

static double measured_ns(const struct engine *engine)
{
	return engine->own_end - engine->own_start - engine->rankless -
		metric_unrecorded_ns(engine, NULL);
}

static void put_hybrid(struct engine *engine, enum metric metric, double value, const char *note)
{
	metric_put(engine, "run", metric, value,
		value > 1 + 1e-12 ? "more than 1: skewed clocks or wrong semantics"
			: metric_is_lossy(engine, NULL) ? METRIC_LOST_NOTE
			: track_any_summed(engine)	? METRIC_SUMMED_NOTE
							: note);
}

void metric_hybrid_write(struct engine *engine)
{
	struct threads *of = calloc(engine->tables.model.processes.n + 1, sizeof(*of));
	double measured = measured_ns(engine), useful = 0, outside = 0;
	uint64_t n = 0, nprocesses = 0;
	const char *note;

	if (!of) {
		log_error("out of memory");
		engine->tables.failed = true;
		return;
	}
	counters_take_in(engine, of);
	threads_of_processes(engine, of);
	note = silent_threads(engine, of) ? SPINS : NULL;
	for (size_t p = 0; p < engine->tables.model.processes.n; p++) {
		nprocesses += of[p].n > 0;
		n += of[p].n;
		useful += of[p].useful;
		outside += (double)of[p].n * of[p].outside;
	}
	free(of);
	if (n == nprocesses || measured <= 0)
		return;
	put_hybrid(engine, METRIC_hybrid_parallel_efficiency, useful / (n * measured), note);
	put_hybrid(engine, METRIC_hybrid_mpi_parallel_efficiency, outside / (n * measured), note);
	if (outside > 0)
		put_hybrid(engine, METRIC_hybrid_thread_efficiency, useful / outside, note);
	else
		metric_put(engine, "run", METRIC_hybrid_thread_efficiency, NAN,
			"no time outside of MPI");
	metric_put(engine, "run", METRIC_hybrid_threads, n, NULL);
}

static double property_number(const in_properties *properties, const char *key)
{
	const char *text = property_find(properties, key);

	return text ? strtod(text, NULL) : 0;
}

/*
 * ns that CUPTI adds to a CUDA call on a real device, and half of the measured spread. A launch
 * took 1.3 and 2.3 µs more in two passes on an H200 (driver 580, CUPTI 13.0; tests/gpu/RESULTS.md).
 * Any client of its activities pays 0.6 µs of this; callbacks cause most of the remainder.
 */
#define CUPTI_CALL_NS	1800
#define CUPTI_SPREAD_NS 500

static bool has_gpus(const struct model *model)
{
	for (size_t i = 0; i < model->devices.n; i++)
		if (model->devices.at[i].kind && strcmp(model->devices.at[i].kind, "gpu") == 0)
			return true;
	return false;
}

/*
 * Share of its life that the worst rank spent on recording: calls × the cost of a call, which each
 * process measures at its start, plus CUPTI's cost for CUDA calls. The error is half of the spread
 * of these measurements.
 */
static void put_cost(struct engine *engine)
{
	double worst = 0, error = 0, cost, spread, share, life;
	bool with_cupti = has_gpus(&engine->tables.model);

	for (size_t p = 0; p < engine->tables.model.processes.n; p++) {
		const struct process *process = &engine->tables.model.processes.at[p];
		const struct call_table *calls = &engine->tables.calls[p];
		const struct track *track = process->main == MODEL_NONE
			? NULL
			: &engine->tracks[process->main];

		cost = property_number(&process->group->properties, PROPERTY_CALL_COST);
		if (process->rank < 0 || !track || cost <= 0)
			continue;
		life = track->last - track->first;
		cost *= (double)calls->nrecorded;
		spread = property_number(&process->group->properties, PROPERTY_CALL_SPREAD) / 2 *
			(double)calls->nrecorded;
		if (with_cupti) {
			cost += CUPTI_CALL_NS * (double)calls->ncuda;
			spread += CUPTI_SPREAD_NS * (double)calls->ncuda;
		}
		share = life > 0 ? cost / life : 0;
		if (share < worst || life <= 0)
			continue;
		worst = share;
		error = spread / life;
	}
	if (worst <= 0)
		return;
	metric_put(engine, "run", METRIC_quality_overhead, worst, NULL);
	metric_put(engine, "run", METRIC_quality_overhead_error, error, NULL);
}

/*
 * If a part of the run is not in detail: each rank's time in all of it, from its totals. Time
 * outside of calls counts as useful.
 */
static void exact_write(struct engine *engine)
{
	static const enum metric metrics[HOST_ABSENT] = {
		[HOST_USEFUL] = METRIC_exact_useful,
		[HOST_IO] = METRIC_exact_io,
		[HOST_MPI] = METRIC_exact_mpi,
		[HOST_GLOO] = METRIC_exact_gloo,
		[HOST_CUDA] = METRIC_exact_cuda,
		[HOST_WAIT] = METRIC_exact_wait,
		[HOST_OMP_IDLE] = METRIC_exact_omp_idle,
	};

	for (size_t p = 0; track_any_summed(engine) && p < engine->tables.model.processes.n; p++) {
		const struct process *process = &engine->tables.model.processes.at[p];
		const struct track *track = process->main == MODEL_NONE
			? NULL
			: &engine->tracks[process->main];
		int64_t whole[HOST_STATE_COUNT];
		char subject[32];

		if (process->rank < 0 || !track || !track->any)
			continue;
		snprintf(subject, sizeof(subject), "rank:%lld", (long long)process->rank);
		host_whole(track->spent, track->summed, whole);
		for (int state = 0; state < HOST_ABSENT; state++)
			if (whole[state])
				metric_put_about(engine, "run", metrics[state], subject,
					(double)whole[state], NULL);
	}
}

void metric_quality_write(struct engine *engine)
{
	double life = 0, absent = 0;

	put_cost(engine);
	if (engine->windows.nsteps > METRIC_STEPS)
		metric_put(engine, "run", METRIC_quality_steps, engine->windows.nsteps,
			"after the first 4096 only some steps, evenly spaced, have efficiencies "
			"of their own");
	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		const struct track *track = &engine->tracks[i];

		if (!track->is_rank || !track->any)
			continue;
		life += track->last - track->first;
		absent += track->spent[HOST_ABSENT];
	}
	exact_write(engine);
	if (absent > 0)
		metric_put(engine, "run", METRIC_quality_captured, (life - absent) / life, NULL);
}
