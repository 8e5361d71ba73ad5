/* nccl_call.h - one NCCL call in progress, and how it is recorded. */
#ifndef COLLECTOR_NCCL_CALL_H
#define COLLECTOR_NCCL_CALL_H

#include "nccl/nccl.h"
#include "tacho/trace.h"

struct nccl_open_call {
	struct span span;
	struct nccl_member *member; /* NULL: not known */
	struct nccl_library *nccl;
	bool is_outer; /* else it is a part of the one that it is called from */
};

/* Whether this process will never be recorded: then the wrappers only lead on. */
static inline bool nccl_is_off(void)
{
	return atomic_load_explicit(tacho_gate, memory_order_relaxed) == GATE_CLOSED;
}

/* Begins a call on a communicator, or on none in a given library. */
static inline __attribute__((always_inline)) struct nccl_open_call nccl_call_begin(unsigned region,
	nccl_comm comm, struct nccl_library *library, void *caller)
{
	struct nccl_open_call call = { .member = nccl_member_find(comm), .nccl = library };
	struct thread *self;

	if (call.member)
		call.nccl = call.member->nccl;
	else if (!library)
		call.nccl = nccl_library_of(region, caller);
	if (nccl_is_off())
		return call;
	self = nccl_thread_self(region);
	call.is_outer = !tacho_nccl_thread.inside++;
	if (call.is_outer && unlikely(tacho_nccl_around != NULL)) {
		tacho_nccl_thread.is_around = true;
		tacho_nccl_around(1);
	}
	if (self && call.is_outer)
		call.span = span_begin(self, region, call.member ? call.member->id : 0);
	return call;
}

/*
 * The same for an operation, before which its communicator must be ready: one
 * that does not block could not be asked for rank and device before.
 */
static inline struct nccl_open_call nccl_operation_begin(unsigned region, nccl_comm comm,
	void *caller)
{
	struct nccl_member *member = nccl_member_find(comm);

	if (member && !tacho_nccl_thread.inside && !nccl_is_off())
		nccl_member_define(member);
	return nccl_call_begin(region, comm, NULL, caller);
}

/* After the real function, before the record. */
static inline void nccl_call_over(void)
{
	if (tacho_nccl_thread.inside)
		tacho_nccl_thread.inside--;
	if (unlikely(tacho_nccl_thread.is_around) && !tacho_nccl_thread.inside) {
		tacho_nccl_thread.is_around = false;
		tacho_nccl_around(-1);
	}
}

/* Ends a call of which there is nothing to record but the time. */
static inline void nccl_call_end(struct nccl_open_call *call)
{
	nccl_call_over();
	span_leave(&call->span, SPOOL_CALL, 0, NULL, 0);
}

/*
 * Ends one with its volume and place; `peer` is the root of a collective. The
 * stream is that of the launch: only CUPTI knows the numbers of streams.
 */
static inline void nccl_call_end_full(struct nccl_open_call *call, uint64_t bytes, uint32_t seq,
	uint32_t peer, uint32_t group)
{
	uint64_t payload[] = { bytes, spool_pair(seq, peer), spool_pair(group, SPOOL_STREAM_NONE) };

	nccl_call_over();
	span_leave(&call->span, SPOOL_NCCL, call->member ? call->member->id : 0, payload, 3);
}

#endif
