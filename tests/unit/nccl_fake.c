/*
 * nccl_fake.c - a library with some of NCCL's functions, built twice with a VERSION each, so that a
 * test sees which of two NCCLs a call has reached. A communicator remembers which library made it.
 */
#include <stdlib.h>

struct id {
	char bytes[128];
};

struct comm {
	int version, size, rank;
};

int ncclGetVersion(int *version)
{
	*version = VERSION;
	return 0;
}

int ncclGetUniqueId(struct id *id)
{
	*id = (struct id){ { VERSION % 100 } };
	return 0;
}

int ncclCommInitRank(struct comm **made, int size, struct id id, int rank)
{
	*made = malloc(sizeof(**made));
	if (!*made)
		return 2;
	**made = (struct comm){ VERSION, size, rank };
	return id.bytes[0] == VERSION % 100 ? 0 : 4;
}

int ncclCommCount(struct comm *comm, int *count)
{
	*count = comm->size;
	return comm->version == VERSION ? 0 : 4;
}

int ncclCommUserRank(struct comm *comm, int *rank)
{
	*rank = comm->rank;
	return comm->version == VERSION ? 0 : 4;
}

int ncclCommCuDevice(struct comm *comm, int *device)
{
	*device = 0;
	return comm->version == VERSION ? 0 : 4;
}

int ncclAllReduce(const void *send, void *recv, size_t count, int type, int op, struct comm *comm,
	void *stream)
{
	(void)send, (void)recv, (void)type, (void)op, (void)stream;
	if (count == 13)
		return 4;
	return comm->version == VERSION ? 0 : 5;
}

int ncclGroupStart(void)
{
	return 0;
}

/* Only the second library has it. */
#if VERSION == 22222
int ncclAlltoAll(const void *send, void *recv, size_t count, int type, struct comm *comm,
	void *stream)
{
	(void)send, (void)recv, (void)count, (void)type, (void)comm, (void)stream;
	return 0;
}
#endif

int ncclCommDestroy(struct comm *comm)
{
	int is_own = comm->version == VERSION;

	free(comm);
	return is_own ? 0 : 4;
}
