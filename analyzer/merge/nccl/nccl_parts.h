/*
 * nccl_parts.h - between the parts of merge that know NCCL: what the first
 * pass finds of a process's calls and kernels (nccl.c, nccl_op.c), of graphs that
 * carry calls out (nccl_graph.c), and of kernels that NCCL's own thread
 * launches (nccl_thread.c).
 */
#ifndef ANALYZER_NCCL_PARTS_H
#define ANALYZER_NCCL_PARTS_H

#include "merge/merge_model.h"
#include "merge/walk/walk.h"
#include "base/containers.h"
#include "tacho/trace.h"

/*
 * The place of an operation that its record does not say: of a message among those of its
 * communicator, source and destination; of all, where graphs carry some out.
 */
struct operation_place {
	const uint64_t *rec;
	uint32_t seq;
};

/* How a collective is carried out: communicator:32 | seq:32, and the plan's word. */
struct plan {
	uint64_t key, word;
};

/* An operation of a group. */
struct member {
	uint32_t group;
	const uint64_t *rec;
};

/* A kernel's launch at the end of a group: which of those on its device. */
struct turn {
	uint32_t correlation, device, number, total;
};

/*
 * What is counted by itself: the messages of a communicator to or from a peer, and its collectives
 * (op TRACE_OP_NONE). n: how many so far, or the next one's place.
 */
struct route {
	uint32_t comm, peer, op, n;
	/* of collectives: calls that only made a graph, what graphs carried out */
	uint32_t ncaptured, nreplayed;
};

/* A kernel of NCCL's in a graph, of the capture or (`original`) a copy. Not known: call NULL. */
struct graph_node {
	uint64_t id, original;
	const uint64_t *call; /* in which it was captured */
	uint32_t correlation; /* of the launch that was captured */
	/* place of the graph that launches it; NONE: not seen yet */
	uint32_t exec;
	size_t first, n; /* in node_ops */
};

/* A graph that can be launched. */
struct graph_exec {
	uint64_t handle, since; /* ticks; until the handle's next one */
	size_t first, n;	/* in exec_routes */
};

/* A launch of a graph. */
struct graph_launch {
	/* outer: of the launch that this call is a part of, 0 none */
	uint32_t correlation, outer;
	uint32_t exec; /* NONE: not known */
	uint64_t handle, start;
	size_t first; /* in bases */
};

/*
 * An operation of a kernel in a graph: its place in each launch is that of the launch and `index`.
 */
struct graph_op {
	const uint64_t *rec;
	uint32_t exec, route, index;
	size_t use; /* in exec_routes */
};

/* How many operations of a route a launch of the graph carries out. */
struct graph_use {
	uint32_t route, n;
};

/* A launch with no call of NCCL's around it: its begin in ticks. */
struct loose {
	uint32_t correlation;
	uint64_t start;
};

struct nccl {
	ARRAY_OF(struct operation_place) places;
	ARRAY_OF(struct plan) plans;
	ARRAY_OF(struct member) members;
	ARRAY_OF(struct turn) turns;
	ARRAY_OF(struct route) routes;
	size_t last;				/* route that was used */
	ARRAY_OF(const uint64_t *) collectives; /* records of their calls */
	ARRAY_OF(struct graph_node) nodes;
	ARRAY_OF(struct graph_exec) execs;
	ARRAY_OF(struct graph_launch) launches;
	ARRAY_OF(struct graph_op) node_ops;
	ARRAY_OF(struct graph_use) exec_routes;
	/* of a launch: the first place of each of its graph's routes */
	ARRAY_OF(uint32_t) bases;
	ARRAY_OF(const uint64_t *) captured; /* records of calls that were captured; sorted */
	/* records of calls and ends of groups that launched nothing */
	ARRAY_OF(const uint64_t *) silent;
	ARRAY_OF(struct loose) loose;
};

/* Operation of a call, by its line in nccl_calls.def. */
enum trace_op nccl_op(unsigned region);

static inline bool nccl_is_message(enum trace_op op)
{
	return op == TRACE_OP_SEND || op == TRACE_OP_RECV;
}

/* Number of what is counted by itself, NONE without memory. */
uint32_t nccl_route(struct nccl *nccl, uint32_t comm, uint32_t peer, uint32_t op);

bool nccl_is_kernel_launch(const struct entry *e);

/* A communicator of the process, NULL: not defined. */
const struct spool_nccl_comm *nccl_comm_of(const struct process *p, uint32_t id);

/*
 * The i-th communicator of a group's operations on a device, in the order in which the program came
 * with them, 0 after the last; *n: how many there are.
 */
uint32_t nccl_group_comm(const struct process *p, const struct member *first, size_t count,
	uint32_t device, uint32_t i, uint32_t *n);

/* After the first pass, before groups and launches are looked up. */
void nccl_members_sort(struct nccl *nccl);
void nccl_turns_sort(struct nccl *nccl);

/* The first operation of a group; `n`: how many there are. */
const struct member *nccl_group(const struct process *p, uint32_t group, size_t *n);

/*
 * The operations of a kernel on `device`, launched by `correlation` inside of `call`: the i-th from
 * 0 on, NULL after the last.
 */
const uint64_t *nccl_kernel_operation(const struct process *p, const uint64_t *call,
	uint32_t correlation, uint32_t device, uint32_t i);

/* First pass: calls that launch nothing, launches in none. After it: which belong together. */
int nccl_thread_scan(const struct process *p, struct nccl *nccl, const struct group *g);
int nccl_thread_bind(struct process *p);
void nccl_thread_free(struct nccl *nccl);

/* First pass: nodes, graphs and their launches in a group of calls. 0, or -1 without memory. */
int nccl_graph_scan(struct nccl *nccl, const struct group *g);

/* After it: who carries out what, and all places anew. 0, or -1 without memory. */
int nccl_graph_bind(struct process *p);
void nccl_graph_free(struct nccl *nccl);

/* Whether the call was captured: it made a part of a graph, and carried nothing out. */
bool nccl_is_captured(const struct process *p, const uint64_t *rec);

/* The node of a kernel of a graph, NULL: none of NCCL's. */
const struct graph_node *nccl_graph_node(const struct process *p, const uint64_t *kernel);

/* Place of the operation of a kernel, NONE: not known. */
uint32_t nccl_graph_seq(const struct process *p, const uint64_t *kernel, const struct graph_op *op);

#endif
