/*
 * nvml.h - the GPUs of the node as NVML reports them, for the sampler. NVML's calls take up to
 * milliseconds (PCIe's throughput 20), so a separate thread makes them on nodes with a driver; the
 * sampler copies its last readings.
 */
#ifndef COLLECTOR_NVML_H
#define COLLECTOR_NVML_H

#include <stdint.h>

#include "core/span.h"

#define NVML_GPUS      14 /* of a node; further ones are left out */
#define NVML_INSTANCES 56 /* of GPUs that are shared out (MIG), seven of each of eight */
#define NVML_DEVICES   (NVML_GPUS + NVML_INSTANCES)

/* METRIC(enumerator, name after gpu.<n>., unit, accumulated or gauge) */
#define NVML_METRICS(METRIC)                                                                       \
	METRIC(UTIL, "util", "%", METRIC_GAUGE)                                                    \
	METRIC(MEM_UTIL, "mem_util", "%", METRIC_GAUGE)                                            \
	METRIC(MEM_USED, "mem_used", "bytes", METRIC_GAUGE)                                        \
	METRIC(SM_CLOCK, "sm_clock", "MHz", METRIC_GAUGE)                                          \
	METRIC(SM_CLOCK_MAX, "sm_clock_max", "MHz", METRIC_GAUGE)                                  \
	METRIC(MEM_CLOCK, "mem_clock", "MHz", METRIC_GAUGE)                                        \
	METRIC(POWER, "power", "mW", METRIC_GAUGE)                                                 \
	METRIC(POWER_LIMIT, "power_limit", "mW", METRIC_GAUGE)                                     \
	METRIC(ENERGY, "energy", "mJ", METRIC_ACCUMULATED)                                         \
	METRIC(TEMP, "temp", "C", METRIC_GAUGE)                                                    \
	METRIC(THROTTLE, "throttle", "reasons", METRIC_GAUGE)                                      \
	METRIC(PCIE_RX, "pcie_rx", "bytes", METRIC_ACCUMULATED)                                    \
	METRIC(PCIE_TX, "pcie_tx", "bytes", METRIC_ACCUMULATED)                                    \
	METRIC(PCIE_RX_RATE, "pcie_rx_rate", "bytes/s", METRIC_GAUGE)                              \
	METRIC(PCIE_TX_RATE, "pcie_tx_rate", "bytes/s", METRIC_GAUGE)                              \
	METRIC(NVLINK_RX, "nvlink_rx", "bytes", METRIC_ACCUMULATED)                                \
	METRIC(NVLINK_TX, "nvlink_tx", "bytes", METRIC_ACCUMULATED)                                \
	METRIC(SM_ACTIVE, "sm_active", "0.01 %", METRIC_GAUGE)                                     \
	METRIC(SM_OCCUPANCY, "sm_occupancy", "0.01 %", METRIC_GAUGE)                               \
	METRIC(TENSOR_ACTIVE, "tensor_active", "0.01 %", METRIC_GAUGE)                             \
	METRIC(DRAM_ACTIVE, "dram_active", "0.01 %", METRIC_GAUGE)                                 \
	METRIC(NVLINK_RX_RATE, "nvlink_rx_rate", "bytes/s", METRIC_GAUGE)                          \
	METRIC(NVLINK_TX_RATE, "nvlink_tx_rate", "bytes/s", METRIC_GAUGE)

enum nvml_metric {
#define METRIC(id, name, unit, mode) NVML_##id,
	NVML_METRICS(METRIC)
#undef METRIC
		NVML_METRIC_COUNT
};

/* What was read of a device. */
struct nvml_reading {
	uint32_t has;	  /* bits of enum nvml_metric; the same each time */
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint64_t value[NVML_METRIC_COUNT];
};

/*
 * Copies the last readings. Returns the number of devices, 0 before the first reading. Never waits.
 * `may_start`: the thread is started.
 */
unsigned nvml_take(struct nvml_reading readings[NVML_DEVICES], bool may_start) HIDDEN;

/*
 * On a thread of the program that begins with CUDA: makes the thread. All users in the process
 * share one NVML, which counts them. Its descriptors must be in the program's table, as the program
 * may call it as well.
 */
void nvml_prepare(void) HIDDEN;

/* "GPU-…", of an instance "MIG-…", by which devices of the trace are known. */
const char *nvml_uuid(unsigned i) HIDDEN;

/* The number that metrics have after "gpu.": "0", of an instance of it "0.2". */
const char *nvml_number(unsigned i) HIDDEN;

/* CPU time that the thread has used. */
uint64_t nvml_spent_ns(void) HIDDEN;

/* In a forked child there is no such thread. */
void nvml_forked(void) HIDDEN;

#endif
