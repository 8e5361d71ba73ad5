/* sources_cuda.c - memory of its devices that the process holds, as metrics; see sources.h. */
#include "config.h"

#include <string.h>

#include "counters/sources.h"
#include "cuda/cuda_memory.h"

#define KIND(suffix, unit, mode)                                                                   \
	(&(struct metric_kind){ "proc.gpu.", suffix, unit, "by cudaMalloc and from pools", mode })

void process_gpu_read(const struct counter *source, struct sample_set *set)
{
	struct cuda_memory memory;

	(void)source;
	for (unsigned d = 0; d < CUDA_MEMORY_DEVICES; d++) {
		char digits[2] = { (char)('0' + d / 10), (char)('0' + d % 10) };
		const char *key = d < 10 ? digits + 1 : digits;
		size_t nkey = d < 10 ? 1 : 2;

		if (!cuda_memory_read(d, &memory))
			continue;
		set_add(set, KIND(".held", "B", METRIC_GAUGE), key, nkey, memory.held);
		set_add(set, KIND(".held_most", "B", METRIC_GAUGE), key, nkey, memory.most);
		if (memory.missed)
			set_add(set, KIND(".held_missed", "1", METRIC_GAUGE), key, nkey,
				memory.missed);
	}
}
