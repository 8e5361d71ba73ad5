/*
 * merge_metrics.h - counters in the archive. Each set that a process's sampler
 * read becomes a metric instance, recorded at the sampler's location, of the
 * node or of the process; equal sets share a class and equal metrics a member.
 */
#ifndef ANALYZER_MERGE_METRICS_H
#define ANALYZER_MERGE_METRICS_H

#include "merge/merge_event.h"
#include "merge/write_defs.h"

/* Numbers the sets of all processes; after merge_model_order. 0, or -1 (reported). */
int merge_metrics(struct merge *m);
void merge_metrics_free(struct merge *m);

void metrics_define(struct merge *m, struct strings *s);

/* Writes a SPOOL_SAMPLE; one whose set was never defined is left out and counted. */
void metrics_write(struct writer *w, const struct entry *e);

#endif
