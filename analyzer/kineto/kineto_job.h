/* kineto_job.h - the files of a job together: their common data, and their archive. */
#ifndef ANALYZER_KINETO_JOB_H
#define ANALYZER_KINETO_JOB_H

#include "kineto/kineto_rank.h"
#include "otf2/otf2_out.h"

#define KINETO_NOBODY UINT32_MAX

/* An operation of NCCL on a rank. */
struct kineto_op {
	int64_t start, end; /* of the file's own clock, with its base */
	struct kineto_detail *detail;
};

/* What of a communicator a rank has in its file. */
struct kineto_part {
	uint32_t rank; /* number among the files */
	uint32_t group;
	ARRAY_OF(struct kineto_op) ops; /* collectives, in order */
};

struct kineto_comm {
	const struct kineto_group *group; /* as its first file has it */
	uint32_t size;
	uint32_t *members; /* by rank in it: number among the files, or KINETO_NOBODY */
	ARRAY_OF(struct kineto_part) parts;
};

struct kineto_job {
	struct kineto_rank *ranks; /* in order of their ranks */
	size_t nranks;
	ARRAY_OF(struct kineto_comm) comms;
	ARRAY_OF(struct kineto_name) regions;
	int64_t zero; /* all times are from here; ns */
	struct otf2_out out;
};

/* Process groups become communicators, their operations get numbers. 0, or -1 (reported). */
int kineto_comms(struct kineto_job *job);

/* Converts the times of all files to the clock of the first, where collectives connect them. */
void kineto_clocks(struct kineto_job *job);

/* Writes the archive into the folder. 0, or -1 (reported). */
int kineto_write(struct kineto_job *job, const char *folder);

/* Its definitions, after all events. */
int kineto_define(struct kineto_job *job);

/* References of texts that events have: they are defined first. */
enum {
	KINETO_STRING_PAGEABLE = TRACE_OP_COUNT,
	KINETO_STRING_PINNED,
};

#endif
