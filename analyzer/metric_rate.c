/* metric_rate.c - models calls and hybrid; see metric.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis.h"
#include "metric.h"

enum { SECOND_NS = 1000000000 };

static void put(struct analysis *analysis, const char *window, const char *node, const char *name,
		const char *suffix, double value, const char *flag)
{
	char *subject, *full;

	if (asprintf(&subject, "node:%s", node) < 0)
		return;
	if (asprintf(&full, "%s%s", name, suffix) >= 0) {
		db_put(&analysis->db, "insert into metric values (1,?,'calls',?,?,?,'bit/s',?)", "sssds", window, full,
			subject, value, flag);
		free(full);
	}
	free(subject);
}

/* Rates of one node over the spans of a window (its instances). */
static void rates_put(struct analysis *analysis, const char *window, uint32_t node, const struct span_of_ranks *spans,
		size_t n)
{
	const struct rates *rates = &analysis->rates[node];
	const char *hostname = analysis->model.nodes.at[node].hostname;

	for (int kind = 0; kind < RATE_COUNT; kind++) {
		bool network = kind >= RATE_NETWORK_SENT, alone = network && analysis->model.nodes.n < 2;
		const char *flag = alone ? "one node: nothing left it by MPI" : NULL;
		double bytes = 0, ns = 0, peak = 0;

		for (size_t i = 0; i < n; i++) {
			double length = spans[i].last - spans[i].first, most;

			ns += length;
			bytes += rate_between(rates, kind, spans[i].first, spans[i].last);
			most = rate_peak(rates, kind, spans[i].first, spans[i].last);
			if (length > 0 && most / fmin(length, SECOND_NS) > peak)
				peak = most / fmin(length, SECOND_NS);
		}
		if (ns == 0)
			flag = "the window has no duration";
		put(analysis, window, hostname, rate_names[kind], "", alone || ns == 0 ? NAN : bytes / ns * 8e9, flag);
		put(analysis, window, hostname, rate_names[kind], "_peak", alone || ns == 0 ? NAN : peak * 8e9, flag);
	}
}

static void seconds_write(struct analysis *analysis, uint32_t node)
{
	int64_t seconds = (analysis->end - analysis->start + SECOND_NS - 1) / SECOND_NS;

	for (int kind = 0; kind < RATE_COUNT; kind++)
		for (int64_t i = 0; analysis->rates[node].bins[kind] && i < seconds; i++) {
			int64_t from = analysis->start + i * SECOND_NS;
			double bytes = rate_between(&analysis->rates[node], kind, from, from + SECOND_NS);

			if (bytes >= 0.5)
				db_put(&analysis->db, "insert into throughput_second values (1,?,?,?,'call',?)", "iisi",
					(int64_t)node + 1, i, rate_names[kind], (int64_t)llround(bytes));
		}
}

void metric_rates_write(struct analysis *analysis)
{
	struct span_of_ranks run = { .first = analysis->start, .last = analysis->end };

	for (size_t node = 0; node < analysis->model.nodes.n; node++) {
		rates_put(analysis, "run", node, &run, 1);
		seconds_write(analysis, node);
		for (size_t i = 0; i < analysis->windows.phases.n; i++) {
			const struct phase_window *phase = &analysis->windows.phases.at[i];
			char *window;

			if (asprintf(&window, "phase:%s", phase->name) < 0)
				continue;
			rates_put(analysis, window, node, phase->instances.at, phase->instances.n);
			free(window);
		}
	}
}

/* Useful time and number of threads of the processes with a rank; main ones apart. */
struct threads { double useful, main_useful; uint64_t n, main; };

static struct threads threads_sum(const struct analysis *analysis)
{
	struct threads sum = { 0 };

	for (size_t i = 0; i < analysis->model.locations.n; i++) {
		const struct location *location = &analysis->model.locations.at[i];
		const struct track *track = &analysis->tracks[i];

		if (location->in->type != OTF2_LOCATION_TYPE_CPU_THREAD || location->process == MODEL_NONE ||
		    analysis->model.processes.at[location->process].rank < 0 || !track->any)
			continue;
		sum.n++;
		sum.useful += track->spent[HOST_USEFUL];
		if (location->is_main) {
			sum.main++;
			sum.main_useful += track->spent[HOST_USEFUL];
		}
	}
	return sum;
}

void metric_hybrid_write(struct analysis *analysis)
{
	struct threads sum = threads_sum(analysis);
	double measured = analysis->end - analysis->start, hybrid, outside = 0;

	if (sum.useful <= sum.main_useful || measured <= 0)
		return;
	for (size_t i = 0; i < analysis->model.locations.n; i++)
		if (analysis->tracks[i].is_rank)
			for (int state = 0; state < HOST_ABSENT; state++)
				outside += state == HOST_MPI ? 0 : analysis->tracks[i].spent[state];
	outside /= analysis->model.nranks * measured;
	hybrid = sum.useful / (sum.n * measured);
	db_put(&analysis->db, "insert into metric values (1,'run','hybrid','parallel_efficiency','',?,'1',NULL)", "d", hybrid);
	db_put(&analysis->db, "insert into metric values (1,'run','hybrid','mpi_parallel_efficiency','',?,'1',NULL)", "d", outside);
	db_put(&analysis->db, "insert into metric values (1,'run','hybrid','thread_efficiency','',?,'1',?)", "ds",
		outside ? hybrid / outside : NAN, outside ? NULL : "no time outside of MPI");
	db_put(&analysis->db, "insert into metric values (1,'run','hybrid','threads','',?,'count',NULL)", "d", (double)sum.n);
}
