/*
 * sources.c - the folders that core/ calls, in the order of these calls: see core/source.h.
 */
#include "config.h"

#include "core/keep.h"
#include "core/mark.h"
#include "core/source.h"
#include "counters/sampler.h"
#include "cuda/cuda_capture.h"
#include "nccl/nccl.h"
#include "python/python.h"
#include "torch/torch.h"

const struct source *const tacho_sources[] = {
	&tacho_mark_source,
	&tacho_keep_source,
	&tacho_torch_source,
	&tacho_cuda_source,
	&tacho_rival_source,
	&tacho_counter_source,
	&tacho_python_source,
	&tacho_nccl_source,
	&tacho_proxy_source,
	NULL,
};
