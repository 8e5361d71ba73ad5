/* cuda_activities.c - whether GPUs are recorded here, and which activities CUPTI reports; see cuda_capture.h. */
#include "config.h"

#include "core/sys.h"
#include "cuda/cuda_capture.h"
#include "cuda/cuda_sample.h"

static _Atomic uint32_t owner; /* process that traces; 0: none */

static const int kinds[] = { KIND_CONCURRENT_KERNEL, KIND_MEMCPY, KIND_MEMCPY2, KIND_MEMSET,
	KIND_SYNCHRONIZATION, KIND_OVERHEAD, KIND_CONTEXT, KIND_STREAM };

bool cuda_is_on(void)
{
	return atomic_load_explicit(&owner, memory_order_relaxed) == sys_pid();
}

void cuda_turn(bool is_on)
{
	atomic_store(&owner, is_on ? sys_pid() : 0);
}

int cuda_activities_enable(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		int ret = tacho_cupti.ActivityEnable(kinds[i]);

		if (ret != CUPTI_OK && i < 2)
			return ret;
	}
	return CUPTI_OK;
}

bool cuda_activities_need(int kind)
{
	return kind == KIND_CONCURRENT_KERNEL || kind == KIND_MEMCPY || kind == KIND_MEMCPY2 ||
		kind == KIND_MEMSET;
}

void cuda_activities_share(enum share share)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (share == SHARE_ALL || (share == SHARE_WORK && cuda_activities_need(kinds[i])))
			tacho_cupti.ActivityEnable(kinds[i]);
		else
			tacho_cupti.ActivityDisable(kinds[i]);
	if (share == SHARE_ALL && !cuda_sample_is_on())
		tacho_cupti.ActivityDisable(KIND_CONCURRENT_KERNEL);
}
