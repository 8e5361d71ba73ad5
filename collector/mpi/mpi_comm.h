/*
 * mpi_comm.h - the communicators of the process: from handle to number, rank
 * and sizes on the hot path; their definitions for merge when they are made.
 */
#ifndef COLLECTOR_MPI_COMM_H
#define COLLECTOR_MPI_COMM_H

#include "mpi/mpi_map.h"
#include "core/span.h"

struct mpi_comm {
	uint32_t id;	 /* number of its DEF_COMM, 0 = none (MPI_COMM_NULL, unknown) */
	int32_t rank;	 /* own */
	uint32_t size;	 /* of the local group */
	uint32_t npeers; /* of the group that one communicates with: remote for inter */
	uint32_t indegree, outdegree; /* neighbours, 0 without a topology */
	bool is_inter;
};

extern struct map tacho_comms HIDDEN;

/*
 * Out of line: a communicator that the library has not met, made by functions
 * that are not wrapped. Defines it. Returns what represents none when MPI does
 * not run.
 */
const struct mpi_comm *comm_meet(mpi_handle handle) HIDDEN;

/* Never NULL. */
static inline const struct mpi_comm *comm_find(mpi_handle handle)
{
	uintptr_t found = map_get(&tacho_comms, handle_key(handle));

	return likely(found) ? (const struct mpi_comm *)found : comm_meet(handle);
}

/* How one creation is distinguished from others; the same on all members. */
struct creation {
	uint32_t parent; /* number of the communicator it is made from, 0 = none */
	uint32_t count;	 /* position among the creations on the parent */
	bool by_group;	 /* not collective on the parent: `tag` and members identify it */
	int tag;
};

/*
 * Whether this process tracks its communicators: from MPI_Init on, if it records. A capture window
 * that is closed for a while changes nothing, as communicators made meanwhile may be used later.
 */
static inline bool comms_are_kept(void)
{
	return atomic_load_explicit(&tacho_comms.table, memory_order_relaxed) != NULL;
}

/*
 * Counts a collective creation on `parent`; call it once per creation on
 * every member, also when the result is MPI_COMM_NULL.
 */
struct creation comm_creation(mpi_handle parent) HIDDEN;

/*
 * Counts a persistent collective just made on `comm`: from 1, and the same on all members, as they
 * make them in one order.
 */
uint32_t comm_plan(const struct mpi_comm *comm) HIDDEN;

/* Defines a communicator just made; MPI_COMM_NULL is passed over. */
void comm_define(mpi_handle handle, const struct creation *creation) HIDDEN;

/* Defines MPI_COMM_WORLD and MPI_COMM_SELF, once, after MPI was initialised. */
void comm_define_world(void) HIDDEN;

/*
 * Defines the communicator that a collective call on `parent` just stored at `newcomm`, if
 * communicators are tracked.
 */
void comm_define_child(mpi_handle parent, const void *newcomm) HIDDEN;

/* The same for a call that is collective only among the ranks that pass `tag`. */
void comm_define_group(mpi_handle parent, const void *newcomm, int tag) HIDDEN;

/* The ranks, within a window, of a group's members. Returns 0 if they are more than `most`. */
uint32_t comm_group_ranks(mpi_handle group, mpi_handle win, uint32_t *ranks, uint32_t most) HIDDEN;

/* The same for MPI_Comm_create_from_group; all its members pass `stringtag`. */
void comm_define_from_group(const void *newcomm, const char *stringtag) HIDDEN;

/*
 * A session has begun, or is about to end: while there is one MPI may be asked. The first defines
 * MPI_COMM_WORLD by its process set "mpi://WORLD", as the program need not have it.
 */
void comm_session_begin(mpi_handle session) HIDDEN;
void comm_session_end(void) HIDDEN;

/* Notes the neighbours in a communicator's topology, once, as a property of the process. */
void neighbours_define(mpi_handle handle, const struct mpi_comm *comm) HIDDEN;

/* Forgets a handle that is about to be freed, which may be handed out again. */
void comm_forget(mpi_handle handle) HIDDEN;

/* Records the name that the program gave. */
void comm_name(mpi_handle handle, const char *name) HIDDEN;

#endif
