/*
 * analyze_gpu.c - `analyze_gpu DIR EVENTS LOCATIONS [LAYERS]` writes an archive of a training on
 * GPUs for tests/bench and tests: a third of the locations are threads of ranks, each with a device
 * of two streams. A layer launches kernels and one all-reduce, and waits for both streams; a step
 * has one layer, or LAYERS.
 */
#include "config.h"

#include <inttypes.h>
#include <otf2/otf2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	KERNELS = 20,
	EVENTS = 4 * KERNELS + 8, /* of a layer, over the three locations of a rank */
	STEP_EVENTS = 2,	  /* besides the parts of its layers */
	LAYER_NS = 100000,
	GROUPS = 1000000, /* location groups of devices */
};

enum { MAIN, STEP, LAUNCH, SYNC, NCCL, KERNEL, NREGIONS = KERNEL + 8 };
enum { A_STEP, A_CORRELATION, A_DEVICE, A_STREAM, A_COMM, A_SEQ, A_OP, A_BYTES, NATTRIBUTES };
enum {
	FIRST_ATTRIBUTE = NREGIONS,
	NONE = FIRST_ATTRIBUTE + NATTRIBUTES,
	NODE,
	ALLREDUCE,
	STREAM,
	FIRST_RANK = STREAM + 2
};

static const char *const strings[FIRST_RANK] = { [MAIN] = "main",
	[STEP] = "step",
	[LAUNCH] = "cudaLaunchKernel",
	[SYNC] = "cudaStreamSynchronize",
	[NCCL] = "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
	[KERNEL] = "gemm_0",
	"gemm_1",
	"gemm_2",
	"relu",
	"bias",
	"softmax",
	"layernorm",
	"adam",
	[FIRST_ATTRIBUTE] = "tacho.step",
	"tacho.correlation",
	"tacho.device",
	"tacho.stream",
	"tacho.comm",
	"tacho.seq",
	"tacho.op",
	"tacho.bytes",
	[NONE] = "",
	[NODE] = "node",
	[ALLREDUCE] = "allreduce",
	[STREAM] = "CUDA[0:0]",
	"CUDA[0:1]" };

struct writer {
	OTF2_EvtWriter *events;
	OTF2_AttributeList *list;
	uint64_t seed, layers;
};

static OTF2_FlushType pre_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
	void *caller, bool final)
{
	(void)user, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

static uint64_t random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static void call(struct writer *w, uint64_t begin, uint64_t end, uint32_t region)
{
	OTF2_EvtWriter_Enter(w->events, w->list, begin, region);
	OTF2_EvtWriter_Leave(w->events, NULL, end, region);
}

static void at_stream(struct writer *w, uint64_t stream)
{
	OTF2_AttributeList_AddUint64(w->list, A_DEVICE, 0);
	OTF2_AttributeList_AddUint64(w->list, A_STREAM, stream);
}

static void thread_layer(struct writer *w, uint64_t layer, uint64_t t)
{
	if (layer % w->layers == 0) {
		OTF2_AttributeList_AddUint64(w->list, A_STEP, layer / w->layers);
		OTF2_EvtWriter_Enter(w->events, w->list, t, STEP);
	}
	for (uint64_t k = 0; k <= KERNELS; k++) {
		OTF2_AttributeList_AddUint64(w->list, A_CORRELATION, layer * (KERNELS + 1) + k + 1);
		at_stream(w, k == KERNELS);
		call(w, t + 100 + k * 1000, t + 600 + k * 1000, LAUNCH);
	}
	at_stream(w, 0);
	call(w, t + 30000, t + 74000, SYNC);
	at_stream(w, 1);
	call(w, t + 75000, t + 91000, SYNC);
	if ((layer + 1) % w->layers == 0)
		OTF2_EvtWriter_Leave(w->events, NULL, t + 95000, STEP);
}

static void compute_layer(struct writer *w, uint64_t layer, uint64_t t)
{
	uint64_t jitter = random_next(&w->seed) % 100;

	for (uint64_t k = 0; k < KERNELS; k++) {
		OTF2_AttributeList_AddUint64(w->list, A_CORRELATION, layer * (KERNELS + 1) + k + 1);
		call(w, t + 2000 + k * 3000, t + 4500 + k * 3000 + jitter,
			KERNEL + (uint32_t)k % 8);
	}
}

static void nccl_layer(struct writer *w, uint64_t layer, uint64_t t)
{
	OTF2_AttributeList_AddUint64(w->list, A_CORRELATION, (layer + 1) * (KERNELS + 1));
	OTF2_AttributeList_AddUint64(w->list, A_COMM, 77);
	OTF2_AttributeList_AddUint64(w->list, A_SEQ, layer);
	OTF2_AttributeList_AddStringRef(w->list, A_OP, ALLREDUCE);
	OTF2_AttributeList_AddUint64(w->list, A_BYTES, 65536);
	call(w, t + 60000 + random_next(&w->seed) % 5000, t + 90000, NCCL);
}

static uint64_t location_write(OTF2_EvtWriter *events, uint32_t location, uint64_t nsteps,
	uint64_t layers)
{
	static void (*const parts[])(struct writer *, uint64_t, uint64_t) = { thread_layer,
		compute_layer, nccl_layer };
	struct writer w = { events, OTF2_AttributeList_New(), location / 3 + 1, layers };
	uint64_t count;

	for (uint64_t layer = 0; layer < nsteps * layers; layer++)
		parts[location % 3](&w, layer, layer * LAYER_NS);
	OTF2_AttributeList_Delete(w.list);
	OTF2_EvtWriter_GetNumberOfEvents(events, &count);
	return count;
}

static void definitions_write(OTF2_GlobalDefWriter *defs, const uint64_t *counts, uint32_t ranks,
	uint64_t end)
{
	char name[32];

	OTF2_GlobalDefWriter_WriteClockProperties(defs, 1000000000, 0, end + 1,
		OTF2_UNDEFINED_TIMESTAMP);
	for (uint32_t i = 0; i < FIRST_RANK; i++)
		OTF2_GlobalDefWriter_WriteString(defs, i, strings[i]);
	for (uint32_t i = 0; i < NREGIONS; i++)
		OTF2_GlobalDefWriter_WriteRegion(defs, i, i, i,
			i == STEP ? FIRST_ATTRIBUTE + A_STEP : NONE,
			i == STEP ? OTF2_REGION_ROLE_LOOP : OTF2_REGION_ROLE_FUNCTION,
			i <= STEP ? OTF2_PARADIGM_USER : OTF2_PARADIGM_CUDA, OTF2_REGION_FLAG_NONE,
			NONE, 0, 0);
	for (uint32_t i = 0; i < NATTRIBUTES; i++)
		OTF2_GlobalDefWriter_WriteAttribute(defs, i, FIRST_ATTRIBUTE + i, NONE,
			i == A_OP ? OTF2_TYPE_STRING : OTF2_TYPE_UINT64);
	OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, 0, NODE, NODE,
		OTF2_UNDEFINED_SYSTEM_TREE_NODE);
	for (uint32_t i = 0; i < ranks; i++) {
		snprintf(name, sizeof(name), "rank %" PRIu32, i);
		OTF2_GlobalDefWriter_WriteString(defs, FIRST_RANK + i, name);
		OTF2_GlobalDefWriter_WriteLocationGroup(defs, i, FIRST_RANK + i,
			OTF2_LOCATION_GROUP_TYPE_PROCESS, 0, OTF2_UNDEFINED_LOCATION_GROUP);
		OTF2_GlobalDefWriter_WriteLocationGroup(defs, GROUPS + i, FIRST_RANK + i,
			OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0, i);
		for (uint32_t part = 0; part < 3; part++)
			OTF2_GlobalDefWriter_WriteLocation(defs, 3 * i + part,
				part ? STREAM + part - 1 : MAIN,
				part ? OTF2_LOCATION_TYPE_ACCELERATOR_STREAM
				     : OTF2_LOCATION_TYPE_CPU_THREAD,
				counts[3 * i + part], part ? GROUPS + i : i);
	}
}

static int archive_write(const char *dir, uint64_t nevents, uint32_t ranks, uint64_t layers)
{
	static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = pre_flush };
	uint64_t nsteps = nevents / ranks / (layers * EVENTS + STEP_EVENTS);
	uint64_t *counts = calloc(3 * (size_t)ranks, sizeof(*counts));
	OTF2_Archive *archive = OTF2_Archive_Open(dir, "traces", OTF2_FILEMODE_WRITE, 1 << 18,
		1 << 22, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	OTF2_GlobalDefWriter *defs;

	OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(archive);
	OTF2_Archive_OpenEvtFiles(archive);
	for (uint32_t i = 0; i < 3 * ranks; i++) {
		OTF2_EvtWriter *events = OTF2_Archive_GetEvtWriter(archive, i);

		counts[i] = location_write(events, i, nsteps, layers);
		OTF2_Archive_CloseEvtWriter(archive, events);
	}
	OTF2_Archive_CloseEvtFiles(archive);
	defs = OTF2_Archive_GetGlobalDefWriter(archive);
	definitions_write(defs, counts, ranks, nsteps * layers * LAYER_NS);
	OTF2_Archive_CloseGlobalDefWriter(archive, defs);
	free(counts);
	return OTF2_Archive_Close(archive) == OTF2_SUCCESS ? 0 : 1;
}

int main(int argc, char **argv)
{
	uint64_t layers = argc == 5 ? strtoull(argv[4], NULL, 10) : 1;

	if ((argc == 4 || argc == 5) && atoi(argv[3]) >= 3 && layers > 0)
		return archive_write(argv[1], strtoull(argv[2], NULL, 10),
			(uint32_t)atoi(argv[3]) / 3, layers);
	fputs("usage: analyze_gpu DIR EVENTS LOCATIONS [LAYERS]\n", stderr);
	return 2;
}
