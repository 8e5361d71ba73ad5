/*
 * mpi_coll.h - collectives: signatures, and the bytes that the arguments make
 * a rank hand in and get out (the table in tacho/spool.h). PARAMS_x and
 * ARGS_x serve x and its non-blocking form, VOLUME_x is what volume_x()
 * below needs besides the communicator. COUNT and DISPL are defined where they
 * are expanded (mpi_shapes.h).
 */
#ifndef COLLECTOR_MPI_COLL_H
#define COLLECTOR_MPI_COLL_H

#include "mpi/mpi_call.h"

#define PARAMS_barrier mpi_handle comm
#define ARGS_barrier   comm
#define VOLUME_barrier
#define PARAMS_bcast void *buf, COUNT count, mpi_handle type, int root, mpi_handle comm
#define ARGS_bcast   buf, count, type, root, comm
#define VOLUME_bcast , count, type, root
#define PARAMS_gather                                                                              \
	const void *sendbuf, COUNT sendcount, mpi_handle sendtype, void *recvbuf, COUNT recvcount, \
		mpi_handle recvtype, int root, mpi_handle comm
#define ARGS_gather   sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm
#define VOLUME_gather , sendbuf, sendcount, sendtype, recvcount, recvtype, root
#define PARAMS_gatherv                                                                             \
	const void *sendbuf, COUNT sendcount, mpi_handle sendtype, void *recvbuf,                  \
		const COUNT *recvcounts, const DISPL *displs, mpi_handle recvtype, int root,       \
		mpi_handle comm
#define ARGS_gatherv   sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root, comm
#define VOLUME_gatherv , sendbuf, sendcount, sendtype, COUNTS(recvcounts), recvtype, root
#define PARAMS_scatter                                                                             \
	const void *sendbuf, COUNT sendcount, mpi_handle sendtype, void *recvbuf, COUNT recvcount, \
		mpi_handle recvtype, int root, mpi_handle comm
#define ARGS_scatter   sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm
#define VOLUME_scatter , sendcount, sendtype, recvbuf, recvcount, recvtype, root
#define PARAMS_scatterv                                                                            \
	const void *sendbuf, const COUNT *sendcounts, const DISPL *displs, mpi_handle sendtype,    \
		void *recvbuf, COUNT recvcount, mpi_handle recvtype, int root, mpi_handle comm
#define ARGS_scatterv                                                                              \
	sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root, comm
#define VOLUME_scatterv , COUNTS(sendcounts), sendtype, recvbuf, recvcount, recvtype, root
#define PARAMS_allgather                                                                           \
	const void *sendbuf, COUNT sendcount, mpi_handle sendtype, void *recvbuf, COUNT recvcount, \
		mpi_handle recvtype, mpi_handle comm
#define ARGS_allgather	 sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
#define VOLUME_allgather , sendbuf, sendcount, sendtype, recvcount, recvtype
#define PARAMS_allgatherv                                                                          \
	const void *sendbuf, COUNT sendcount, mpi_handle sendtype, void *recvbuf,                  \
		const COUNT *recvcounts, const DISPL *displs, mpi_handle recvtype, mpi_handle comm
#define ARGS_allgatherv	  sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm
#define VOLUME_allgatherv , sendbuf, sendcount, sendtype, COUNTS(recvcounts), recvtype
#define PARAMS_alltoall                                                                            \
	const void *sendbuf, COUNT sendcount, mpi_handle sendtype, void *recvbuf, COUNT recvcount, \
		mpi_handle recvtype, mpi_handle comm
#define ARGS_alltoall	sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
#define VOLUME_alltoall , sendbuf, sendcount, sendtype, recvcount, recvtype
#define PARAMS_alltoallv                                                                           \
	const void *sendbuf, const COUNT *sendcounts, const DISPL *sdispls, mpi_handle sendtype,   \
		void *recvbuf, const COUNT *recvcounts, const DISPL *rdispls, mpi_handle recvtype, \
		mpi_handle comm
#define ARGS_alltoallv                                                                             \
	sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm
#define VOLUME_alltoallv , sendbuf, COUNTS(sendcounts), sendtype, COUNTS(recvcounts), recvtype
#define PARAMS_alltoallw                                                                           \
	const void *sendbuf, const COUNT *sendcounts, const DISPL *sdispls, const void *sendtypes, \
		void *recvbuf, const COUNT *recvcounts, const DISPL *rdispls,                      \
		const void *recvtypes, mpi_handle comm
#define ARGS_alltoallw                                                                             \
	sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm
#define VOLUME_alltoallw , sendbuf, COUNTS(sendcounts), sendtypes, COUNTS(recvcounts), recvtypes
#define PARAMS_reduce                                                                              \
	const void *sendbuf, void *recvbuf, COUNT count, mpi_handle type, mpi_handle op, int root, \
		mpi_handle comm
#define ARGS_reduce   sendbuf, recvbuf, count, type, op, root, comm
#define VOLUME_reduce , count, type, root
#define PARAMS_allreduce                                                                           \
	const void *sendbuf, void *recvbuf, COUNT count, mpi_handle type, mpi_handle op,           \
		mpi_handle comm
#define ARGS_allreduce	 sendbuf, recvbuf, count, type, op, comm
#define VOLUME_allreduce , count, type
#define PARAMS_reduce_scatter                                                                      \
	const void *sendbuf, void *recvbuf, const COUNT *recvcounts, mpi_handle type,              \
		mpi_handle op, mpi_handle comm
#define ARGS_reduce_scatter   sendbuf, recvbuf, recvcounts, type, op, comm
#define VOLUME_reduce_scatter , COUNTS(recvcounts), type
#define PARAMS_reduce_scatter_block                                                                \
	const void *sendbuf, void *recvbuf, COUNT recvcount, mpi_handle type, mpi_handle op,       \
		mpi_handle comm
#define ARGS_reduce_scatter_block   sendbuf, recvbuf, recvcount, type, op, comm
#define VOLUME_reduce_scatter_block , recvcount, type
#define PARAMS_scan                                                                                \
	const void *sendbuf, void *recvbuf, COUNT count, mpi_handle type, mpi_handle op,           \
		mpi_handle comm
#define ARGS_scan   sendbuf, recvbuf, count, type, op, comm
#define VOLUME_scan , count, type
#define PARAMS_exscan                                                                              \
	const void *sendbuf, void *recvbuf, COUNT count, mpi_handle type, mpi_handle op,           \
		mpi_handle comm
#define ARGS_exscan   sendbuf, recvbuf, count, type, op, comm
#define VOLUME_exscan , count, type
/* The first argument of their volume, for which the wrapper has both. */
#define NEIGHBOURS(counts) (neighbours_define(comm, call.comm), counts)

#define PARAMS_neighbor_allgather                                                                  \
	const void *sendbuf, COUNT sendcount, mpi_handle sendtype, void *recvbuf, COUNT recvcount, \
		mpi_handle recvtype, mpi_handle comm
#define ARGS_neighbor_allgather	  sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
#define VOLUME_neighbor_allgather , NEIGHBOURS(sendcount), sendtype, recvcount, recvtype
#define PARAMS_neighbor_allgatherv                                                                 \
	const void *sendbuf, COUNT sendcount, mpi_handle sendtype, void *recvbuf,                  \
		const COUNT *recvcounts, const DISPL *displs, mpi_handle recvtype, mpi_handle comm
#define ARGS_neighbor_allgatherv                                                                   \
	sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, comm
#define VOLUME_neighbor_allgatherv , NEIGHBOURS(sendcount), sendtype, COUNTS(recvcounts), recvtype
#define PARAMS_neighbor_alltoall                                                                   \
	const void *sendbuf, COUNT sendcount, mpi_handle sendtype, void *recvbuf, COUNT recvcount, \
		mpi_handle recvtype, mpi_handle comm
#define ARGS_neighbor_alltoall	 sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
#define VOLUME_neighbor_alltoall , NEIGHBOURS(sendcount), sendtype, recvcount, recvtype
#define PARAMS_neighbor_alltoallv                                                                  \
	const void *sendbuf, const COUNT *sendcounts, const DISPL *sdispls, mpi_handle sendtype,   \
		void *recvbuf, const COUNT *recvcounts, const DISPL *rdispls, mpi_handle recvtype, \
		mpi_handle comm
#define ARGS_neighbor_alltoallv                                                                    \
	sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm
#define VOLUME_neighbor_alltoallv                                                                  \
	, NEIGHBOURS(COUNTS(sendcounts)), sendtype, COUNTS(recvcounts), recvtype
#define PARAMS_neighbor_alltoallw                                                                  \
	const void *sendbuf, const COUNT *sendcounts, const int64_t *sdispls,                      \
		const void *sendtypes, void *recvbuf, const COUNT *recvcounts,                     \
		const int64_t *rdispls, const void *recvtypes, mpi_handle comm
#define ARGS_neighbor_alltoallw                                                                    \
	sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm
#define VOLUME_neighbor_alltoallw                                                                  \
	, NEIGHBOURS(COUNTS(sendcounts)), sendtypes, COUNTS(recvcounts), recvtypes

/*
 * Whether all ranks pass the same size, computed from arguments that can be read before the call.
 * Then it is recorded before the call, so that a hang's report can show two different sizes. The
 * size of a type not used yet is asked after the call only: MPI reports an invalid type as an error
 * of the call, to its communicator's handler.
 */
#define IS_SIZED_barrier	      1
#define IS_SIZED_bcast		      type_is_known(type)
#define IS_SIZED_gather		      gather_is_sized(call.comm, sendbuf, sendtype, recvtype, root)
#define IS_SIZED_gatherv	      0
#define IS_SIZED_scatter	      gather_is_sized(call.comm, recvbuf, recvtype, sendtype, root)
#define IS_SIZED_scatterv	      0
#define IS_SIZED_allgather	      all_is_sized(sendbuf, sendtype, recvtype)
#define IS_SIZED_allgatherv	      0
#define IS_SIZED_alltoall	      all_is_sized(sendbuf, sendtype, recvtype)
#define IS_SIZED_alltoallv	      0
#define IS_SIZED_alltoallw	      0
#define IS_SIZED_reduce		      type_is_known(type)
#define IS_SIZED_allreduce	      type_is_known(type)
#define IS_SIZED_reduce_scatter	      0
#define IS_SIZED_reduce_scatter_block type_is_known(type)
#define IS_SIZED_scan		      0
#define IS_SIZED_exscan		      0
#define IS_SIZED_neighbor_allgather   0
#define IS_SIZED_neighbor_allgatherv  0
#define IS_SIZED_neighbor_alltoall    0
#define IS_SIZED_neighbor_alltoallv   0
#define IS_SIZED_neighbor_alltoallw   0

/* An array of counts of either kind. */
struct counts {
	const void *at;
	bool large;
};

#define COUNTS(array) ((struct counts){ array, sizeof(*(array)) == sizeof(int64_t) })

static inline int64_t count_at(struct counts counts, uint32_t i)
{
	return counts.large ? ((const int64_t *)counts.at)[i] : ((const int *)counts.at)[i];
}

/* Bytes handed in and got out. */
struct volume {
	uint64_t sent, received;
};

static inline bool is_in_place(const void *buf)
{
	return (uintptr_t)buf == tacho_abi.in_place;
}

/* This rank is the root; the root of an inter-communicator passes MPI_ROOT. */
static inline bool is_root(const struct mpi_comm *comm, int root)
{
	return comm->is_inter ? root == tacho_abi.root : root == comm->rank;
}

/* This rank exchanges data with the root (the root itself included, unless inter). */
static inline bool is_leaf(const struct mpi_comm *comm, int root)
{
	return !comm->is_inter || root >= 0;
}

/*
 * Gather, and scatter the other way round: the types of both sides are significant at the root
 * only.
 */
static inline bool gather_is_sized(const struct mpi_comm *comm, const void *own,
	mpi_handle own_type, mpi_handle all_type, int root)
{
	if (is_root(comm, root))
		return type_is_known(all_type) && (is_in_place(own) || type_is_known(own_type));
	return type_is_known(own_type);
}

static inline bool all_is_sized(const void *sendbuf, mpi_handle sendtype, mpi_handle recvtype)
{
	return type_is_known(recvtype) && (is_in_place(sendbuf) || type_is_known(sendtype));
}

static inline uint64_t counts_sum(struct counts counts, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (uint64_t)count_at(counts, i);
	return sum;
}

static inline uint64_t counts_bytes(struct counts counts, mpi_handle type, uint32_t n)
{
	return counts_sum(counts, n) * type_bytes(type);
}

/* The same with a type for each. */
static inline uint64_t parts_bytes(struct counts counts, const void *types, uint32_t n)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += data_bytes(count_at(counts, i), handle_at(types, (int)i));
	return sum;
}

static inline struct volume volume_barrier(const struct mpi_comm *comm)
{
	(void)comm;
	return (struct volume){ 0 };
}

static inline struct volume volume_allreduce(const struct mpi_comm *comm, int64_t count,
	mpi_handle type)
{
	uint64_t bytes = data_bytes(count, type);

	(void)comm;
	return (struct volume){ bytes, bytes };
}

#define volume_scan volume_allreduce

static inline struct volume volume_exscan(const struct mpi_comm *comm, int64_t count,
	mpi_handle type)
{
	uint64_t bytes = data_bytes(count, type);

	return (struct volume){ bytes, comm->rank ? bytes : 0 }; /* the first rank gets nothing */
}

static inline struct volume volume_bcast(const struct mpi_comm *comm, int64_t count,
	mpi_handle type, int root)
{
	uint64_t bytes = data_bytes(count, type);

	if (is_root(comm, root))
		return (struct volume){ .sent = bytes };
	return (struct volume){ .received = is_leaf(comm, root) ? bytes : 0 };
}

static inline struct volume volume_reduce(const struct mpi_comm *comm, int64_t count,
	mpi_handle type, int root)
{
	uint64_t bytes = data_bytes(count, type);

	return (struct volume){
		.sent = is_leaf(comm, root) ? bytes : 0,
		.received = is_root(comm, root) ? bytes : 0,
	};
}

HIDDEN struct volume volume_gather(const struct mpi_comm *comm, const void *sendbuf,
	int64_t sendcount, mpi_handle sendtype, int64_t recvcount, mpi_handle recvtype, int root);
HIDDEN struct volume volume_gatherv(const struct mpi_comm *comm, const void *sendbuf,
	int64_t sendcount, mpi_handle sendtype, struct counts recvcounts, mpi_handle recvtype,
	int root);
HIDDEN struct volume volume_scatter(const struct mpi_comm *comm, int64_t sendcount,
	mpi_handle sendtype, const void *recvbuf, int64_t recvcount, mpi_handle recvtype, int root);
HIDDEN struct volume volume_scatterv(const struct mpi_comm *comm, struct counts sendcounts,
	mpi_handle sendtype, const void *recvbuf, int64_t recvcount, mpi_handle recvtype, int root);
HIDDEN struct volume volume_allgather(const struct mpi_comm *comm, const void *sendbuf,
	int64_t sendcount, mpi_handle sendtype, int64_t recvcount, mpi_handle recvtype);
HIDDEN struct volume volume_allgatherv(const struct mpi_comm *comm, const void *sendbuf,
	int64_t sendcount, mpi_handle sendtype, struct counts recvcounts, mpi_handle recvtype);
HIDDEN struct volume volume_alltoall(const struct mpi_comm *comm, const void *sendbuf,
	int64_t sendcount, mpi_handle sendtype, int64_t recvcount, mpi_handle recvtype);
HIDDEN struct volume volume_alltoallv(const struct mpi_comm *comm, const void *sendbuf,
	struct counts sendcounts, mpi_handle sendtype, struct counts recvcounts,
	mpi_handle recvtype);
HIDDEN struct volume volume_alltoallw(const struct mpi_comm *comm, const void *sendbuf,
	struct counts sendcounts, const void *sendtypes, struct counts recvcounts,
	const void *recvtypes);
HIDDEN struct volume volume_reduce_scatter(const struct mpi_comm *comm, struct counts recvcounts,
	mpi_handle type);
HIDDEN struct volume volume_reduce_scatter_block(const struct mpi_comm *comm, int64_t recvcount,
	mpi_handle type);
HIDDEN struct volume volume_neighbor_allgather(const struct mpi_comm *comm, int64_t sendcount,
	mpi_handle sendtype, int64_t recvcount, mpi_handle recvtype);
HIDDEN struct volume volume_neighbor_allgatherv(const struct mpi_comm *comm, int64_t sendcount,
	mpi_handle sendtype, struct counts recvcounts, mpi_handle recvtype);
HIDDEN struct volume volume_neighbor_alltoall(const struct mpi_comm *comm, int64_t sendcount,
	mpi_handle sendtype, int64_t recvcount, mpi_handle recvtype);
HIDDEN struct volume volume_neighbor_alltoallv(const struct mpi_comm *comm,
	struct counts sendcounts, mpi_handle sendtype, struct counts recvcounts,
	mpi_handle recvtype);
HIDDEN struct volume volume_neighbor_alltoallw(const struct mpi_comm *comm,
	struct counts sendcounts, const void *sendtypes, struct counts recvcounts,
	const void *recvtypes);

/* A root as spool.h has it. */
static inline int32_t root_number(const struct mpi_comm *comm, int root)
{
	if (!comm->is_inter || root >= 0)
		return root;
	return root == tacho_abi.root ? SPOOL_ROOT_SELF : SPOOL_ROOT_IDLE;
}

/* The size that ranks agree on. */
static inline uint64_t volume_size(struct volume volume)
{
	return volume.sent > volume.received ? volume.sent : volume.received;
}

/* Begins a collective on call->comm; `root` as in spool.h, `bytes` as of struct spool_inside. */
static inline __attribute__((always_inline)) void call_begin_coll(struct mpi_call *call,
	struct thread *self, unsigned region, int32_t root, uint64_t bytes)
{
	call->span = span_begin_sized(self, region, spool_inside_arg(call->comm->id, root), bytes);
}

/* Ends a collective; `root` as in spool.h, request 0 is a blocking one. */
static inline void call_leave_coll(struct mpi_call *call, struct volume volume, int32_t root,
	uint32_t request)
{
	if (volume.sent == volume.received && root == SPOOL_ROOT_NONE && !request)
		span_leave(&call->span, SPOOL_COLL, call->comm->id, &volume.sent, 1);
	else
		span_leave(&call->span, SPOOL_COLL_FULL, call->comm->id,
			(uint64_t[]){ volume.sent, volume.received,
				spool_pair((uint32_t)root, request) },
			3);
}

#endif
