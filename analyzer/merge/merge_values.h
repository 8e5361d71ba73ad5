/* merge_values.h - what processes gave by tacho_metric(), part of the archive's definitions. */
#ifndef ANALYZER_MERGE_VALUES_H
#define ANALYZER_MERGE_VALUES_H

#include "merge/write_defs.h"

/* Defines PROPERTY_VALUES of each process that gave any. */
void values_define(const struct merge *m, struct strings *s);

#endif
