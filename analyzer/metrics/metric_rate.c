/* metric_rate.c - rates of storage and network, model calls; see metric.h. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "metrics/metric.h"
#include "tables/throughput_second.def"

enum { SECOND_NS = 1000000000 };

static void put(struct engine *engine, enum metric metric, const char *window, const char *node,
	double value, const char *flag)
{
	char *subject;

	if (asprintf(&subject, "node:%s", node) < 0) {
		engine->tables.failed = true;
		return;
	}
	metric_put_about(engine, window, metric, subject, value, flag);
	free(subject);
}

/*
 * Rates of one node over the spans of a window (its instances), less the time that no rank
 * recorded.
 */
static void rates_put(struct engine *engine, const struct rate_model *model,
	const struct rates *rates, const char *window, uint32_t node,
	const struct span_of_ranks *spans, size_t n, int64_t unrecorded, bool is_lossy)
{
	const char *hostname = engine->tables.model.nodes.at[node].hostname;
	bool is_summed = strcmp(model->source, "call") == 0 && track_any_summed(engine);

	for (int kind = 0; kind < RATE_COUNT; kind++) {
		struct rate_note note = model->note(engine, node, kind);
		double bytes = 0, ns = -unrecorded, peak = 0;

		if (is_summed && !note.flag)
			note.flag = METRIC_SUMMED_NOTE;
		if (is_lossy && !note.flag)
			note.flag = "events were lost: at least that much in the time that was "
				    "recorded";
		for (size_t i = 0; i < n; i++) {
			double length = spans[i].last - spans[i].first, most;

			ns += length;
			bytes += rate_between(rates, kind, spans[i].first, spans[i].last);
			most = rate_peak(rates, kind, spans[i].first, spans[i].last);
			if (length > 0 && most / fmin(length, SECOND_NS) > peak)
				peak = most / fmin(length, SECOND_NS);
		}
		if (ns <= 0)
			note = (struct rate_note){ true,
				unrecorded ? "the window was not captured"
					   : "the window has no duration" };
		if (is_lossy && ns > 0) /* in a second of which little was recorded */
			peak = fmax(peak, bytes / ns);
		put(engine, model->metrics[kind][0], window, hostname,
			note.undefined ? NAN : bytes / ns * 8e9, note.flag);
		put(engine, model->metrics[kind][1], window, hostname,
			note.undefined ? NAN : peak * 8e9, note.flag);
	}
}

/* Whole seconds in which something may have moved. */
static int64_t seconds_of(const struct engine *engine, const struct rates *rates)
{
	int64_t end = engine->end < rate_end(rates) ? engine->end : rate_end(rates);

	return (end - engine->start + SECOND_NS - 1) / SECOND_NS;
}

static const struct db_table table = DB_TABLE(throughput_second, "insert",
	THROUGHPUT_SECOND_COLUMNS);

/* A row is of so many seconds: of one, or of a bin, however long the run is. */
static int64_t seconds_apart(const struct rates *rates)
{
	return rates->width > SECOND_NS ? (rates->width + SECOND_NS - 1) / SECOND_NS : 1;
}

static void seconds_write(struct engine *engine, const struct rate_model *model,
	const struct rates *rates, uint32_t node)
{
	int64_t seconds = seconds_of(engine, rates), apart = seconds_apart(rates);

	for (int kind = 0; kind < RATE_COUNT; kind++)
		for (int64_t second = 0; rates->bins[kind] && second < seconds; second += apart) {
			int64_t from = engine->start + second * SECOND_NS;
			double bytes = rate_between(rates, kind, from, from + apart * SECOND_NS);

			if (bytes >= 0.5)
				db_put_row(&engine->tables.db, &table,
					DB_ROW(THROUGHPUT_SECOND_COLUMNS));
		}
}

void rate_model_write(struct engine *engine, const struct rate_model *model,
	const struct rates *rates)
{
	struct span_of_ranks run = { .first = engine->own_start, .last = engine->own_end };
	/* counters continue outside the capture */
	bool by_calls = strcmp(model->source, "call") == 0;

	for (size_t node = 0; node < engine->tables.model.nodes.n; node++) {
		rates_put(engine, model, &rates[node], "run", node, &run, 1,
			by_calls ? metric_unrecorded_ns(engine, NULL) : 0,
			by_calls && metric_is_lossy(engine, NULL));
		seconds_write(engine, model, &rates[node], node);
		for (size_t i = 0; i < engine->windows.phases.n; i++) {
			const struct phase_window *phase = &engine->windows.phases.at[i];
			char *window;

			if (phase_is_active(phase) || !(window = phase_window_name(phase)))
				continue;
			rates_put(engine, model, &rates[node], window, node, phase->instances.at,
				phase->instances.n,
				by_calls ? metric_unrecorded_ns(engine, phase) : 0,
				by_calls && metric_is_lossy(engine, phase));
			free(window);
		}
	}
}

static struct rate_note calls_note(const struct engine *engine, uint32_t node, int kind)
{
	(void)node;
	if (kind >= RATE_NETWORK_SENT && engine->tables.model.nodes.n < 2)
		return (struct rate_note){ true, "one node: nothing left it by MPI" };
	return (struct rate_note){ false, NULL };
}

void metric_rates_write(struct engine *engine)
{
	static const enum metric metrics[RATE_COUNT][2] = {
		[RATE_STORAGE_READ] = { METRIC_calls_storage_read, METRIC_calls_storage_read_peak },
		[RATE_STORAGE_WRITE] = { METRIC_calls_storage_write,
			METRIC_calls_storage_write_peak },
		[RATE_NETWORK_SENT] = { METRIC_calls_network_sent, METRIC_calls_network_sent_peak },
		[RATE_NETWORK_RECEIVED] = { METRIC_calls_network_received,
			METRIC_calls_network_received_peak },
	};
	static const struct rate_model by_calls = { "call", metrics, calls_note };

	for (size_t node = 0; node < engine->tables.model.nodes.n; node++) {
		engine->tables.rates[node].first = engine->start;
		engine->tables.rates[node].last = engine->end;
	}
	rate_model_write(engine, &by_calls, engine->tables.rates);
}
