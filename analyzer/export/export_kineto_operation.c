/*
 * export_kineto_operation.c - copies and operations of NCCL by the names and arguments of torch.profiler. Sizes are
 * bytes (dtype Byte): a trace has no types.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "export/export_kineto.h"

enum { RANKS_MOST = 100 };

/* What one rank gives and gets of the total buffer: all of it, or its part. */
enum side { ALL, PART };

static const struct operation_name {
	const char *op, *collective, *title;
	enum side in, out;
} operation_names[] = {
	{ "allreduce", "allreduce", "\"nccl:all_reduce\"", ALL, ALL },
	{ "broadcast", "broadcast", "\"nccl:broadcast\"", ALL, ALL },
	{ "reduce", "reduce", "\"nccl:reduce\"", ALL, ALL },
	{ "allgather", "allgather", "\"nccl:all_gather\"", PART, ALL },
	{ "reducescatter", "reduce_scatter", "\"nccl:reduce_scatter\"", ALL, PART },
	{ "alltoall", "all_to_all", "\"nccl:all_to_all\"", ALL, ALL },
	{ "gather", "gather", "\"nccl:gather\"", PART, ALL },
	{ "scatter", "scatter", "\"nccl:scatter\"", ALL, PART },
	{ "send", "send", "\"nccl:send\"", ALL, ALL },
	{ "recv", "recv", "\"nccl:recv\"", ALL, ALL },
};

static const struct operation_name *name_find(const char *op)
{
	for (size_t i = 0; op && i < sizeof(operation_names) / sizeof(*operation_names); i++)
		if (strcmp(operation_names[i].op, op) == 0)
			return &operation_names[i];
	return NULL;
}

void kineto_operation_read(const struct kineto_export *export, const struct event *event,
	struct kineto_operation *operation)
{
	const OTF2_AttributeRef *attributes = export->model.attributes;
	uint64_t comm;

	*operation = (struct kineto_operation){
		.op = event_text(&export->archive, event, attributes[ATTRIBUTE_OP]),
		.memory = event_text(&export->archive, event, attributes[ATTRIBUTE_MEMORY]),
		.comm = MODEL_NONE,
	};
	operation->has_bytes = event_number(event, attributes[ATTRIBUTE_BYTES], &operation->bytes);
	operation->has_seq = event_number(event, attributes[ATTRIBUTE_SEQ], &operation->seq);
	operation->has_root = event_number(event, attributes[ATTRIBUTE_ROOT], &operation->root);
	operation->has_peer = event_number(event, attributes[ATTRIBUTE_PEER], &operation->peer);
	if (event_number(event, attributes[ATTRIBUTE_COMM], &comm))
		operation->comm = model_comm(&export->model, comm);
}

void kineto_copy_name(const struct kineto_operation *operation, char *to, size_t size)
{
	static const struct {
		const char *op, *way, *from, *to;
	} copies[] = {
		{ "memcpy_h2d", "HtoD", NULL, "Device" },
		{ "memcpy_d2h", "DtoH", "Device", NULL },
		{ "memcpy_d2d", "DtoD", "Device", "Device" },
		{ "memcpy_p2p", "PtoP", "Device", "Device" },
	};
	const char *memory = !operation->memory		     ? NULL
		: strcmp(operation->memory, "pageable") == 0 ? "Pageable"
		: strcmp(operation->memory, "pinned") == 0   ? "Pinned"
							     : NULL;

	*to = '\0';
	if (operation->op && strcmp(operation->op, "memset") == 0)
		snprintf(to, size, "\"Memset (Device)\"");
	for (size_t i = 0; operation->op && i < sizeof(copies) / sizeof(*copies); i++)
		if (strcmp(copies[i].op, operation->op) == 0)
			snprintf(to, size, memory ? "\"Memcpy %s (%s -> %s)\"" : "\"Memcpy %s\"",
				copies[i].way, copies[i].from ? copies[i].from : memory,
				copies[i].to ? copies[i].to : memory);
}

static int64_t member_rank(const struct model *model, const struct comm *comm, uint64_t i)
{
	uint32_t process = comm->members && i < comm->nmembers ? comm->members[i] : MODEL_NONE;

	return process == MODEL_NONE ? -1 : model->processes.at[process].rank;
}

/* The constant distance between successive members' ranks; 0: it varies. */
static int64_t stride_of(const struct model *model, const struct comm *comm)
{
	int64_t first = member_rank(model, comm, 0), stride = member_rank(model, comm, 1) - first;

	for (uint32_t i = 0; i < comm->nmembers; i++)
		if (member_rank(model, comm, i) != first + i * stride)
			return 0;
	return comm->nmembers > 1 && stride > 0 ? stride : 0;
}

/* "[0, 1, 2]", as far as the members are known. */
static void ranks_put(struct kineto_export *export, const struct comm *comm)
{
	int64_t stride = stride_of(&export->model, comm);
	char text[RANKS_MOST * 12 + 16] = "[";
	size_t n = 1;
	uint32_t i = 0;

	for (; i < comm->nmembers && i < RANKS_MOST; i++) {
		int64_t rank = member_rank(&export->model, comm, i);

		if (rank < 0 || rank > INT32_MAX)
			break;
		n += (size_t)snprintf(text + n, sizeof(text) - n, i ? ", %" PRId64 : "%" PRId64,
			rank);
	}
	snprintf(text + n, sizeof(text) - n, i < comm->nmembers ? ", ...]" : "]");
	json_text(&export->json, "Process Group Ranks", text);
	if (!stride)
		return;
	json_integer(&export->json, "Global rank start", member_rank(&export->model, comm, 0));
	json_integer(&export->json, "Global rank stride", stride);
}

static void group_put(struct kineto_export *export, const struct kineto_operation *operation)
{
	const struct comm *comm = &export->model.comms.at[operation->comm];
	char *name = comm->name ? text_clean(comm->name, strlen(comm->name)) : NULL;
	char number[16];

	snprintf(number, sizeof(number), "%" PRIu32, operation->comm);
	json_integer(&export->json, "Group size", comm->nmembers);
	json_text(&export->json, "Process Group Name", number);
	json_text(&export->json, "Process Group Description", name ? name : "");
	ranks_put(export, comm);
	free(name);
	if (operation->has_seq)
		json_integer(&export->json, "Seq", (int64_t)operation->seq);
	if (operation->has_root)
		json_integer(&export->json, "Root Rank", (int64_t)operation->root);
	if (operation->has_peer)
		json_integer(&export->json,
			strcmp(operation->op, "recv") == 0 ? "Src Rank" : "Dst Rank",
			member_rank(&export->model, comm, operation->peer));
}

static void sizes_put(struct kineto_export *export, const struct kineto_operation *operation,
	const struct operation_name *name)
{
	uint64_t members = operation->comm == MODEL_NONE
		? 0
		: export->model.comms.at[operation->comm].nmembers;
	uint64_t part = members ? operation->bytes / members : operation->bytes;

	json_integer(&export->json, "In msg nelems",
		(int64_t)(name->in == ALL ? operation->bytes : part));
	json_integer(&export->json, "Out msg nelems",
		(int64_t)(name->out == ALL ? operation->bytes : part));
	json_text(&export->json, "dtype", "Byte");
}

const char *kineto_operation_title(const struct kineto_operation *operation)
{
	const struct operation_name *name = name_find(operation->op);

	return name ? name->title : NULL;
}

void kineto_operation_put(struct kineto_export *export, const struct kineto_operation *operation,
	int64_t ns)
{
	const struct operation_name *name = name_find(operation->op);

	if (!name) { /* a copy */
		if (operation->has_bytes)
			json_integer(&export->json, "bytes", (int64_t)operation->bytes);
		if (operation->has_bytes && ns > 0)
			json_number(&export->json, "memory bandwidth (GB/s)",
				(double)operation->bytes / (double)ns);
		return;
	}
	json_text(&export->json, "Collective name", name->collective);
	if (operation->has_bytes)
		sizes_put(export, operation, name);
	if (operation->comm != MODEL_NONE)
		group_put(export, operation);
}
