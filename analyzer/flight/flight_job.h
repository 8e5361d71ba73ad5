/* flight_job.h - dumps of all ranks: groups, their members, and the collectives of each. */
#ifndef ANALYZER_FLIGHT_JOB_H
#define ANALYZER_FLIGHT_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "flight/flight_value.h"

struct flight_op {
	int64_t seq;
	const char *name; /* "nccl:all_reduce", "nccl:send 0->1" */
	bool is_message, completed, started;
	const struct value *entry;
};

/* A rank in a group. Numbers count the group's collectives, from 1. */
struct flight_member {
	int64_t rank;
	uint32_t dump;	      /* UINT32_MAX: the rank left none */
	int64_t begun, stuck; /* the last begun; the first that is not complete, 0: none */
	ARRAY_OF(struct flight_op) ops;
};

struct flight_group {
	const char *name, *description, *ranks; /* ranks: as written, or "" */
	ARRAY_OF(struct flight_member) members; /* in order of their place in the group */
	int64_t stuck;				/* the collective that it hangs in; 0: none */
};

struct flight_dump {
	int64_t rank;
	const char *path;
	struct values values;
	const struct value *root;
	bool waits; /* in a collective that another member has not begun, or for a message */
};

struct flight_job {
	ARRAY_OF(struct flight_dump) dumps; /* in order of their ranks */
	ARRAY_OF(struct flight_group) groups;
};

/* Reads a dump into the job. 0, or -1 (reported). */
int flight_dump_read(struct flight_job *job, const char *path, const unsigned char *data,
	size_t size);

/* Groups, members and operations of all dumps. 0, or -1 (reported). */
int flight_groups(struct flight_job *job);

void flight_job_free(struct flight_job *job);

/* The operation with that number; NULL: its dump has it no longer. */
const struct flight_op *flight_op(const struct flight_member *member, int64_t seq);

/* Prints the diagnosis from ncclras's output. 0, or -1 (reported). */
int flight_ras(const char *path, char *text, bool as_json, FILE *out);

/* "rank 2", "ranks 0, 1 and 5", "61 ranks". */
void flight_ranks_put(FILE *out, const int64_t *ranks, size_t n, bool begins);

#endif
