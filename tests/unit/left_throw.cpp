// An error handler of MPI that throws: the call that failed never returns. Then messages to itself.
#include <cstdio>
#include <fcntl.h>
#include <mpi.h>
#include <stdexcept>
#include <unistd.h>

static void thrower(MPI_Comm *, int *, ...)
{
	throw std::runtime_error("MPI failed");
}

static int write_deep(int file, int depth)
{
	volatile char room[200] = { 0 };

	return depth ? write_deep(file, depth - 1) + room[0]
		     : write(file, const_cast<char *>(room), 11) != 11;
}

int main(int argc, char **argv)
{
	int file = open("thrown", O_WRONLY | O_CREAT | O_TRUNC, 0600), caught = 0, sent = 1, got;
	MPI_Errhandler handler;

	MPI_Init(&argc, &argv);
	MPI_Comm_create_errhandler(thrower, &handler);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
	for (int i = 0; i < 100; i++) {
		try {
			MPI_Send(&sent, 1, MPI_INT, 1000, 1, MPI_COMM_WORLD);
		} catch (const std::exception &) {
			caught++;
		}
		if (write_deep(file, 3))
			return 1;
	}
	MPI_Sendrecv(&sent, 1, MPI_INT, 0, 1, &got, 1, MPI_INT, 0, 1, MPI_COMM_SELF,
		MPI_STATUS_IGNORE);
	MPI_Finalize();
	return caught == 100 ? 0 : 2;
}
