/*
 * nccl_objects.h - bodies of the calls that name no communicator, by library,
 * and the wrappers that nccl_calls.c does not make.
 */
#ifndef COLLECTOR_NCCL_OBJECTS_H
#define COLLECTOR_NCCL_OBJECTS_H

#include "nccl/nccl.h"

#define BODY_COLLECTIVE(name, ...)
#define BODY_MESSAGE(name, ...)
#define BODY_ON_COMM(name, ...)
#define BODY_IRREGULAR(name, ...)
#define BODY_BY_LIBRARY(name, result, params, args)                                                \
	result name params;                                                                        \
	result name##_by(struct nccl_library *library, BODY_UNPACK params) HIDDEN;
#define BODY_BY_LIBRARY_VOID(name, result)                                                         \
	result name(void);                                                                         \
	result name##_by(struct nccl_library *library) HIDDEN;
#define BODY_UNPACK(...) __VA_ARGS__

#define CALL(name, role, shape, ...) BODY_##shape(name, ##__VA_ARGS__)
#include "tacho/nccl_calls.def"
#undef CALL

int ncclCommSplit(nccl_comm comm, int colour, int key, nccl_comm *made, void *config);
int ncclCommShrink(nccl_comm comm, int *excluded, int nexcluded, nccl_comm *made, void *config,
	int flags);
int ncclCommDestroy(nccl_comm comm);
int ncclCommAbort(nccl_comm comm);

#endif
