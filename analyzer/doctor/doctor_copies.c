/*
 * doctor_copies.c - measures copies between host and GPU, with pinned and pageable memory, by the
 * CUDA driver. With several GPUs the slowest counts: a user searches for that one.
 */
#include "config.h"

#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock_now.h"
#include "doctor/doctor.h"
#include "doctor/doctor_cuda.h"

enum { TIMES = 4, BYTES = 64 << 20, BYTES_BRIEF = 1 << 20 };

static const struct doctor_cuda *cuda; /* the driver */

/* GB/s of the best of several copies into the device, or out of it; NAN: one failed. */
static double copy_rate(void *host, device_address device, size_t bytes, bool in)
{
	double best = INFINITY;

	for (int i = 0; i < TIMES; i++) {
		int64_t begun = clock_now_ns(CLOCK_MONOTONIC);
		int code = in ? cuda->in(device, host, bytes) : cuda->out(host, device, bytes);

		if (code != 0)
			return NAN;
		best = fmin(best, (double)(clock_now_ns(CLOCK_MONOTONIC) - begun));
	}
	return (double)bytes / best;
}

static void slowest_keep(struct doctor_node *node, enum doctor_figure figure, double rate)
{
	node->figure[figure][0] = fmin(node->figure[figure][0], rate); /* of NAN the other */
}

/* The context of the device is current. False: a call failed. */
static bool device_measure(struct doctor_node *node, size_t bytes)
{
	void *pinned = NULL, *pageable = malloc(bytes);
	device_address device = 0;
	bool ready = pageable && cuda->alloc(&device, bytes) == 0 &&
		cuda->pin(&pinned, bytes, 0) == 0;

	if (ready) {
		memset(pageable, 1, bytes);
		memset(pinned, 1, bytes);
		slowest_keep(node, DOCTOR_TO_GPU, copy_rate(pinned, device, bytes, true));
		slowest_keep(node, DOCTOR_FROM_GPU, copy_rate(pinned, device, bytes, false));
		slowest_keep(node, DOCTOR_PAGEABLE, copy_rate(pageable, device, bytes, true));
	}
	if (pinned)
		cuda->unpin(pinned);
	if (device)
		cuda->dealloc(device);
	free(pageable);
	return ready;
}

void doctor_copies(struct doctor_node *node, bool brief)
{
	int n = 0, size = 0;

	if (!(cuda = doctor_cuda()) || cuda->count(&n) != 0)
		return;
	for (int i = 0; i < n; i++) {
		void *context = NULL;

		/* devices are numbered from 0, as cuDeviceGet() gives them */
		if (cuda->retain(&context, i) != 0) {
			doctor_trouble(node, "GPU %d cannot be used: see dmesg and nvidia-smi", i);
			continue;
		}
		if (cuda->current(context) != 0 ||
			!device_measure(node, brief ? BYTES_BRIEF : BYTES))
			doctor_trouble(node,
				"GPU %d takes no copies: see what its memory is full of", i);
		slowest_keep(node, DOCTOR_GPU_GEMM, doctor_gpu_product(brief, &size));
		cuda->current(NULL);
		cuda->release(i);
	}
	if (n)
		snprintf(node->note[DOCTOR_TO_GPU], DOCTOR_TEXT, "%d %s, pinned; the slowest", n,
			doctor_gpus_text(n));
	if (size)
		snprintf(node->note[DOCTOR_GPU_GEMM], DOCTOR_TEXT,
			"bf16, %d x %d, cuBLAS; the slowest of %d %s", size, size, n,
			doctor_gpus_text(n));
}
