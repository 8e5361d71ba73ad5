/*
 * metric.h - from sums to figures: the efficiencies of a window, host time,
 * throughput, and the checks that hold on every trace. Undefined is NULL with
 * a reason, nothing is clamped, what exceeds 1 is flagged.
 */
#ifndef ANALYZER_METRIC_H
#define ANALYZER_METRIC_H

#include "engine/window/window.h"

struct engine;
struct device_sums;

/* Every figure, by its definition: METRIC_mpi_load_balance… */
enum metric {
#define METRIC(model, name, unit, formula, undefined) METRIC_##model##_##name,
#include "metrics/metrics.def"
	METRIC_COUNT
};

struct metric_definition {
	const char *model, *name, *unit, *formula, *undefined; /* undefined: when it is; "" never */
};
extern const struct metric_definition metric_definitions[METRIC_COUNT];

/*
 * Figures of a window of `measured` ns, `ideal` on the ideal network; `ranks`
 * by process: host_time of all processes that were in it, models mpi and host
 * over those with a rank.
 */
void metric_window_write(struct engine *engine, const char *window, int64_t measured, int64_t ideal,
	const struct window_rank *ranks);
void metric_step_write(struct engine *engine, const struct step_window *step);

/*
 * A figure of a window, about all ranks. Steps are many, so they get rows only for defined figures;
 * the run's row has the reason for undefined ones. Rows of steps are gathered until
 * window_rows_end(), so texts must be literals.
 */
void metric_put(struct engine *engine, const char *window, enum metric metric, double value,
	const char *flag);

/* The same about a part of them: rank:3, gpu:3:0, node:n1; not of steps. */
void metric_put_about(struct engine *engine, const char *window, enum metric metric,
	const char *subject, double value, const char *flag);

/*
 * Whether figures of the window go to the table metric: of the run and all
 * phases, of the first METRIC_STEPS steps, and of one in 2^k after those, so
 * many that another METRIC_STEPS / 4 are added each time that their number
 * doubles. Rows of many short steps would cost more than reading the trace;
 * times by state are kept of every step.
 */
enum { METRIC_STEPS = 4096 };
bool metric_has_figures(const struct engine *engine, const char *window);

/*
 * Time of a phase (NULL: of the run) outside the capture, the minimum over ranks. Figures cover the
 * remaining time, so that unknown time counts neither as work nor as loss.
 */
int64_t metric_uncaptured_ns(const struct engine *engine, const struct phase_window *phase);

/* The same with the time in which events were lost: what no rank recorded. */
int64_t metric_unrecorded_ns(const struct engine *engine, const struct phase_window *phase);

/* Whether events were lost in it, of a rank or, as far as is known, of others. */
bool metric_is_lossy(const struct engine *engine, const struct phase_window *phase);

/* Reason why transfer and serialisation are undefined, or NULL. */
const char *metric_replay_missing(const struct engine *engine);

/* A figure about a rank. */
void metric_put_rank(struct engine *engine, const char *window, enum metric metric, int64_t rank,
	double value, const char *flag);

/* Which part of a rank's waiting was for input. */
void metric_readers_put(struct engine *engine, const char *window, int64_t number,
	const struct window_rank *rank);

/*
 * Figures of a rank's main thread in the run: sleep time; time in waits for semaphores without the
 * longest one, since waiting for the end of a thread (Python's join) is one such wait; the longest
 * wait for a reader, which may be a wait for the end of a child. Each only if it is not 0.
 */
void metric_waits_put(struct engine *engine, const struct process *process);

/*
 * Time that each rank waited for other ranks in MPI and gloo in the run, where the replay
 * determines it.
 */
void metric_waited_put(struct engine *engine, const struct window_rank *ranks, const char *note);

#define METRIC_SUMMED_NOTE "of the time that is in detail"
#define METRIC_SPLIT_NOTE  "split as in the time that is in detail"
#define METRIC_STEPS_NOTE  "steps without detail by a model: each lasts as long as its slowest rank"
#define METRIC_LOST_NOTE   "events were lost: of the time that was recorded"

/* Model quality: what recording cost, what share of the run was captured. */
void metric_quality_write(struct engine *engine);

/*
 * Model hybrid, if threads other than the main ones do significant useful work: at least 5 % of
 * their main thread's useful time. Progress threads of MPI and readers that sleep are left out:
 * with full weight a healthy run would appear bad. MPI blocks a process only while none of its
 * threads works: for all but the time of the busiest one.
 */
void metric_hybrid_write(struct engine *engine);

/* Note on a rate of one kind on one node. */
struct rate_note {
	bool undefined;
	const char *flag; /* why, or a warning; NULL */
};

/* A source of rates: its name in throughput_second, its metrics (rates and peaks), its notes. */
struct rate_model {
	const char *source;
	const enum metric (*metrics)[2];
	struct rate_note (*note)(const struct engine *engine, uint32_t node, int kind);
};

struct rates;

/* Rates per node for the run, its phases and its seconds. `rates`: by node. */
void rate_model_write(struct engine *engine, const struct rate_model *model,
	const struct rates *rates);

/*
 * Model host of the run: useful_instructions, useful_cycles, useful_ipc and useful_frequency of the
 * ranks' main threads; no row where nothing was counted.
 */
void metric_hw_write(struct engine *engine);

/* Model counters: rates from the nodes' counters, and the kernel's account of each rank's I/O. */
void metric_counters_write(struct engine *engine);

/* Rows of not_recorded about bytes, once the counters' metrics and the calls are written. */
void metric_ledger_write(struct engine *engine);

/*
 * core_waited of phases, stolen and gpu_clock of model counters, once samples and phases have their
 * rows.
 */
void metric_disturbance_write(struct engine *engine);

/*
 * Model account, and the check cpu_time_in_states, when samples, calls and host_time have their rows;
 * nothing where main threads were not sampled. Source: metric_account.c.
 */
void metric_account_write(struct engine *engine);

/* Model calls: storage and network rates per node, for the run and its phases. */
void metric_rates_write(struct engine *engine);

/*
 * mfu of model device, or host where there is no device, of the run and its phases: when steps,
 * devices and processes have their rows. None where nothing was given.
 */
void metric_mfu_write(struct engine *engine);

/*
 * Model training: when the values of tacho_metric() first met `target` (TARGET_PATTERN), when they have
 * their rows; nothing for NULL.
 */
void metric_target_write(struct engine *engine, const char *target);

/* After all figures are written: sets figures to undefined that the recorder cannot measure. */
void metric_lacks_apply(struct engine *engine);

/* Model critical_path of the run, and its check. */
void metric_critical_path_write(struct engine *engine);

/* Models device, talp and replay of the run, and device_time. */
void metric_device_run_write(struct engine *engine, const struct span_of_ranks *span);

/* The same of any window of `measured` ns, `replayed` in each scenario; `sums` by device. */
void metric_device_write(struct engine *engine, const char *window, int64_t measured,
	const int64_t replayed[SCENARIO_COUNT], const struct device_sums *sums);

/* The devices themselves. */
void devices_write(struct engine *engine);

/* Waits, excess and parts of the steps of ranks with devices, by their devices' time. */
void step_devices_write(struct engine *engine);

#endif
