/*
 * live.h - the spools of a run in progress, inspected again and again. Each sample reads the
 * records since the one before, and sums it per process: the time of its main thread by state,
 * steps, counters, losses. Nothing of the run is kept, and files are not held open.
 */
#ifndef ANALYZER_LIVE_H
#define ANALYZER_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/containers.h"
#include "spool/spool_place.h"
#include "tacho/regions.h"
#include "tacho/spool.h"
#include "tacho/trace.h"
#include "watch/live_nccl.h"

/* Step ends that a rate rests on. */
enum { LIVE_STEPS = 64 };

/* A file that grows: the bytes already read, and the part that is being read. */
struct live_file {
	char *path;
	uint64_t at; /* the first byte that was not read */
};

struct live_thread {
	struct live_file file;
	uint32_t number;
	bool is_read; /* its head was read, so that the rest is known */
	bool skipped; /* its beginning was passed over */
	/*
	 * the first one of a process that began in a slot: it is still in the slot, at `shift`
	 * before its place in a file
	 */
	bool is_in_slot;
	int64_t shift;
	/* of a spool of bounded size (tacho/totals.h): the chunk that is read, and where it ends */
	uint64_t chunk, chunk_begin, chunk_end;
	struct spool_head head;
	uint64_t lost;
	struct live_nccl_thread nccl;
};

/* A counter or gauge that is asked for. */
struct live_metric {
	char *name;	   /* NULL: not one of those */
	char *description; /* of interfaces: METRIC_INTERFACE_… */
	uint64_t value, since_value;
	uint64_t ticks, since_ticks; /* of the two; 0: not read */
};

struct live_device_state {
	uint64_t ticks;
	bool is_open;
};

struct live_process {
	struct spool_place place;
	char *path;
	char *hostname;
	struct live_file defs;
	uint32_t slot_defs; /* bytes of definitions that were read in the slot */
	bool has_shared;    /* and the sums that its file has for all children */
	bool is_defined, is_usable;
	struct spool_def_process def;
	int32_t rank; /* -1: not known */
	struct spool_def_clock last_clock;
	double ns_per_tick; /* 0: not known yet */
	bool ended;
	struct spool_def_end end;
	ARRAY_OF(struct live_thread) threads;
	ARRAY_OF(struct live_metric) metrics; /* by id */
	ARRAY_OF(uint8_t) handles;	      /* by id: enum spool_handle_kind */
	/* the interval that was inspected last, in ticks; equal: there is none */
	uint64_t since, now;
	uint64_t state[HOST_STATE_COUNT]; /* of the main thread, in it */
	bool is_closed;			  /* the capture window */
	uint64_t closed_at, closed_ticks; /* since then; before it, in the interval */
	uint64_t lost;
	/* steps that ended: all of them, and when the last ones did */
	uint64_t nsteps, step_ends[LIVE_STEPS], step_samples[LIVE_STEPS], samples;
	bool has_step, in_step;
	uint64_t step;
	/* of calls on files, in the interval */
	uint64_t read_bytes, written_bytes;
	struct live_nccl nccl;
	/* the outermost call of the main thread, 0 none; its begin, or the end of the last one */
	uint32_t inside;
	uint64_t inside_since;
	uint64_t last_ticks; /* end of the main thread's last record */
	int64_t seen_ns; /* CLOCK_MONOTONIC of the reader, when the heart was last seen to beat */
};

struct live {
	char *run, *spool; /* RUN/spool */
	ARRAY_OF(struct live_process *) processes;
	uint64_t *buffer;
	bool gone; /* the folder existed, and is gone */
	bool found;
};

/* 0, or -1 (reported). */
int live_open(struct live *live, const char *run);

/* Reads the new records. 0, or -1 without memory (reported). */
int live_look(struct live *live);
void live_close(struct live *live);

/* Whether nothing has been heard of a process for so long that it must be dead. */
bool live_is_silent(const struct live_process *process);

/* In live_defs.c: reads the new definitions. 0, or -1 without memory (reported). */
int live_defs_read(struct live_process *process);

/* In live_thread.c; `devices`: reads only spools of devices, else only the others. */
enum { LIVE_BUFFER = 1 << 20 }; /* bytes */
void live_regions_init(void);
void live_thread_read(struct live_process *process, struct live_thread *thread, bool devices,
	uint64_t *buffer);

/* Where a process's slot begins in its file. */
static inline uint64_t live_slot_at(const struct live_process *process)
{
	return SLOTS_HEAD_SIZE + (uint64_t)process->place.slot * SLOT_SIZE;
}

/* What a call of a process counts as; `handle` of I/O, else 0. */
enum host_state live_state(const struct live_process *process, uint32_t region, uint32_t handle);

#endif
