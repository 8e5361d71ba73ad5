/*
 * nvml_run.c - a training of some steps that uses CUDA, or does not ("plain"),
 * and takes two seconds, so that the sampler comes by.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "tacho.h"

int main(int argc, char **argv)
{
	struct timespec pause = { 0, 200000000 };
	void *memory = NULL;

	if ((argc < 2 || strcmp(argv[1], "plain") != 0) && cudaMalloc(&memory, 1 << 20) != cudaSuccess)
		return 1;
	for (uint64_t n = 0; n < 10; n++) {
		tacho_step_begin(n);
		nanosleep(&pause, NULL);
		tacho_step_end(1);
	}
	return 0;
}
