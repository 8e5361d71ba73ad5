/*
 * live_nccl.h - NCCL traffic in a live run, by communicator: the bytes on its busiest link, as
 * nccl-tests define them, and the duration of its kernels. A kernel also waits for the other ranks,
 * so the last rank's bandwidth is the links' bandwidth.
 */
#ifndef ANALYZER_LIVE_NCCL_H
#define ANALYZER_LIVE_NCCL_H

#include <stdint.h>

#include "base/containers.h"
#include "tacho/spool.h"

enum { LIVE_LAUNCHES = 16, LIVE_FLYING = 8192 };
#define LIVE_MIXED UINT32_MAX

/* A communicator of a process; `size` 0: not defined yet. */
struct live_nccl_comm {
	uint32_t size;
	char name[64];
	double bytes, since_bytes; /* of kernels that have ended: ever; before the interval */
	uint64_t ticks, since_ticks;
};

/* A kernel that was launched. */
struct live_nccl_kernel {
	uint32_t correlation, comm;
	double bytes; /* 0 of all but the first one of a call */
};

struct live_nccl {
	ARRAY_OF(struct live_nccl_comm) comms; /* by id */
	struct live_nccl_kernel *flying;       /* by correlation number; NULL: none yet */
};

/* For a thread: launches in the current call, and the bytes of its group. */
struct live_nccl_thread {
	uint32_t launches[LIVE_LAUNCHES], n, group;
	uint32_t comm; /* of all calls of the group; LIVE_MIXED: of several, which are left out */
	double bytes;
};

/* A communicator is defined; its name has `length` bytes. 0, or -1 without memory. */
int live_nccl_define(struct live_nccl *nccl, uint32_t id, const struct spool_def_nccl_comm *body,
	const char *name, uint32_t length);

/* A record of a thread or of devices, once. */
void live_nccl_take(struct live_nccl *nccl, struct live_nccl_thread *thread, const uint64_t *rec);

/* An interval begins. */
void live_nccl_begin(struct live_nccl *nccl);
void live_nccl_free(struct live_nccl *nccl);

#endif
