/*
 * For stand-in libraries above CUDA (libnccl, libcublas): work with a name on a
 * stream. Link with the stand-ins' libcuda.so.1.
 */
#ifndef STANDIN_STREAM_H
#define STANDIN_STREAM_H

#include <driver_types.h>
#include <stdint.h>

struct standin_work {
	const char *name; /* kernel name of the record; must live as long as the process */
	void (*run)(
		void *arg); /* on the stream's thread, in order; may block and wait for others */
	void (*release)(void *arg); /* after the last run; NULL: nothing to release */
	void *arg;
	unsigned grid[3], block[3];
	uint64_t least_ns; /* it takes at least so long */
	uint64_t copied;   /* bytes: it is no kernel but a copy on the device, by cudaMemcpyAsync */
};

/*
 * Puts WORK on STREAM (0 and the special handles work) of the calling thread's
 * device, as a library launches its kernel: with cudaLaunchKernelExC (runtime, when
 * RUNTIME is not 0) and cuLaunchKernelEx (driver) callbacks around it and a kernel
 * record of its own correlation. Captured streams put it into the graph: then run()
 * comes once per graph launch, and release() when graph and executables are gone.
 * Returns 0 or a CUresult (= cudaError_t); release() was called then.
 */
int standin_enqueue(cudaStream_t stream, const struct standin_work *work, int runtime);

/* The device of STREAM, or of the calling thread for 0; -1 without a driver. */
int standin_stream_device(cudaStream_t stream);

#endif
