/*
 * nccl_proxy.h - NCCL's events of its proxy and its network, of one collective in TACHO_NCCL_SAMPLE on each
 * communicator: how fast each peer is reached, and through which device. The events are on NCCL's own
 * threads, and cost them time: without the variable none is asked for.
 */
#ifndef COLLECTOR_NCCL_PROXY_H
#define COLLECTOR_NCCL_PROXY_H

#include "nccl/nccl_profiler.h"

/*
 * Call these before and after the real call of a collective: NCCL reads the mask of events in the call. True: NCCL
 * reports the events of this collective, and the caller must call nccl_proxy_end().
 */
bool nccl_proxy_begin(struct nccl_member *member, uint32_t seq) HIDDEN;
void nccl_proxy_end(struct nccl_member *member) HIDDEN;

/* An event of the proxy or the network begins. The context may belong to another process. */
bool nccl_proxy_has(unsigned type) HIDDEN;
void *nccl_proxy_start(struct context *context, unsigned type,
	const struct descriptor *event) HIDDEN;
void nccl_proxy_state(void *handle, int state, const void *arguments) HIDDEN;
void nccl_proxy_stop(void *handle) HIDDEN;

#endif
