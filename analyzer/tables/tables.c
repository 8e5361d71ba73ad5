/* tables.c - see tables.h. */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "tables/tables.h"

void tables_init(struct tables *tables)
{
	*tables = (struct tables){
		.host_rows = { .table = &host_time_table },
		.device_rows = { .table = &device_time_table },
		.metric_rows = { .table = &metric_table, .named = true },
	};
}

int tables_open(struct tables *tables)
{
	const struct model *model = &tables->model;

	tables->rates = calloc(model->nodes.n + 1, sizeof(*tables->rates));
	tables->calls = calloc(model->processes.n + 1, sizeof(*tables->calls));
	tables->files = calloc(model->processes.n + 1, sizeof(*tables->files));
	tables->pairs = calloc(model->processes.n + 1, sizeof(*tables->pairs));
	tables->paths = calloc(model->processes.n + 1, sizeof(*tables->paths));
	if (tables->rates && tables->calls && tables->files && tables->pairs && tables->paths)
		return counters_open(tables);
	log_error("out of memory for %zu processes", model->processes.n);
	return -1;
}

void tables_close(struct tables *tables)
{
	struct model *model = &tables->model;

	for (size_t i = 0; tables->rates && i < model->nodes.n; i++)
		rates_free(&tables->rates[i]);
	free(tables->rates);
	counters_close(tables);
	call_rows_close(tables->call_rows);
	calls_free(tables->calls, model);
	io_files_free(tables->files, model);
	for (size_t i = 0; tables->pairs && i < model->processes.n; i++)
		message_pairs_free(&tables->pairs[i]);
	free(tables->pairs);
	for (size_t i = 0; tables->paths && i < model->processes.n; i++)
		call_tree_free(&tables->paths[i]);
	free(tables->paths);
	kernels_close(tables);
	free(tables->copies);
	step_rows_free(&tables->step_rows);
	window_rows_free(&tables->host_rows);
	window_rows_free(&tables->device_rows);
	window_rows_free(&tables->metric_rows);
}
