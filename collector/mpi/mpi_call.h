/*
 * mpi_call.h - one MPI call in progress and its recording: shared by the wrappers in mpi_calls.c
 * and the irregular ones.
 */
#ifndef COLLECTOR_MPI_CALL_H
#define COLLECTOR_MPI_CALL_H

#include "mpi/mpi_abi.h"
#include "mpi/mpi_comm.h"
#include "mpi/mpi_map.h"
#include "core/real.h"
#include "core/span.h"

#define UNPACK(...) __VA_ARGS__

/* Prototype and head of every wrapper, which mpi_fortran.c calls by its hidden name. */
#define WRAPPER(name, params)                                                                      \
	TACHO_EXPORT int name params;                                                              \
	extern __typeof__(name) own_##name __attribute__((alias(#name), visibility("hidden")));    \
	int name params

/* A peer as spool.h has it. */
static inline int32_t peer_number(int peer)
{
	if (likely(peer >= 0))
		return peer;
	return peer == tacho_abi.proc_null ? SPOOL_RANK_NULL : SPOOL_RANK_ANY;
}

/* A call on a communicator (or on none: id 0). */
struct mpi_call {
	struct span span;
	const struct mpi_comm *comm;
};

/* Begins a call of a thread that records. */
static inline __attribute__((always_inline)) struct mpi_call call_begin(struct thread *self,
	unsigned region, mpi_handle comm)
{
	struct mpi_call call = { .comm = comm_find(comm) };

	call.span = span_begin(self, region, call.comm->id);
	return call;
}

/* The same for a blocking message, since its partner may never come. */
static inline __attribute__((always_inline)) struct mpi_call call_begin_message(struct thread *self,
	unsigned region, mpi_handle comm, int peer)
{
	struct mpi_call call = { .comm = comm_find(comm) };

	call.span = span_begin(self, region, spool_inside_arg(call.comm->id, peer_number(peer)));
	return call;
}

/* The same when the thread may not record: then the call leads nowhere. */
static inline __attribute__((always_inline)) struct mpi_call call_enter(unsigned region,
	mpi_handle comm)
{
	static const struct mpi_comm none;
	struct thread *self = thread_self(region);

	return likely(self) ? call_begin(self, region, comm) : (struct mpi_call){ .comm = &none };
}

/* Ends a call without further details. */
static inline void call_leave(struct mpi_call *call)
{
	span_leave(&call->span, SPOOL_CALL, call->comm->id, NULL, 0);
}

/* Out of line: states that there is no such function and returns one that fails. */
void *mpi_missing(unsigned region) HIDDEN;

/* The function behind a wrapper; if the library has none, a function that returns MPI_ERR_OTHER. */
static inline void *mpi_real(unsigned region)
{
	void *found = real_find(region);

	return likely(found) ? found : mpi_missing(region);
}

#define MPI_REAL(name) ((__typeof__(&name))mpi_real(REGION_##name))

/* Sizes of types: value = bytes + 1. MPI_Type_free forgets them. */
extern struct map tacho_types HIDDEN;

/* Out of line: asks MPI_Type_size_x and keeps the answer. */
uint64_t type_measure(mpi_handle type) HIDDEN;

/* Bytes of data in one element of a type. */
static inline uint64_t type_bytes(mpi_handle type)
{
	uintptr_t known;

	type = handle_key(type);
	if (tacho_abi.family == MPI_FAMILY_MPICH && MPICH_IS_BASIC(type))
		return MPICH_BASIC_BYTES(type);
	known = map_get(&tacho_types, type);
	return likely(known) ? known - 1 : type_measure(type);
}

/* Whether that takes no question to MPI. */
static inline bool type_is_known(mpi_handle type)
{
	type = handle_key(type);
	return (tacho_abi.family == MPI_FAMILY_MPICH && MPICH_IS_BASIC(type)) ||
		map_get(&tacho_types, type);
}

static inline uint64_t data_bytes(int64_t count, mpi_handle type)
{
	return count > 0 ? (uint64_t)count * type_bytes(type) : 0;
}

/*
 * Request numbers of spool.h. Open MPI's handles are addresses of objects of at least 64 bytes, so
 * the low bits are constant.
 */
static inline uint32_t request_number(mpi_handle request)
{
	uint32_t number = (uint32_t)request;

	if (tacho_abi.family == MPI_FAMILY_OPENMPI)
		number = (uint32_t)(request >> 4) ^ (uint32_t)(request >> 36);
	return number ? number : 1;
}

/* Ends a send or receive; request 0 is a blocking one. */
static inline void call_leave_message(struct mpi_call *call, int peer, int tag, uint64_t bytes,
	uint32_t request)
{
	uint64_t payload[3] = { spool_pair((uint32_t)peer_number(peer), (uint32_t)tag) };

	if (likely(bytes <= UINT32_MAX)) {
		payload[1] = spool_pair((uint32_t)bytes, request);
		span_leave(&call->span, SPOOL_P2P, call->comm->id, payload, 2);
	} else {
		payload[1] = bytes;
		payload[2] = request;
		span_leave(&call->span, SPOOL_P2P_LONG, call->comm->id, payload, 3);
	}
}

/* Room for a status of any library, for programs that ignore theirs. */
struct status_room {
	uint64_t words[MPI_STATUS_ROOM / 8];
};

/* The status that the real function shall fill: the program's or our own. */
static inline void *status_for(const struct mpi_call *call, void *status, struct status_room *own)
{
	*own = (struct status_room){ 0 };
	return (uintptr_t)status == tacho_abi.status_ignore && span_is_on(&call->span) ? own
										       : status;
}

/*
 * The message did not fit. It was received all the same. MPICH packs the
 * error's class into the low bits.
 */
static inline bool is_truncated(int ret)
{
	return (tacho_abi.family == MPI_FAMILY_MPICH ? ret & 0x7f : ret) == tacho_abi.err_truncate;
}

/* Whether the call took a message, so that its status is filled. */
static inline bool message_taken(const struct mpi_call *call, int ret)
{
	return likely(span_is_on(&call->span)) && (likely(ret == 0) || is_truncated(ret));
}

/*
 * The message that a receive into `count` of `type` took. A truncated message filled the buffer;
 * its status is not reliable.
 */
static inline struct recv_status message_read(const void *status, int ret, int64_t count,
	mpi_handle type)
{
	struct recv_status arrival = status_read(status);

	if (unlikely(ret != 0))
		arrival.bytes = data_bytes(count, type);
	return arrival;
}

/* Ends a probe that waited for a message, with its sender. */
static inline void call_leave_probe(struct mpi_call *call, int ret, const void *status)
{
	struct recv_status arrival;

	if (unlikely(ret != 0 || !span_is_on(&call->span))) {
		call_leave(call);
		return;
	}
	arrival = status_read(status);
	call_leave_message(call, arrival.source, arrival.tag, arrival.bytes, 0);
}

#endif
