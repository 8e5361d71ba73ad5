/*
 * Ranks that wait for some others only: for who posts a window, for who completes puts into it, and for
 * the other group of an inter-communicator. Some look again and again instead. The last rank is late.
 */
#include <mpi.h>
#include <time.h>

enum { ROUNDS = 3, LATE_MS = 20 };

static int rank, n, memory[4];

static void late(void)
{
	nanosleep(&(struct timespec){ 0, (rank == n - 1 ? LATE_MS : 1) * 1000000L }, NULL);
}

/* Each rank's memory is for the one before it. */
static void window(MPI_Win win, MPI_Group before, MPI_Group next)
{
	int is_over = 0, value = rank;

	for (int i = 0; i < ROUNDS; i++) {
		late();
		MPI_Win_post(before, 0, win);
		MPI_Win_start(next, 0, win);
		MPI_Put(&value, 1, MPI_INT, (rank + 1) % n, 0, 1, MPI_INT, win);
		late();
		MPI_Win_complete(win);
		if (i % 2)
			MPI_Win_wait(win);
		for (is_over = i % 2; !is_over;)
			MPI_Win_test(win, &is_over);
	}
}

static void groups(void)
{
	MPI_Comm half, inter;
	int value = rank, sum = 0, odd = rank % 2;

	MPI_Comm_split(MPI_COMM_WORLD, odd, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !odd, 7, &inter);
	for (int i = 0; i < ROUNDS; i++) {
		late();
		MPI_Barrier(inter);
		late();
		MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, inter);
		late();
		MPI_Bcast(&value, 1, MPI_INT, odd ? 0 : rank ? MPI_PROC_NULL : MPI_ROOT, inter);
	}
	MPI_Comm_free(&inter);
	MPI_Comm_free(&half);
}

int main(int argc, char **argv)
{
	MPI_Group all, before, next;
	int ranks[2];
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	ranks[0] = (rank + n - 1) % n;
	ranks[1] = (rank + 1) % n;
	MPI_Comm_group(MPI_COMM_WORLD, &all);
	MPI_Group_incl(all, 1, &ranks[0], &before);
	MPI_Group_incl(all, 1, &ranks[1], &next);
	MPI_Win_create(memory, sizeof(memory), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	window(win, before, next);
	groups();
	MPI_Win_free(&win);
	MPI_Group_free(&next);
	MPI_Group_free(&before);
	MPI_Group_free(&all);
	MPI_Finalize();
	return 0;
}
