/*
 * mpi_coll.c - how much data a collective moves for this rank, from its
 * arguments; each function mirrors one signature of mpi_coll.h. Arguments that
 * MPI ignores at a rank (receive arguments away from the root) are not read.
 */
#include "mpi/mpi_coll.h"

struct volume volume_gather(const struct mpi_comm *comm, const void *sendbuf, int64_t sendcount,
	mpi_handle sendtype, int64_t recvcount, mpi_handle recvtype, int root)
{
	struct volume volume = { 0 };

	if (is_root(comm, root))
		volume.received = comm->npeers * data_bytes(recvcount, recvtype);
	if (is_in_place(sendbuf) && is_root(comm, root))
		volume.sent = data_bytes(recvcount, recvtype);
	else if (is_leaf(comm, root))
		volume.sent = data_bytes(sendcount, sendtype);
	return volume;
}

struct volume volume_gatherv(const struct mpi_comm *comm, const void *sendbuf, int64_t sendcount,
	mpi_handle sendtype, struct counts recvcounts, mpi_handle recvtype, int root)
{
	struct volume volume = { 0 };

	if (is_root(comm, root))
		volume.received = counts_bytes(recvcounts, recvtype, comm->npeers);
	if (is_in_place(sendbuf) && is_root(comm, root))
		volume.sent = data_bytes(count_at(recvcounts, (uint32_t)comm->rank), recvtype);
	else if (is_leaf(comm, root))
		volume.sent = data_bytes(sendcount, sendtype);
	return volume;
}

struct volume volume_scatter(const struct mpi_comm *comm, int64_t sendcount, mpi_handle sendtype,
	const void *recvbuf, int64_t recvcount, mpi_handle recvtype, int root)
{
	struct volume volume = { 0 };

	if (is_root(comm, root))
		volume.sent = comm->npeers * data_bytes(sendcount, sendtype);
	if (is_in_place(recvbuf))
		volume.received = data_bytes(sendcount, sendtype);
	else if (is_leaf(comm, root))
		volume.received = data_bytes(recvcount, recvtype);
	return volume;
}

struct volume volume_scatterv(const struct mpi_comm *comm, struct counts sendcounts,
	mpi_handle sendtype, const void *recvbuf, int64_t recvcount, mpi_handle recvtype, int root)
{
	struct volume volume = { 0 };

	if (is_root(comm, root))
		volume.sent = counts_bytes(sendcounts, sendtype, comm->npeers);
	if (is_in_place(recvbuf) && is_root(comm, root))
		volume.received = data_bytes(count_at(sendcounts, (uint32_t)comm->rank), sendtype);
	else if (is_leaf(comm, root))
		volume.received = data_bytes(recvcount, recvtype);
	return volume;
}

struct volume volume_allgather(const struct mpi_comm *comm, const void *sendbuf, int64_t sendcount,
	mpi_handle sendtype, int64_t recvcount, mpi_handle recvtype)
{
	uint64_t part = data_bytes(recvcount, recvtype);

	return (struct volume){
		.sent = is_in_place(sendbuf) ? part : data_bytes(sendcount, sendtype),
		.received = comm->npeers * part,
	};
}

struct volume volume_allgatherv(const struct mpi_comm *comm, const void *sendbuf, int64_t sendcount,
	mpi_handle sendtype, struct counts recvcounts, mpi_handle recvtype)
{
	return (struct volume){
		.sent = is_in_place(sendbuf)
			? data_bytes(count_at(recvcounts, (uint32_t)comm->rank), recvtype)
			: data_bytes(sendcount, sendtype),
		.received = counts_bytes(recvcounts, recvtype, comm->npeers),
	};
}

struct volume volume_alltoall(const struct mpi_comm *comm, const void *sendbuf, int64_t sendcount,
	mpi_handle sendtype, int64_t recvcount, mpi_handle recvtype)
{
	uint64_t received = comm->npeers * data_bytes(recvcount, recvtype);

	return (struct volume){
		.sent = is_in_place(sendbuf) ? received
					     : comm->npeers * data_bytes(sendcount, sendtype),
		.received = received,
	};
}

struct volume volume_alltoallv(const struct mpi_comm *comm, const void *sendbuf,
	struct counts sendcounts, mpi_handle sendtype, struct counts recvcounts,
	mpi_handle recvtype)
{
	uint64_t received = counts_bytes(recvcounts, recvtype, comm->npeers);

	return (struct volume){
		.sent = is_in_place(sendbuf) ? received
					     : counts_bytes(sendcounts, sendtype, comm->npeers),
		.received = received,
	};
}

struct volume volume_alltoallw(const struct mpi_comm *comm, const void *sendbuf,
	struct counts sendcounts, const void *sendtypes, struct counts recvcounts,
	const void *recvtypes)
{
	uint64_t received = parts_bytes(recvcounts, recvtypes, comm->npeers);

	return (struct volume){
		.sent = is_in_place(sendbuf) ? received
					     : parts_bytes(sendcounts, sendtypes, comm->npeers),
		.received = received,
	};
}

struct volume volume_reduce_scatter(const struct mpi_comm *comm, struct counts recvcounts,
	mpi_handle type)
{
	return (struct volume){
		.sent = counts_bytes(recvcounts, type, comm->size),
		.received = data_bytes(count_at(recvcounts, (uint32_t)comm->rank), type),
	};
}

struct volume volume_reduce_scatter_block(const struct mpi_comm *comm, int64_t recvcount,
	mpi_handle type)
{
	uint64_t part = data_bytes(recvcount, type);

	return (struct volume){ .sent = comm->size * part, .received = part };
}

struct volume volume_neighbor_allgather(const struct mpi_comm *comm, int64_t sendcount,
	mpi_handle sendtype, int64_t recvcount, mpi_handle recvtype)
{
	return (struct volume){
		.sent = data_bytes(sendcount, sendtype),
		.received = comm->indegree * data_bytes(recvcount, recvtype),
	};
}

struct volume volume_neighbor_allgatherv(const struct mpi_comm *comm, int64_t sendcount,
	mpi_handle sendtype, struct counts recvcounts, mpi_handle recvtype)
{
	return (struct volume){
		.sent = data_bytes(sendcount, sendtype),
		.received = counts_bytes(recvcounts, recvtype, comm->indegree),
	};
}

struct volume volume_neighbor_alltoall(const struct mpi_comm *comm, int64_t sendcount,
	mpi_handle sendtype, int64_t recvcount, mpi_handle recvtype)
{
	return (struct volume){
		.sent = comm->outdegree * data_bytes(sendcount, sendtype),
		.received = comm->indegree * data_bytes(recvcount, recvtype),
	};
}

struct volume volume_neighbor_alltoallv(const struct mpi_comm *comm, struct counts sendcounts,
	mpi_handle sendtype, struct counts recvcounts, mpi_handle recvtype)
{
	return (struct volume){
		.sent = counts_bytes(sendcounts, sendtype, comm->outdegree),
		.received = counts_bytes(recvcounts, recvtype, comm->indegree),
	};
}

struct volume volume_neighbor_alltoallw(const struct mpi_comm *comm, struct counts sendcounts,
	const void *sendtypes, struct counts recvcounts, const void *recvtypes)
{
	return (struct volume){
		.sent = parts_bytes(sendcounts, sendtypes, comm->outdegree),
		.received = parts_bytes(recvcounts, recvtypes, comm->indegree),
	};
}
