/*
 * run_rows.h - rows about the run, its machines, processes and threads, its environment and losses.
 */
#ifndef ANALYZER_RUN_ROWS_H
#define ANALYZER_RUN_ROWS_H

struct engine;

/* Before the events: run, nodes, devices, environment; other rows refer to them. */
void run_rows_begin(struct engine *engine, const char *label);

/* After the events: everything else. */
void run_rows_end(struct engine *engine);

#endif
