/* cuda_exchange.c - see cuda_exchange.h. */
#include "config.h"

#include <stdlib.h>

#include "buckets.h"
#include "cuda_exchange.h"
#include "say.h"

#ifdef HAVE_NCCL
#include <nccl.h>

struct cuda_exchange {
	struct gpu *gpus;
	int ngpus;
	ncclComm_t *comms; /* of each GPU */
	struct tensor *buckets;
	int nbuckets, handed; /* handed: buckets of this step that are on their way */
	bool overlap;
};

#define nccl_do(call) nccl_report(call, #call)

static void nccl_report(ncclResult_t result, const char *call)
{
	if (result != ncclSuccess)
		cuda_fail(ncclGetErrorString(result), call);
}

const char *cuda_exchange_library(void)
{
	static char name[32];
	int version = 0;

	ncclGetVersion(&version);
	snprintf(name, sizeof(name), "NCCL %d.%d.%d", version / 10000, version / 100 % 100,
		version % 100);
	return name;
}

/* Rank r's GPU i is member r · ngpus + i. */
static void comms_open(struct cuda_exchange *e, const struct cuda_setup *setup)
{
	ncclUniqueId id = { 0 };

	if (setup->rank == 0)
		nccl_do(ncclGetUniqueId(&id));
	setup->copy_to_all(&id, sizeof(id));
	nccl_do(ncclGroupStart());
	for (int i = 0; i < e->ngpus; i++) {
		gpu_select(&e->gpus[i]);
		nccl_do(ncclCommInitRank(&e->comms[i], setup->nranks * e->ngpus, id,
			setup->rank * e->ngpus + i));
	}
	nccl_do(ncclGroupEnd());
}

struct cuda_exchange *cuda_exchange_open(const struct cuda_setup *setup, struct gpu *gpus,
	int ngpus)
{
	const struct options *options = setup->options;
	struct cuda_exchange *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->gpus = gpus;
	e->ngpus = ngpus;
	e->overlap = options->overlap == OVERLAP_STREAM;
	e->comms = calloc(ngpus, sizeof(*e->comms));
	e->nbuckets = buckets_cut(setup->model, options->fusion_mb, options->plant.tiny_messages,
		&e->buckets);
	if (e->comms && e->nbuckets >= 0) {
		comms_open(e, setup);
		if (!cuda_failed())
			return e;
	}
	cuda_exchange_close(e);
	return NULL;
}

int cuda_exchange_buckets(const struct cuda_exchange *e)
{
	return e->nbuckets;
}

void cuda_exchange_begin(struct cuda_exchange *e)
{
	e->handed = 0;
}

/* On each GPU's stream of sums, after what its compute stream holds by now. */
static void bucket_sum(struct cuda_exchange *e, struct tensor bucket)
{
	for (int i = 0; i < e->ngpus; i++) {
		struct gpu *gpu = &e->gpus[i];

		gpu_select(gpu);
		cuda_do(cudaEventRecord(gpu->ready, gpu->compute));
		cuda_do(cudaStreamWaitEvent(gpu->sums, gpu->ready, 0));
	}
	if (e->ngpus > 1)
		nccl_do(ncclGroupStart());
	for (int i = 0; i < e->ngpus; i++) {
		float *grads = e->gpus[i].grads + bucket.offset;

		counts_add_allreduce(bucket.count * sizeof(float));
		nccl_do(ncclAllReduce(grads, grads, bucket.count, ncclFloat, ncclSum, e->comms[i],
			e->gpus[i].sums));
	}
	if (e->ngpus > 1)
		nccl_do(ncclGroupEnd());
}

void cuda_exchange_ready(struct cuda_exchange *e, size_t offset)
{
	if (!e->overlap && offset)
		return;
	while (e->handed < e->nbuckets && e->buckets[e->handed].offset >= offset)
		bucket_sum(e, e->buckets[e->handed++]);
}

void cuda_exchange_end(struct cuda_exchange *e)
{
	for (int i = 0; i < e->ngpus; i++) {
		struct gpu *gpu = &e->gpus[i];

		gpu_select(gpu);
		cuda_do(cudaEventRecord(gpu->summed, gpu->sums));
		cuda_do(cudaStreamWaitEvent(gpu->compute, gpu->summed, 0));
	}
}

void cuda_exchange_check(struct cuda_exchange *e)
{
	for (int i = 0; i < e->ngpus; i++) {
		ncclResult_t sums = ncclSuccess;

		nccl_do(ncclCommGetAsyncError(e->comms[i], &sums));
		nccl_report(sums, "sums of gradients");
	}
}

void cuda_exchange_close(struct cuda_exchange *e)
{
	if (!e)
		return;
	for (int i = 0; e->comms && i < e->ngpus; i++)
		if (e->comms[i])
			ncclCommDestroy(e->comms[i]);
	free(e->comms);
	free(e->buckets);
	free(e);
}

#else

struct cuda_exchange {
	int nothing;
};

const char *cuda_exchange_library(void)
{
	return "no NCCL";
}

struct cuda_exchange *cuda_exchange_open(const struct cuda_setup *setup, struct gpu *gpus,
	int ngpus)
{
	(void)gpus;
	if (setup->nranks * ngpus == 1)
		return calloc(1, sizeof(struct cuda_exchange));
	fail("--device cuda: this trainer was built without NCCL, so it trains on one GPU only");
	return NULL;
}

int cuda_exchange_buckets(const struct cuda_exchange *e)
{
	(void)e;
	return 1;
}

void cuda_exchange_begin(struct cuda_exchange *e)
{
	(void)e;
}

void cuda_exchange_ready(struct cuda_exchange *e, size_t offset)
{
	(void)e, (void)offset;
}

void cuda_exchange_end(struct cuda_exchange *e)
{
	(void)e;
}

void cuda_exchange_check(struct cuda_exchange *e)
{
	(void)e;
}

void cuda_exchange_close(struct cuda_exchange *e)
{
	free(e);
}

#endif
