/* comm_kernel.c - see comm_kernel.h. */
#include "config.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "model/comm_kernel.h"

/*
 * Beginnings of names of functions or of their namespaces, as their projects' sources have them
 * (vLLM csrc/custom_all_reduce.cuh; TensorRT-LLM kernels/customAllReduceKernels.cu and
 * communicationKernels/allReduceFusionKernels.cu, which FlashInfer has, too; PyTorch
 * c10d/symm_mem/CUDASymmetricMemoryOps.cu; NVSHMEM's kernels of calls on streams; DeepEP
 * csrc/kernels; Transformer Engine comm_gemm_overlap/userbuffers).
 */
static const struct {
	const char *word;
	enum comm_kernel kind;
} words[] = {
	{ "rccl", COMM_KERNEL_NCCL },
	{ "ncclCopy", COMM_KERNEL_NCCL },      /* of our archives: copies that it launched */
	{ "oneRankReduce", COMM_KERNEL_NCCL }, /* of a communicator of one */
	{ "cross_device_reduce_", COMM_KERNEL_OTHER },
	{ "oneShotAllReduceKernel", COMM_KERNEL_OTHER },
	{ "twoShotAllReduceKernel", COMM_KERNEL_OTHER },
	{ "lowPrecisionTwoShotAllReduceKernel", COMM_KERNEL_OTHER },
	{ "allreduce_fusion_kernel_", COMM_KERNEL_OTHER },
	{ "multimem_all_reduce_kernel", COMM_KERNEL_OTHER },
	{ "multimem_one_shot_", COMM_KERNEL_OTHER },
	{ "multimem_all_gather_kernel", COMM_KERNEL_OTHER },
	{ "one_shot_all_reduce_kernel", COMM_KERNEL_OTHER },
	{ "two_shot_all_reduce_kernel", COMM_KERNEL_OTHER },
	{ "alltoall_on_stream_kernel", COMM_KERNEL_OTHER },
	{ "barrier_on_stream_kernel", COMM_KERNEL_OTHER },
	{ "broadcast_on_stream_kernel", COMM_KERNEL_OTHER },
	{ "fcollect_on_stream_kernel", COMM_KERNEL_OTHER },
	{ "rdxn_on_stream_kernel", COMM_KERNEL_OTHER },
	{ "reducescatter_on_stream_kernel", COMM_KERNEL_OTHER },
	{ "sync_on_stream_kernel", COMM_KERNEL_OTHER },
	{ "sync_all_on_stream_kernel", COMM_KERNEL_OTHER },
	{ "deep_ep", COMM_KERNEL_OTHER },
	{ "userbuffers_fp16_", COMM_KERNEL_OTHER },
	{ "kuserbuffers_", COMM_KERNEL_OTHER },
};

static bool is_letter(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

/* Length of the part without template arguments and parameters, where the name is readable. */
static size_t front(const char *name)
{
	size_t at = 0;

	while (name[at]) {
		size_t skip = !strncmp(name + at, "(anonymous namespace)", 21) ? 21
			: !strncmp(name + at, "<unnamed>", 9)		       ? 9
									       : 0;

		if (!skip && (name[at] == '(' || name[at] == '<'))
			break;
		at += skip ? skip : 1;
	}
	return at;
}

/* An identifier of NCCL's with Kernel in it: ncclKernel_, ncclDevKernel_, ncclSymkDevKernel_… */
static bool is_nccl(const char *at, const char *end)
{
	if ((size_t)(end - at) < 10 || strncmp(at, "nccl", 4) != 0)
		return false;
	for (; end - at >= 6 && (isalnum((unsigned char)*at) || *at == '_'); at++)
		if (!strncmp(at, "Kernel", 6))
			return true;
	return false;
}

enum comm_kernel comm_kernel(const char *name)
{
	const char *end = name + front(name);

	for (const char *at = name; at < end; at++) {
		/* mangled, an identifier follows the number of its letters */
		if (!is_letter(*at) || (at > name && is_letter(at[-1])))
			continue;
		if (is_nccl(at, end))
			return COMM_KERNEL_NCCL;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (!strncmp(at, words[i].word, strlen(words[i].word)))
				return words[i].kind;
	}
	return COMM_KERNEL_NONE;
}
