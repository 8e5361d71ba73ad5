/*
 * steps_load.h - takes the steps of a database made by a test into memory, as they are there when
 * events have been read.
 */
#ifndef TESTS_UNIT_STEPS_LOAD_H
#define TESTS_UNIT_STEPS_LOAD_H

#include <stdbool.h>

struct analysis;

/* From there on the rows in memory count: the database keeps its steps, but no times of hosts. */
bool steps_load(struct analysis *analysis);

#endif
