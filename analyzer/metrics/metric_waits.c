/* metric_waits.c - model host: waits of the ranks' main threads, by cause; see metric.h. */
#include "config.h"

#include <stdio.h>

#include "engine/engine.h"
#include "metrics/metric.h"

void metric_put_rank(struct engine *engine, const char *window, enum metric metric, int64_t rank,
	double value, const char *flag)
{
	char subject[32];

	snprintf(subject, sizeof(subject), "rank:%lld", (long long)rank);
	metric_put_about(engine, window, metric, subject, value, flag);
}

/* Only calls in detail count as waits: sums of calls have neither a partner nor times. */
static const char *note_of(const int64_t spent[HOST_STATE_COUNT])
{
	return spent[HOST_SUMMED] ? METRIC_SUMMED_NOTE : NULL;
}

void metric_readers_put(struct engine *engine, const char *window, int64_t number,
	const struct window_rank *rank)
{
	metric_put_rank(engine, window, METRIC_host_wait_for_readers, number,
		(double)rank->waited_readers / (double)rank->spent[HOST_WAIT],
		note_of(rank->spent));
}

/* In which calls a rank's main thread slept. */
static void put_sleeps(struct engine *engine, const struct process *process,
	const struct track *track)
{
	for (size_t i = 0; i < SLEEP_CALLS && track->slept_in[i].calls; i++) {
		const struct call_sum *in = &track->slept_in[i];
		char subject[64];

		snprintf(subject, sizeof(subject), "rank:%lld:%s", (long long)process->rank,
			engine->tables.model.regions.at[in->region].name);
		metric_put_about(engine, "run", METRIC_host_slept_in, subject, (double)in->ns,
			note_of(track->spent));
		metric_put_about(engine, "run", METRIC_host_slept_until, subject, (double)in->until,
			note_of(track->spent));
		metric_put_about(engine, "run", METRIC_host_sleeps, subject, (double)in->calls,
			note_of(track->spent));
	}
}

#define FED_LEAST 0.05 /* of the thread's time its rank waits for it: else it does something else */

/* The steps last as long as the thread that feeds them sleeps and reads. */
static void put_fed(struct engine *engine, int64_t rank, const struct track *track)
{
	const struct feeder *most = track->replay.feeders;
	char subject[64];
	int64_t ns;

	for (const struct feeder *feeder = most; feeder < track->replay.feeders + FEEDERS; feeder++)
		if (feeder->ns > most->ns)
			most = feeder;
	if (!most->ns)
		return;
	snprintf(subject, sizeof(subject), "rank:%lld:%u", (long long)rank, most->thread + 1);
	ns = engine->tracks[most->thread].slept + engine->tracks[most->thread].spent[HOST_IO];
	if (ns > 0 && (double)most->ns >= FED_LEAST * (double)ns)
		metric_put_about(engine, "run", METRIC_host_fed, subject, (double)ns,
			note_of(track->spent));
}

void metric_waits_put(struct engine *engine, const struct process *process)
{
	const struct track *track = process->main == MODEL_NONE ? NULL
								: &engine->tracks[process->main];

	if (track && track->slept) {
		metric_put_rank(engine, "run", METRIC_host_slept, process->rank,
			(double)track->slept, note_of(track->spent));
		metric_put_rank(engine, "run", METRIC_host_slept_after, process->rank,
			(double)(track->slept - track->stepped_last.slept), note_of(track->spent));
		put_sleeps(engine, process, track);
	}
	if (track && track->semaphores > track->longest)
		metric_put_rank(engine, "run", METRIC_host_waited_semaphores, process->rank,
			(double)(track->semaphores - track->longest), note_of(track->spent));
	if (track && track->replay.longest_readers)
		metric_put_rank(engine, "run", METRIC_host_longest_wait_for_readers, process->rank,
			(double)track->replay.longest_readers, note_of(track->spent));
	if (track)
		put_fed(engine, process->rank, track);
}

/* What a rank waited for others, by wait state. */
static void states_put(struct engine *engine, int64_t rank, const int64_t waited[WAIT_STATES],
	const char *note)
{
	static const char *const names[WAIT_STATES] = {
#define STATE(id, name) [WAIT_##id] = name,
		WAIT_STATE_NAMES(STATE)
#undef STATE
	};

	for (int state = 0; state < WAIT_STATES; state++) {
		char subject[64];

		if (!waited[state])
			continue;
		snprintf(subject, sizeof(subject), "rank:%lld:%s", (long long)rank, names[state]);
		metric_put_about(engine, "run", METRIC_host_waited_in, subject,
			(double)waited[state], note);
	}
}

void metric_waited_put(struct engine *engine, const struct window_rank *ranks, const char *note)
{
	for (size_t p = 0; p < engine->tables.model.processes.n && !metric_replay_missing(engine);
		p++) {
		const struct process *process = &engine->tables.model.processes.at[p];
		const struct track *track;
		int64_t waited;

		if (process->rank < 0 || process->main == MODEL_NONE ||
			ranks[p].spent[HOST_MPI] + ranks[p].spent[HOST_GLOO] == 0)
			continue;
		track = &engine->tracks[process->main];
		waited = replay_waited_ranks(&track->replay);
		metric_put_rank(engine, "run", METRIC_host_waited_ranks, process->rank,
			(double)waited, note);
		metric_put_rank(engine, "run", METRIC_host_waited_ranks_after, process->rank,
			(double)(waited - track->stepped_last.waited), note);
		states_put(engine, process->rank, track->replay.waited_in, note);
	}
}
