/*
 * mpi_expect.h - a test program writes the expected contents of its trace: one line per call, in
 * mpi_dump's words, into a file of the folder EXPECT_DIR. Communicators are numbered as they are
 * made: 1 is MPI_COMM_WORLD, 2 SELF.
 */
#ifndef MPI_EXPECT_H
#define MPI_EXPECT_H

#include <errno.h>
#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lengths of arrays: tests/mpi_large.sh builds the programs for the functions with large counts. */
#ifndef COUNT
#define COUNT int
#define DISPL int
#endif

#define W	  MPI_COMM_WORLD
#define NO_STATUS MPI_STATUS_IGNORE

static int rank, size, next, before; /* own, number of ranks, neighbours on a ring */
static FILE *expect_file, *result_file;

static __attribute__((format(printf, 1, 2), unused)) void expect(const char *format, ...)
{
	va_list args;

	if (!expect_file)
		return;
	flockfile(expect_file);
	fprintf(expect_file, "%d ", rank);
	va_start(args, format);
	vfprintf(expect_file, format, args);
	va_end(args);
	fprintf(expect_file, "\n");
	funlockfile(expect_file);
}

/* A call with nothing but a communicator (0: none). */
#define EXPECT_CALL(name, comm) expect("MPI_%s call comm %d", name, comm)

/*
 * What libtacho must not change: into a file of RESULT_DIR, to be compared with a run without it.
 */
static __attribute__((format(printf, 1, 2), unused)) void result(const char *format, ...)
{
	va_list args;

	if (!result_file)
		return;
	va_start(args, format);
	vfprintf(result_file, format, args);
	va_end(args);
	fprintf(result_file, "\n");
}

/* The file `name`.<rank> in the folder that a variable names; NULL when it does not. */
static inline FILE *expect_open(const char *variable, const char *name)
{
	const char *dir = getenv(variable);
	char path[4096];

	if (!dir)
		return NULL;
	snprintf(path, sizeof(path), "%s/%s.%d", dir, name, rank);
	return fopen(path, "w");
}

static inline void expect_begin(int *argc, char ***argv, int threads)
{
	int provided;

	if (threads)
		MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
	else
		MPI_Init(argc, argv);
	MPI_Comm_rank(W, &rank);
	MPI_Comm_size(W, &size);
	next = (rank + 1) % size;
	before = (rank + size - 1) % size;
	expect_file = expect_open("EXPECT_DIR", "expected");
	result_file = expect_open("RESULT_DIR", "result");
	expect("MPI_%s call comm 0", threads ? "Init_thread" : "Init");
	EXPECT_CALL("Comm_rank", 1);
	EXPECT_CALL("Comm_size", 1);
}

static inline int expect_end(void)
{
	MPI_Finalize();
	EXPECT_CALL("Finalize", 0);
	if (expect_file)
		fclose(expect_file);
	if (result_file)
		fclose(result_file);
	return 0;
}

#endif
