/* job.c - see job.h. */
#include "config.h"

#include <mpi.h>
#include <stdlib.h>

#include "job.h"
#include "say.h"
#include "truth.h"

void job_start(struct job *job, int *argc, char ***argv)
{
	int provided;

	truth_mpi(CALL_Init_thread, 0);
	MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &provided);
	job->threads = provided >= MPI_THREAD_SERIALIZED;
	truth_mpi(CALL_Comm_rank, 0);
	MPI_Comm_rank(MPI_COMM_WORLD, &job->rank);
	truth_mpi(CALL_Comm_size, 0);
	MPI_Comm_size(MPI_COMM_WORLD, &job->nranks);
	say_rank = job->rank;
}

void job_end(void)
{
	MPI_Finalize();
}

void job_abort(int status)
{
	MPI_Abort(MPI_COMM_WORLD, status);
	abort();
}

int job_local_rank(const struct job *job)
{
	MPI_Comm node;
	int rank;

	truth_mpi(CALL_Comm_split_type, 0);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, job->rank, MPI_INFO_NULL, &node);
	truth_mpi(CALL_Comm_rank, 0);
	MPI_Comm_rank(node, &rank);
	truth_mpi(CALL_Comm_free, 0);
	MPI_Comm_free(&node);
	return rank;
}

int job_greatest(int value)
{
	truth_mpi(CALL_Allreduce, sizeof(value));
	MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	return value;
}

void job_sum(double *values, int count)
{
	truth_mpi(CALL_Allreduce, count * sizeof(*values));
	MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

void job_copy(void *data, size_t nbytes)
{
	truth_mpi(CALL_Bcast, nbytes);
	MPI_Bcast(data, nbytes, MPI_BYTE, 0, MPI_COMM_WORLD);
}
