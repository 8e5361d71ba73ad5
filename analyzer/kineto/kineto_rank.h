/*
 * kineto_rank.h - the contents of one file of torch.profiler, in memory until all files are read:
 * collectives align the clocks, which needs the events of all.
 */
#ifndef ANALYZER_KINETO_RANK_H
#define ANALYZER_KINETO_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/containers.h"
#include "tacho/trace.h"

#define NO_NUMBER INT64_MIN

/* What an event is, by its category. */
enum kineto_class {
	KINETO_NONE,
	KINETO_OP,	   /* an operator */
	KINETO_ANNOTATION, /* marked by the program */
	KINETO_STEP,	   /* ProfilerStep#7 */
	KINETO_PYTHON,
	KINETO_SYSTEM, /* a call of the system's libraries */
	KINETO_MPI,
	KINETO_CALL, /* of a runtime or driver */
	KINETO_KERNEL,
	KINETO_COPY,
	KINETO_SYNC, /* awaited by a waiting call */
};

struct kineto_name {
	char *text;
	enum kineto_class class;
	uint32_t region; /* number in the archive */
};

struct kineto_event {
	int64_t start, end; /* ns */
	uint32_t name, correlation;
	uint32_t detail; /* device event: number + 1; 0: none. Step: its number */
	uint8_t lane;	 /* what overlaps without being in each other is side by side */
};

/* What a copy or an operation of NCCL has besides. */
struct kineto_detail {
	uint64_t bytes;
	uint64_t seq;	/* of an operation, as NCCL's log has it or as counted */
	uint32_t group; /* number + 1 of the process group; 0: none */
	int32_t root, peer;
	bool has_bytes, has_seq, from_pageable, from_pinned;
	enum trace_op op;
};

struct kineto_track {
	bool is_stream;
	int64_t device, number; /* number: of the stream, or of the thread */
	ARRAY_OF(struct kineto_event) events;
	bool unordered, has_steps;
	unsigned nlanes;
	uint64_t location; /* of its first lane; the others follow */
	uint64_t *nevents; /* by lane, in the archive */
};

struct kineto_group {
	char *name, *description, *ranks; /* ranks as written: "[0, 1]" */
	int64_t size, first, stride;	  /* NO_NUMBER: not in the trace */
	uint32_t comm;			  /* number in the archive; UINT32_MAX: none */
};

/* What a call of a runtime has to do with, by its correlation. */
struct kineto_target {
	uint32_t device, stream, event;
	bool has_stream, has_event, launches;
};

struct kineto_device {
	int64_t id;
	char *name, *uuid; /* uuid: NULL or "": unknown */
};

struct kineto_rank {
	const char *path;
	uint64_t process;		/* of an export of Nsight Systems: its serialised id */
	bool is_export, is_alone;	/* is_alone: the file has no other rank */
	char *host;			/* by the name of the file; NULL: unknown */
	int64_t rank, world, pid, base; /* base: ns, added to all times */
	int64_t first, last;		/* of all its events */
	int64_t offset, residual;	/* added to its clock; -1: nothing ties it to the others */
	ARRAY_OF(struct kineto_name) names;
	struct idmap name_numbers;
	ARRAY_OF(struct kineto_track) tracks;
	ARRAY_OF(struct kineto_detail) details;
	ARRAY_OF(struct kineto_group) groups;
	ARRAY_OF(struct kineto_target) targets;
	struct idmap target_numbers; /* by correlation */
	ARRAY_OF(struct kineto_device) devices;
	ARRAY_OF(struct kineto_fact {
		const char *key;
		char *value;
	})
	facts;
	char *wrong; /* why the file cannot be read; NULL: it can */
	uint64_t nused, nbroken;
	bool has_events; /* the file has the array of a trace */
	bool has_utc;	 /* base is from the host's clock */
	bool has_class[KINETO_SYNC + 1];
	unsigned step_name; /* by which an export has steps: 1 + place in the list; 0: none yet */
	uint32_t next_step; /* of those without numbers */
};

/* Empties it but for what states where it is read from. */
void kineto_rank_init(struct kineto_rank *rank);

/* Reads the file into the empty rank. 0, or -1 (reported, or rank->wrong). */
int kineto_read(struct kineto_rank *rank);

/* The rank in the name of the file (rank3, rank_3), where none is known. */
void kineto_rank_of_name(struct kineto_rank *rank);

void kineto_rank_free(struct kineto_rank *rank);

/* Why it cannot be read, a sentence; several ranks of one file have the same. The first is reported in the end. */
__attribute__((format(printf, 2, 3))) void kineto_wrong(struct kineto_rank *rank,
	const char *format, ...);

/* The number of a name, of a track, of a group; -1 without memory (reported). */
int64_t kineto_name(struct kineto_rank *rank, const char *text, enum kineto_class class);
int64_t kineto_track(struct kineto_rank *rank, bool is_stream, int64_t device, int64_t number);

/* Puts the events in order, side by side where they overlap. */
void kineto_lanes(const struct kineto_rank *rank, struct kineto_track *track);

#endif
