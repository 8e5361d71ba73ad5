/*
 * nccl_hang.c - ranks of NCCL of which one calls a collective less than the others.
 *
 * usage: nccl_hang RANK SIZE FOLDER
 *
 * Each process has one device; the unique id passes through FOLDER/id. After three all-reduces rank 1
 * sleeps, and the others wait for the fourth on their stream.
 */
#define _GNU_SOURCE
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 1000, DONE = 3 };

static void must(int result, const char *what)
{
	if (result == 0)
		return;
	fprintf(stderr, "%s failed\n", what);
	exit(1);
}
#define MUST(call) must((int)(call), #call)

static ncclUniqueId id_share(int rank, const char *folder)
{
	char path[4096], work[4096 + 8];
	ncclUniqueId id;
	FILE *file;

	snprintf(path, sizeof(path), "%s/id", folder);
	snprintf(work, sizeof(work), "%s.tmp", path);
	if (rank == 0) {
		MUST(ncclGetUniqueId(&id));
		file = fopen(work, "w");
		must(!file || fwrite(&id, sizeof(id), 1, file) != 1 || fclose(file) ||
				rename(work, path),
			"writing the id");
		return id;
	}
	for (int i = 0; i < 3000 && access(path, R_OK); i++)
		usleep(10000);
	file = fopen(path, "r");
	must(!file || fread(&id, sizeof(id), 1, file) != 1, "reading the id");
	fclose(file);
	return id;
}

int main(int argc, char **argv)
{
	int rank = argc == 4 ? atoi(argv[1]) : 0, size = argc == 4 ? atoi(argv[2]) : 0;
	cudaStream_t stream;
	ncclComm_t comm;
	float *data;

	must(size < 2, "reading the arguments");
	MUST(cudaSetDevice(rank));
	MUST(cudaStreamCreate(&stream));
	MUST(cudaMalloc((void **)&data, COUNT * sizeof(*data)));
	MUST(ncclCommInitRank(&comm, size, id_share(rank, argv[3]), rank));
	for (int i = 0; i <= DONE; i++) {
		if (i == DONE && rank == 1)
			sleep(60);
		MUST(ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, comm, stream));
		MUST(cudaStreamSynchronize(stream));
	}
	return 0;
}
