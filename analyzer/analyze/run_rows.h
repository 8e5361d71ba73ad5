/*
 * run_rows.h - rows about the run, its machines, processes and threads, its environment and losses.
 */
#ifndef ANALYZER_RUN_ROWS_H
#define ANALYZER_RUN_ROWS_H

struct analyze_options;
struct engine;

/* Before the events: run, nodes, devices, environment; other rows refer to them. */
void run_rows_begin(struct engine *engine, const char *label);

/*
 * Then the floating-point operations from the options, or else from the archive, as numbers in
 * environment.
 */
void run_rows_flops(struct engine *engine, const struct analyze_options *options);

/* After the events: everything else. */
void run_rows_end(struct engine *engine, const struct analyze_options *options);

/* A row of environment, which replaces an earlier one. */
void run_rows_property(struct engine *engine, const char *scope, const char *key,
	const char *value);

#endif
