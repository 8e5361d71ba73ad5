/* live_nccl.c - see live_nccl.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tacho/regions.h"
#include "watch/live_nccl.h"

enum { COMMS_MOST = 65536 };

int live_nccl_define(struct live_nccl *nccl, uint32_t id, const struct spool_def_nccl_comm *body,
	const char *name, uint32_t length)
{
	struct live_nccl_comm *comm;

	if (id >= COMMS_MOST)
		return 0;
	while (nccl->comms.n <= id) {
		comm = ARRAY_ADD(&nccl->comms);
		if (!comm)
			return -1;
		memset(comm, 0, sizeof(*comm));
	}
	comm = &nccl->comms.at[id];
	comm->size = body->size;
	if (length && *name)
		snprintf(comm->name, sizeof(comm->name), "%.*s", (int)length, name);
	else
		snprintf(comm->name, sizeof(comm->name), "%016" PRIx64, body->hash);
	return 0;
}

/* How many of the buffer's bytes its busiest link carries (nccl-tests, PERFORMANCE.md). */
static double bus_factor(unsigned region, double n)
{
	switch (region) {
	case REGION_ncclAllReduce: return 2 * (n - 1) / n;
	case REGION_ncclAllGather:
	case REGION_ncclReduceScatter:
	case REGION_ncclAlltoAll:
	case REGION_ncclGather:
	case REGION_ncclScatter: return (n - 1) / n;
	case REGION_ncclBroadcast:
	case REGION_ncclBcast:
	case REGION_ncclReduce: return n > 1;
	case REGION_ncclSend: return 1; /* and a receive is another rank's */
	default: return 0;
	}
}

static struct live_nccl_comm *comm_of(const struct live_nccl *nccl, uint32_t id)
{
	return id && id < nccl->comms.n && nccl->comms.at[id].size ? &nccl->comms.at[id] : NULL;
}

static void launches_take(struct live_nccl *nccl, struct live_nccl_thread *thread, uint32_t comm,
	double bytes)
{
	if (!nccl->flying)
		nccl->flying = calloc(LIVE_FLYING, sizeof(*nccl->flying));
	for (uint32_t i = 0; nccl->flying && comm_of(nccl, comm) && i < thread->n; i++)
		nccl->flying[thread->launches[i] % LIVE_FLYING] = (struct live_nccl_kernel){
			thread->launches[i], comm, i ? 0 : bytes
		};
}

/* The calls of a group launch nothing, and its end launches for all of them. */
static void call_take(struct live_nccl *nccl, struct live_nccl_thread *thread, const uint64_t *rec)
{
	uint32_t id = spool_a(rec[0]), group = (uint32_t)rec[5];
	const struct live_nccl_comm *comm = comm_of(nccl, id);
	double bytes = comm ? (double)rec[3] * bus_factor(spool_region(rec[0]), comm->size) : 0;

	if (!group || group != thread->group) {
		thread->bytes = 0;
		thread->comm = 0;
	}
	thread->group = group;
	thread->bytes += bytes;
	if (id)
		thread->comm = thread->comm && thread->comm != id ? LIVE_MIXED : id;
	if (thread->n) {
		launches_take(nccl, thread, thread->comm, thread->bytes);
		thread->bytes = 0;
	}
}

static void kernel_take(struct live_nccl *nccl, const uint64_t *rec)
{
	uint32_t correlation = (uint32_t)rec[3];
	struct live_nccl_kernel *kernel = nccl->flying ? &nccl->flying[correlation % LIVE_FLYING]
						       : NULL;
	struct live_nccl_comm *comm;

	if (!kernel || !correlation || kernel->correlation != correlation)
		return;
	comm = comm_of(nccl, kernel->comm);
	if (comm) {
		comm->bytes += kernel->bytes;
		comm->ticks += spool_duration(rec[2]);
	}
	kernel->bytes = 0; /* it counts once, with the first kernel of the launch */
}

void live_nccl_take(struct live_nccl *nccl, struct live_nccl_thread *thread, const uint64_t *rec)
{
	switch (spool_type(rec[0])) {
	case SPOOL_CUDA:
		if (spool_depth(rec[0]) && spool_a(rec[0]) && thread->n < LIVE_LAUNCHES)
			thread->launches[thread->n++] = spool_a(rec[0]);
		break;
	case SPOOL_NCCL:
		if (spool_words(rec[2]) > 5)
			call_take(nccl, thread, rec);
		thread->n = 0;
		break;
	case SPOOL_KERNEL: kernel_take(nccl, rec); break;
	default: break;
	}
	if (!spool_depth(rec[0]))
		thread->n = 0;
}

void live_nccl_begin(struct live_nccl *nccl)
{
	for (size_t i = 0; i < nccl->comms.n; i++) {
		nccl->comms.at[i].since_bytes = nccl->comms.at[i].bytes;
		nccl->comms.at[i].since_ticks = nccl->comms.at[i].ticks;
	}
}

void live_nccl_free(struct live_nccl *nccl)
{
	free(nccl->comms.at);
	free(nccl->flying);
}
