/* write_defs.h - the archive's definitions; see merge_model.h for the stages. */
#ifndef ANALYZER_WRITE_DEFS_H
#define ANALYZER_WRITE_DEFS_H

#include "merge/merge_model.h"
#include "otf2/otf2_out.h"
#include "otf2/otf2_out_strings.h"

/*
 * Writes all global definitions and the archive's properties; on rank 0 of a
 * parallel merge. `unmatched` may be NULL. 0, or -1 (reported).
 */
int otf2_defs_write(struct merge *m, struct otf2_out *out, const char *unmatched);

#endif
