/*
 * metric_device.c - models device, talp and replay of a window, and its device time; see metric.h
 * and sweep.h.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "tables/kernel.h"
#include "metrics/metric.h"
#include "model/states.h"
#include "tables/check_row.h"
#include "tables/device.def"
#include "tables/device_time.def"
#include "tables/process_device.def"

/* U, C, M of a device: compute, exposed NCCL, exposed copies. */
struct busy {
	double compute, nccl, memcpy;
};

static struct busy busy_of(const struct device_sums *sums)
{
	return (struct busy){ sums->ns[DEVICE_COMPUTE],
		sums->ns[DEVICE_NCCL_WAIT] + sums->ns[DEVICE_NCCL_TRANSFER] + sums->ns[DEVICE_NCCL],
		sums->ns[DEVICE_MEMCPY] };
}

/* Sums and maxima over devices that the formulas need. */
struct device_totals {
	const char *window;
	double measured, n;
	double compute, most_compute;			/* ΣU, max U */
	double most_with_nccl, most_busy;		/* max(U+C), max(U+C+M) */
	double kernels, most_kernels, most_with_copies; /* TALP: NCCL counts as work */
	double idle, nccl, overlapped;
	double summed; /* not in detail */
	bool is_lossy; /* events or activities were lost */
};

static void put_ratio(struct engine *engine, const struct device_totals *totals, enum metric metric,
	double a, double b, const char *reason)
{
	static const char *const whys[] = { "more than 1: skewed clocks or wrong semantics",
		"more than 1: without the cost, work of the parts before runs in this one" };
	bool moves = strcmp(metric_definitions[metric].model, "replay") == 0 &&
		strcmp(totals->window, "run") != 0;

	metric_put(engine, totals->window, metric, b == 0 ? NAN : a / b,
		b == 0			     ? reason
			: a / b > 1 + 1e-12  ? whys[moves]
			: totals->summed > 0 ? METRIC_SUMMED_NOTE
			: totals->is_lossy   ? METRIC_LOST_NOTE
					     : NULL);
}

#define NO_TIME	   "the window has no duration"
#define NO_COMPUTE "no device computed"
#define NO_WORK	   "no device did anything"

static void totals_add(struct device_totals *totals, const struct device_sums *sums)
{
	struct busy busy = busy_of(sums);

	totals->n++;
	totals->compute += busy.compute;
	totals->most_compute = fmax(totals->most_compute, busy.compute);
	totals->most_with_nccl = fmax(totals->most_with_nccl, busy.compute + busy.nccl);
	totals->most_busy = fmax(totals->most_busy, busy.compute + busy.nccl + busy.memcpy);
	totals->kernels += busy.compute + busy.nccl;
	totals->most_kernels = fmax(totals->most_kernels, busy.compute + busy.nccl);
	totals->most_with_copies = fmax(totals->most_with_copies,
		busy.compute + busy.nccl + busy.memcpy);
	for (int state = DEVICE_IDLE_IO_WAIT; state <= DEVICE_IDLE_UNKNOWN; state++)
		totals->idle += sums->ns[state];
	totals->summed += sums->ns[DEVICE_SUMMED];
	totals->nccl += sums->nccl;
	totals->overlapped += sums->overlapped;
}

static void put_level_a(struct engine *engine, const struct device_totals *t)
{
	put_ratio(engine, t, METRIC_device_device_parallel_efficiency, t->compute,
		t->n * t->measured, NO_TIME);
	put_ratio(engine, t, METRIC_device_load_balance, t->compute, t->n * t->most_compute,
		NO_COMPUTE);
	put_ratio(engine, t, METRIC_device_communication_efficiency, t->most_compute, t->most_busy,
		NO_WORK);
	put_ratio(engine, t, METRIC_device_nccl_efficiency, t->most_compute, t->most_with_nccl,
		NO_WORK);
	put_ratio(engine, t, METRIC_device_memory_transfer_efficiency, t->most_with_nccl,
		t->most_busy, NO_WORK);
	put_ratio(engine, t, METRIC_device_orchestration_efficiency, t->most_busy, t->measured,
		NO_TIME);
	put_ratio(engine, t, METRIC_device_idle_share, t->idle, t->n * t->measured, NO_TIME);
	put_ratio(engine, t, METRIC_device_nccl_overlap, t->overlapped, t->nccl,
		"no NCCL kernel ran");
	put_ratio(engine, t, METRIC_talp_device_parallel_efficiency, t->kernels, t->n * t->measured,
		NO_TIME);
	put_ratio(engine, t, METRIC_talp_load_balance, t->kernels, t->n * t->most_kernels,
		"no kernel ran");
	put_ratio(engine, t, METRIC_talp_communication_efficiency, t->most_kernels,
		t->most_with_copies, NO_WORK);
	put_ratio(engine, t, METRIC_talp_orchestration_efficiency, t->most_with_copies, t->measured,
		NO_TIME);
}

/* In the order of the scenarios. */
static const enum metric replayed_metrics[] = { METRIC_replay_t1, METRIC_replay_t2,
	METRIC_replay_t3, METRIC_replay_t4 };

/* Only for the run: the advisor reads it. */
static void put_tensor(struct engine *engine, const struct device_totals *t, double ns,
	const char *why)
{
	if (strcmp(t->window, "run") == 0)
		metric_put(engine, t->window, METRIC_replay_t_tensor_cores, ns, why);
}

static void put_missing(struct engine *engine, const struct device_totals *t, const char *why)
{
	for (int metric = 0; metric < METRIC_COUNT; metric++)
		if (strcmp(metric_definitions[metric].model, "replay") == 0 &&
			metric != METRIC_replay_t_tensor_cores)
			metric_put(engine, t->window, metric, NAN, why);
	put_tensor(engine, t, NAN, why);
}

/* T1…T4, each at least the most that a device computes. */
static void put_level_b(struct engine *engine, const struct device_totals *t,
	const int64_t replayed[SCENARIO_COUNT])
{
	static const struct {
		enum metric metric;
		enum scenario scenario;
	} only[] = {
		{ METRIC_replay_only_transfer, SCENARIO_T1 },
		{ METRIC_replay_only_memory, SCENARIO_ONLY_MEMORY },
		{ METRIC_replay_only_io, SCENARIO_ONLY_IO },
		{ METRIC_replay_only_host, SCENARIO_ONLY_HOST },
	};
	static const enum metric factors[] = { METRIC_replay_transfer_efficiency,
		METRIC_replay_memory_efficiency, METRIC_replay_io_efficiency,
		METRIC_replay_host_efficiency };
	const char *missing = t->summed > 0 ? "only totals are known of a part of it"
					    : device_replay_missing(engine);
	/* what ended too early by skewed clocks ends later in a scenario */
	double before = t->measured, skew = (double)engine->replay.all_skew;
	bool ordered = true;

	if (missing) {
		put_missing(engine, t, missing);
		return;
	}
	for (int i = 0; i < 4; i++) {
		double now = fmax(replayed[SCENARIO_T1 + i], t->most_compute);

		metric_put(engine, t->window, replayed_metrics[i], now, NULL);
		put_ratio(engine, t, factors[i], now, before, NO_TIME);
		ordered = ordered && now <= before + skew + 0.5;
		before = now;
	}
	put_ratio(engine, t, METRIC_replay_serialisation_efficiency, t->most_compute, before,
		"nothing is left");
	put_ratio(engine, t, METRIC_replay_load_balance, t->compute, t->n * t->most_compute,
		NO_COMPUTE);
	put_ratio(engine, t, METRIC_replay_device_parallel_efficiency, t->compute,
		t->n * t->measured, NO_TIME);
	for (size_t i = 0; i < sizeof(only) / sizeof(only[0]); i++)
		put_ratio(engine, t, only[i].metric,
			fmax(replayed[only[i].scenario], t->most_compute), t->measured, NO_TIME);
	put_tensor(engine, t, (double)replayed[SCENARIO_TENSOR], NULL);
	if (strcmp(t->window, "run") == 0)
		check_write(&engine->tables.db, t->window, "replay_ordered", ordered,
			"doing without more takes longer: T %.0f, T1 %" PRId64 ", T2 %" PRId64 ", "
			"T3 %" PRId64 ", T4 %" PRId64,
			t->measured, replayed[SCENARIO_T1], replayed[SCENARIO_T2],
			replayed[SCENARIO_T3], replayed[SCENARIO_T4]);
}

static void time_add(struct engine *engine, size_t device, int number, int64_t ns)
{
	const char *state = device_state_names[number];

	window_row_add(&engine->tables.device_rows, DB_GATHERED(DEVICE_TIME_COLUMNS));
}

/*
 * Exact partition of the window; false when the states are more than it, or not the time in which
 * processes of the device had it.
 */
static bool add_time(struct engine *engine, size_t device, int64_t measured,
	const struct device_sums *sums)
{
	int64_t left = measured, missing = sums->present;

	for (int state = 0; state < DEVICE_DEVICE_ABSENT; state++) {
		left -= sums->ns[state];
		missing -= sums->ns[state];
		if (sums->ns[state])
			time_add(engine, device, state, sums->ns[state]);
	}
	if (left > 0)
		time_add(engine, device, DEVICE_DEVICE_ABSENT, left);
	return left >= 0 && missing == 0;
}

/* What is estimated from a sample of steps. */
static void put_sampled(struct engine *engine, const char *subject, size_t number)
{
	const struct sweep_sample *sample = &engine->device.sweeps[number].sample;
	struct sample_share busy = sample_share(sample->blocks.at, sample->blocks.n, SAMPLE_BUSY);
	struct sample_share at_work = sample_share(sample->blocks.at, sample->blocks.n,
		SAMPLE_AT_WORK);

	if (isnan(busy.error) || isnan(at_work.error))
		return;
	metric_put_about(engine, "run", METRIC_device_sampled_busy_share, subject, busy.share,
		NULL);
	metric_put_about(engine, "run", METRIC_device_sampled_busy_error, subject, busy.error,
		NULL);
	metric_put_about(engine, "run", METRIC_device_sampled_idle_share, subject,
		1 - at_work.share, NULL);
	metric_put_about(engine, "run", METRIC_device_sampled_idle_error, subject, at_work.error,
		NULL);
}

/* Shares of one device, under the rank and number by which it is first used. */
static void put_device(struct engine *engine, const struct device_totals *all, size_t number,
	const struct device_sums *sums)
{
	double measured = all->measured - sums->ns[DEVICE_SUMMED];
	const struct device *device = &engine->tables.model.devices.at[number];
	struct device_totals totals = { 0 };
	const char *window = all->window, *no_time = measured > 0 ? NULL : NO_TIME;
	const char *flag = no_time	  ? no_time
		: sums->ns[DEVICE_SUMMED] ? METRIC_SUMMED_NOTE
		: all->is_lossy		  ? METRIC_LOST_NOTE
					  : NULL;
	char subject[64];
	uint32_t process = device->uses.n ? device->uses.at[0].process : MODEL_NONE;

	totals_add(&totals, sums);
	snprintf(subject, sizeof(subject), "gpu:%" PRId64 ":%" PRIu32,
		process == MODEL_NONE ? -1 : engine->tables.model.processes.at[process].rank,
		device->ordinal);
	metric_put_about(engine, window, METRIC_device_busy_share, subject,
		no_time ? NAN : totals.compute / measured, flag);
	metric_put_about(engine, window, METRIC_device_idle_share, subject,
		no_time ? NAN : totals.idle / measured, flag);
	metric_put_about(engine, window, METRIC_device_nccl_overlap, subject,
		no_time || totals.nccl <= 0 ? NAN : totals.overlapped / totals.nccl,
		no_time || totals.nccl > 0 ? flag : "no NCCL kernel ran");
	if (strcmp(window, "run") == 0)
		put_sampled(engine, subject, number);
}

/* What the hosts of a phase launched, wherever it ran: they may be far ahead of their devices. */
static void put_launched(struct engine *engine, const char *of, size_t device, int64_t ns)
{
	const char *state = "compute";
	char *window;

	if (asprintf(&window, "launched:%s", of + strlen("phase:")) < 0) {
		engine->tables.failed = true;
		return;
	}
	db_put_row(&engine->tables.db, &device_time_table, DB_ROW(DEVICE_TIME_COLUMNS));
	free(window);
}

/*
 * Whether activities, or the calls that launched them, were lost. The time of the loss is unknown.
 */
static bool any_lost(const struct engine *engine)
{
	static const char *const reasons[] = { PROPERTY_LOST_PREFIX "limit",
		PROPERTY_LOST_PREFIX "disk_full", PROPERTY_LOST_PREFIX "gpu_dropped",
		PROPERTY_LOST_PREFIX "gpu_late", PROPERTY_LOST_PREFIX "gpu_untimed" };

	for (size_t i = 0; i < engine->tables.model.locations.n; i++)
		for (size_t k = 0; k < sizeof(reasons) / sizeof(reasons[0]); k++)
			if (property_find(&engine->tables.model.locations.at[i].in->properties,
				    reasons[k]))
				return true;
	return false;
}

void metric_device_write(struct engine *engine, const char *window, int64_t measured,
	const int64_t replayed[SCENARIO_COUNT], const struct device_sums *sums)
{
	int64_t rankless = strcmp(window, "run") == 0 ? engine->rankless : 0;
	struct device_totals totals = { .window = window, .measured = measured - rankless };
	bool complete = true;
	bool step = strncmp(window, "step:", 5) == 0;

	if (!window_has_rows(engine, window))
		return;
	totals.is_lossy = !step && any_lost(engine);
	for (size_t d = 0; d < engine->tables.model.devices.n; d++) {
		totals_add(&totals, &sums[d]);
		complete &= add_time(engine, d, measured, &sums[d]);
		if (!step)
			put_device(engine, &totals, d, &sums[d]);
		if (sums[d].launched)
			put_launched(engine, window, d, sums[d].launched);
	}
	window_rows_end(&engine->tables.db, &engine->tables.device_rows, window);
	if (metric_has_figures(engine, window)) {
		/* time without detail is neither work nor idle */
		totals.measured -= totals.n > 0 ? totals.summed / totals.n : 0;
		put_level_a(engine, &totals);
		put_level_b(engine, &totals, replayed);
		window_rows_end(&engine->tables.db, &engine->tables.metric_rows, window);
	}
	/* there are many steps: only violated checks get a row */
	if (!step || !complete)
		check_write(&engine->tables.db, window, "device_time_partition", complete,
			"states do not sum to the part of the window in which the device was "
			"there");
}

void metric_device_run_write(struct engine *engine, const struct span_of_ranks *span)
{
	int64_t replayed[SCENARIO_COUNT], measured = engine->own_end - engine->own_start;
	struct device_window *window = device_window_new(engine);

	if (!window)
		return;
	for (int s = 0; s < SCENARIO_COUNT; s++)
		replayed[s] = span->clock_last[s] - span->clock_first[s] - engine->rankless;
	for (size_t d = 0; d < engine->tables.model.devices.n; d++)
		window->sums[d] = engine->device.sweeps[d].run;
	metric_device_write(engine, "run", measured, replayed, window->sums);
	device_window_free(window);
}

static const struct db_table device_table = DB_TABLE(device, "insert", DEVICE_COLUMNS);
static const struct db_table use_table = DB_TABLE(process_device, "insert or ignore",
	PROCESS_DEVICE_COLUMNS);

void devices_write(struct engine *engine)
{
	for (size_t number = 0; number < engine->tables.model.devices.n; number++) {
		const struct device *device = &engine->tables.model.devices.at[number];
		const struct device_use *use = device->uses.at;
		char name[32];

		snprintf(name, sizeof(name), "GPU %" PRIu32, device->ordinal);
		db_put_row(&engine->tables.db, &device_table, DB_ROW(DEVICE_COLUMNS));
		for (; use < device->uses.at + device->uses.n; use++)
			if (use->process != MODEL_NONE)
				db_put_row(&engine->tables.db, &use_table,
					DB_ROW(PROCESS_DEVICE_COLUMNS));
	}
}
