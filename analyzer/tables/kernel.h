/*
 * kernel.h - statistics of kernels and copies per device: names demangled, classes by name (gemm,
 * convolution…), use of tensor cores if the name shows it.
 */
#ifndef ANALYZER_KERNEL_H
#define ANALYZER_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/device.h"

struct call;
struct call_run;
struct tables;

/* Kernels of a device: by region, then by copy. */
struct kernels {
	struct call **calls;
	uint64_t *bytes;
};

#define KERNEL_COPIES 5 /* operations that are copies or sets */

/* Number of a copy by its tacho.op, MODEL_NONE when it is none; and back. */
uint32_t kernel_copy(const char *op);
const char *kernel_copy_name(uint32_t copy);

/* Places of the statistics of a device: regions, then copies. */
size_t kernel_places(const struct tables *tables);

/* Memory for them and for copies. 0, or -1 without (not reported). */
int kernels_open(struct tables *tables);
void kernels_close(struct tables *tables);

/*
 * Counts one activity of a device, or with run->calls so many. `copy`: its number, MODEL_NONE: not one.
 * 0, or -1 without memory (reported).
 */
int kernel_add(struct tables *tables, uint32_t device, uint32_t region, uint32_t copy, uint64_t ns,
	uint64_t bytes, const struct call_run *run);

/* Whether a kernel is matrix work outside of tensor cores, by its name. Inspects each name once. */
bool kernel_is_plain_matrix(struct tables *tables, uint32_t region);

/*
 * How many times as fast such a kernel is taken to be on tensor cores: half precision made trainings of
 * ResNet-50 on V100 1.63 to 1.83 times as fast with MXNet and Caffe2 (Dell, 2017), and 2.03 to 2.10
 * times with PyTorch (NVIDIA's DeepLearningExamples, 2018).
 */
#define TENSOR_SPEEDUP 1.85

/* Rows of the table `kernel`, medians over all devices. */
void kernels_write(struct tables *tables);

#endif
