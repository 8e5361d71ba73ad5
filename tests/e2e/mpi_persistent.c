/*
 * mpi_persistent.c - MPI 4, or what an MPI has of it: persistent collectives
 * started many times, in another order on each rank, by one call and several,
 * freed, and their handles handed out again; MPI_Isendrecv among them. What the
 * trace must contain stands in expect() (mpi_expect.h), what the analysis must
 * count in mpi_persistent.sh.
 */
#include "mpi_expect.h"

enum { ROUNDS = 20 };

static int in[4096], out[4096];

#define STARTED(name, bytes, start, which)                                                         \
	expect("MPI_" name "_init comm 1 sent %d received %d root -1 start %d of %d", bytes,       \
		bytes, start, which)

static void made(MPI_Request *q, int ints)
{
	MPI_Allreduce_init(in, out + ints, ints, MPI_INT, MPI_SUM, W, MPI_INFO_NULL, q);
	EXPECT_CALL("Allreduce_init", 1);
}

static void freed(MPI_Request *q)
{
	MPI_Request_free(q);
	EXPECT_CALL("Request_free", 0);
}

/* 400 and 200 bytes: one after the other on even ranks, the other way by one call on odd ones. */
static void both_start(MPI_Request *q, int round)
{
	MPI_Request turned[2] = { q[1], q[0] };

	for (int i = 0; rank % 2 == 0 && i < 2; i++) {
		MPI_Start(&q[i]);
		STARTED("Allreduce", i ? 200 : 400, round, i + 1);
		EXPECT_CALL("Start", 0);
	}
	if (rank % 2 == 0)
		return;
	MPI_Startall(2, turned);
	STARTED("Allreduce", 200, round, 2);
	STARTED("Allreduce", 400, round, 1);
	EXPECT_CALL("Startall", 0);
}

/* In the order in which they were started there; ends with a wait for an inactive request. */
static void both_wait(MPI_Request *q)
{
	MPI_Wait(&q[rank % 2], NO_STATUS);
	expect("MPI_Wait  [Allreduce_init]");
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	expect("MPI_Waitall  [Allreduce_init]");
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	expect("MPI_Waitall ");
}

static void in_any_order(void)
{
	MPI_Request q[2];

	made(&q[0], 100);
	made(&q[1], 50);
	for (int i = 0; i < ROUNDS; i++) {
		both_start(q, i);
		MPI_Allreduce(in, out, 6, MPI_INT, MPI_SUM, W);
		expect("MPI_Allreduce comm 1 sent 24 received 24 root -1");
		both_wait(q);
		result("%d %d", out[100], out[50]);
		in[0] += rank + i;
	}
	freed(&q[0]);
	freed(&q[1]);
}

/*
 * The same handle means another size now. None of a message in between: after such a one MPICH 4.0
 * never completes the collective that gets its handle.
 */
static void handed_out_again(void)
{
	MPI_Request q;

	for (int i = 0; i < 3; i++) {
		made(&q, 300 + i);
		for (int start = 0; start < i; start++) { /* the first is never started */
			MPI_Start(&q);
			STARTED("Allreduce", 4 * (300 + i), start, 3 + i);
			EXPECT_CALL("Start", 0);
			MPI_Wait(&q, NO_STATUS);
			expect("MPI_Wait  [Allreduce_init]");
		}
		freed(&q);
	}
	MPI_Barrier_init(W, MPI_INFO_NULL, &q);
	EXPECT_CALL("Barrier_init", 1);
	MPI_Start(&q);
	STARTED("Barrier", 0, 0, 6);
	EXPECT_CALL("Start", 0);
	MPI_Wait(&q, NO_STATUS);
	expect("MPI_Wait  [Barrier_init]");
	freed(&q);
}

/* Messages and a collective started together, and both ways around the ring. */
static void together(void)
{
	MPI_Request q[4] = { [3] = MPI_REQUEST_NULL };
	const char *both_ways = "";

	MPI_Recv_init(out, 9, MPI_INT, before, 5, W, &q[0]);
	EXPECT_CALL("Recv_init", 1);
	MPI_Send_init(in, 2, MPI_INT, next, 5, W, &q[1]);
	EXPECT_CALL("Send_init", 1);
	made(&q[2], 16);
	for (int i = 0; i < 2; i++) {
		MPI_Startall(3, q);
		expect("MPI_Recv_init comm 1 peer %d tag 5 bytes 36 started", before);
		expect("MPI_Send_init comm 1 peer %d tag 5 bytes 8 started", next);
		STARTED("Allreduce", 64, i, 7);
		EXPECT_CALL("Startall", 0);
#if MPI_VERSION >= 4
		MPI_Isendrecv(in, 1000, MPI_INT, next, 6, out + 2000, 1000, MPI_INT, before, 6, W,
			&q[3]);
		expect("MPI_Isendrecv comm 1 to %d tag 6 bytes 4000 from %d tag 6 bytes 4000 posted",
			next, before);
		both_ways = " [Isendrecv]";
#endif
		MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
		expect("MPI_Waitall  [Recv_init 8] [Send_init] [Allreduce_init]%s", both_ways);
	}
	for (int i = 0; i < 3; i++)
		freed(&q[i]);
	result("together %d %d", out[0], out[2000]);
}

int main(int argc, char **argv)
{
	expect_begin(&argc, &argv, 0);
	for (int i = 0; i < 4096; i++)
		in[i] = rank * 1000 + i;
	in_any_order();
	handed_out_again();
	together();
	return expect_end();
}
