/* merge_buckets.h - how processes exchanged their gradients, part of the archive's definitions. */
#ifndef ANALYZER_MERGE_BUCKETS_H
#define ANALYZER_MERGE_BUCKETS_H

#include "merge/write_defs.h"

/* Defines PROPERTY_BUCKETS of each process that exchanged any. */
void buckets_define(const struct merge *m, struct strings *s);

#endif
