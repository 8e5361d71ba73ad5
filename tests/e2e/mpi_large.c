/*
 * mpi_large.c - calls with counts and bytes that need more than 31 or 32 bits, of
 * which the trace must report all (mpi_expect.h). Two ranks. What is sent and
 * received is little memory that is mapped over and over.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi_expect.h"

#define BLOCK	     (INT64_C(16) << 20)
#define OVER_31_BITS (INT64_C(131) * BLOCK)
#define OVER_32_BITS (INT64_C(259) * BLOCK)
#define HUGE_COUNT   INT64_C(5000000000) /* does not fit 32 bits */

static char *data;

/* `bytes` of address space, all of them one block. */
static void data_map(int64_t bytes)
{
	int fd = memfd_create("block", 0);

	data = mmap(NULL, (size_t)bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		0);
	if (fd < 0 || ftruncate(fd, BLOCK) < 0 || data == MAP_FAILED)
		MPI_Abort(W, 1);
	for (int64_t at = 0; at < bytes; at += BLOCK)
		if (mmap(data + at, (size_t)BLOCK, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
			    fd, 0) == MAP_FAILED)
			MPI_Abort(W, 1);
}

/* Nothing moves, and everything is counted. */
static void still(void)
{
	MPI_Count counts[] = { HUGE_COUNT };
	MPI_Aint places[] = { 0 };
	MPI_Request q;

	MPI_Send_c(data, HUGE_COUNT, MPI_CHAR, MPI_PROC_NULL, 1, W);
	expect("MPI_Send_c comm 1 peer -1 tag 1 bytes %" PRId64 " done", HUGE_COUNT);
	MPI_Isend_c(data, HUGE_COUNT, MPI_INT, MPI_PROC_NULL, 2, W, &q);
	expect("MPI_Isend_c comm 1 peer -1 tag 2 bytes %" PRId64 " posted", 4 * HUGE_COUNT);
	MPI_Wait(&q, NO_STATUS);
	expect("MPI_Wait  [Isend_c]");
	MPI_Bcast_c(data, HUGE_COUNT, MPI_CHAR, 0, MPI_COMM_SELF);
	expect("MPI_Bcast_c comm 2 sent %" PRId64 " received 0 root 0", HUGE_COUNT);
	MPI_Allgatherv_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, counts, places, MPI_CHAR,
		MPI_COMM_SELF);
	expect("MPI_Allgatherv_c comm 2 sent %" PRId64 " received %" PRId64 " root -1", HUGE_COUNT,
		HUGE_COUNT);
}

static void sent(void)
{
	MPI_Request q;

	MPI_Send_c(data, OVER_31_BITS, MPI_CHAR, 1, 3, W);
	expect("MPI_Send_c comm 1 peer 1 tag 3 bytes %" PRId64 " done", OVER_31_BITS);
	MPI_Isend_c(data, OVER_32_BITS / 4, MPI_INT, 1, 4, W, &q);
	expect("MPI_Isend_c comm 1 peer 1 tag 4 bytes %" PRId64 " posted", OVER_32_BITS);
	MPI_Wait(&q, NO_STATUS);
	expect("MPI_Wait  [Isend_c]");
}

static void received(void)
{
	MPI_Status status;
	MPI_Count got;
	MPI_Request q;

	MPI_Recv_c(data, OVER_32_BITS, MPI_CHAR, 0, 3, W, &status);
	expect("MPI_Recv_c comm 1 peer 0 tag 3 bytes %" PRId64 " done", OVER_31_BITS);
	MPI_Get_count_c(&status, MPI_CHAR, &got);
	result("received %" PRId64, (int64_t)got);
	MPI_Irecv_c(data, OVER_32_BITS, MPI_CHAR, 0, 4, W, &q);
	expect("MPI_Irecv_c comm 1 peer 0 tag 4 bytes %" PRId64 " posted", OVER_32_BITS);
	MPI_Wait(&q, NO_STATUS);
	expect("MPI_Wait  [Irecv_c -2]"); /* SPOOL_BYTES_HUGE: bytes of the start */
}

int main(int argc, char **argv)
{
	expect_begin(&argc, &argv, 0);
	data_map(OVER_32_BITS);
	still();
	if (rank == 0)
		sent();
	else
		received();
	return expect_end();
}
