/*
 * steps_load.h - takes the steps of a database made by a test into memory, as they are there when
 * events have been read.
 */
#ifndef TESTS_UNIT_STEPS_LOAD_H
#define TESTS_UNIT_STEPS_LOAD_H

#include <sqlite3.h>
#include <stdbool.h>

struct engine;
struct step_rows;

/* Adds all steps of the database, with the times that host_time has of them. */
bool steps_read(sqlite3 *handle, struct step_rows *rows);

/* From there on the rows in memory count: the database keeps its steps, but no times of hosts. */
bool steps_load(struct engine *engine);

#endif
