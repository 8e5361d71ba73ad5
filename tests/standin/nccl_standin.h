/*
 * nccl_standin.h - common parts of the stand-in for libnccl.so.2: a communicator, its sockets,
 * tasks on their way to a stream. Sums are made in the order of ranks, so that every run gives the
 * same bits.
 */
#ifndef NCCL_STANDIN_H
#define NCCL_STANDIN_H

#include <nccl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NCCL_STANDIN_EXPORT __attribute__((visibility("default")))

/* nccl.h has them without prototypes. */
ncclResult_t ncclGroupStart(void);
ncclResult_t ncclGroupEnd(void);

enum { OPERATORS = 64 }; /* made by ncclRedOpCreatePreMulSum, per communicator */

/* Where a rank listens while a communicator is being made. */
struct address {
	uint32_t ip; /* network byte order */
	uint16_t port;
	uint16_t reserved;
};

struct ncclComm {
	int rank, size, device, blocking;
	uint64_t hash;
	uint32_t nsplits;
	char name[64];
	int *data, *control;	       /* sockets by rank, -1 to itself */
	_Atomic uint32_t next, served; /* tickets: kernels of one communicator run in order */
	pthread_mutex_t mutex;
	pthread_cond_t turn;
	_Atomic int aborted, error; /* ncclResult_t seen by kernels */
	_Atomic int state;	    /* ncclResult_t of making it */
	struct {
		bool used;
		double value;
	} operators[OPERATORS];
	void *plugin;	     /* the profiler plugin's context */
	uint64_t seq[16];    /* per function, as NCCL counts */
	struct proxy *proxy; /* of the task in progress, where its events are asked for */
};

/* ---- nccl_net.c ---- */

/* A part of an exchange: bytes from or to a rank. */
struct part {
	int peer;
	char *at;
	size_t left;
};

/* Opens a listening socket on this node's address. -1 on failure. */
int net_listen(struct address *address);

/* Starts the place where the ranks of a unique id meet, for as long as it takes. */
int net_meeting_start(struct address *address);

/* The ports of all ranks, by meeting at the unique id's address. 0, or -1. */
int net_meet(const struct address *meeting, int rank, int size, const struct address *own,
	struct address *all);

/* Connects all with all: data and control. 0, or -1. */
int net_mesh(struct ncclComm *comm, int listener, const struct address *all);

/*
 * Sends and receives at once, in any order. 0, or -1: a rank is gone, or the communicator aborted.
 */
int net_exchange(struct ncclComm *comm, const int *sockets, struct part *sends, int nsends,
	struct part *receives, int nreceives);

/* `n` bytes from every rank to every rank, through the control sockets. */
int net_gather_all(struct ncclComm *comm, const void *own, void *all, size_t n);

void net_close(struct ncclComm *comm);

/* ---- nccl_reduce.c ---- */

size_t type_size(ncclDataType_t type);

/* A rank's contribution before it is sent: PreMulSum's factor. */
void reduce_prepare(const struct ncclComm *comm, void *data, size_t count, ncclDataType_t type,
	ncclRedOp_t op);

/* out = parts[0] op parts[1] … in this order. */
void reduce(const struct ncclComm *comm, void *out, void *const *parts, size_t count,
	ncclDataType_t type, ncclRedOp_t op);

/* Whether sums of the type can be made here (not of 8-bit floats). */
bool reduce_can(ncclDataType_t type);

/* ---- nccl_ops.c ---- */

enum function {
	FUNCTION_BROADCAST,
	FUNCTION_REDUCE,
	FUNCTION_ALLGATHER,
	FUNCTION_REDUCESCATTER,
	FUNCTION_ALLREDUCE,
	FUNCTION_ALLTOALL,
	FUNCTION_GATHER,
	FUNCTION_SCATTER,
	FUNCTION_SEND,
	FUNCTION_RECV,
	FUNCTION_COUNT,
};
extern const char *const function_names[FUNCTION_COUNT];

struct task {
	struct task *next;
	struct ncclComm *comm;
	enum function function;
	const void *send;
	void *recv;
	size_t count;
	ncclDataType_t type;
	ncclRedOp_t op;
	int peer; /* or root */
	void *stream;
	void *api_event; /* the profiler plugin's */
	int events;	 /* that the plugin asks for at the time of the call */
};

/* ---- nccl_kernel.c ---- */

/* The tasks of one communicator in a group, as one kernel. */
struct kernel {
	struct ncclComm *comm;
	struct task *tasks;
	uint32_t ticket;
	bool is_captured; /* runs once per graph launch, at its turn in the stream */
};

/* On the stream's thread: carries the tasks out, and gives them back. */
void kernel_run(void *kernel);
void kernel_release(void *kernel);
void tasks_free(struct task *tasks);

/* Kernels of the communicator that are on their way have ended. */
void comm_drain(struct ncclComm *comm);

/* ---- nccl_rate.c ---- */

/* Whether NCCL would take the tree algorithm and not the ring. */
bool is_by_tree(const struct task *task);

/*
 * Waits until an all-reduce that began then (standin_monotonic) has taken what its rate asks for.
 */
void rate_wait(const struct task *task, uint64_t start);

/* ---- nccl_comm.c: communicators that a group makes ---- */

/* Something that all ranks must be in at once, so each has a thread. */
struct making {
	struct making *next;
	struct ncclComm *comm, *parent;
	struct address meeting;
	int colour, key;
	ncclComm_t *made;
	ncclResult_t result;
};

extern __thread struct group {
	int depth;
	struct task *tasks, **last;
	struct making *makings;
	void *plugin_event;
	bool plugin_has_begun;
	bool failed;
} nccl_group;

ncclResult_t makings_run(struct making *makings);

/* ---- nccl_plugin.c ---- */

void plugin_init(struct ncclComm *comm);
void plugin_finalize(struct ncclComm *comm);
void plugin_group_start(struct ncclComm *comm);
void plugin_group_end(void);
void *plugin_call_start(struct task *task);
void plugin_call_stop(void *event);
void *plugin_launch_start(struct ncclComm *comm, void *stream);
void plugin_launch_stop(void *event);
void plugin_tasks(struct ncclComm *comm, struct task *tasks);
/* Which events the plugin asks for now. */
int plugin_events(void);
/* ---- nccl_proxy.c: events of the network ---- */

/* Around a collective, on the kernel's thread. */
void proxy_begin(const struct task *task);
void proxy_end(const struct task *task);
/* A part with so many bytes left may move over the socket; so many have moved. */
void proxy_moves(struct ncclComm *comm, int peer, bool is_send, int fd, size_t left);
void proxy_moved(struct ncclComm *comm, int peer, bool is_send, size_t n, size_t left);
/* How many bytes may go to the peer now: STANDIN_NCCL_SLOW_LINK. */
size_t link_allows(const struct ncclComm *comm, int peer, size_t n);
/* Events of the plugin's; a handle may be NULL. */
void *plugin_proxy_start(struct ncclComm *comm, void *event);
void plugin_proxy_state(void *handle, int state, size_t nbytes);
void plugin_proxy_stop(void *handle);

/* Whether the task goes by the copy engines (STANDIN_NCCL_COPIES). */
bool plugin_is_by_copies(const struct task *t);

#endif
