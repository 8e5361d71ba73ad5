/*
 * mpi_objects.c - makes and frees communicators, windows and files, with what
 * its trace must contain (mpi_expect.h). The members of the communicators are
 * in lines "def comm", which tests/mpi_communicators.sh checks.
 */
#include "mpi_expect.h"

#define COLL(name, comm, sent)                                                                     \
	expect("MPI_%s comm %d sent %d received %d root -1", name, comm, sent, sent)
#define MADE(name, comm) COLL(name, comm, 0)
#define RMA(name, window, target, bytes)                                                           \
	expect("MPI_%s window %d target %d bytes %d", name, window, target, bytes)
#define FETCH(name, window, target, bytes, got)                                                    \
	expect("MPI_%s window %d target %d bytes %d returned %d", name, window, target, bytes, got)
#define IO(name, bytes) expect("MPI_%s file %d bytes %d", name, file_number, bytes)
#define IO_AT(name, bytes, at)                                                                     \
	expect("MPI_%s file %d bytes %d offset %d", name, file_number, bytes, at)

static int last = 2; /* number of the newest communicator */

static void freed(MPI_Comm *comm, int number)
{
	MPI_Comm_free(comm);
	EXPECT_CALL("Comm_free", number);
}

static void use(MPI_Comm comm, int number)
{
	int in = 1, sum;

	MPI_Allreduce(&in, &sum, 1, MPI_INT, MPI_SUM, comm);
	COLL("Allreduce", number, 4);
	result("members %d", sum);
}

static void copies(void)
{
	MPI_Comm a, b;
	MPI_Request q;

	for (int i = 0; i < 5; i++) { /* the handle comes again, the number does not */
		MPI_Comm_dup(W, &a);
		MADE("Comm_dup", 1);
		use(a, ++last);
		freed(&a, last);
	}
	MPI_Comm_dup_with_info(W, MPI_INFO_NULL, &a);
	MADE("Comm_dup_with_info", 1);
	use(a, ++last);
	MPI_Comm_set_name(a, "copy of the world");
	EXPECT_CALL("Comm_set_name", last);
	MPI_Comm_idup(a, &b, &q);
	MADE("Comm_idup", last);
	MPI_Wait(&q, NO_STATUS);
	expect("MPI_Wait  [Comm_idup]");
	use(b, ++last);
	freed(&b, last);
	freed(&a, last - 1);
}

static void parts(void)
{
	MPI_Comm half, few, one;
	MPI_Group all, some;
	int members[2] = { 0, size - 1 };

	MPI_Comm_split(W, rank % 2, -rank, &half);
	MADE("Comm_split", 1);
	use(half, ++last);
	freed(&half, last);
	MPI_Comm_split(W, rank ? 0 : MPI_UNDEFINED, 0, &half);
	MADE("Comm_split", 1);
	if (half != MPI_COMM_NULL) {
		use(half, ++last);
		freed(&half, last);
	}
	MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &half);
	MADE("Comm_split_type", 1);
	use(half, ++last);
	freed(&half, last);
	MPI_Comm_group(W, &all);
	EXPECT_CALL("Comm_group", 1);
	MPI_Group_incl(all, 2, members, &some);
	MPI_Comm_create(W, some, &few);
	MADE("Comm_create", 1);
	if (few != MPI_COMM_NULL) {
		use(few, ++last);
		freed(&few, last);
		for (int i = 0; i < 2; i++) {
			MPI_Comm_create_group(W, some, 9, &one);
			EXPECT_CALL("Comm_create_group", 1);
			use(one, ++last);
			freed(&one, last);
		}
	}
	MPI_Comm_dup(W, &few);
	MADE("Comm_dup", 1);
	use(few, ++last);
	freed(&few, last);
	MPI_Group_free(&some);
	MPI_Group_free(&all);
}

static void topologies(void)
{
	MPI_Comm grid, row, graph;
	int dims[2] = { size / 2, 2 }, periods[2] = { 0, 0 }, keep[2] = { 0, 1 };

	MPI_Cart_create(W, 2, dims, periods, 0, &grid);
	MADE("Cart_create", 1);
	use(grid, ++last);
	MPI_Cart_sub(grid, keep, &row);
	MADE("Cart_sub", last);
	use(row, ++last);
	freed(&row, last);
	freed(&grid, last - 1);
	MPI_Dist_graph_create_adjacent(W, 1, &before, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
		MPI_INFO_NULL, 0, &graph);
	MADE("Dist_graph_create_adjacent", 1);
	last++;
	MPI_Neighbor_alltoall(&rank, 1, MPI_INT, &dims[0], 1, MPI_INT, graph);
	COLL("Neighbor_alltoall", last, 4);
	result("neighbour %d", dims[0]);
	freed(&graph, last);
}

static void bridges(void)
{
	MPI_Comm half, inter, merged;

	MPI_Comm_split(W, rank % 2, rank, &half);
	MADE("Comm_split", 1);
	last++;
	MPI_Intercomm_create(half, 0, W, rank % 2 ? 0 : 1, 3, &inter);
	EXPECT_CALL("Intercomm_create", last);
	last++;
	MPI_Send(&rank, 1, MPI_INT, rank / 2, 1, inter); /* ranks of the remote group */
	expect("MPI_Send comm %d peer %d tag 1 bytes 4 done", last, rank / 2);
	MPI_Recv(&(int){ 0 }, 1, MPI_INT, MPI_ANY_SOURCE, 1, inter, NO_STATUS);
	expect("MPI_Recv comm %d peer %d tag 1 bytes 4 done", last, rank / 2);
	MPI_Intercomm_merge(inter, rank % 2, &merged);
	MADE("Intercomm_merge", last);
	use(merged, ++last);
	freed(&merged, last);
	freed(&inter, last - 1);
	freed(&half, last - 2);
}

static int memory[64], local[64]; /* the window; data sent into and got from it */

static void fenced(MPI_Win win)
{
	MPI_Win_fence(0, win);
	RMA("Win_fence", 1, -1, 0);
	local[0] = rank + 1;
	MPI_Put(local, 3, MPI_INT, next, 0, 3, MPI_INT, win);
	RMA("Put", 1, next, 12);
	MPI_Win_fence(0, win);
	RMA("Win_fence", 1, -1, 0);
	result("put %d", memory[0]);
	MPI_Get(local, 2, MPI_INT, next, 0, 2, MPI_INT, win);
	RMA("Get", 1, next, 8);
	MPI_Accumulate(local + 8, 5, MPI_INT, next, 8, 5, MPI_INT, MPI_SUM, win);
	RMA("Accumulate", 1, next, 20);
	MPI_Win_fence(0, win);
	RMA("Win_fence", 1, -1, 0);
	result("got %d", local[0]);
}

static void locked(MPI_Win win)
{
	MPI_Request q;

	MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win);
	RMA("Win_lock", 1, next, 0);
	MPI_Fetch_and_op(local, local + 1, MPI_INT, next, 20, MPI_SUM, win);
	FETCH("Fetch_and_op", 1, next, 4, 4);
	MPI_Fetch_and_op(NULL, local + 1, MPI_INT, next, 20, MPI_NO_OP, win);
	FETCH("Fetch_and_op", 1, next, 0, 4);
	MPI_Compare_and_swap(local, local + 2, local + 3, MPI_INT, next, 21, win);
	FETCH("Compare_and_swap", 1, next, 4, 4);
	MPI_Get_accumulate(NULL, 0, MPI_INT, local, 2, MPI_INT, next, 22, 2, MPI_INT, MPI_NO_OP,
		win);
	FETCH("Get_accumulate", 1, next, 0, 8);
	MPI_Get_accumulate(local + 4, 3, MPI_INT, local, 3, MPI_INT, next, 22, 3, MPI_INT, MPI_SUM,
		win);
	FETCH("Get_accumulate", 1, next, 12, 12);
	MPI_Rget_accumulate(local + 4, 1, MPI_INT, local, 1, MPI_INT, next, 22, 1, MPI_INT, MPI_SUM,
		win, &q);
	FETCH("Rget_accumulate", 1, next, 4, 4);
	MPI_Wait(&q, NO_STATUS);
	expect("MPI_Wait  [Rget_accumulate]");
	MPI_Win_flush(next, win);
	RMA("Win_flush", 1, next, 0);
	MPI_Rput(local, 2, MPI_INT, next, 30, 2, MPI_INT, win, &q);
	RMA("Rput", 1, next, 8);
	MPI_Wait(&q, NO_STATUS);
	expect("MPI_Wait  [Rput]");
	MPI_Rget(local, 2, MPI_INT, next, 30, 2, MPI_INT, win, &q);
	RMA("Rget", 1, next, 8);
	MPI_Wait(&q, NO_STATUS);
	expect("MPI_Wait  [Rget]");
	MPI_Win_flush_local(next, win);
	RMA("Win_flush_local", 1, next, 0);
	MPI_Win_unlock(next, win);
	RMA("Win_unlock", 1, next, 0);
	MPI_Win_lock_all(0, win);
	RMA("Win_lock_all", 1, -1, 0);
	MPI_Win_flush_all(win);
	RMA("Win_flush_all", 1, -1, 0);
	MPI_Win_sync(win);
	RMA("Win_sync", 1, -1, 0);
	MPI_Win_unlock_all(win);
	RMA("Win_unlock_all", 1, -1, 0);
}

static void posted(MPI_Win win)
{
	MPI_Group all, group;

	MPI_Comm_group(W, &all);
	EXPECT_CALL("Comm_group", 1);
	MPI_Group_incl(all, 1, &before, &group);
	MPI_Win_post(group, 0, win);
	RMA("Win_post", 1, -1, 0);
	MPI_Group_free(&group);
	MPI_Group_incl(all, 1, &next, &group);
	MPI_Win_start(group, 0, win);
	RMA("Win_start", 1, -1, 0);
	MPI_Put(local, 1, MPI_INT, next, 40, 1, MPI_INT, win);
	RMA("Put", 1, next, 4);
	MPI_Win_complete(win);
	RMA("Win_complete", 1, -1, 0);
	MPI_Win_wait(win);
	RMA("Win_wait", 1, -1, 0);
	MPI_Group_free(&group);
	MPI_Group_free(&all);
}

static void one_sided(void)
{
	MPI_Win win;

	MPI_Win_create(memory, sizeof(memory), 4, MPI_INFO_NULL, W, &win);
	MADE("Win_create", 1);
	fenced(win);
	locked(win);
	posted(win);
	MPI_Win_free(&win);
	RMA("Win_free", 1, -1, 0);

	MPI_Win_allocate(64, 1, MPI_INFO_NULL, W, &(void *){ NULL }, &win);
	MADE("Win_allocate", 1);
	MPI_Win_fence(0, win);
	RMA("Win_fence", 2, -1, 0);
	MPI_Win_free(&win);
	RMA("Win_free", 2, -1, 0);
}

static void files(int file_number)
{
	MPI_File f;
	MPI_Status s;
	MPI_Request q;
	MPI_Datatype pair;
	int data[64], n;
	MPI_Offset where;

	for (int i = 0; i < 64; i++)
		data[i] = rank * 64 + i;
	MPI_File_open(W, "mpi_objects.data",
		MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
	IO("File_open", 0);
	MPI_File_write_at(f, rank * 256, data, 32, MPI_INT, NO_STATUS);
	IO_AT("File_write_at", 128, rank * 256);
	MPI_File_write_at_all(f, rank * 256 + 128, data + 32, 32, MPI_INT, &s);
	IO_AT("File_write_at_all", 128, rank * 256 + 128);
	MPI_Get_count(&s, MPI_INT, &n);
	result("wrote %d", n);
	MPI_File_sync(f);
	IO("File_sync", 0);
	MPI_Barrier(W);
	COLL("Barrier", 1, 0);
	MPI_File_seek(f, next * 256, MPI_SEEK_SET);
	IO("File_seek", next * 256);
	MPI_File_read(f, data, 10, MPI_INT, NO_STATUS);
	IO("File_read", 40);
	MPI_File_read_all(f, data + 10, 5, MPI_INT, &s);
	IO("File_read_all", 20);
	result("read %d %d", data[0], data[14]);
	MPI_File_read_at(f, size * 256 - 8, data, 10, MPI_INT, NO_STATUS); /* the file ends */
	IO_AT("File_read_at", 8, size * 256 - 8);
	MPI_File_get_position(f, &where);
	IO("File_get_position", 0);
	result("at %d", (int)where);
	MPI_File_iread_at(f, next * 256 + 4, data, 2, MPI_INT, &q);
	IO_AT("File_iread_at", 8, next * 256 + 4);
	MPI_Wait(&q, NO_STATUS);
	expect("MPI_Wait  [File_iread_at 8]");
	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_File_set_view(f, 16, pair, pair, "native", MPI_INFO_NULL);
	IO("File_set_view", 0);
	MPI_File_read_at(f, 3, data, 1, pair, NO_STATUS); /* 3 pairs after byte 16 */
	IO_AT("File_read_at", 8, 40);
	result("viewed %d", data[0]);
	MPI_File_read_at_all_begin(f, 0, data, 4, pair);
	IO_AT("File_read_at_all_begin", 0, 16);
	MPI_File_read_at_all_end(f, data, NO_STATUS);
	IO("File_read_at_all_end", 32);
	MPI_Type_free(&pair);
	EXPECT_CALL("Type_free", 0);
	MPI_File_close(&f);
	IO("File_close", 0);
}

int main(int argc, char **argv)
{
	expect_begin(&argc, &argv, 0);
	copies();
	parts();
	topologies();
	bridges();
	one_sided();
	files(1);
	return expect_end();
}
