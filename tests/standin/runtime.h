/* Bodies of the runtime's calls; runtime_calls.c puts the callbacks around them. */
#ifndef STANDIN_RUNTIME_H
#define STANDIN_RUNTIME_H

#include "standin.h"

#include <cuda_runtime_api.h>

/* Which CUDA this libcudart or libcupti is of: 12 or 13. */
#ifndef STANDIN_CUDA
#error "STANDIN_CUDA is not given"
#endif

#define R0(name, version)		     cudaError_t do_##name(void);
#define R(name, version, params, args)	     cudaError_t do_##name params;
#define RS(name, version, own, params, args) R(name, version, params, args)
#define RD(name, version, own, params, args) R(name, version, params, args)
#include "runtime_calls.def"
#undef R0
#undef R
#undef RS
#undef RD

/* The thread's last error; returns ERROR. */
cudaError_t runtime_error(cudaError_t error);

/* Symbols of device variables: the address and size that the compiler registered. */
void *runtime_symbol(const void *symbol, size_t *size);

#endif
