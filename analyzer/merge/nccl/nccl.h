/*
 * nccl.h - what NCCL's calls and kernels carry in the archive, and its
 * communicators. A communicator has one number on all ranks, that of its
 * definition, after MPI's.
 */
#ifndef ANALYZER_NCCL_H
#define ANALYZER_NCCL_H

#include "merge/merge_event.h"

struct strings;

/* A communicator of the archive. */
struct nccl_merged_comm {
	uint64_t hash, parent;
	uint32_t size;
	const char *name;
	struct nccl_slot *slots; /* by rank */
};

/* Who a rank is; process NONE: its member left no definition. */
struct nccl_slot {
	uint32_t process, device;
};

/*
 * First pass, on the rank that handles the process: positions of messages,
 * what the profiler plugin reported, the operations of groups. 0, or -1 (reported).
 */
int nccl_scan_group(struct process *p, const struct group *g);
int nccl_scan_end(struct process *p);

/* After these two: operations that tie the clocks of nodes together. 0, or -1 (reported). */
int nccl_scan_sync(struct merge *m, struct process *p);
void nccl_free(struct process *p);

/*
 * Communicators of all processes as one list; once processes have their order. 0, or -1 (reported).
 */
int merge_nccl_comms(struct merge *m);
void merge_nccl_comms_free(struct merge *m);

/* Attributes of an NCCL call of the host (SPOOL_NCCL). */
void nccl_call_attributes(struct writer *w, const struct entry *e);

/*
 * Attributes of a kernel: its operation where it was launched inside of an NCCL call, or by a
 * graph that captured one; where it carries out several the first of them, and the group.
 */
void nccl_kernel_attributes(const struct process *p, const uint64_t *kernel,
	OTF2_AttributeList *attributes);

/*
 * Those of its i-th further operation, from 0 on, where a graph launched it; false after the last.
 */
bool nccl_kernel_more(const struct process *p, const uint64_t *kernel, uint32_t i,
	OTF2_AttributeList *attributes);

/* Whether an NCCL call has operations: of the end of a group, the group. */
bool nccl_communicates(const struct process *p, const uint64_t *call);

/* Definitions; `group`: the next free number of a group. 0, or -1 without memory. */
void nccl_define_strings(struct strings *s);
int nccl_define_comms(struct merge *m, struct strings *s, uint32_t group);

#endif
