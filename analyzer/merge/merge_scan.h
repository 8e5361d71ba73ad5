/* merge_scan.h - the first pass over all records; see merge_model.h for the stages. */
#ifndef ANALYZER_MERGE_SCAN_H
#define ANALYZER_MERGE_SCAN_H

#include "merge/merge_model.h"

/* Decides which rank of a parallel merge handles which process. */
void merge_share(struct merge *m);

#endif
