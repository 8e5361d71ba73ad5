/*
 * export_kineto.h - state shared by the files of the export in Kineto's format: the output, and the
 * current process.
 */
#ifndef ANALYZER_EXPORT_KINETO_H
#define ANALYZER_EXPORT_KINETO_H

#include "base/json.h"
#include "export/export.h"
#include "export/export_notes.h"
#include "model/model.h"

struct kineto_operation {
	const char *op, *memory; /* NULL: none */
	uint32_t comm;		 /* MODEL_NONE: not known */
	uint64_t bytes, seq, root, peer;
	bool has_bytes, has_seq, has_root, has_peer;
};

struct kineto_call {
	uint32_t region;
	int64_t start;
	uint64_t correlation;	/* 0: it launches nothing */
	uint64_t external;	/* 0: it is no operation */
	uint64_t communication; /* the same of the operation of NCCL that it calls */
	struct kineto_operation operation;
	struct export_notes notes;
};

struct kineto_activity {
	uint32_t region;
	int64_t start;
	uint64_t correlation;
	struct kineto_operation operation;
};

struct kineto_export {
	const struct export_options *options;
	struct json json;
	struct archive archive;
	struct model model;
	char **names;	  /* of regions, as JSON */
	uint32_t process; /* the present file's */
	int64_t pid;
	/* of the present location */
	const struct location *at;
	int64_t tid, last;
	ARRAY_OF(struct kineto_call) calls;
	ARRAY_OF(struct kineto_activity) activities;
	uint64_t nexternal;	/* operations of the file so far */
	int64_t nsteps;		/* of the location, for those without numbers */
	struct idmap externals; /* operation of each correlation */
};

/* Writes the events of a location of the process. 0, or -1 where writing failed. */
int kineto_location_put(struct kineto_export *export, const struct location *at, int64_t tid);

/* Reads an activity's operation or copy; valid while the archive is open. */
void kineto_operation_read(const struct kineto_export *export, const struct event *event,
	struct kineto_operation *operation);

/* Writes it as arguments of torch.profiler. */
void kineto_operation_put(struct kineto_export *export, const struct kineto_operation *operation,
	int64_t ns);

/* torch.distributed's name of an operation (nccl:all_reduce), as JSON; NULL: it is none of NCCL. */
const char *kineto_operation_title(const struct kineto_operation *operation);

/* A copy's name as CUPTI's users know it, as JSON; `name` where it is none. */
void kineto_copy_name(const struct kineto_operation *operation, char *to, size_t size);

/* Begins an event of a track; its arguments follow until kineto_slice_end(). `name` is JSON. */
void kineto_slice_begin(struct kineto_export *export, const char *category, const char *name,
	int64_t from, int64_t to);
void kineto_slice_end(struct kineto_export *export);

#endif
