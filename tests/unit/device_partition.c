/*
 * device_partition.c - the check device_time_partition of metric_device.c, which an archive cannot
 * fail: it detects mistakes of the sweep. The destination of the figures is replaced.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/engine.h"
#include "metrics/metric.h"
#include "tables/check_row.h"

static int failed, written;
static int64_t absent;

void check_write(struct db *db, const char *window, const char *name, bool ok, const char *format,
	...)
{
	(void)db, (void)window, (void)format;
	written += strcmp(name, "device_time_partition") == 0;
	failed += strcmp(name, "device_time_partition") == 0 && !ok;
}

void window_row_add(struct window_rows *rows, const union db_value *values)
{
	(void)rows;
	if (strcmp(values[1].s, "absent") == 0)
		absent = values[2].i;
}

void window_rows_end(struct db *db, struct window_rows *rows, const char *window)
{
	(void)db, (void)rows, (void)window;
}

void metric_put(struct engine *engine, const char *window, enum metric metric, double value,
	const char *flag)
{
	(void)engine, (void)window, (void)metric, (void)value, (void)flag;
}

void metric_put_about(struct engine *engine, const char *window, enum metric metric,
	const char *subject, double value, const char *flag)
{
	(void)engine, (void)window, (void)metric, (void)subject, (void)value, (void)flag;
}

bool metric_has_figures(const struct engine *engine, const char *window)
{
	(void)engine, (void)window;
	return false;
}

const char *device_replay_missing(const struct engine *engine)
{
	(void)engine;
	return "";
}

struct device_window *device_window_new(struct engine *engine)
{
	(void)engine;
	return NULL;
}

void device_window_free(struct device_window *window)
{
	(void)window;
}

void db_put(struct db *db, const char *sql, const char *types, ...)
{
	(void)db, (void)sql, (void)types;
}

void db_put_row(struct db *db, const struct db_table *table, const union db_value *values)
{
	(void)db, (void)table, (void)values;
}

const struct db_table device_time_table, metric_table;

/* A window of 100 in which a device exists for `present` and computes, is idle for the rest. */
static bool holds(const char *window, int64_t compute, int64_t idle, int64_t present)
{
	static const int64_t replayed[SCENARIO_COUNT];
	struct device device = { 0 };
	struct device_sweep sweep = { 0 };
	struct engine engine = { .tables.model.devices = { .at = &device, .n = 1 },
		.device.sweeps = &sweep };
	struct device_sums sums = { .present = present };

	sums.ns[DEVICE_COMPUTE] = compute;
	sums.ns[DEVICE_IDLE_UNKNOWN] = idle;
	failed = written = 0;
	absent = 0;
	metric_device_write(&engine, window, 100, replayed, &sums);
	return !failed;
}

static void tap(bool good, int n, const char *what)
{
	printf("%s %d - %s\n", good ? "ok" : "not ok", n, what);
}

int main(void)
{
	printf("1..6\n");
	tap(holds("run", 60, 40, 100) && written == 1 && absent == 0, 1, "states fill the window");
	tap(holds("run", 60, 20, 80) && absent == 20, 2, "the rest of it is absent");
	tap(!holds("run", 60, 50, 110), 3, "more than the window is an error");
	tap(!holds("run", 60, 20, 100), 4, "less than the device was there, too");
	tap(!holds("run", 60, 40, 80), 5, "and more than that");
	tap(!holds("step:3", 60, 20, 100) && holds("step:3", 60, 40, 100) && !written, 6,
		"of a step there is a row when it is wrong");
	return 0;
}
