/* metric_host.c - models mpi and host of a window, and its host time; see metric.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "base/log.h"
#include "metrics/metric.h"
#include "model/states.h"
#include "tables/check_row.h"
#include "tables/host_time.def"
#include "tables/metric.def"

/*
 * What was recorded of the ranks. Their times are shares of the recorded time, which is T without
 * the time outside the capture and without lost time. So ranks compare even if different amounts of
 * them were recorded.
 */
struct known_time {
	double measured;		/* of the rank with the most work */
	double outside, most_outside;	/* O: sum and maximum over ranks */
	double cuda, useful, useful_io; /* sums over ranks */
	uint32_t nranks;
};

/*
 * Inputs of a window's formulas. The states cover the whole window; sums of calls supply the time
 * without detail. The replay has only the part in detail and keeps the remaining duration, which is
 * subtracted from T and from the ideal run time alike. The share of communication that remains on
 * an ideal network is therefore measured in that part, for the rank with the most work, and assumed
 * to be the same in the whole window.
 */
struct sums {
	const char *window;
	double whole, whole_ideal; /* T and the ideal run time of the replay */
	struct known_time all, detail;
	double detail_ideal; /* of the rank with the most work in detail, in that part */
	double ideal;	     /* of all; NaN: nothing is in detail */
	bool by_steps;	     /* of all steps sums are known, from which `ideal` is */
	/*
	 * O without waits for other threads, of the rank that exceeds its ideal time most, and the
	 * excess
	 */
	double own, own_above;
	const char *note;	/* flag of all figures */
	const char *split_note; /* flag of figures based on the replay */
	const char *no_time;	/* why measured is 0 */
	bool is_lossy;		/* events of a rank were lost in it */
	bool is_summed, is_cut; /* of a rank a part is not in detail, or was not captured */
};

/* In a part of the run the ideal network may also spread the ranks' starts more than they were. */
static const char *over_one(const char *window)
{
	return strcmp(window, "run") == 0
		? "more than 1: skewed clocks or wrong semantics"
		: "more than 1: on an ideal network the ranks enter the window further apart";
}

/* a/b as an efficiency. 0/0 is undefined, and the reason names the missing quantity. */
static void put_ratio(struct engine *engine, const struct sums *sums, enum metric metric, double a,
	double b, const char *reason)
{
	if (b == 0)
		metric_put(engine, sums->window, metric, NAN, reason);
	else
		metric_put(engine, sums->window, metric, a / b,
			a / b > 1 + 1e-12 ? over_one(sums->window) : sums->note);
}

/* Σ of the times of which shares are taken: each is 1, or 0 in a window without duration. */
static double ranks_time(const struct sums *sums)
{
	return sums->all.measured > 0 ? sums->all.nranks : 0;
}

#define NO_TIME	   sums->no_time
#define NO_OUTSIDE "no time outside of MPI"
#define NO_NETWORK "nothing is left on an ideal network"

/* What figures of the replay are to be read with. Steps are written before all is known. */
static const char *replay_note(const struct engine *engine, const struct sums *sums)
{
	if (sums->window[0] == 's' || sums->is_lossy || sums->is_summed)
		return sums->split_note;
	if (engine->replay.nskewed)
		return engine->tables.model.nodes.n > 1
			? "skewed clocks: see checks"
			: "calls end before the calls that they waited for began: see checks";
	if (engine->replay.ndropped ||
		engine->replay.nunmatched[SIDE_SEND] + engine->replay.nunmatched[SIDE_RECV])
		return "calls whose partner is not in the trace keep their duration";
	if (engine->replay.nungated)
		return "probes that do not say of what, passive one-sided calls, collectives "
		       "of neighbours that are not known, or those that are left before all have "
		       "come keep their duration";
	return sums->split_note;
}

static void put_mpi(struct engine *engine, const struct sums *sums)
{
	const struct known_time *all = &sums->all;
	const char *missing = metric_replay_missing(engine);
	struct sums replayed = *sums;
	double most = all->most_outside * all->measured;

	replayed.note = replay_note(engine, sums);
	put_ratio(engine, sums, METRIC_mpi_parallel_efficiency, all->outside, ranks_time(sums),
		NO_TIME);
	put_ratio(engine, sums, METRIC_mpi_load_balance, all->outside,
		all->nranks * all->most_outside, NO_OUTSIDE);
	put_ratio(engine, sums, METRIC_mpi_communication_efficiency, all->most_outside,
		ranks_time(sums) > 0, NO_TIME);
	if (!missing && isnan(sums->ideal))
		missing = "none of it is in detail";
	if (missing) {
		metric_put(engine, sums->window, METRIC_mpi_serialisation_efficiency, NAN, missing);
		metric_put(engine, sums->window, METRIC_mpi_transfer_efficiency, NAN, missing);
		metric_put(engine, sums->window, METRIC_mpi_ideal_network_runtime, NAN, missing);
		return;
	}
	if (sums->ideal > 0 && most > sums->ideal && sums->own_above <= 0.5)
		metric_put(engine, sums->window, METRIC_mpi_serialisation_efficiency,
			most / sums->ideal,
			"more than 1: waits for own threads count as work, and would be shorter");
	else
		put_ratio(engine, &replayed, METRIC_mpi_serialisation_efficiency, most, sums->ideal,
			NO_NETWORK);
	put_ratio(engine, &replayed, METRIC_mpi_transfer_efficiency, sums->ideal, all->measured,
		NO_TIME);
	metric_put(engine, sums->window, METRIC_mpi_ideal_network_runtime, sums->ideal,
		sums->is_lossy || sums->is_summed ? sums->split_note : NULL);
	if (engine->replay.unruled && sums->detail_ideal > 0 && strcmp(sums->window, "run") == 0)
		metric_put(engine, sums->window, METRIC_mpi_without_rule,
			(double)engine->replay.unruled / sums->detail.nranks / sums->detail_ideal,
			sums->is_lossy || sums->is_summed ? sums->split_note : NULL);
}

static void put_host(struct engine *engine, const struct sums *sums)
{
	const struct known_time *all = &sums->all;

	put_ratio(engine, sums, METRIC_host_host_parallel_efficiency, all->useful, ranks_time(sums),
		NO_TIME);
	put_ratio(engine, sums, METRIC_host_mpi_parallel_efficiency, all->outside, ranks_time(sums),
		NO_TIME);
	put_ratio(engine, sums, METRIC_host_device_offload_efficiency, all->outside - all->cuda,
		all->outside, NO_OUTSIDE);
	put_ratio(engine, sums, METRIC_host_synchronisation_efficiency, all->useful_io,
		all->outside - all->cuda, "no time outside of MPI and CUDA");
	put_ratio(engine, sums, METRIC_host_io_efficiency, all->useful, all->useful_io,
		"neither work nor I/O");
}

/*
 * What a rank did outside of communication, in ns; of its waits those in sockets are for other
 * ranks.
 */
static double outside_of(const struct window_rank *rank, const int64_t spent[HOST_STATE_COUNT])
{
	double outside = 0, sockets = (double)rank->in_sockets;

	for (int state = 0; state < HOST_ABSENT; state++)
		if (!host_communicates(state))
			outside += (double)spent[state];
	if (rank->spent[HOST_WAIT]) /* the same share of those in detail */
		sockets *= (double)spent[HOST_WAIT] / (double)rank->spent[HOST_WAIT];
	return outside - sockets;
}

/*
 * Adds what share of the time that is known of a rank it did what in the window. False: nothing is
 * known. *most: no rank before it had a greater share outside of communication.
 */
static bool known_add(struct known_time *known, const struct sums *sums,
	const struct window_rank *rank, const int64_t spent[HOST_STATE_COUNT], bool *most)
{
	double unknown = (double)host_absent(spent), measured = sums->whole - unknown,
	       outside = outside_of(rank, spent);

	if ((unknown > 0 && (double)rank->here <= unknown) || measured <= 0)
		return false;
	*most = !known->nranks++ || outside / measured > known->most_outside;
	if (*most) {
		known->most_outside = outside / measured;
		known->measured = measured;
	}
	known->outside += outside / measured;
	known->cuda += (double)spent[HOST_CUDA] / measured;
	known->useful += (double)spent[HOST_USEFUL] / measured;
	known->useful_io += (double)(spent[HOST_USEFUL] + spent[HOST_IO]) / measured;
	return true;
}

static void rank_sum(struct sums *sums, const struct window_rank *rank)
{
	int64_t whole[HOST_STATE_COUNT];
	double own, ideal = sums->whole_ideal - (double)host_absent(rank->spent);
	bool most, first = !sums->detail.nranks;

	sums->is_lossy |= rank->spent[HOST_LOST] > 0;
	sums->is_summed |= rank->spent[HOST_SUMMED] > 0;
	sums->is_cut |= rank->spent[HOST_SUMMED] + rank->spent[HOST_ABSENT] > 0;
	host_whole(rank->spent, rank->summed, whole);
	known_add(&sums->all, sums, rank, whole, &most);
	if (!known_add(&sums->detail, sums, rank, rank->spent, &most))
		return;
	if (most)
		sums->detail_ideal = ideal;
	own = outside_of(rank, rank->spent) -
		(double)(rank->spent[HOST_WAIT] + rank->spent[HOST_OMP_IDLE]);
	if (first || own - ideal > sums->own_above) {
		sums->own = own;
		sums->own_above = own - ideal;
	}
}

/* Adds a step in detail: how much of it remains on an ideal network. */
static void step_detail_add(struct engine *engine, const struct sums *sums,
	const struct window_rank *ranks)
{
	struct windows *windows = &engine->windows;
	size_t n = engine->tables.model.processes.n;

	if (!windows->detail_outside)
		windows->detail_outside = calloc(n, sizeof(*windows->detail_outside));
	if (!windows->detail_outside) {
		engine->tables.failed = true;
		return;
	}
	windows->detail += sums->whole;
	windows->detail_ideal += sums->whole_ideal;
	for (size_t p = 0; p < n; p++)
		if (engine->tables.model.processes.at[p].rank >= 0)
			windows->detail_outside[p] += outside_of(&ranks[p], ranks[p].spent);
}

/*
 * The share of the time in communication that an ideal network leaves: in the steps that are in
 * detail, if there are any, as what begins and ends a run is not like them; else in all that is.
 */
static double share_left(const struct engine *engine, const struct sums *sums)
{
	const struct windows *windows = &engine->windows;
	double measured = windows->detail, ideal = windows->detail_ideal, outside = 0;

	if (measured <= 0) {
		measured = sums->detail.measured;
		ideal = sums->detail_ideal;
		outside = sums->detail.most_outside * measured;
	}
	for (size_t p = 0; windows->detail > 0 && p < engine->tables.model.processes.n; p++)
		outside = fmax(outside, windows->detail_outside[p]);
	return outside < measured ? fmax(0, (ideal - outside) / (measured - outside)) : NAN;
}

/* The longest time of a rank besides communication in all steps. */
static double steps_outside(const struct engine *engine)
{
	double outside = 0;

	for (size_t p = 0; p < engine->tables.model.processes.n; p++)
		outside = fmax(outside, engine->windows.sums.outside[p]);
	return outside;
}

static int float_compare(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* The median: a first step may wait for a message that was sent before the steps in detail. */
static double steps_slower(const struct steps_total *steps)
{
	size_t n = steps->slower.n;

	if (!n)
		return 1;
	qsort(steps->slower.at, n, sizeof(*steps->slower.at), float_compare);
	return fmax(1, steps->slower.at[n / 2]);
}

/*
 * The ideal run time from the sums of all steps: as long as the longest own time in each, longer
 * by as much as the median of those at the end, which are in detail, is on an ideal network. In
 * the time outside of steps, as starting and ending MPI, it saves nothing. A phase has the steps'
 * share of the rest of communication. Steps that overlap, as ranks run ahead, leave no time
 * outside of them.
 */
static double ideal_of_steps(const struct engine *engine, const struct sums *sums, bool is_all)
{
	const struct steps_total *steps = &engine->windows.sums;
	double stepped = steps_outside(engine), slower = steps_slower(steps), ideal, outside;

	ideal = fmin(steps->length, steps->own * slower);
	if (is_all)
		return fmax(0, sums->all.measured - steps->length) + ideal;
	if (steps->length <= stepped)
		return NAN;
	outside = sums->all.most_outside * sums->all.measured;
	return outside +
		(sums->all.measured - outside) * fmax(0, ideal - stepped) /
		(steps->length - stepped);
}

/*
 * The ideal run time of the window. It comes from the sums of all steps if they are known; else
 * from the part in detail, and communication in the remainder shrinks by the same share.
 */
static void ideal_extend(const struct engine *engine, struct sums *sums)
{
	const struct steps_total *steps = &engine->windows.sums;
	const struct known_time *all = &sums->all, *detail = &sums->detail;
	double rest = fmax(0, all->measured - detail->measured), outside;
	bool is_all = strcmp(sums->window, "run") == 0 || strcmp(sums->window, WINDOW_ACTIVE) == 0;

	sums->ideal = sums->detail_ideal;
	if (!sums->is_summed)
		return;
	sums->by_steps = steps->any && !steps->unknown && (is_all || sums->window[0] == 'p');
	outside = fmin(rest,
		fmax(0,
			all->most_outside * all->measured -
				detail->most_outside * detail->measured));
	if (sums->by_steps)
		sums->ideal = ideal_of_steps(engine, sums, is_all);
	else if (rest > 0)
		sums->ideal += outside + (rest - outside) * share_left(engine, sums);
	if (!isnan(sums->ideal))
		sums->ideal = fmin(all->measured,
			fmax(all->most_outside * all->measured, sums->ideal));
}

static void time_add(struct engine *engine, int64_t process, int number, int64_t ns)
{
	const char *state = host_state_names[number];

	window_row_add(&engine->tables.host_rows, DB_GATHERED(HOST_TIME_COLUMNS));
}

/* Checks the exact partition of the window. Returns the missing time, 0 if there is none. */
static int64_t add_time(struct engine *engine, int64_t process, int64_t measured,
	const struct window_rank *rank)
{
	int64_t left = measured;

	for (int state = 0; state < HOST_ABSENT; state++) {
		left -= rank->spent[state];
		if (rank->spent[state])
			time_add(engine, process, state, rank->spent[state]);
	}
	left -= rank->spent[HOST_SUMMED];
	if (rank->spent[HOST_SUMMED])
		time_add(engine, process, HOST_SUMMED, rank->spent[HOST_SUMMED]);
	if (left > 0)
		time_add(engine, process, HOST_ABSENT, left);
	return left - (measured - rank->here) - rank->spent[HOST_ABSENT] - rank->spent[HOST_LOST];
}

static void check_telescopes(struct engine *engine, const struct sums *sums)
{
	const struct known_time *all = &sums->all;
	double whole = all->outside / all->nranks, balance = whole / all->most_outside,
	       product = balance * (all->most_outside * all->measured / sums->ideal) *
		(sums->ideal / all->measured);

	if (!isnan(product))
		check_write(&engine->tables.db, sums->window, "products_telescope",
			fabs(product - whole) <= 1e-9 * whole,
			"load balance × communication efficiency is %.12g, parallel efficiency "
			"%.12g",
			product, whole);
}

/*
 * Checks SerE <= 1 and TE <= 1. Waits for threads that communicate are an exception: they count as
 * work, but the replay shortens them. In parts of the run only the first must hold: no rank needs
 * less than its own work, but ranks may enter the part further apart than they did. Steps get a row
 * only if the check fails. Events that ended too early by skewed clocks end later in the replay, by
 * no more than the sum of all skew.
 */
static void check_ideal(struct engine *engine, const struct sums *sums)
{
	bool whole = strcmp(sums->window, "run") == 0;
	double skew = (double)engine->replay.all_skew;
	bool ok = sums->own_above <= 0.5 &&
		(!whole || sums->detail_ideal <= sums->detail.measured + skew + 0.5);

	if (!metric_replay_missing(engine) && (!ok || sums->window[0] != 's'))
		check_write(&engine->tables.db, sums->window,
			whole ? "ideal_between_work_and_measured" : "ideal_not_below_work", ok,
			"ideal run time %.0f ns, measured %.0f ns, most work of a rank %.0f ns",
			sums->detail_ideal, sums->detail.measured, sums->own);
}

/*
 * A rank of which the trace has no event, as its spool is lost: it did something, and nothing is
 * known of that.
 */
static bool is_unknown(const struct engine *engine, size_t p)
{
	const struct model *model = &engine->tables.model;
	const struct process *process = &model->processes.at[p];

	return process->rank >= 0 &&
		(process->main == MODEL_NONE || !model->locations.at[process->main].in->nevents);
}

/*
 * Averages leave out ranks that were not chosen for the capture and ranks of which nothing is
 * known.
 */
static bool is_counted(const struct engine *engine, size_t p)
{
	const struct process *process = &engine->tables.model.processes.at[p];
	int64_t captured = 0;

	if (process->rank < 0 || is_unknown(engine, p))
		return false;
	for (int state = 0; state < HOST_ABSENT; state++)
		captured += engine->tracks[process->main].spent[state];
	return captured > 0 || !host_absent(engine->tracks[process->main].spent);
}

static int64_t host_uncaptured(const int64_t spent[HOST_STATE_COUNT])
{
	return spent[HOST_ABSENT];
}

/* Such time, the least of all ranks that have the window. */
static int64_t least_of(const struct engine *engine, const struct window_rank *ranks,
	int64_t (*time_of)(const int64_t spent[HOST_STATE_COUNT]))
{
	int64_t least = INT64_MAX;

	for (size_t p = 0; p < engine->tables.model.processes.n; p++) {
		uint32_t main = engine->tables.model.processes.at[p].main;
		int64_t absent;

		if (!is_counted(engine, p) || main == MODEL_NONE || (ranks && !ranks[p].any))
			continue;
		absent = time_of(ranks ? ranks[p].spent : engine->tracks[main].spent);
		if (absent < least)
			least = absent;
	}
	return least == INT64_MAX ? 0 : least;
}

int64_t metric_unrecorded_ns(const struct engine *engine, const struct phase_window *phase)
{
	return least_of(engine, phase ? phase->ranks : NULL, host_absent);
}

bool metric_is_lossy(const struct engine *engine, const struct phase_window *phase)
{
	if (!phase)
		return track_any_lost(engine);
	for (size_t p = 0; p < engine->tables.model.processes.n; p++)
		if (phase->ranks[p].spent[HOST_LOST])
			return true;
	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		const struct track *track = &engine->tracks[i];

		if ((track->is_lost || track->spent[HOST_LOST]) && !track->is_rank)
			return true;
	}
	return false;
}

int64_t metric_uncaptured_ns(const struct engine *engine, const struct phase_window *phase)
{
	return least_of(engine, phase ? phase->ranks : NULL, host_uncaptured);
}

void metric_window_write(struct engine *engine, const char *window, int64_t measured, int64_t ideal,
	const struct window_rank *ranks)
{
	int64_t outside = strcmp(window, "run") == 0 ? engine->rankless : 0;
	struct sums sums = { .window = window,
		.whole = measured - outside,
		.whole_ideal = ideal - outside,
		.no_time = "the window has no duration" };
	bool counts = false;
	int64_t wrong = 0;
	uint32_t unknown = 0;

	for (size_t p = 0; p < engine->tables.model.processes.n; p++) {
		const struct process *process = &engine->tables.model.processes.at[p];

		unknown += is_unknown(engine, p);
		if (is_counted(engine, p))
			rank_sum(&sums, &ranks[p]);
		counts |= is_counted(engine, p) || is_unknown(engine, p);
		if (process->rank >= 0 && ranks[p].spent[HOST_LOST] && window[0] != 's')
			metric_put_rank(engine, window, METRIC_quality_lost, process->rank,
				(double)ranks[p].spent[HOST_LOST], NULL);
		if (process->rank >= 0 && ranks[p].spent[HOST_SUMMED] && window[0] != 's')
			metric_put_rank(engine, window, METRIC_quality_not_in_detail, process->rank,
				(double)ranks[p].spent[HOST_SUMMED], NULL);
		if (process->rank >= 0 && ranks[p].spent[HOST_WAIT] && engine->device.handovers &&
			window[0] != 's')
			metric_readers_put(engine, window, process->rank, &ranks[p]);
		if (process->rank >= 0 && strcmp(window, "run") == 0)
			metric_waits_put(engine, process);
		if (process->rank >= 0 || ranks[p].any)
			wrong |= add_time(engine, process->id, measured, &ranks[p]);
	}
	ideal_extend(engine, &sums);
	window_rows_end(&engine->tables.db, &engine->tables.host_rows, window);
	if (sums.is_lossy)
		sums.note = METRIC_LOST_NOTE;
	else if (unknown)
		sums.note = "of the other ranks: nothing is known of those without events";
	else if (engine->replay.nsockets)
		sums.note =
			"a summary does not know of waits through sockets that they are for other ranks";
	sums.split_note = !sums.is_summed ? sums.note
		: sums.by_steps		  ? METRIC_STEPS_NOTE
					  : METRIC_SPLIT_NOTE;
	if (strcmp(window, "run") == 0)
		metric_waited_put(engine, ranks, sums.is_summed ? METRIC_SUMMED_NOTE : sums.note);
	if (sums.is_cut && window[0] == 's') /* a part of a step is no step */
		return;
	if (window[0] == 's')
		step_detail_add(engine, &sums, ranks);
	if (!counts || !metric_has_figures(engine, window))
		return;
	if (sums.is_cut)
		sums.no_time = "the window was not captured";
	else if (!sums.all.nranks && unknown)
		sums.no_time = "nothing is known of any rank";
	put_mpi(engine, &sums);
	put_host(engine, &sums);
	window_rows_end(&engine->tables.db, &engine->tables.metric_rows, window);
	check_ideal(engine, &sums);
	if (window[0] == 's') /* there are many steps: only violated checks get a row */
		return;
	check_write(&engine->tables.db, window, "host_time_partition", wrong == 0,
		"states do not sum to the window");
	check_telescopes(engine, &sums);
}

void metric_step_write(struct engine *engine, const struct step_window *step)
{
	char window[32];

	snprintf(window, sizeof(window), "step:%lld", (long long)step->n);
	metric_window_write(engine, window, step->span.last - step->span.first,
		step->span.clock_last[SCENARIO_NETWORK] - step->span.clock_first[SCENARIO_NETWORK],
		step->ranks);
}
