/*
 * doctor_cuda.h - loads the parts of the CUDA driver that measurements of GPUs need, at run time.
 */
#ifndef ANALYZER_DOCTOR_CUDA_H
#define ANALYZER_DOCTOR_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t device_address;

/* Each as the driver has it, 0 is success. */
struct doctor_cuda {
	int (*init)(unsigned), (*count)(int *), (*retain)(void **, int), (*release)(int),
		(*current)(void *), (*alloc)(device_address *, size_t), (*dealloc)(device_address),
		(*pin)(void **, size_t, unsigned), (*unpin)(void *),
		(*in)(device_address, const void *, size_t), (*out)(void *, device_address, size_t),
		(*clear)(device_address, unsigned char, size_t), (*synchronize)(void *);
};

/* A function of a library, and where its address goes, a pointer to a function. */
struct doctor_symbol {
	const char *name;
	void *at;
};

/* Finds all n of them in a library that is opened; false: it is NULL, or lacks one. */
bool doctor_symbols(void *library, const struct doctor_symbol *symbols, size_t n);

/* The driver, initialised; NULL: there is none. */
const struct doctor_cuda *doctor_cuda(void);

/* What so many of its devices are called: real ones, or emulated ones of tests/standin. */
const char *doctor_gpus_text(int n);

/*
 * TFLOP/s of the device of the current context, for bf16 matrices n x n, the fastest of several n,
 * which is in *size; NAN: cuBLAS is missing or failed.
 */
double doctor_gpu_product(bool brief, int *size);

#endif
