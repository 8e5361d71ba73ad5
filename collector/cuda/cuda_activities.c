/* cuda_activities.c - whether GPUs are recorded here, and which activities CUPTI reports; see cuda_capture.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/define.h"
#include "core/sys.h"
#include "cuda/cuda_callbacks.h"
#include "cuda/cuda_sample.h"
#include "cuda/cupti_v2.h"

static _Atomic uint32_t owner; /* process that traces; 0: none */
static _Atomic bool are_graphs_whole, are_nodes_needed;

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

/* While CUPTI reports whole launches of graphs it does not report their nodes. Returns which it reports. */
static const char *graphs_ask(void)
{
	const char *wanted = getenv("TACHO_GPU_GRAPHS");
	bool is_whole = wanted && strcmp(wanted, "whole") == 0 && !atomic_load(&are_nodes_needed) &&
		tacho_cupti.ActivityEnable(KIND_GRAPH) == CUPTI_OK;

	atomic_store(&are_graphs_whole, is_whole);
	return is_whole ? "whole" : "nodes";
}

void cuda_graphs_by_node(void)
{
	if (atomic_exchange(&are_nodes_needed, true) || !atomic_exchange(&are_graphs_whole, false))
		return;
	tacho_cupti.ActivityDisable(KIND_GRAPH);
	process_define_property("process.gpu_graphs", "nodes: a graph has calls of NCCL");
}

int cuda_activities_enable(void)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		int ret = tacho_cupti.ActivityEnable(kinds[i]);

		if (ret != CUPTI_OK && i < 2)
			return ret;
	}
	process_define_property("process.gpu_graphs", graphs_ask());
	return CUPTI_OK;
}

void cuda_hardware_ask(void)
{
	static _Atomic uint32_t is_answered;
	const char *wanted = getenv("TACHO_GPU_HARDWARE");
	int error = CUPTI_NOT_SUPPORTED;
	char text[80];

	if (!wanted || strcmp(wanted, "1") != 0 || atomic_load(&is_answered))
		return;
	if (tacho_cupti.ActivityEnableHWTrace && !cupti_v2_is_on())
		error = tacho_cupti.ActivityEnableHWTrace(1);
	if (error == CUPTI_NOT_INITIALIZED || atomic_exchange(&is_answered, 1))
		return;
	snprintf(text, sizeof(text), "off: %s", cupti_text(error));
	process_define_property("process.gpu_hardware", error == CUPTI_OK ? "on" : text);
}

void cuda_kernels_turn(bool is_on)
{
	__typeof__(tacho_cupti.ActivityEnable) turn = is_on ? tacho_cupti.ActivityEnable
							    : tacho_cupti.ActivityDisable;

	turn(KIND_CONCURRENT_KERNEL);
	if (atomic_load(&are_graphs_whole))
		turn(KIND_GRAPH);
}

bool cuda_activities_need(int kind)
{
	return kind == KIND_CONCURRENT_KERNEL || kind == KIND_MEMCPY || kind == KIND_MEMCPY2 ||
		kind == KIND_MEMSET;
}

void cuda_activities_share(enum share share)
{
	if (share != SHARE_ALL)
		cuda_launches_by_callbacks();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (share == SHARE_ALL || (share == SHARE_WORK && cuda_activities_need(kinds[i])))
			tacho_cupti.ActivityEnable(kinds[i]);
		else
			tacho_cupti.ActivityDisable(kinds[i]);
	if (share == SHARE_ALL)
		graphs_ask();
	else if (atomic_exchange(&are_graphs_whole, false))
		tacho_cupti.ActivityDisable(KIND_GRAPH);
	if (share == SHARE_ALL && !cuda_sample_is_on())
		cuda_kernels_turn(false);
}
