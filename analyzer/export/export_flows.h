/*
 * export_flows.h - collectives as arrows over their members, from the first that comes to the last. They are written at the
 * end, when all tracks are known.
 */
#ifndef ANALYZER_EXPORT_FLOWS_H
#define ANALYZER_EXPORT_FLOWS_H

#include "base/containers.h"
#include "base/json.h"
#include "model/model.h"

#define EXPORT_FLOW_COUNTED UINT64_MAX

/* A member of a collective: where its slice is, and when that begins (ns). */
struct export_flow {
	uint64_t comm; /* equal on all members */
	uint64_t
		number; /* of the communicator's operations; EXPORT_FLOW_COUNTED: by the order in the process */
	uint64_t op; /* members with others are not of the same collective */
	int64_t t, pid, tid;
	uint32_t process;
};

/* A collective that does not block, from its begin to its end. */
struct export_posted {
	uint64_t request;
	int64_t t;
};

struct export_flows {
	ARRAY_OF(struct export_flow) all;
	ARRAY_OF(struct export_posted) posted; /* of the present location */
};

/*
 * An event of a thread inside of a call, at the place `call`: collectives of MPI and
 * torch.distributed.
 */
void export_flow_take(struct export_flows *flows, const struct model *model,
	const struct event *event, struct export_flow call);

/*
 * True if an activity of the process is an operation of NCCL; then sets *flow, all but its place.
 * Both ends of a message are one flow.
 */
bool export_flow_read(struct model *model, const struct event *event, uint32_t process,
	struct export_flow *flow);

void export_flow_add(struct export_flows *flows, struct export_flow flow);

/* Writes those in the window. */
void export_flows_put(struct export_flows *flows, struct json *json, int64_t from, int64_t to);

void export_flows_free(struct export_flows *flows);

#endif
