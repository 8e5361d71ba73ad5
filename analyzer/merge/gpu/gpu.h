/*
 * gpu.h - what devices did: the spools of kind SPOOL_KIND_GPU of a
 * process become locations, one per stream, in the order of starts.
 *
 * CUPTI reports activities late, and not in order. The first pass notes for each
 * stretch of a spool the earliest start in it and after it; so later passes
 * read stretch by stretch and pass on whatever starts before all that is still
 * to come. Memory is as much as the records are out of order, which is what
 * runs between two deliveries, and GPU_HEAP_MAX records at most (96 MB); what comes later
 * than that is put after what is written, and counted.
 *
 * Activities of one stream overlap where a graph's branches run side by side,
 * or a kernel begins before its predecessor has ended. Those that do not fit
 * after each other go to further lanes of the stream, locations of their own.
 */
#ifndef ANALYZER_GPU_H
#define ANALYZER_GPU_H

#include <otf2/otf2.h>

#include "base/containers.h"
#include "merge/merge_model.h"

#define GPU_HEAP_MAX	(4u << 20)
#define GPU_LANES	16   /* of a stream; what overlaps more begins late, and is counted */
#define GPU_LANE_OFF	99   /* not a stream: when kernels of the device are not recorded */
#define GPU_STREAMS_MAX 4096 /* of a process; more are damage */

struct otf2_out;
struct strings;

/* A stream, or a further lane of it. Plain numbers: ranks of a parallel merge swap them. */
struct gpu_stream {
	uint32_t device, stream, lane;
	uint32_t last_correlation; /* of what ran in the stream, the greatest */
	uint64_t nactivities;
	struct location_result result;
};

/* Further sums of a process, swapped likewise. */
struct gpu_totals {
	uint64_t ntorn, nuntimed, nsqueezed; /* squeezed: moved after what it overlaps */
	uint64_t nlate;			     /* launches whose activity never came */
	uint64_t nunseen;		     /* of them kernels behind all activities */
	uint64_t overhead_ticks;	     /* CUPTI's own */
};

/* A stretch of a spool. */
struct gpu_block {
	uint64_t least; /* earliest start in it and all that follow */
	uint32_t n;	/* records */
};

struct gpu_spool {
	struct spool_thread *thread;
	struct gpu_block *blocks;
	uint32_t nblocks;
};

/* A launch inside of an NCCL call. */
struct gpu_launch {
	uint32_t correlation;
	const uint64_t *nccl; /* record of the innermost NCCL call around it */
};

/* Activities of a kind that are not in detail. */
struct gpu_sum {
	uint32_t device, stream;
	unsigned type; /* SPOOL_KERNEL or SPOOL_COPY */
	uint32_t a;    /* as of their records */
	uint64_t n, ticks, shortest, longest, bytes;
	uint32_t last_correlation;
};

/* A stretch of launches that are recorded (struct spool_def_sample), and their kernels. */
struct gpu_window {
	uint64_t on, off; /* ticks; off 0: up to the end */
	uint32_t first, last, flags;
	uint64_t before, launches; /* of the whole run before it; of it */
	uint64_t begin, end,
		boundary; /* of the kernels: 0, there is none; the start of the last launch's */
};

/* Where the activity of a correlation number took place. */
struct gpu_site {
	uint32_t correlation;
	uint64_t word; /* stream:32 | device:32 */
};

struct gpu_off {
	uint64_t from, until;	   /* ticks */
	uint64_t recorded, missed; /* launches of the windows before, of this time */
	double ticks;		   /* that the missed ones would have taken without any recording */
};

/* All of a process; `streams` dense from 0, in the order of device, stream, lane. */
struct gpu {
	struct gpu_spool *spools;
	uint32_t nspools;
	struct gpu_stream *streams;
	uint32_t nstreams;
	uint64_t nactivities;
	struct gpu_totals totals;
	uint64_t first_location; /* number of the first stream in the archive */
	/*
	 * ticks: of what began between there are sums only, as spools have given up activities of then;
	 * until 0: they have not
	 */
	uint64_t summed_from, summed_until;
	ARRAY_OF(struct gpu_sum) sums;
	ARRAY_OF(struct gpu_window) windows;
	ARRAY_OF(struct gpu_off) offs; /* between windows that chance has chosen */
	/* on the rank that handles the process only: by correlation, once the first pass is over */
	struct gpu_launch *launches;
	size_t nlaunches, launches_size;
	ARRAY_OF(struct merge_launch)
	calls;				 /* that CUPTI reported by records; by thread, then start */
	ARRAY_OF(struct gpu_site) sites; /* where there are such calls; by correlation */
	ARRAY_OF(uint64_t)
	marked; /* device << 32 | stream that events were recorded or waited in */
};

struct group;

/* Takes the spools of kind SPOOL_KIND_GPU. 0, or -1 without memory. */
int gpu_open(struct process *p);
void gpu_free(struct process *p);

/* The first pass's part in merge_gpu_read.c: the stretches. */
int gpu_index(struct process *p);

/* First pass: stretches, streams, lanes. Before the process's threads are scanned. */
int gpu_scan(struct process *p);

/* … and of a thread's group: launches inside NCCL calls, launches without activity. */
int gpu_scan_group(struct process *p, const struct group *g, uint32_t *captures);
int gpu_scan_end(struct process *p);

/* A launch that belongs to an NCCL call; gpu_scan_end() after the last. 0, or -1 (reported). */
int gpu_launch_add(struct gpu *gpu, uint32_t correlation, const uint64_t *nccl);

/* What another rank of a parallel merge found of a process that it handles. */
void gpu_take(struct process *p, uint32_t nstreams, const void *streams, uint64_t nactivities,
	const struct gpu_totals *totals);

/*
 * A silent stream for a device that has none; numbers of all streams from *next on. On every rank
 * alike.
 */
int gpu_number(struct merge *m, struct process *p, uint64_t *next);

/* The NCCL call (its record) in which the launch of the correlation was made, NULL when in none. */
const uint64_t *gpu_launched_by(const struct process *p, uint32_t correlation);

/* What of a process's activities is lost, by enum spool_loss. */
uint64_t gpu_loss(const struct process *p, int reason);

/* Second pass: writes all streams of the process. 0, or -1 (reported). */
int gpu_write(struct merge *m, struct process *p, struct otf2_out *out);

/*
 * Called by gpu_walk() for each kernel, copy, synchronisation and piece of overhead. 0, or -1 to
 * stop.
 */
typedef int (*gpu_visitor)(void *context, const uint64_t *rec);

/*
 * Goes through all records in the order of their starts, as far as GPU_HEAP_MAX allows; through
 * those of the time that is in detail.
 */
int gpu_walk_all(const struct process *p, gpu_visitor visit, void *context);
int gpu_walk(const struct process *p, gpu_visitor visit, void *context);

/* CUPTI's own work of a kind (CUpti_ActivityOverheadKind); the driver's is not counted. */
void gpu_overhead_add(struct gpu *gpu, uint32_t kind, uint64_t ticks);

/* --- gpu_sums.c --- */

/* What the spools have given up, and until when. 0, or -1 without memory (reported). */
int gpu_sums_read(struct process *p);

/* A record that began before that, and is in a spool yet. The same. */
int gpu_sum_add(struct process *p, const uint64_t *rec);

/* A record of which a part is in detail: that part, in `room`. */
#define GPU_ROOM 16 /* words */
const uint64_t *gpu_cut(const struct gpu *gpu, const uint64_t *rec, uint64_t room[GPU_ROOM]);

/* --- gpu_sample.c --- */

/* Takes the windows, sees each kernel, and then says when devices were not recorded. 0, or -1 (reported). */
int gpu_windows_read(struct process *p);
void gpu_windows_see(struct gpu *gpu, const uint64_t *rec);
int gpu_windows_close(struct process *p);

/* --- gpu_calls.c --- */

/* The first pass sees each launch and each kernel or copy; gives each location its launches. 0, or -1 (reported). */
int gpu_call_add(struct gpu *gpu, const uint64_t *rec);
int gpu_site_add(struct gpu *gpu, const uint64_t *rec);
int gpu_calls_close(struct process *p);

/* The lanes of a stream being filled. */
struct gpu_lanes {
	uint32_t device, stream, n;
	uint64_t end[GPU_LANES]; /* ticks */
	struct gpu_stream sums[GPU_LANES];
};

struct gpu_placing {
	struct gpu_lanes *at;
	uint32_t n, size, last;
};

/*
 * Where an activity goes. `start` is raised when it has to wait for a lane. NULL without memory or
 * room.
 */
struct gpu_lanes *gpu_place(struct gpu_placing *placing, const uint64_t *rec, uint32_t *lane,
	uint64_t *start);

/* Definitions of the archive. */
void gpu_define_locations(struct merge *m, struct strings *s);
void gpu_define_strings(struct strings *s);

/*
 * The archive's strings for operations and kinds of memory: the first ones after "", which is
 * number 0 and no operation.
 */
#define GPU_STRING_OP(op)	((uint32_t)(op))
#define GPU_STRING_MEMORY(kind) (GPU_STRING_OP(TRACE_OP_COUNT) + (kind))

static inline uint32_t gpu_record_stream(const uint64_t *rec)
{
	return rec[3] >> 32;
}
static inline uint32_t gpu_record_device(const uint64_t *rec)
{
	return rec[4];
}

#endif
