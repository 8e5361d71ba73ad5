/* cuda_exchange.h - the sum of the gradients over all GPUs by NCCL, during the backward pass. */
#ifndef TRAINER_CUDA_EXCHANGE_H
#define TRAINER_CUDA_EXCHANGE_H

#include "cuda_gpu.h"

struct cuda_exchange;

/* All ranks call it together; `gpus`: the process's. NULL having reported why. */
struct cuda_exchange *cuda_exchange_open(const struct cuda_setup *setup, struct gpu *gpus,
	int ngpus);
int cuda_exchange_buckets(const struct cuda_exchange *exchange);
/* A backward pass begins. */
void cuda_exchange_begin(struct cuda_exchange *exchange);
/* The gradients of parameters from `offset` on are queued on all GPUs of the process. */
void cuda_exchange_ready(struct cuda_exchange *exchange, size_t offset);
/* The GPUs' later work waits for all sums. */
void cuda_exchange_end(struct cuda_exchange *exchange);
/* After a wait for the GPUs: states whether sums failed, as when another rank died. */
void cuda_exchange_check(struct cuda_exchange *exchange);
/* The library and its version, or "no NCCL". */
const char *cuda_exchange_library(void);
void cuda_exchange_close(struct cuda_exchange *exchange);

#endif
