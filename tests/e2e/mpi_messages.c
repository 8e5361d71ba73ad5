/*
 * mpi_messages.c - every kind of point-to-point call, with what its trace must
 * contain (mpi_expect.h).
 */
#include "mpi_expect.h"

static int buf[4096];

static void barrier(void)
{
	MPI_Barrier(W);
	expect("MPI_Barrier comm 1 sent 0 received 0 root -1");
}

/* Before any wildcard: completions are short. */
static void nonblocking(void)
{
	MPI_Request q[3];
	MPI_Status s[2];
	int in[8];

	MPI_Irecv(in, 8, MPI_INT, before, 1, W, &q[0]);
	expect("MPI_Irecv comm 1 peer %d tag 1 bytes 32 posted", before);
	MPI_Isend(buf, 5, MPI_INT, next, 1, W, &q[1]);
	expect("MPI_Isend comm 1 peer %d tag 1 bytes 20 posted", next);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	expect("MPI_Waitall  [Irecv 20] [Isend]");
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	expect("MPI_Waitall ");
	MPI_Irecv(in, 8, MPI_INT, before, 2, W, &q[0]);
	expect("MPI_Irecv comm 1 peer %d tag 2 bytes 32 posted", before);
	MPI_Issend(buf, 0, MPI_INT, next, 2, W, &q[1]);
	expect("MPI_Issend comm 1 peer %d tag 2 bytes 0 posted", next);
	MPI_Waitall(2, q, s);
	expect("MPI_Waitall  [Irecv 0] [Issend]");
	result("nonblocking %d %d", s[0].MPI_SOURCE, s[0].MPI_TAG);
	MPI_Irecv(in, 8, MPI_INT, MPI_PROC_NULL, 3, W, &q[0]);
	expect("MPI_Irecv comm 1 peer -1 tag 3 bytes 32 posted");
	MPI_Wait(&q[0], NO_STATUS);
	expect("MPI_Wait  [Irecv 0]");
	MPI_Isend(buf, 1, MPI_INT, MPI_PROC_NULL, 3, W, &q[0]);
	expect("MPI_Isend comm 1 peer -1 tag 3 bytes 4 posted");
	MPI_Wait(&q[0], NO_STATUS);
	expect("MPI_Wait  [Isend]");
}

/* More requests than fit the wrapper's stack. */
static void many(void)
{
	MPI_Request q[200];
	char line[8192] = "";

	for (int i = 0; i < 100; i++) {
		MPI_Irecv(&buf[i], 1, MPI_INT, before, i, W, &q[i]);
		expect("MPI_Irecv comm 1 peer %d tag %d bytes 4 posted", before, i);
	}
	for (int i = 0; i < 100; i++) {
		MPI_Isend(&buf[1000], 1, MPI_INT, next, i, W, &q[100 + i]);
		expect("MPI_Isend comm 1 peer %d tag %d bytes 4 posted", next, i);
	}
	MPI_Waitall(200, q, MPI_STATUSES_IGNORE);
	for (int i = 0; i < 200; i++)
		if (i < 100)
			sprintf(line + strlen(line), " [Irecv 4 from %d tag %d]", before, i);
		else
			strcat(line, " [Isend]");
	expect("MPI_Waitall %s", line);
}

static void blocking(void)
{
	static char room[65536];
	MPI_Status s;
	MPI_Request q;
	void *detached;
	COUNT freed;
	int n, in[8];

	MPI_Buffer_attach(room, sizeof(room));
	EXPECT_CALL("Buffer_attach", 0);
	MPI_Bsend(buf, 3, MPI_DOUBLE, next, 4, W);
	expect("MPI_Bsend comm 1 peer %d tag 4 bytes 24 done", next);
	MPI_Recv(buf, 100, MPI_DOUBLE, before, 4, W, NO_STATUS);
	expect("MPI_Recv comm 1 peer %d tag 4 bytes 24 done", before);
	MPI_Buffer_detach(&detached, &freed);
	EXPECT_CALL("Buffer_detach", 0);
	result("detached %d", detached == room && freed == sizeof(room));
	if (rank % 2 == 0) {
		MPI_Ssend(buf, 2, MPI_SHORT, next, 5, W);
		expect("MPI_Ssend comm 1 peer %d tag 5 bytes 4 done", next);
	}
	MPI_Recv(in, 8, MPI_INT, MPI_PROC_NULL, 5, W, &s);
	expect("MPI_Recv comm 1 peer -1 tag -1 bytes 0 done");
	if (rank % 2 == 1) {
		MPI_Recv(in, 8, MPI_SHORT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &s);
		expect("MPI_Recv comm 1 peer %d tag 5 bytes 4 done", before);
		MPI_Get_count(&s, MPI_SHORT, &n);
		result("any %d %d %d", s.MPI_SOURCE, s.MPI_TAG, n);
	}
	MPI_Irecv(in, 8, MPI_INT, before, 6, W, &q);
	expect("MPI_Irecv comm 1 peer %d tag 6 bytes 32 posted", before);
	barrier();
	MPI_Rsend(buf, 8, MPI_INT, next, 6, W);
	expect("MPI_Rsend comm 1 peer %d tag 6 bytes 32 done", next);
	MPI_Wait(&q, &s);
	expect("MPI_Wait  [Irecv 32]");
	MPI_Sendrecv(buf, 7, MPI_CHAR, next, 7, in, 8, MPI_CHAR, before, 7, W, NO_STATUS);
	expect("MPI_Sendrecv comm 1 to %d tag 7 bytes 7 from %d tag 7 bytes 7", next, before);
	MPI_Sendrecv_replace(buf, 2, MPI_INT, next, 8, MPI_ANY_SOURCE, 8, W, &s);
	expect("MPI_Sendrecv_replace comm 1 to %d tag 8 bytes 8 from %d tag 8 bytes 8", next,
		before);
	result("replaced %d", s.MPI_SOURCE);
	MPI_Sendrecv(buf, 7, MPI_CHAR, MPI_PROC_NULL, 7, in, 8, MPI_CHAR, MPI_PROC_NULL, 7, W,
		NO_STATUS);
	expect("MPI_Sendrecv comm 1 to -1 tag 7 bytes 7 from -1 tag -1 bytes 0");
}

/* A message larger than its receive: MPI fails it, but it was received. */
static void truncated(void)
{
	int in[1], ret;

	MPI_Comm_set_errhandler(W, MPI_ERRORS_RETURN);
	MPI_Send(buf, 3, MPI_INT, next, 9, W);
	expect("MPI_Send comm 1 peer %d tag 9 bytes 12 done", next);
	ret = MPI_Recv(in, 1, MPI_INT, before, 9, W, NO_STATUS);
	expect("MPI_Recv comm 1 peer %d tag 9 bytes 4 done", before);
	MPI_Error_class(ret, &ret);
	result("truncated %d", ret == MPI_ERR_TRUNCATE);
	errno = 77;
	ret = MPI_Send(buf, 1, MPI_INT, size + 5, 9, W);
	EXPECT_CALL("Send", 1);
	result("refused %d errno %d", ret != 0, errno);
	MPI_Comm_set_errhandler(W, MPI_ERRORS_ARE_FATAL);
}

/* A type that is none: an error of the call, and for the handler of its communicator alone. */
static void wrong_type(void)
{
	int ret;

	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	ret = MPI_Bcast(buf, 1, MPI_DATATYPE_NULL, 0, MPI_COMM_SELF);
	EXPECT_CALL("Bcast", 2);
	result("refused %d", ret != 0);
	ret = MPI_Allreduce(MPI_IN_PLACE, buf, 1, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_SELF);
	EXPECT_CALL("Allreduce", 2);
	result("refused %d", ret != 0);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static void types(void)
{
	MPI_Datatype every, odd;
	int lengths[2] = { 1, 1 };
	MPI_Aint places[2] = { 0, 16 };
	MPI_Datatype parts[2] = { MPI_CHAR, MPI_DOUBLE };

	MPI_Type_vector(4, 1, 3, MPI_INT, &every); /* 16 bytes of 40 */
	MPI_Type_commit(&every);
	MPI_Sendrecv(buf, 2, every, next, 1, buf + 1000, 8, MPI_INT, before, 1, W, NO_STATUS);
	expect("MPI_Sendrecv comm 1 to %d tag 1 bytes 32 from %d tag 1 bytes 32", next, before);
	MPI_Type_free(&every);
	EXPECT_CALL("Type_free", 0);
	for (int n = 1; n < 4; n++) { /* handles come again with other sizes */
		MPI_Type_contiguous(n, MPI_SHORT, &odd);
		MPI_Type_commit(&odd);
		MPI_Sendrecv(buf, 3, odd, next, 1, buf + 1000, 3, odd, before, 1, W, NO_STATUS);
		expect("MPI_Sendrecv comm 1 to %d tag 1 bytes %d from %d tag 1 bytes %d", next,
			6 * n, before, 6 * n);
		MPI_Type_free(&odd);
		EXPECT_CALL("Type_free", 0);
	}
	MPI_Type_create_struct(2, lengths, places, parts, &odd);
	MPI_Type_commit(&odd);
	MPI_Sendrecv(buf, 1, odd, next, 1, buf + 1000, 1, odd, before, 1, W, NO_STATUS);
	expect("MPI_Sendrecv comm 1 to %d tag 1 bytes 9 from %d tag 1 bytes 9", next, before);
	MPI_Type_free(&odd);
	EXPECT_CALL("Type_free", 0);
	MPI_Sendrecv(buf, 2, MPI_DOUBLE_INT, next, 1, buf + 1000, 2, MPI_DOUBLE_INT, before, 1, W,
		NO_STATUS);
	expect("MPI_Sendrecv comm 1 to %d tag 1 bytes 24 from %d tag 1 bytes 24", next, before);
}

static void probes(void)
{
	MPI_Status s;
	MPI_Message m;
	MPI_Request q;
	int flag = 0;

	MPI_Isend(buf, 4, MPI_INT, next, 11, W, &q);
	expect("MPI_Isend comm 1 peer %d tag 11 bytes 16 posted", next);
	MPI_Probe(before, 11, W, &s);
	expect("MPI_Probe comm 1 peer %d tag 11 bytes 16 done", before);
	while (!flag) {
		MPI_Iprobe(before, 11, W, &flag, NO_STATUS);
		if (flag)
			expect("MPI_Iprobe comm 1 peer %d tag 11 bytes 16 done", before);
		else
			EXPECT_CALL("Iprobe", 1);
		sched_yield();
	}
	MPI_Mprobe(before, 11, W, &m, &s);
	expect("MPI_Mprobe comm 1 peer %d tag 11 bytes 16 done", before);
	MPI_Mrecv(buf + 100, 9, MPI_INT, &m, NO_STATUS);
	expect("MPI_Mrecv comm 1 peer %d tag 11 bytes 16 done", before);
	MPI_Wait(&q, NO_STATUS);
	expect("MPI_Wait  [Isend]");
	MPI_Isend(buf, 4, MPI_INT, next, 12, W, &q);
	expect("MPI_Isend comm 1 peer %d tag 12 bytes 16 posted", next);
	for (flag = 0; !flag;) {
		MPI_Improbe(MPI_ANY_SOURCE, 12, W, &flag, &m, &s);
		if (flag)
			expect("MPI_Improbe comm 1 peer %d tag 12 bytes 16 done", before);
		else
			EXPECT_CALL("Improbe", 1);
		sched_yield();
	}
	MPI_Wait(&q, NO_STATUS);
	expect("MPI_Wait  [Isend]");
	MPI_Imrecv(buf + 100, 9, MPI_INT, &m, &q);
	expect("MPI_Imrecv comm 1 peer -2 tag -1 bytes 36 posted");
	MPI_Wait(&q, &s);
	expect("MPI_Wait  [Imrecv 16 from %d tag 12]", before);
	result("matched %d %d", s.MPI_SOURCE, s.MPI_TAG);
}

/* Completions record source and tag of a receive with wildcards. */
static void wildcard(void)
{
	MPI_Request q[2];
	MPI_Status s[1];
	int flag, at;

	MPI_Irecv(buf, 9, MPI_INT, MPI_ANY_SOURCE, 20, W, &q[0]);
	expect("MPI_Irecv comm 1 peer -2 tag 20 bytes 36 posted");
	MPI_Irsend(buf, 0, MPI_INT, MPI_PROC_NULL, 20, W, &q[1]);
	expect("MPI_Irsend comm 1 peer -1 tag 20 bytes 0 posted");
	MPI_Wait(&q[1], NO_STATUS);
	expect("MPI_Wait  [Irsend]");
	MPI_Test(&q[0], &flag, NO_STATUS); /* no rank has sent yet */
	expect("MPI_Test %s", "");
	barrier();
	MPI_Isend(buf + 50, 3, MPI_INT, next, 20, W, &q[1]);
	expect("MPI_Isend comm 1 peer %d tag 20 bytes 12 posted", next);
	for (flag = 0; !flag; sched_yield()) {
		MPI_Test(&q[0], &flag, &s[0]);
		if (flag)
			expect("MPI_Test  [Irecv 12 from %d tag 20]", before);
		else
			expect("MPI_Test ");
	}
	result("tested %d", s[0].MPI_SOURCE);
	MPI_Waitany(2, q, &at, NO_STATUS);
	expect("MPI_Waitany  [Isend]");
	MPI_Waitany(2, q, &at, NO_STATUS);
	expect("MPI_Waitany ");
	result("waitany %d", at == MPI_UNDEFINED);
}

/* Several at a time. */
static void some(void)
{
	MPI_Request q[4];
	MPI_Status s[4];
	int n, indices[4];

	for (int i = 0; i < 2; i++) {
		MPI_Irecv(buf + 10 * i, 9, MPI_INT, before, MPI_ANY_TAG, W, &q[i]);
		expect("MPI_Irecv comm 1 peer %d tag -1 bytes 36 posted", before);
	}
	for (int i = 0; i < 2; i++) {
		MPI_Isend(buf + 50, i + 1, MPI_INT, next, 30 + i, W, &q[2 + i]);
		expect("MPI_Isend comm 1 peer %d tag %d bytes %d posted", next, 30 + i,
			4 * (i + 1));
	}
	for (int left = 4; left;) {
		char line[256] = "";

		if (left > 2)
			MPI_Waitsome(4, q, &n, indices, s);
		else
			MPI_Testsome(4, q, &n, indices, MPI_STATUSES_IGNORE);
		for (int i = 0; i < n; i++)
			if (indices[i] < 2)
				sprintf(line + strlen(line), " [Irecv %d from %d tag %d]",
					4 * (indices[i] + 1), before, 30 + indices[i]);
			else
				strcat(line, " [Isend]");
		expect("MPI_%s %s", left > 2 ? "Waitsome" : "Testsome", line);
		left -= n > 0 ? n : 0;
	}
}

static void tests(void)
{
	MPI_Request q[2];
	MPI_Status s[2];
	int flag, at;

	MPI_Irecv(buf, 9, MPI_INT, before, 40, W, &q[0]);
	expect("MPI_Irecv comm 1 peer %d tag 40 bytes 36 posted", before);
	MPI_Ibsend(buf, 0, MPI_INT, MPI_PROC_NULL, 40, W, &q[1]);
	expect("MPI_Ibsend comm 1 peer -1 tag 40 bytes 0 posted");
	MPI_Send(buf, 9, MPI_INT, next, 40, W);
	expect("MPI_Send comm 1 peer %d tag 40 bytes 36 done", next);
	for (flag = 0; !flag; sched_yield()) {
		MPI_Testall(2, q, &flag, s);
		if (flag)
			expect("MPI_Testall  [Irecv 36 from %d tag 40] [Ibsend]", before);
		else
			expect("MPI_Testall ");
	}
	MPI_Irecv(buf, 9, MPI_INT, before, 41, W, &q[0]);
	expect("MPI_Irecv comm 1 peer %d tag 41 bytes 36 posted", before);
	MPI_Send(buf, 1, MPI_INT, next, 41, W);
	expect("MPI_Send comm 1 peer %d tag 41 bytes 4 done", next);
	for (flag = 0; !flag; sched_yield()) {
		MPI_Testany(1, q, &at, &flag, NO_STATUS);
		if (flag)
			expect("MPI_Testany  [Irecv 4 from %d tag 41]", before);
		else
			expect("MPI_Testany ");
	}
}

static void cancelled(void)
{
	MPI_Request q;
	MPI_Status s;
	int flag;

	MPI_Irecv(buf, 9, MPI_INT, before, 42, W, &q);
	expect("MPI_Irecv comm 1 peer %d tag 42 bytes 36 posted", before);
	MPI_Cancel(&q);
	EXPECT_CALL("Cancel", 0);
	MPI_Wait(&q, &s);
	MPI_Test_cancelled(&s, &flag);
	expect("MPI_Wait  [Irecv -1]");
	result("cancelled %d", flag);
}

/* Persistent requests: each start is a message, an inactive wait is none. */
static void persistent(void)
{
	MPI_Request q[2];

	MPI_Recv_init(buf, 9, MPI_INT, before, 50, W, &q[0]);
	EXPECT_CALL("Recv_init", 1);
	MPI_Send_init(buf + 50, 2, MPI_INT, next, 50, W, &q[1]);
	EXPECT_CALL("Send_init", 1);
	MPI_Wait(&q[0], NO_STATUS);
	expect("MPI_Wait ");
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, q);
		expect("MPI_Recv_init comm 1 peer %d tag 50 bytes 36 started", before);
		expect("MPI_Send_init comm 1 peer %d tag 50 bytes 8 started", next);
		EXPECT_CALL("Startall", 0);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		expect("MPI_Waitall  [Recv_init 8 from %d tag 50] [Send_init]", before);
	}
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	expect("MPI_Waitall ");
	MPI_Start(&q[0]);
	expect("MPI_Recv_init comm 1 peer %d tag 50 bytes 36 started", before);
	EXPECT_CALL("Start", 0);
	MPI_Send(buf, 1, MPI_INT, next, 50, W);
	expect("MPI_Send comm 1 peer %d tag 50 bytes 4 done", next);
	MPI_Wait(&q[0], NO_STATUS);
	expect("MPI_Wait  [Recv_init 4 from %d tag 50]", before);
	for (int i = 0; i < 2; i++) {
		MPI_Request_free(&q[i]);
		EXPECT_CALL("Request_free", 0);
	}
	MPI_Irecv(buf, 9, MPI_INT, before, 51, W, &q[0]);
	expect("MPI_Irecv comm 1 peer %d tag 51 bytes 36 posted", before);
	MPI_Isend(buf, 1, MPI_INT, next, 51, W, &q[1]);
	expect("MPI_Isend comm 1 peer %d tag 51 bytes 4 posted", next);
	MPI_Request_free(&q[1]);
	expect("MPI_Request_free  [Isend]");
	MPI_Wait(&q[0], NO_STATUS);
	expect("MPI_Wait  [Irecv 4 from %d tag 51]", before);
}

#if MPI_VERSION >= 4
/* Not from or to MPI_PROC_NULL: MPICH 4.0 crashes. */
static void both_ways(void)
{
	MPI_Request q[2];
	int flag = 0;

	MPI_Isendrecv(buf, 7, MPI_CHAR, next, 60, buf + 100, 7, MPI_CHAR, before, 60, W, &q[0]);
	expect("MPI_Isendrecv comm 1 to %d tag 60 bytes 7 from %d tag 60 bytes 7 posted", next,
		before);
	MPI_Isendrecv_replace(buf, 2, MPI_DOUBLE, next, 61, before, 61, W, &q[1]);
	expect("MPI_Isendrecv_replace comm 1 to %d tag 61 bytes 16 from %d tag 61 bytes 16 posted",
		next, before);
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	expect("MPI_Waitall  [Isendrecv] [Isendrecv_replace]");
	MPI_Isendrecv(buf, 0, MPI_CHAR, next, 62, buf + 100, 0, MPI_INT, before, 62, W, &q[0]);
	expect("MPI_Isendrecv comm 1 to %d tag 62 bytes 0 from %d tag 62 bytes 0 posted", next,
		before);
	for (; !flag; sched_yield()) {
		MPI_Test(&q[0], &flag, NO_STATUS);
		expect("MPI_Test %s", flag ? " [Isendrecv]" : "");
	}
}
#else
static void both_ways(void)
{
}
#endif

int main(int argc, char **argv)
{
	expect_begin(&argc, &argv, 0);
	nonblocking();
	many();
	blocking();
	types();
	truncated();
	wrong_type();
	probes();
	wildcard();
	some();
	tests();
	cancelled();
	persistent();
	both_ways();
	return expect_end();
}
