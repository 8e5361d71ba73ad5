/*
 * mpi_request.h - requests that need more than their number: persistent ones (the operation that a
 * start begins) and MPI_Comm_idup's (the communicator exists once the request completes). Ordinary
 * requests are not stored: merge matches their starts and completions.
 */
#ifndef COLLECTOR_MPI_REQUEST_H
#define COLLECTOR_MPI_REQUEST_H

#include "mpi/mpi_coll.h"

struct special;

/* Special requests alive; while it is 0 completions need not ask. */
extern _Atomic uint32_t tacho_specials HIDDEN;

/*
 * A receive with a wildcard was posted, so completions must report source and
 * tag from now on (see SPOOL_DONE_SHORT).
 */
extern _Atomic uint32_t tacho_wildcards HIDDEN;

static inline void wildcard_note(int source, int tag)
{
	if (unlikely(source == tacho_abi.any_source || tag == MPI_TAG_ANY))
		atomic_store_explicit(&tacho_wildcards, 1, memory_order_relaxed);
}

/* A persistent message, made by the call `region` (MPI_Send_init…). */
void request_keep_message(mpi_handle request, unsigned region, const struct mpi_comm *comm,
	int peer, int tag, uint64_t bytes) HIDDEN;

/* A persistent collective, made by the call `region` (MPI_Bcast_init…). */
void request_keep_collective(mpi_handle request, unsigned region, const struct mpi_comm *comm,
	struct volume volume, int32_t root) HIDDEN;

/* MPI_Comm_idup: `*newcomm` is valid once the request completed. */
void request_keep_idup(mpi_handle request, const void *newcomm,
	const struct creation *creation) HIDDEN;

/* A persistent request is about to be started: from now on a completion counts. */
void request_start(mpi_handle request) HIDDEN;

/* Writes SPOOL_STARTED for a persistent request that was started inside `span`. */
void request_record_start(struct span *span, mpi_handle request) HIDDEN;

/*
 * A request completed, out of line for special ones. Returns false when that
 * was no completion: an inactive persistent request.
 */
bool request_complete_special(mpi_handle request) HIDDEN;

static inline bool request_complete(mpi_handle request)
{
	if (likely(!atomic_load_explicit(&tacho_specials, memory_order_relaxed)))
		return true;
	return request_complete_special(request);
}

/* MPI_Request_free. Returns whether an operation was in flight. */
bool request_forget(mpi_handle request) HIDDEN;

#endif
