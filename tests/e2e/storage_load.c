/*
 * storage_load.c - reads of a known size, for storage rates:
 * `storage_load FILE MIB SECONDS`. Each rank writes FILE.<rank> and reads it
 * twice, by read() and by system calls that no library sees.
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BLOCK (1 << 20)

static char block[BLOCK];

int main(int argc, char **argv)
{
	int mib = argc > 2 ? atoi(argv[2]) : 1, rank, fd, failed = 0;
	char path[4096];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(path, sizeof(path), "%s.%d", argc > 1 ? argv[1] : "data", rank);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	for (int i = 0; i < mib; i++)
		failed |= write(fd, block, BLOCK) != BLOCK;
	for (int i = 0; i < mib; i++)
		failed |= pread(fd, block, BLOCK, (off_t)i * BLOCK) != BLOCK;
	for (int i = 0; i < mib; i++)
		failed |= syscall(SYS_pread64, fd, block, (size_t)BLOCK, (off_t)i * BLOCK) != BLOCK;
	close(fd);
	/* counters are read ten times a second */
	usleep(argc > 3 ? (useconds_t)(atof(argv[3]) * 1e6) : 0);
	MPI_Finalize();
	return failed;
}
