/* merge_nccl.h - what NCCL's calls and kernels carry in the archive. */
#ifndef ANALYZER_MERGE_NCCL_H
#define ANALYZER_MERGE_NCCL_H

#include "merge_event.h"

/* Attributes of an NCCL call of the host (SPOOL_NCCL). */
void nccl_call_attributes(struct writer *w, const struct entry *e);

/*
 * Attributes of a kernel that was launched inside of an NCCL call, whose
 * record `call` is (any type: the end of a group has no SPOOL_NCCL); NULL: in none.
 */
void nccl_kernel_attributes(const struct merge *m, const struct process *p, const uint64_t *call,
			    OTF2_AttributeList *attributes);

#endif
