/* metric_critical.c - model critical_path; see metric.h and ../engine/common/critical.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/engine.h"
#include "engine/common/critical.h"
#include "metrics/metric.h"
#include "tables/check_row.h"

static const struct {
	int state;
	enum metric metric;
} parts[] = {
	{ HOST_USEFUL, METRIC_critical_path_useful },
	{ HOST_IO, METRIC_critical_path_io },
	{ HOST_CUDA, METRIC_critical_path_cuda },
	{ HOST_WAIT, METRIC_critical_path_wait },
	{ HOST_OMP_IDLE, METRIC_critical_path_omp_idle },
	{ HOST_MPI, METRIC_critical_path_mpi_transfer },
	{ HOST_ABSENT, METRIC_critical_path_absent },
	{ PATH_HELPER_USEFUL, METRIC_critical_path_helper_useful },
	{ PATH_HELPER_IO, METRIC_critical_path_helper_io },
};

static void put(struct engine *engine, enum metric metric, const char *subject, int64_t ns,
	const char *flag)
{
	metric_put_about(engine, "run", metric, subject, (double)ns, flag);
}

/* The main thread that ends last. */
static const struct track *last_rank(const struct engine *engine)
{
	const struct track *last = NULL;

	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		const struct track *track = &engine->tracks[i];

		if (track->is_rank && track->any && (!last || track->last > last->last))
			last = track;
	}
	return last;
}

/* `wrong`: possible excess of a rank's share, besides the error that the sketch itself reports. */
static void ranks_write(struct engine *engine, const struct path *path, int64_t wrong)
{
	char subject[32], flag[64];
	int64_t least = INT64_MAX;

	for (int i = 0; i < PATH_RANKS; i++)
		least = path->share[i] < least ? path->share[i] : least;
	snprintf(flag, sizeof(flag), "up to %" PRId64 " ns too much", least + wrong);
	for (int i = 0; i < PATH_RANKS; i++) {
		if (!path->process[i] || path->share[i] <= 0)
			continue;
		snprintf(subject, sizeof(subject), "rank:%" PRId64,
			engine->tables.model.processes.at[path->process[i] - 1].rank);
		put(engine, METRIC_critical_path_length, subject, path->share[i],
			engine->tables.model.nranks > PATH_RANKS ? flag
				: track_any_summed(engine)	 ? METRIC_SUMMED_NOTE
								 : NULL);
	}
}

void metric_critical_path_write(struct engine *engine)
{
	static const char skewed[] = "clocks differ: messages arrive before they are sent";
	const struct track *last = last_rank(engine);
	int64_t sum = 0, wrong = 0, length;
	const char *note = track_any_summed(engine) ? METRIC_SUMMED_NOTE : NULL;
	struct path path;

	if (!last || engine->tables.summary ||
		(engine->replay.ncalls && !engine->replay.noperations))
		return;
	path_to(last, last->last, &path);
	path_continue(engine, &path, &wrong);
	path.state[HOST_ABSENT] -= engine->own_start;
	length = last->last - engine->own_start;
	path.state[HOST_MPI] += path.state[HOST_GLOO];
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		put(engine, parts[i].metric, "", path.state[parts[i].state],
			path.state[parts[i].state] < 0 ? skewed : note);
		sum += path.state[parts[i].state];
	}
	put(engine, METRIC_critical_path_length, "", length, NULL);
	ranks_write(engine, &path, wrong);
	check_write(&engine->tables.db, "run", "critical_path_sums", sum == length,
		"its parts sum to %" PRId64 " ns, it is %" PRId64 " ns long", sum, length);
}
