/* critical.c - see critical.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "analysis.h"
#include "critical.h"
#include "metric.h"

static size_t path_state(const struct track *track, enum host_state state)
{
	if (track->is_rank)
		return state;
	return state == HOST_USEFUL ? PATH_HELPER_USEFUL :
		state == HOST_IO ? PATH_HELPER_IO : state;
}

/* Time of a thread's rank; one without an entry takes over that of the least. */
static void share_add(struct path *path, const struct track *track, int64_t ns)
{
	const struct model *model = &track->analysis->model;
	uint32_t process = track->process;
	int least = 0;

	for (int depth = 0; depth < 8 && process != MODEL_NONE &&
	     model->processes.at[process].rank < 0 &&
	     model->processes.at[process].parent != MODEL_NONE; depth++)
		process = model->processes.at[process].parent;

	for (int i = 0; i < PATH_RANKS; i++) {
		if (path->process[i] == process + 1) {
			path->share[i] += ns;
			return;
		}
		if (path->share[i] < path->share[least])
			least = i;
	}
	path->process[least] = process + 1;
	path->share[least] += ns;
}

void path_to(const struct track *track, int64_t t, struct path *path)
{
	const struct path_track *own = &track->replay.path;
	int64_t spent[HOST_STATE_COUNT], since = own->since > track->first ? own->since :
		track->first;

	*path = own->taken;
	track_spent(track, t, spent);
	for (int state = 0; state < HOST_STATE_COUNT; state++)
		path->state[path_state(track, state)] += spent[state];
	if (own->since < track->first)		/* it has taken over nothing yet */
		path->state[HOST_ABSENT] += track->first;
	share_add(path, track, t - since);
}

void path_take(struct track *track, const struct path *path, int64_t opened, int64_t t,
		enum host_state state)
{
	struct path_track *own = &track->replay.path;
	int64_t spent[HOST_STATE_COUNT];

	own->taken = *path;
	own->since = t;
	own->taken.state[state] += t - opened;
	share_add(&own->taken, track, t - opened);
	track_spent(track, t, spent);
	for (int i = 0; i < HOST_STATE_COUNT; i++)
		own->taken.state[path_state(track, i)] -= spent[i];
}

static const struct { int state; const char *name; } parts[] = {
	{ HOST_USEFUL, "useful" }, { HOST_IO, "io" }, { HOST_CUDA, "cuda" }, { HOST_WAIT, "wait" },
	{ HOST_OMP_IDLE, "omp_idle" }, { HOST_MPI, "mpi_transfer" }, { HOST_ABSENT, "absent" },
	{ PATH_HELPER_USEFUL, "helper_useful" }, { PATH_HELPER_IO, "helper_io" },
};

static void put(struct analysis *analysis, const char *name, const char *subject, int64_t ns,
		const char *flag)
{
	db_put(&analysis->db, "insert into metric values (1,'run','critical_path',?,?,?,'ns',?)",
	"ssis",
		name, subject, ns, flag);
}

/* The main thread that ends last. */
static const struct track *last_rank(const struct analysis *analysis)
{
	const struct track *last = NULL;

	for (size_t i = 0; i < analysis->model.locations.n; i++) {
		const struct track *track = &analysis->tracks[i];

		if (track->is_rank && track->any && (!last || track->last > last->last))
			last = track;
	}
	return last;
}

static void ranks_write(struct analysis *analysis, const struct path *path)
{
	char subject[32], flag[64];
	int64_t wrong = INT64_MAX;

	for (int i = 0; i < PATH_RANKS; i++)
		wrong = path->share[i] < wrong ? path->share[i] : wrong;
	snprintf(flag, sizeof(flag), "up to %" PRId64 " ns too much", wrong);
	for (int i = 0; i < PATH_RANKS; i++) {
		if (!path->process[i] || path->share[i] <= 0)
			continue;
		snprintf(subject, sizeof(subject), "rank:%" PRId64,
			analysis->model.processes.at[path->process[i] - 1].rank);
		put(analysis, "length", subject, path->share[i],
			analysis->model.nranks > PATH_RANKS ? flag : NULL);
	}
}

void critical_path_write(struct analysis *analysis)
{
	const struct track *last = last_rank(analysis);
	int64_t sum = 0, length;
	struct path path;

	if (!last || analysis->options->summary ||
		(analysis->replay.ncalls && !analysis->replay.noperations))
		return;
	path_to(last, last->last, &path);
	path.state[HOST_ABSENT] -= analysis->start;
	length = last->last - analysis->start;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		put(analysis, parts[i].name, "", path.state[parts[i].state], NULL);
		sum += path.state[parts[i].state];
	}
	put(analysis, "length", "", length, NULL);
	ranks_write(analysis, &path);
	check_write(analysis, "run", "critical_path_sums", sum == length,
		"its parts sum to %" PRId64 " ns, it is %" PRId64 " ns long", sum, length);
}
