/* export_flows.c - see export_flows.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/export_flows.h"
#include "export/export_json.h"

#define NCCL_COMM (UINT64_C(1) << 63) /* its communicators are others than MPI's */

void export_flow_add(struct export_flows *flows, struct export_flow flow)
{
	struct export_flow *at = ARRAY_ADD(&flows->all);

	if (at)
		*at = flow;
}

/* When the collective of a request began; false: not in this location. */
static bool posted_take(struct export_flows *flows, uint64_t request, int64_t *t)
{
	for (size_t i = flows->posted.n; i > 0; i--)
		if (flows->posted.at[i - 1].request == request) {
			*t = flows->posted.at[i - 1].t;
			flows->posted.at[i - 1] = flows->posted.at[--flows->posted.n];
			return true;
		}
	return false;
}

void export_flow_take(struct export_flows *flows, const struct model *model,
	const struct event *event, struct export_flow call)
{
	struct export_posted *posted;
	uint32_t comm;

	if (event->kind == EVENT_COLLECTIVE_REQUEST) {
		posted = ARRAY_ADD(&flows->posted);
		if (posted)
			*posted = (struct export_posted){ event->request, call.t };
	}
	if (event->kind != EVENT_COLLECTIVE_END && event->kind != EVENT_COLLECTIVE_COMPLETE)
		return;
	if (event->kind == EVENT_COLLECTIVE_COMPLETE &&
		!posted_take(flows, event->request, &call.t))
		return;
	comm = model_comm(model, event->ref);
	if (comm == MODEL_NONE || model->comms.at[comm].self || model->comms.at[comm].nall < 2)
		return;
	call.comm = comm;
	call.number = EXPORT_FLOW_COUNTED;
	call.op = event->tag;
	export_flow_add(flows, call);
}

bool export_flow_read(struct model *model, const struct event *event, uint32_t process,
	struct export_flow *flow)
{
	const OTF2_AttributeRef *attributes = model->attributes;
	const char *op = event_text(model->archive, event, attributes[ATTRIBUTE_OP]);
	uint64_t comm, number, peer, self;
	uint32_t known;
	bool sends;

	if (!op || !event_number(event, attributes[ATTRIBUTE_COMM], &comm) ||
		!event_number(event, attributes[ATTRIBUTE_SEQ], &number))
		return false;
	*flow = (struct export_flow){ .comm = NCCL_COMM | comm,
		.number = number,
		.process = process };
	sends = strcmp(op, "send") == 0;
	if (!sends && strcmp(op, "recv") != 0) {
		flow->op = text_hash(op);
		return true;
	}
	if (!event_number(event, attributes[ATTRIBUTE_PEER], &peer))
		return false;
	known = model_comm(model, comm); /* one that is not defined is of all ranks */
	self = known == MODEL_NONE ? (uint64_t)model->processes.at[process].rank
				   : model_comm_rank(model, known, process);
	flow->comm = hash_mix(flow->comm, sends ? self << 32 | peer : peer << 32 | self);
	return true;
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int order_time(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

static int compare_processes(const void *a, const void *b)
{
	const struct export_flow *x = a, *y = b;
	int by = order(x->comm, y->comm);

	by = by ? by : order(x->process, y->process);
	by = by ? by : order_time(x->t, y->t);
	return by ? by : order_time(x->tid, y->tid);
}

static int compare_members(const void *a, const void *b)
{
	const struct export_flow *x = a, *y = b;
	int by = order(x->comm, y->comm);

	by = by ? by : order(x->number, y->number);
	by = by ? by : order_time(x->t, y->t);
	return by ? by : order_time(x->tid, y->tid);
}

/* A communicator's collectives come in the same order in all its processes. */
static void count(struct export_flows *flows)
{
	uint64_t n = 0;

	qsort(flows->all.at, flows->all.n, sizeof(*flows->all.at), compare_processes);
	for (size_t i = 0; i < flows->all.n; i++) {
		struct export_flow *flow = &flows->all.at[i];

		n = i && flow[-1].comm == flow->comm && flow[-1].process == flow->process ? n + 1
											  : 0;
		if (flow->number == EXPORT_FLOW_COUNTED)
			flow->number = n;
	}
	qsort(flows->all.at, flows->all.n, sizeof(*flows->all.at), compare_members);
}

static void end_put(struct json *json, const struct export_flow *flow, const char *phase)
{
	char number[32];

	snprintf(number, sizeof(number), "%016" PRIx64, hash_mix(flow->comm, flow->number));
	json_object(json, NULL, JSON_INLINE);
	json_text(json, "ph", phase);
	json_integer(json, "pid", flow->pid);
	json_integer(json, "tid", flow->tid);
	export_time(json, "ts", flow->t);
	json_text(json, "cat", "collective");
	json_text(json, "name", "collective");
	json_text(json, "id", number);
	if (*phase != 's')
		json_text(json, "bp", "e");
	json_end(json);
}

/* The members of one, in order of time. */
static void members_put(struct json *json, const struct export_flow *members, size_t n,
	int64_t from, int64_t to)
{
	if (n < 2 || members[0].t < from || members[n - 1].t > to)
		return;
	for (size_t i = 1; i < n; i++)
		if (members[i].op != members[0].op)
			return;
	for (size_t i = 0; i < n; i++)
		end_put(json, &members[i], !i ? "s" : i + 1 < n ? "t" : "f");
}

void export_flows_put(struct export_flows *flows, struct json *json, int64_t from, int64_t to)
{
	size_t n;

	if (!flows->all.n)
		return;
	count(flows);
	for (size_t i = 0; i < flows->all.n; i += n) {
		const struct export_flow *first = &flows->all.at[i];

		for (n = 1; i + n < flows->all.n && first[n].comm == first->comm &&
			first[n].number == first->number;
			n++)
			;
		members_put(json, first, n, from, to);
	}
}

void export_flows_free(struct export_flows *flows)
{
	free(flows->all.at);
	free(flows->posted.at);
}
