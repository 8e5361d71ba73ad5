/*
 * cupti_records.h - the front part of CUPTI's activity records, as far as it
 * is the same in all versions from CUDA 11.1 on (kernels and copies: from 10
 * on, without the graph node). The loaded library fills its newest struct;
 * later ones only add fields at the end. cupti_check.c compares these with the
 * headers.
 */
#ifndef COLLECTOR_CUPTI_RECORDS_H
#define COLLECTOR_CUPTI_RECORDS_H

#include <stdint.h>

/* Kernel4 to Kernel10. */
struct cupti_kernel {
	uint32_t kind;
	uint8_t cache, shared;
	uint16_t registers; /* per thread */
	uint32_t unused_8, unused_12;
	uint64_t start, end;
	uint64_t completed;
	uint32_t device, context, stream;
	int32_t grid[3], block[3];
	uint32_t static_shared, dynamic_shared, local_per_thread, local_total;
	uint32_t correlation;
	int64_t grid_id;
	const char *name;
	void *unused_112;
	uint64_t queued, submitted;
	uint8_t launch_type, unused_137[3];
	uint32_t shared_executed;
	uint64_t node; /* of a graph; since Kernel5 */
	uint32_t unused_152, graph;
};

/* Memcpy3 to Memcpy6. */
struct cupti_memcpy {
	uint32_t kind;
	uint8_t copy, source, dest, flags;
	uint64_t bytes;
	uint64_t start, end;
	uint32_t device, context, stream, correlation;
	uint32_t runtime_correlation, unused_52;
	void *unused_56;
	uint64_t node; /* since Memcpy4 */
};

/* MemcpyPtoP to MemcpyPtoP4: kind KIND_MEMCPY2, between devices. */
struct cupti_memcpy2 {
	uint32_t kind;
	uint8_t copy, source, dest, flags;
	uint64_t bytes;
	uint64_t start, end;
	uint32_t device, context, stream;
	uint32_t source_device, source_context, dest_device, dest_context;
	uint32_t correlation;
	void *unused_64;
	uint64_t node; /* since MemcpyPtoP3 */
};

/* Memset2 to Memset4. */
struct cupti_memset {
	uint32_t kind, value;
	uint64_t bytes;
	uint64_t start, end;
	uint32_t device, context, stream, correlation;
	uint16_t flags, memory;
	uint32_t unused_52;
	void *unused_56;
	uint64_t node; /* since Memset3 */
};

/* GraphTrace, GraphTrace2: one launch of a graph, in place of its nodes. */
struct cupti_graph_launch {
	uint32_t kind, correlation;
	uint64_t start, end;
	uint32_t device, graph, context, stream;
};

/* Synchronization, Synchronization2. */
struct cupti_sync {
	uint32_t kind, type;
	uint64_t start, end;
	uint32_t correlation, context, stream, event;
};

/* Overhead to Overhead3. */
struct cupti_overhead {
	uint32_t kind, overhead, object, process, thread, unused_20;
	uint64_t start, end;
};

/* A call of the runtime or the driver. */
struct cupti_api {
	uint32_t kind, number;
	uint64_t start, end;
	uint32_t process, thread, correlation, result;
};

struct cupti_stream {
	uint32_t kind, context, stream, priority, flag, correlation;
};

/* Context to Context3. */
struct cupti_context {
	uint32_t kind, context, device;
	uint16_t api, null_stream;
};

#endif
