/*
 * run_rows.h - rows about the run, its machines, processes and threads, its environment and losses.
 */
#ifndef ANALYZER_RUN_ROWS_H
#define ANALYZER_RUN_ROWS_H

struct analysis;

/* Before the events: run, nodes, devices, environment; other rows refer to them. */
void run_rows_begin(struct analysis *analysis, const char *label);

/* Behind the events: everything else. */
void run_rows_end(struct analysis *analysis);

#endif
