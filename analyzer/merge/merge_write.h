/* merge_write.h - the second pass: records become events; see merge_model.h for the stages. */
#ifndef ANALYZER_MERGE_WRITE_H
#define ANALYZER_MERGE_WRITE_H

#include "merge/merge_model.h"
#include "otf2/otf2_out.h"

/*
 * Writes the events of all locations that this rank handles. Afterwards every
 * rank of a parallel merge knows all results. 0, or -1 (reported).
 */
int merge_write(struct merge *m, struct otf2_out *out, int jobs);

#endif
