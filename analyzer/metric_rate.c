/* metric_rate.c - models calls and hybrid; see metric.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis.h"
#include "metric.h"

enum { SECOND_NS = 1000000000 };

static void put(struct analysis *analysis, const char *model, const char *window, const char *node,
	const char *name, const char *suffix, double value, const char *flag)
{
	char *subject, *full;

	if (asprintf(&subject, "node:%s", node) < 0)
		return;
	if (asprintf(&full, "%s%s", name, suffix) >= 0) {
		db_put(&analysis->db, "insert into metric values (1,?,?,?,?,?,'bit/s',?)", "ssssds",
			window, model, full, subject, value, flag);
		free(full);
	}
	free(subject);
}

/* Rates of one node over the spans of a window (its instances). */
static void rates_put(struct analysis *analysis, const struct rate_model *model,
	const struct rates *rates, const char *window, uint32_t node,
	const struct span_of_ranks *spans, size_t n)
{
	const char *hostname = analysis->model.nodes.at[node].hostname;

	for (int kind = 0; kind < RATE_COUNT; kind++) {
		struct rate_note note = model->note(analysis, node, kind);
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
			note = (struct rate_note){ true, "the window has no duration" };
		put(analysis, model->model, window, hostname, rate_names[kind], "",
			note.undefined ? NAN : bytes / ns * 8e9, note.flag);
		put(analysis, model->model, window, hostname, rate_names[kind], "_peak",
			note.undefined ? NAN : peak * 8e9, note.flag);
	}
}

static void seconds_write(struct analysis *analysis, const struct rate_model *model,
	const struct rates *rates, uint32_t node)
{
	int64_t seconds = (analysis->end - analysis->start + SECOND_NS - 1) / SECOND_NS;

	for (int kind = 0; kind < RATE_COUNT; kind++)
		for (int64_t i = 0; rates->bins[kind] && i < seconds; i++) {
			int64_t from = analysis->start + i * SECOND_NS;
			double bytes = rate_between(rates, kind, from, from + SECOND_NS);

			if (bytes >= 0.5)
				db_put(&analysis->db,
					"insert into throughput_second values (1,?,?,?,?,?)",
					"iissi", (int64_t)node + 1, i, rate_names[kind],
					model->source, (int64_t)llround(bytes));
		}
}

void rate_model_write(
	struct analysis *analysis, const struct rate_model *model, const struct rates *rates)
{
	struct span_of_ranks run = { .first = analysis->start, .last = analysis->end };

	for (size_t node = 0; node < analysis->model.nodes.n; node++) {
		rates_put(analysis, model, &rates[node], "run", node, &run, 1);
		seconds_write(analysis, model, &rates[node], node);
		for (size_t i = 0; i < analysis->windows.phases.n; i++) {
			const struct phase_window *phase = &analysis->windows.phases.at[i];
			char *window;

			if (asprintf(&window, "phase:%s", phase->name) < 0)
				continue;
			rates_put(analysis, model, &rates[node], window, node, phase->instances.at,
				phase->instances.n);
			free(window);
		}
	}
}

static struct rate_note calls_note(const struct analysis *analysis, uint32_t node, int kind)
{
	(void)node;
	if (kind >= RATE_NETWORK_SENT && analysis->model.nodes.n < 2)
		return (struct rate_note){ true, "one node: nothing left it by MPI" };
	return (struct rate_note){ false, NULL };
}

void metric_rates_write(struct analysis *analysis)
{
	static const struct rate_model by_calls = { "calls", "call", calls_note };

	rate_model_write(analysis, &by_calls, analysis->rates);
}

/* Useful time and number of threads of the processes with a rank; main ones apart. */
struct threads { double useful, main_useful; uint64_t n, main; };

static struct threads threads_sum(const struct analysis *analysis)
{
	struct threads sum = { 0 };

	for (size_t i = 0; i < analysis->model.locations.n; i++) {
		const struct location *location = &analysis->model.locations.at[i];
		const struct track *track = &analysis->tracks[i];

		if (location->in->type != OTF2_LOCATION_TYPE_CPU_THREAD ||
			location->process == MODEL_NONE ||
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
	db_put(&analysis->db,
		"insert into metric values (1,'run','hybrid','parallel_efficiency','',?,'1',NULL)",
		"d", hybrid);
	db_put(&analysis->db,
		"insert into metric values (1,'run','hybrid','mpi_parallel_efficiency','',?,'1',NULL)",
		"d", outside);
	db_put(&analysis->db,
		"insert into metric values (1,'run','hybrid','thread_efficiency','',?,'1',?)", "ds",
		outside ? hybrid / outside : NAN, outside ? NULL : "no time outside of MPI");
	db_put(&analysis->db,
		"insert into metric values (1,'run','hybrid','threads','',?,'count',NULL)", "d",
		(double)sum.n);
}
