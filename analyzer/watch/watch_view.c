/* watch_view.c - computes the figures of a sample of a run; see watch_view.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "watch/watch_view.h"

/* Period for step rates, if there are as many steps. */
static const double steps_s = 10;
/*
 * A rank is reported as the slowest if its share of time in communication is lower than the others'
 * by this much.
 */
static const double slower_least = 0.05;

const char *const view_rate_names[VIEW_RATE_COUNT] = {
	[VIEW_FILES_READ] = "files_read",
	[VIEW_FILES_WRITTEN] = "files_written",
	[VIEW_STORAGE_READ] = "storage_read",
	[VIEW_STORAGE_WRITTEN] = "storage_written",
	[VIEW_SENT] = "network_sent",
	[VIEW_RECEIVED] = "network_received",
};

static double seconds(const struct live_process *process, uint64_t from, uint64_t to)
{
	return (double)(int64_t)(to - from) * process->ns_per_tick / 1e9;
}

/*
 * From the oldest of the last steps' ends to the newest; or to now, where the next one is overdue.
 */
static void steps_rate(struct view_rank *rank, const struct live_process *p)
{
	uint64_t last, first, n = p->nsteps < LIVE_STEPS ? p->nsteps : LIVE_STEPS, at = 0;
	double length, rest;

	rank->steps_per_s = rank->samples_per_s = NAN;
	if (n < 2 || p->ns_per_tick <= 0 || rank->life != VIEW_RUNS)
		return;
	last = p->step_ends[(p->nsteps - 1) % LIVE_STEPS];
	for (at = p->nsteps - n;
		at + 2 < p->nsteps && seconds(p, p->step_ends[at % LIVE_STEPS], last) > steps_s;)
		at++;
	first = p->step_ends[at % LIVE_STEPS];
	length = seconds(p, first, last);
	n = p->nsteps - 1 - at;
	rest = p->now > last ? seconds(p, last, p->now) : 0;
	if (length <= 0 || rest > steps_s + 10 * length / (double)n)
		return;
	if (rest > 2 * length / (double)n)
		length += rest;
	rank->steps_per_s = (double)n / length;
	rank->samples_per_s = !p->samples ? NAN
					  : (double)(p->step_samples[(p->nsteps - 1) % LIVE_STEPS] -
						    p->step_samples[at % LIVE_STEPS]) /
			length;
}

static struct view_rank rank_make(const struct live_process *p)
{
	struct view_rank rank = { .process = p, .inside_s = NAN };
	uint64_t length = p->now - p->since;

	rank.life = p->ended ? VIEW_ENDED : live_is_silent(p) ? VIEW_SILENT : VIEW_RUNS;
	rank.has_shares = length > 0 && rank.life == VIEW_RUNS;
	for (int i = 0; i < HOST_STATE_COUNT && rank.has_shares; i++)
		rank.share[i] = (double)p->state[i] / (double)length;
	steps_rate(&rank, p);
	if (p->inside_since && p->now > p->inside_since && p->ns_per_tick > 0)
		rank.inside_s = seconds(p, p->inside_since, p->now);
	return rank;
}

static int compare_ranks(const void *a, const void *b)
{
	const struct live_process *x = ((const struct view_rank *)a)->process,
				  *y = ((const struct view_rank *)b)->process;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/*
 * If a rank has several processes, the live one wins, then the one with marked steps, then the
 * latest.
 */
static bool is_better(const struct live_process *a, const struct live_process *b)
{
	if (a->ended != b->ended)
		return !a->ended;
	if (a->has_step != b->has_step)
		return a->has_step;
	return a->def.start.realtime_ns > b->def.start.realtime_ns;
}

static int ranks_make(struct view *view, const struct live *live)
{
	for (size_t i = 0; i < live->processes.n; i++) {
		const struct live_process *p = live->processes.at[i];
		struct view_rank *rank = NULL;

		if (!p->is_defined)
			continue;
		view->lost += p->lost;
		if (p->def.is_child || p->rank < 0) {
			view->nchildren += !p->ended;
			continue;
		}
		for (size_t k = 0; k < view->ranks.n && !rank; k++)
			if (view->ranks.at[k].process->rank == p->rank)
				rank = &view->ranks.at[k];
		if (!rank) {
			rank = ARRAY_ADD(&view->ranks);
			if (!rank)
				return -1;
			*rank = rank_make(p);
		} else if (is_better(p, rank->process)) {
			*rank = rank_make(p);
		}
	}
	if (view->ranks.n)
		qsort(view->ranks.at, view->ranks.n, sizeof(*view->ranks.at), compare_ranks);
	return 0;
}

static double add(double sum, double value)
{
	return isnan(value) ? sum : isnan(sum) ? value : sum + value;
}

static bool ends(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static bool begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* As analyze counts them, by their names; -1: as none of them. */
static int rate_of(const char *name)
{
	bool is_net = begins(name, "net.") || begins(name, "ib."),
	     is_storage = begins(name, "disk.") || begins(name, "fs.");

	if (is_net && ends(name, ".rx_bytes"))
		return VIEW_RECEIVED;
	if (is_net && ends(name, ".tx_bytes"))
		return VIEW_SENT;
	if (is_storage && ends(name, ".read_bytes"))
		return VIEW_STORAGE_READ;
	return is_storage && ends(name, ".write_bytes") ? VIEW_STORAGE_WRITTEN : -1;
}

/* On nodes with physical interfaces, a bridge or tunnel forwards bytes that those count. */
static bool interface_counts(const struct live_process *p, const struct live_metric *metric)
{
	bool physical = false, infiniband = false;

	if (!begins(metric->name, "net."))
		return true;
	for (size_t i = 0; i < p->metrics.n; i++) {
		const struct live_metric *other = &p->metrics.at[i];

		if (!other->name)
			continue;
		infiniband |= begins(other->name, "ib.");
		physical |= strcmp(other->description, METRIC_INTERFACE_PHYSICAL) == 0;
	}
	if (strcmp(metric->description, METRIC_INTERFACE_IPOIB) == 0)
		return !infiniband;
	return strcmp(metric->description, METRIC_INTERFACE_VIRTUAL) != 0 ||
		!(physical || infiniband);
}

static struct view_gpu *gpu_get(struct view_node *node, const char *name)
{
	char number[12];
	struct view_gpu *gpu;

	snprintf(number, sizeof(number), "%.*s", (int)strcspn(name + 4, "."), name + 4);
	for (size_t i = 0; i < node->gpus.n; i++)
		if (strcmp(node->gpus.at[i].number, number) == 0)
			return &node->gpus.at[i];
	gpu = ARRAY_ADD(&node->gpus);
	if (gpu) {
		*gpu = (struct view_gpu){ .util = NAN, .watts = NAN };
		memcpy(gpu->number, number, sizeof(number));
	}
	return gpu;
}

static int gpu_add(struct view_node *node, const struct live_metric *metric)
{
	struct view_gpu *gpu;

	if (!ends(metric->name, ".util") && !ends(metric->name, ".power"))
		return 0;
	gpu = gpu_get(node, metric->name);
	if (!gpu)
		return -1;
	if (ends(metric->name, ".mem_util"))
		return 0;
	if (ends(metric->name, ".util"))
		gpu->util = (double)metric->value;
	else
		gpu->watts = (double)metric->value / 1e3;
	return 0;
}

/* A counter is read ten times a second, or less often where that costs too much. */
static double metric_rate(const struct live_process *p, struct live_metric *metric)
{
	double length = seconds(p, metric->since_ticks, metric->ticks), rate = NAN;

	if (metric->since_ticks && length > 0)
		rate = metric->value >= metric->since_value
			? (double)(metric->value - metric->since_value) / length
			: NAN;
	metric->since_ticks = metric->ticks;
	metric->since_value = metric->value;
	return rate;
}

static int metrics_add(struct view_node *node, struct live_process *p)
{
	for (size_t i = 0; i < p->metrics.n; i++) {
		struct live_metric *metric = &p->metrics.at[i];
		int rate;

		if (!metric->name || !metric->ticks || p->ns_per_tick <= 0)
			continue;
		if (begins(metric->name, "gpu.")) {
			if (gpu_add(node, metric) < 0)
				return -1;
			continue;
		}
		rate = rate_of(metric->name);
		if (rate >= 0 && interface_counts(p, metric))
			node->rate[rate] = add(node->rate[rate], metric_rate(p, metric));
	}
	return 0;
}

static struct view_node *node_get(struct view *view, const char *hostname)
{
	struct view_node *node;

	for (size_t i = 0; i < view->nodes.n; i++)
		if (strcmp(view->nodes.at[i].hostname, hostname) == 0)
			return &view->nodes.at[i];
	node = ARRAY_ADD(&view->nodes);
	if (!node)
		return NULL;
	*node = (struct view_node){ .hostname = hostname };
	for (int i = 0; i < VIEW_RATE_COUNT; i++)
		node->rate[i] = NAN;
	return node;
}

static int nodes_make(struct view *view, const struct live *live)
{
	for (size_t i = 0; i < live->processes.n; i++) {
		struct live_process *p = live->processes.at[i];
		struct view_node *node = p->is_defined ? node_get(view, p->hostname) : NULL;
		double length = seconds(p, p->since, p->now);

		if (p->is_defined && (!node || (!p->ended && metrics_add(node, p) < 0)))
			return -1;
		if (!node || p->ended || length <= 0)
			continue;
		node->rate[VIEW_FILES_READ] = add(node->rate[VIEW_FILES_READ],
			(double)p->read_bytes / length);
		node->rate[VIEW_FILES_WRITTEN] = add(node->rate[VIEW_FILES_WRITTEN],
			(double)p->written_bytes / length);
	}
	return 0;
}

static double communicates(const struct view_rank *rank)
{
	return rank->share[HOST_MPI] + rank->share[HOST_GLOO];
}

/* Others wait for the rank that communicates least, if it does by much. */
static void slowest_find(struct view *view)
{
	const struct view_rank *least = NULL;
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < view->ranks.n; i++) {
		const struct view_rank *rank = &view->ranks.at[i];

		if (!rank->has_shares)
			continue;
		n++;
		sum += communicates(rank);
		if (!least || communicates(rank) < communicates(least))
			least = rank;
	}
	if (n > 1 &&
		(sum - communicates(least)) / (double)(n - 1) - communicates(least) >= slower_least)
		view->slowest = least;
}

static void sums_make(struct view *view)
{
	size_t n = 0, nsteps = 0;

	view->steps_per_s = view->samples_per_s = NAN;
	for (size_t i = 0; i < view->ranks.n; i++) {
		const struct view_rank *rank = &view->ranks.at[i];

		view->nsilent += rank->life == VIEW_SILENT;
		view->nended += rank->life == VIEW_ENDED;
		nsteps += !isnan(rank->steps_per_s);
		view->steps_per_s = add(view->steps_per_s, rank->steps_per_s);
		view->samples_per_s = add(view->samples_per_s, rank->samples_per_s);
		if (!rank->has_shares)
			continue;
		n++;
		for (int k = 0; k < HOST_STATE_COUNT; k++)
			view->share[k] += rank->share[k];
	}
	view->has_shares = n > 0;
	for (int k = 0; k < HOST_STATE_COUNT && n; k++)
		view->share[k] /= (double)n;
	if (nsteps)
		view->steps_per_s /= (double)nsteps;
}

static void elapsed_find(struct view *view, const struct live *live)
{
	uint64_t first = UINT64_MAX;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	for (size_t i = 0; i < live->processes.n; i++)
		if (live->processes.at[i]->is_defined &&
			live->processes.at[i]->def.start.realtime_ns < first)
			first = live->processes.at[i]->def.start.realtime_ns;
	view->elapsed_s = first == UINT64_MAX
		? NAN
		: (double)now.tv_sec + (double)now.tv_nsec / 1e9 - (double)first / 1e9;
}

int view_make(struct view *view, const struct live *live)
{
	*view = (struct view){ 0 };
	if (ranks_make(view, live) < 0 || nodes_make(view, live) < 0)
		return -1;
	sums_make(view);
	slowest_find(view);
	elapsed_find(view, live);
	return 0;
}

void view_end(struct view *view)
{
	view->is_over = true;
	for (size_t i = 0; i < view->ranks.n; i++)
		if (view->ranks.at[i].life == VIEW_RUNS) {
			view->ranks.at[i].life = VIEW_SILENT;
			view->nsilent++;
		}
}

void view_free(struct view *view)
{
	for (size_t i = 0; i < view->nodes.n; i++)
		free(view->nodes.at[i].gpus.at);
	free(view->nodes.at);
	free(view->ranks.at);
}
