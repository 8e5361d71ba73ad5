/* metric_put.c - writes metrics of a window, of all or about one thing; see metric.h. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "metrics/metric.h"
#include "tables/metric.def"

bool metric_has_figures(const struct engine *engine, const char *window)
{
	int64_t n = 0, apart = 4;

	if (window[0] == 's')
		n = strtoll(window + strlen("step:"), NULL, 10) - engine->windows.first_step;
	if (n < METRIC_STEPS)
		return true;
	while (n / apart >= METRIC_STEPS / 2)
		apart *= 2;
	return n % apart == 0;
}

void metric_put_about(struct engine *engine, const char *window, enum metric metric,
	const char *subject, double value, const char *flag)
{
	/* of devices that share a number the first, of nodes asked twice the same */
	static const struct db_table table = DB_TABLE(metric, "insert or ignore", METRIC_COLUMNS);
	const char *model = metric_definitions[metric].model;
	const char *name = metric_definitions[metric].name;
	const char *unit = metric_definitions[metric].unit;

	db_put_row(&engine->tables.db, &table, DB_ROW(METRIC_COLUMNS));
}

void metric_put(struct engine *engine, const char *window, enum metric metric, double value,
	const char *flag)
{
	const char *model = metric_definitions[metric].model;
	const char *name = metric_definitions[metric].name;
	const char *unit = metric_definitions[metric].unit;
	const char *subject = "";

	if (window[0] != 's')
		metric_put_about(engine, window, metric, subject, value, flag);
	else if (!isnan(value))
		window_row_add(&engine->tables.metric_rows, DB_GATHERED(METRIC_COLUMNS));
}

const char *metric_replay_missing(const struct engine *engine)
{
	if (engine->tables.summary)
		return "no replay in a summary";
	if (engine->replay.ncalls && !engine->replay.noperations)
		return "the trace has MPI calls but no messages or collectives";
	return NULL;
}
