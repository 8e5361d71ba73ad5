/*
 * scenarios_load.c - `scenarios_load PLANT[,PLANT...]`: 40 steps that end with an allreduce, in which ranks
 * lose time as planted; "none": they do not. Rank 0 prints the seconds of its loop. For tests/scenarios.
 * WITH_NCCL: the steps compute on a GPU each and end with ncclAllReduce.
 */
#ifdef WITH_NCCL
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <nccl.h>
#endif
#include <fcntl.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "tacho.h"

enum { STEPS = 40, ANSWERED = 1 };

static const char *all_planted;
static int rank, ranks;

static bool planted(const char *name)
{
	size_t length = strlen(name);

	for (const char *at = all_planted; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
		if (strncmp(at, name, length) == 0 && (!at[length] || at[length] == ','))
			return true;
	return false;
}

static void rest(long ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static double now(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void crunch(double seconds)
{
	double end = now(CLOCK_THREAD_CPUTIME_ID) + seconds;

	while (now(CLOCK_THREAD_CPUTIME_ID) < end)
		;
}

static void wait_for_file_lock(void)
{
	int fd = open("lock", O_CREAT | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 || flock(fd, LOCK_EX))
		abort();
	rest(40);
	close(fd);
}

/* Rank 0 answers all others, which have nothing else to do. */
static void serve(void)
{
	char question = 0;
	MPI_Status status;

	for (int i = 0; rank == 0 && i < ranks - 1; i++) {
		MPI_Recv(&question, 1, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
		rest(50);
		MPI_Send(&question, 1, MPI_CHAR, status.MPI_SOURCE, ANSWERED, MPI_COMM_WORLD);
	}
	if (rank > 0) {
		MPI_Send(&question, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
		MPI_Recv(&question, 1, MPI_CHAR, 0, ANSWERED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

#ifdef WITH_NCCL
enum { PRODUCTS = 4, SIDE = 8, COUNT = 65536, COPIED = 32 << 20 };

static struct {
	cudaStream_t stream;
	cublasHandle_t cublas;
	ncclComm_t comm;
	float *data;
	void *copied, *host;
} gpu;

static void must(int result, const char *what)
{
	if (result == 0)
		return;
	fprintf(stderr, "%s failed\n", what);
	exit(1);
}
#define MUST(call) must((int)(call), #call)

static void work_begin(void)
{
	ncclUniqueId id;

	if (rank == 0)
		MUST(ncclGetUniqueId(&id));
	MPI_Bcast(&id, sizeof(id), MPI_BYTE, 0, MPI_COMM_WORLD);
	MUST(cudaSetDevice(rank));
	MUST(cudaStreamCreate(&gpu.stream));
	MUST(cublasCreate(&gpu.cublas));
	MUST(cublasSetStream(gpu.cublas, gpu.stream));
	MUST(ncclCommInitRank(&gpu.comm, ranks, id, rank));
	MUST(cudaMalloc((void **)&gpu.data, COUNT * sizeof(float)));
	MUST(cudaMalloc(&gpu.copied, COPIED));
	gpu.host = calloc(1, COPIED);
}

static void work(void)
{
	int products = planted("kernels") && rank == 1 ? 4 * PRODUCTS : PRODUCTS;
	const float one = 1;

	if (planted("copies") && rank == 1)
		MUST(cudaMemcpyAsync(gpu.copied, gpu.host, COPIED, cudaMemcpyHostToDevice,
			gpu.stream));
	for (int i = 0; i < products; i++)
		MUST(cublasSgemm(gpu.cublas, CUBLAS_OP_N, CUBLAS_OP_N, SIDE, SIDE, SIDE, &one,
			gpu.data, SIDE, gpu.data, SIDE, &one, gpu.data, SIDE));
	MUST(ncclAllReduce(gpu.data, gpu.data, COUNT, ncclFloat, ncclSum, gpu.comm, gpu.stream));
	MUST(cudaStreamSynchronize(gpu.stream));
}
#else
enum { COUNT = 1 << 20 };

static double from[COUNT], to[COUNT];

static void work_begin(void)
{
}

static void work(void)
{
	double sum, one = 1;

	crunch(0.002);
	for (int i = 0; planted("self") && rank == 1 && i < 100; i++)
		MPI_Allreduce(from, to, COUNT, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
	MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}
#endif

static void lose(int k)
{
	if (planted("fetch") && rank == 1)
		rest(60);
	if (planted("validate") && rank == 0 && k % 8 == 7)
		rest(800);
	if (planted("rare") && rank == 1 && k % 8 == 3)
		rest(800);
	if (planted("turns") && k % ranks == rank)
		rest(80);
	if (planted("all"))
		rest(50);
	if (planted("stall") && rank == 1 && k == 20)
		rest(4000);
	if ((planted("tool") || (planted("tool1") && rank == 1)) && system("sleep 0.05"))
		abort();
	if (planted("flock"))
		wait_for_file_lock();
	if (planted("crunch"))
		crunch(rank == 1 ? 0.06 : 0.01);
	if (planted("serve"))
		serve();
}

int main(int argc, char **argv)
{
	double begin;

	all_planted = argc > 1 ? argv[1] : "none";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	work_begin();
	MPI_Barrier(MPI_COMM_WORLD);
	if (planted("start") && rank == 1)
		rest(2000);
	if (planted("early") && rank == 1)
		crunch(3);
	begin = now(CLOCK_MONOTONIC);
	for (int k = 0; k < STEPS; k++) {
		tacho_step_begin((uint64_t)k);
		lose(k);
		work();
		tacho_step_end(1);
	}
	if (rank == 0)
		printf("loop %f\n", now(CLOCK_MONOTONIC) - begin), fflush(stdout);
	if (planted("after") && rank == 1)
		rest(2000);
	if (planted("late") && rank == 1)
		crunch(3);
	MPI_Finalize();
	return 0;
}
