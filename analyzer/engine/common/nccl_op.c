/*
 * nccl_op.c - one NCCL operation: the table of operations, how a call or an activity reports an
 * operation, and the name that it has on all its members; see ../nccl/replay_nccl.h.
 */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "engine/engine.h"
#include "base/log.h"

const struct nccl_op nccl_ops[] = {
	{ "allreduce", GATE_ALL, 2, true, false },
	{ "allgather", GATE_ALL, 1, true, false },
	{ "reducescatter", GATE_ALL, 1, true, false },
	{ "alltoall", GATE_ALL, 1, true, false },
	{ "broadcast", GATE_ROOT, 1, false, false },
	{ "scatter", GATE_ROOT, 1, true, false },
	{ "reduce", GATE_AT_ROOT, 1, false, false },
	{ "gather", GATE_AT_ROOT, 1, true, false },
	[NCCL_SEND] = { "send", GATE_ALL, 1, false, true },
	{ "recv", GATE_ALL, 1, false, true },
	{ "barrier", GATE_ALL, 1, false, false },
};

enum { NCCL_OPS = sizeof(nccl_ops) / sizeof(nccl_ops[0]) };

const struct nccl_op *nccl_operation(uint32_t op)
{
	return op < NCCL_OPS ? &nccl_ops[op] : NULL;
}

double nccl_bus_factor(const struct nccl_op *op, uint32_t n)
{
	return op->bus * (op->scaled ? (n - 1.0) / n : 1);
}

/* One that can be distinguished from others in the row's number. */
static bool peer_is_sane(int64_t peer)
{
	static bool warned;

	if (peer >= 0 && peer < 1 << NCCL_RANK_BITS)
		return true;
	if (peer >= 0 && !warned)
		log_warn("an NCCL message names rank %" PRId64 ", ranks from %d on are not "
			 "supported: such messages are left out",
			peer, 1 << NCCL_RANK_BITS);
	warned |= peer >= 0;
	return false;
}

bool nccl_call_read(struct track *track, const struct event *event, struct nccl_call *call)
{
	const OTF2_AttributeRef *attributes = track->engine->tables.model.attributes;
	const char *op = event_text(&track->engine->tables.archive, event,
		attributes[ATTRIBUTE_OP]);
	uint64_t number;

	if (!op || !event_number(event, attributes[ATTRIBUTE_COMM], &call->comm) ||
		!event_number(event, attributes[ATTRIBUTE_SEQ], &call->seq))
		return false;
	for (call->op = 0; call->op < NCCL_OPS && strcmp(nccl_ops[call->op].name, op) != 0;
		call->op++)
		;
	call->root = event_number(event, attributes[ATTRIBUTE_ROOT], &number) ? (int64_t)number
									      : -1;
	call->peer = event_number(event, attributes[ATTRIBUTE_PEER], &number) ? (int64_t)number
									      : -1;
	call->device = event_number(event, attributes[ATTRIBUTE_DEVICE], &number) ? (uint32_t)number
										  : MODEL_NONE;
	call->algorithm = event_text(&track->engine->tables.archive, event,
		attributes[ATTRIBUTE_ALGORITHM]);
	call->protocol = event_text(&track->engine->tables.archive, event,
		attributes[ATTRIBUTE_PROTOCOL]);
	call->bytes = 0;
	event_number(event, attributes[ATTRIBUTE_BYTES], &call->bytes);
	return call->op < NCCL_OPS && (!nccl_ops[call->op].pair || peer_is_sane(call->peer));
}

static void pair_of(const struct nccl_call *call, int64_t rank, int64_t *from, int64_t *to)
{
	*from = strcmp(nccl_ops[call->op].name, "send") == 0 ? rank : call->peer;
	*to = *from == rank && call->peer != rank ? call->peer : rank;
}

uint64_t nccl_call_key(const struct nccl_call *call, int64_t rank)
{
	uint64_t key = hash_mix(call->comm, call->seq);
	int64_t from, to;

	pair_of(call, rank, &from, &to);
	if (nccl_ops[call->op].pair)
		key = hash_mix(key, hash_mix((uint64_t)from + 1, (uint64_t)to + 1));
	return idmap_key(key);
}

int64_t nccl_call_number(const struct nccl_call *call, int64_t rank)
{
	int64_t from, to;

	if (!nccl_ops[call->op].pair)
		return (int64_t)call->seq;
	pair_of(call, rank, &from, &to);
	return (int64_t)((((uint64_t)from << NCCL_RANK_BITS | (uint64_t)to) + 1)
			<< NCCL_PAIR_SEQ_BITS |
		(call->seq & ((1u << NCCL_PAIR_SEQ_BITS) - 1)));
}
