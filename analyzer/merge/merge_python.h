/* merge_python.h - where processes were seen in Python, part of the archive's definitions. */
#ifndef ANALYZER_MERGE_PYTHON_H
#define ANALYZER_MERGE_PYTHON_H

#include "merge/write_defs.h"

/*
 * Defines the tree of calls, equal ones of all processes once, and how long each process was where:
 * properties of its location group (PROPERTY_PYTHON). 0, or -1 without memory.
 */
int python_define(struct merge *m, struct strings *s);

#endif
