/*
 * mpi_abi_check.c - compiled with an mpicc: the table of collector/mpi/mpi_abi.h
 * against the mpi.h that it is meant for. Prints what differs.
 */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>

#include "mpi/mpi_abi.h"

#ifdef OPEN_MPI
#define FAMILY MPI_FAMILY_OPENMPI
#else
#define FAMILY MPI_FAMILY_MPICH
#endif

static int wrong;

static void check(const char *what, long long ours, long long theirs)
{
	if (ours == theirs)
		return;
	wrong = 1;
	printf("%s: %lld in the table, %lld in mpi.h\n", what, ours, theirs);
}

static const struct row {
	int family;
	long long width, in_place, ignore, any_source, proc_null, root, truncate, status_bytes,
		source;
} rows[] = {
#define ABI(family, ...) { MPI_FAMILY_##family, __VA_ARGS__ },
	MPI_ABIS(ABI)
#undef ABI
};

/* The count of a status, set by MPI and read by us; MPI need not be initialised for that. */
static void check_status(const struct row *row)
{
	MPI_Status status = { 0 };
	struct recv_status arrival;

	tacho_abi.family = row->family;
	tacho_abi.status_source = row->source;
	status.MPI_SOURCE = 11;
	status.MPI_TAG = 12;
#ifdef OPEN_MPI
	status._ucount = 0x123456789;
	check("offset of _ucount", 16, offsetof(MPI_Status, _ucount));
	status._cancelled = 1;
#else
	status.count_lo = 0x23456789;
	status.count_hi_and_cancelled = 1 << 1 | 1;
#endif
	arrival = status_read(&status);
	check("status source", arrival.source, 11);
	check("status tag", arrival.tag, 12);
	check("status count", (long long)arrival.bytes, 0x123456789);
	check("status cancelled", arrival.cancelled, 1);
}

struct mpi_abi tacho_abi;

int main(void)
{
	const struct row *row = &rows[FAMILY - 1];

	check("family", row->family, FAMILY);
	check("bytes of MPI_Comm", row->width, sizeof(MPI_Comm));
	check("bytes of MPI_Request", row->width, sizeof(MPI_Request));
	check("bytes of MPI_Datatype", row->width, sizeof(MPI_Datatype));
	check("bytes of MPI_Win", row->width, sizeof(MPI_Win));
	check("bytes of MPI_Message", row->width, sizeof(MPI_Message));
	check("bytes of MPI_File", 8, sizeof(MPI_File));
	check("bytes of MPI_Aint", 8, sizeof(MPI_Aint));
	check("bytes of MPI_Offset", 8, sizeof(MPI_Offset));
	check("bytes of MPI_Count", 8, sizeof(MPI_Count));
	check("MPI_IN_PLACE", row->in_place, (long long)(size_t)MPI_IN_PLACE);
	check("MPI_STATUS_IGNORE", row->ignore, (long long)(size_t)MPI_STATUS_IGNORE);
	check("MPI_STATUSES_IGNORE", row->ignore, (long long)(size_t)MPI_STATUSES_IGNORE);
	check("MPI_ANY_SOURCE", row->any_source, MPI_ANY_SOURCE);
	check("MPI_ANY_TAG", MPI_TAG_ANY, MPI_ANY_TAG);
	check("MPI_PROC_NULL", row->proc_null, MPI_PROC_NULL);
	check("MPI_ROOT", row->root, MPI_ROOT);
	check("MPI_ERR_TRUNCATE", row->truncate, MPI_ERR_TRUNCATE);
	check("bytes of MPI_Status", row->status_bytes, sizeof(MPI_Status));
	check("offset of MPI_SOURCE", row->source, offsetof(MPI_Status, MPI_SOURCE));
	check("offset of MPI_TAG", row->source + 4, offsetof(MPI_Status, MPI_TAG));
	check("offset of MPI_ERROR", row->source + 8, offsetof(MPI_Status, MPI_ERROR));
	check("room for a status", 1, MPI_STATUS_ROOM >= sizeof(MPI_Status));
	check("MPI_CART", MPI_TOPOLOGY_CART(row->family), MPI_CART);
	check("MPI_DIST_GRAPH", MPI_TOPOLOGY_DIST_GRAPH, MPI_DIST_GRAPH);
#ifndef OPEN_MPI
	check("MPI_COMM_WORLD", MPICH_COMM_WORLD, MPI_COMM_WORLD);
	check("MPI_COMM_SELF", MPICH_COMM_SELF, MPI_COMM_SELF);
	check("MPI_COMM_NULL", MPICH_COMM_NULL, MPI_COMM_NULL);
	check("MPI_REQUEST_NULL", MPICH_REQUEST_NULL, MPI_REQUEST_NULL);
	check("MPI_WIN_NULL", MPICH_WIN_NULL, MPI_WIN_NULL);
	check("size within MPI_DOUBLE", MPICH_BASIC_BYTES(MPI_DOUBLE), 8);
	check("MPI_DOUBLE is basic", MPICH_IS_BASIC(MPI_DOUBLE), 1);
	check("MPI_DOUBLE_INT is not", MPICH_IS_BASIC(MPI_DOUBLE_INT), 0);
#endif
	check_status(row);
	return wrong;
}
