/*
 * mpi_abi.h - what differs between the MPI libraries: constants, the width of
 * handles, the layout of MPI_Status. libtacho is compiled without mpi.h; the
 * table is picked when the first MPI call is met. tests/mpi_abi_check.c
 * compiles MPI_ABIS against the real headers.
 */
#ifndef COLLECTOR_MPI_ABI_H
#define COLLECTOR_MPI_ABI_H

#include <stdbool.h>
#include <stdint.h>

/* A handle passed by value. The MPICH family's are ints: the upper half is noise. */
typedef uintptr_t mpi_handle;

/*
 * ABI(family, bytes of a handle, MPI_IN_PLACE, MPI_STATUS_IGNORE, MPI_ANY_SOURCE,
 *     MPI_PROC_NULL, MPI_ROOT, MPI_ERR_TRUNCATE, bytes of MPI_Status, offset of
 *     MPI_SOURCE in it; MPI_TAG and MPI_ERROR follow)
 */
#define MPI_ABIS(ABI)                                                                              \
	ABI(OPENMPI, 8, 1, 0, -1, -2, -4, 15, 24, 0)                                               \
	ABI(MPICH, 4, -1, 1, -2, -1, -3, 14, 20, 8)

/* Predefined handles of the MPICH family; Open MPI's are addresses, looked up. */
#define MPICH_COMM_WORLD   0x44000000
#define MPICH_COMM_SELF	   0x44000001
#define MPICH_COMM_NULL	   0x04000000
#define MPICH_REQUEST_NULL 0x2c000000
#define MPICH_WIN_NULL	   0x20000000
#define MPICH_NO_OP	   0x5800000e

/* MPICH's basic types carry their size in the handle. */
#define MPICH_IS_BASIC(type)	(((type)&0xff000000) == 0x4c000000)
#define MPICH_BASIC_BYTES(type) ((type) >> 8 & 0xff)

/* MPI_CART and MPI_DIST_GRAPH as MPI_Topo_test returns them. */
#define MPI_TOPOLOGY_CART(family) ((family) == MPI_FAMILY_OPENMPI ? 1 : 2)
#define MPI_TOPOLOGY_DIST_GRAPH	  3

enum mpi_family {
	MPI_FAMILY_NONE,
#define ABI(family, ...) MPI_FAMILY_##family,
	MPI_ABIS(ABI)
#undef ABI
};

struct mpi_abi {
	enum mpi_family family;
	uint32_t handle_bytes;		   /* of all but MPI_File, which is a pointer everywhere */
	uintptr_t mask;			   /* bits of a handle passed by value that count */
	uintptr_t in_place, status_ignore; /* the same for one status and for arrays */
	int32_t any_source, proc_null, root;
	int32_t err_truncate;
	uint32_t status_bytes, status_source;
	mpi_handle world, self, comm_null, request_null, win_null, no_op;
};

extern struct mpi_abi tacho_abi __attribute__((visibility("hidden")));

#define MPI_TAG_ANY	(-1) /* MPI_ANY_TAG of both */
#define MPI_STATUS_ROOM 24   /* the larger status */

/*
 * Finds out which library is loaded and fills tacho_abi. Threads may race.
 * Returns false when there is none (yet).
 */
bool mpi_abi_find(void) __attribute__((visibility("hidden")));

/* Element `i` of an array of handles in the application's memory. */
static inline mpi_handle handle_at(const void *array, int i)
{
	if (tacho_abi.handle_bytes == 4)
		return ((const uint32_t *)array)[i];
	return ((const uintptr_t *)array)[i];
}

static inline mpi_handle handle_key(mpi_handle handle)
{
	return handle & tacho_abi.mask;
}

/* The fields of a completed receive's status. */
struct recv_status {
	int32_t source, tag;
	uint64_t bytes;
	bool cancelled;
};

static inline struct recv_status status_read(const void *status)
{
	const char *at = status;
	const int32_t *source = (const int32_t *)(at + tacho_abi.status_source);
	const uint32_t *count = (const uint32_t *)at;
	struct recv_status arrival = { .source = source[0], .tag = source[1] };

	if (tacho_abi.family == MPI_FAMILY_MPICH) { /* low, high:31 cancelled:1 */
		arrival.bytes = count[0] | (uint64_t)(count[1] >> 1) << 32;
		arrival.cancelled = count[1] & 1;
	} else { /* source, tag, error, cancelled, size_t */
		arrival.bytes = *(const uint64_t *)(at + 16);
		arrival.cancelled = source[3] == 1; /* requests of MPI-IO leave noise here */
	}
	return arrival;
}

#endif
