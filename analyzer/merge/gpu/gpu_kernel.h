/* gpu_kernel.h - kernels of the run by name, and the regions of what devices do. */
#ifndef ANALYZER_GPU_KERNEL_H
#define ANALYZER_GPU_KERNEL_H

#include "merge/gpu/gpu.h"

/* All kernels of the run, each name once. 0, or -1 without memory (reported). */
int merge_kernels(struct merge *m);
void merge_kernels_free(struct merge *m);

/* Regions of kernels and copies, from m->nregions on; none in a run without activities. */
void kernel_regions_number(struct merge *m);
void kernel_regions_define(struct merge *m, struct strings *s);

/* The region of a process's DEF_KERNEL, of a copy (enum spool_copy). */
uint32_t kernel_region(const struct merge *m, const struct process *p, uint32_t id);
uint32_t copy_region(const struct merge *m, unsigned op);

/* Of copies that an operation of NCCL's launched: a collective by the copy engines has no kernel. */
uint32_t nccl_copy_region(const struct merge *m);

#endif
