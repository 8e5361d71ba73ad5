/*
 * counters_load.c - loads whose traffic is known, for the tests of counters:
 *
 *	counters_load exchange MIB S  rank 0 sends MiB to rank 1, over S seconds
 *	counters_load write FILE MIB  rank 0 writes and syncs a file of MiB
 *	counters_load talk MIB [READ]  each sends itself MiB by a socket; a child reads as much, or READ
 *	counters_load left CALLS N  each makes so many calls, and so does a child that nobody waits for
 *	counters_load sleep S [RANK]  all say "asleep" and wait S, then RANK kills itself, then S again;
 *				      others of its MPI leave, as nobody comes to their barrier
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <mpi.h>

#define MIB (1 << 20)

static void rest(double seconds)
{
	struct timespec t = { (time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9) };

	nanosleep(&t, NULL);
}

static void exchange(int rank, int mib, double seconds)
{
	char *buffer = calloc(1, MIB);

	for (int i = 0; i < mib; i++) {
		if (rank == 0)
			MPI_Send(buffer, MIB, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
		if (rank == 1)
			MPI_Recv(buffer, MIB, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		rest(seconds / mib);
	}
	free(buffer);
}

static int write_file(const char *path, int mib)
{
	char *buffer;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600), bad = fd < 0;

	if (posix_memalign((void **)&buffer, 4096, MIB))
		return 1;
	memset(buffer, 'x', MIB);
	for (int i = 0; i < mib && !bad; i++) {
		bad = write(fd, buffer, MIB) != MIB || fdatasync(fd) < 0;
		rest(0.02);
	}
	free(buffer);
	return close(fd) < 0 || bad;
}

static int talk(int mib, int nread)
{
	static char buffer[64 << 10];
	int ends[2], bad = socketpair(AF_UNIX, SOCK_STREAM, 0, ends), zero;
	pid_t child;

	for (int i = 0; i < mib * 16 && !bad; i++)
		bad = send(ends[0], buffer, sizeof(buffer), 0) != sizeof(buffer) ||
			recv(ends[1], buffer, sizeof(buffer), MSG_WAITALL) != sizeof(buffer);
	child = fork();
	if (child == 0) {
		zero = open("/dev/zero", O_RDONLY);
		for (int i = 0; i < nread * 16; i++)
			bad |= read(zero, buffer, sizeof(buffer)) != sizeof(buffer);
		rest(0.3);
		_exit(bad);
	}
	return bad || child < 0 || waitpid(child, &bad, 0) != child || bad;
}

/* Every call is a record. */
static int calls_make(int ncalls)
{
	int fd = open("/dev/zero", O_RDONLY), bad = fd < 0;
	char byte;

	for (int i = 0; i < ncalls && !bad; i++)
		bad = pread(fd, &byte, 1, 0) != 1;
	return bad || close(fd) < 0;
}

/* The child ends first, and its records stay its own. */
static int leave(int ncalls)
{
	pid_t child;
	int bad;

	signal(SIGCHLD, SIG_IGN);
	child = fork();
	if (child == 0)
		_exit(calls_make(ncalls));
	bad = calls_make(ncalls) || child < 0;
	while (kill(child, 0) == 0)
		rest(0.01);
	rest(0.5);
	return bad;
}

int main(int argc, char **argv)
{
	int rank, size, bad = 0;

	if (argc < 3)
		return 2;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (!strcmp(argv[1], "exchange"))
		exchange(rank, atoi(argv[2]), atof(argv[3]));
	if (!strcmp(argv[1], "write") && rank == 0)
		bad = write_file(argv[2], atoi(argv[3]));
	if (!strcmp(argv[1], "talk"))
		bad = talk(atoi(argv[2]), atoi(argv[argc > 3 ? 3 : 2]));
	if (!strcmp(argv[1], "left"))
		bad = leave(atoi(argv[2]));
	if (!strcmp(argv[1], "sleep")) {
		puts("asleep");
		fflush(stdout);
		rest(atof(argv[2]));
		if (argc > 3 && rank == atoi(argv[3]))
			raise(SIGKILL);
		rest(atof(argv[2]));
		if (argc > 3 && size > 1)
			_exit(0);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return bad;
}
