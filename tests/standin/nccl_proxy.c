/*
 * nccl_proxy.c - events of the proxy and the network, as NCCL 2.28 reports them (its src/plugin/profiler.cc
 * and src/transport/net.cc) for tasks that were called while the plugin asked for them: an operation by
 * peer and direction, with a step for each part of an exchange. A step that sends waits for the GPU, for the peer,
 * and for the network from its first byte to its last; one that receives for the network and for the GPU. The network
 * names its socket, as NCCL does where it is built with NCCL_ENABLE_NET_PROFILING.
 *
 * STANDIN_NCCL_SLOW_LINK=FROM:TO:MBS lets a rank send to another one no faster.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "nccl_plugin.h"
#include "standin.h"

/* ncclProfilerEventState_t (nccl_profiler.h) */
enum {
	STATE_SEND_GPU_WAIT = 8,
	STATE_SEND_WAIT = 9,
	STATE_RECV_WAIT = 10,
	STATE_RECV_GPU_WAIT = 12,
	STATE_SEND_PEER_WAIT = 20,
};

/* net_socket_v1.h */
enum { NET_SOCKET = 2 << 16 | 1, PROFILE_SOCKET = 1 };
struct net_socket {
	uint8_t type;
	struct {
		int fd, op;
		size_t length;
	} socket;
};

struct way {
	void *op, *step;
	size_t moved;
	int nsteps;
};

struct proxy {
	int events;
	struct way ways[]; /* by peer, sends first */
};

void proxy_begin(const struct task *t)
{
	struct ncclComm *comm = t->comm;

	if (!(t->events & (EVENT_PROXY_OP | EVENT_PROXY_STEP | EVENT_NET)))
		return;
	comm->proxy = calloc(1,
		sizeof(*comm->proxy) + 2 * (size_t)comm->size * sizeof(comm->proxy->ways[0]));
	if (comm->proxy)
		comm->proxy->events = t->events;
}

static void step_start(struct ncclComm *comm, struct way *way, int peer, bool is_send, int fd)
{
	struct descriptor op = { .type = EVENT_PROXY_OP }, step = { .type = EVENT_PROXY_STEP };
	struct descriptor net = { .type = EVENT_NET };
	struct net_socket socket = { .type = PROFILE_SOCKET };

	if (!way->op) {
		op.proxy_op.pid = getpid();
		op.proxy_op.peer = peer;
		op.proxy_op.nsteps = 1;
		op.proxy_op.is_send = is_send;
		way->op = plugin_proxy_start(comm, &op);
	}
	step.parent = way->op;
	step.proxy_step.step = way->nsteps++;
	way->step = plugin_proxy_start(comm, &step);
	if (is_send) {
		plugin_proxy_state(way->step, STATE_SEND_GPU_WAIT, 0);
		plugin_proxy_state(way->step, STATE_SEND_PEER_WAIT, 0);
	}
	socket.socket.fd = fd;
	socket.socket.op = is_send;
	net.parent = way->step;
	net.net.id = NET_SOCKET;
	net.net.data = &socket;
	if (comm->proxy->events & EVENT_NET)
		plugin_proxy_stop(plugin_proxy_start(comm, &net));
}

static struct way *way_of(struct ncclComm *comm, int peer, bool is_send)
{
	return comm->proxy && peer != comm->rank
		? &comm->proxy->ways[peer + (is_send ? 0 : comm->size)]
		: NULL;
}

/* The size of a transfer is told with the state, so a step that sends learns it as it begins. */
void proxy_moves(struct ncclComm *comm, int peer, bool is_send, int fd, size_t left)
{
	struct way *way = way_of(comm, peer, is_send);

	if (!way || way->step)
		return;
	step_start(comm, way, peer, is_send, fd);
	way->moved = 0;
	plugin_proxy_state(way->step, is_send ? STATE_SEND_WAIT : STATE_RECV_WAIT,
		is_send ? left : 0);
}

void proxy_moved(struct ncclComm *comm, int peer, bool is_send, size_t n, size_t left)
{
	struct way *way = way_of(comm, peer, is_send);

	if (!way || !way->step)
		return;
	way->moved += n;
	if (left)
		return;
	if (!is_send)
		plugin_proxy_state(way->step, STATE_RECV_GPU_WAIT, way->moved);
	plugin_proxy_stop(way->step);
	way->step = NULL;
}

void proxy_end(const struct task *t)
{
	struct ncclComm *comm = t->comm;

	for (int i = 0; comm->proxy && i < 2 * comm->size; i++) {
		plugin_proxy_stop(comm->proxy->ways[i].step);
		plugin_proxy_stop(comm->proxy->ways[i].op);
	}
	free(comm->proxy);
	comm->proxy = NULL;
}

/* Sends pieces of 64 KiB at the rate of the link; other links continue. */
size_t link_allows(const struct ncclComm *comm, int peer, size_t n)
{
	static _Atomic uint64_t next;
	const char *text = getenv("STANDIN_NCCL_SLOW_LINK");
	enum { PIECE = 65536 };
	double mbs;
	int from, to;

	if (!text || sscanf(text, "%d:%d:%lf", &from, &to, &mbs) != 3 || from != comm->rank ||
		to != peer || !(mbs > 0))
		return n;
	if (standin_monotonic() < atomic_load(&next)) {
		usleep(20);
		return 0;
	}
	n = n < PIECE ? n : PIECE;
	atomic_store(&next, standin_monotonic() + (uint64_t)((double)n * 1e3 / mbs));
	return n;
}
