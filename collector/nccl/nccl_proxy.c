/*
 * nccl_proxy.c - see nccl_proxy.h.
 *
 * An operation of the proxy moves a channel's bytes to one peer or from it, in steps. A step waits for the GPU,
 * for the peer's room, and then for the network; NCCL reports each change. Steps overlap, so the time of a
 * link is that in which at least one of its steps is in the network. What a peer's sums are is a
 * property of the process, `nccl_link.N`, written when the process ends and now and then before.
 */
#include "config.h"

#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "core/define.h"
#include "core/process.h"
#include "core/sys.h"
#include "nccl/nccl_proxy.h"

#define LINKS	     512
#define OPS	     1024 /* in progress; more are not recorded */
#define STEPS	     8	  /* of an operation: NCCL_STEPS */
#define SAY_NS	     10000000000u
#define COST_FREE_NS 10000000u /* events are taken in any case until they have cost so much */
#define COST_PART    1000u     /* and then until they have cost this part of the time */
#define NIC_SIZE     32

/* ncclProfilerEventState_t */
enum {
	STATE_SEND_GPU_WAIT = 8,
	STATE_SEND_WAIT = 9,
	STATE_RECV_WAIT = 10,
	STATE_RECV_FLUSH_WAIT = 11,
	STATE_RECV_GPU_WAIT = 12,
	STATE_SEND_PEER_WAIT = 20,
};

/* Identifier of a network plugin: its type above, the version of its events below. */
enum { NET_IB = 1 << 16, NET_SOCKET = 2 << 16, NET_VERSION = 0xffff };

/* What the network plugins in NCCL say of an event: ncclProfilerNetIbDescr_v1_t, ncclProfilerNetSockDescr_v1_t. */
struct net_event {
	uint8_t type;
	union {
		struct {
			int device;
			uint64_t request;
		} ib;
		struct {
			int fd, op;
			size_t length;
		} socket;
	};
};

struct proxy_link {
	struct nccl_member *_Atomic member; /* NULL: the place is free */
	int peer;
	bool is_send;
	_Atomic uint32_t nflying; /* steps that are in the network */
	uint64_t since;		  /* of the first of these; of the proxy's thread */
	_Atomic uint64_t ops, bytes, net_ns, peer_ns, gpu_ns;
	_Atomic uint32_t has_nic;
	char nic[NIC_SIZE]; /* "": not known */
};

struct proxy_step {
	enum handle_kind kind;
	int state;
	uint64_t since;
	struct proxy_link *link;
};

struct proxy_op {
	enum handle_kind kind;
	_Atomic uint32_t is_busy;
	struct proxy_link *link;
	struct proxy_step steps[STEPS];
};

static struct proxy_link links[LINKS];
static _Atomic uint32_t nlinks; /* claimed so far */
static struct proxy_op ops[OPS];
static _Atomic uint32_t next_op;
static _Atomic uint64_t nevents, own_ns;

static uint32_t every(void)
{
	static _Atomic uint32_t chosen = UINT32_MAX;
	uint32_t n = atomic_load_explicit(&chosen, memory_order_relaxed);
	const char *text;

	if (likely(n != UINT32_MAX))
		return n;
	text = getenv("TACHO_NCCL_SAMPLE");
	n = text && *text ? (uint32_t)strtoul(text, NULL, 10) : 0;
	atomic_store(&chosen, n);
	return n;
}

/* Whether the events so far have taken more than a part of the time since the first look. */
static bool is_costly(void)
{
	static _Atomic uint64_t first_ns;
	uint64_t now = clock_monotonic_ns(), none = 0;

	if (atomic_compare_exchange_strong(&first_ns, &none, now))
		return false;
	return atomic_load(&own_ns) > COST_FREE_NS + (now - none) / COST_PART;
}

bool nccl_proxy_begin(struct nccl_member *member, uint32_t seq)
{
	uint32_t n = every();
	int *mask;

	if (likely(!n) || seq % n != n / 2 || atomic_load(&tacho_cuda_captures) || is_costly())
		return false;
	mask = atomic_load(&member->mask);
	if (mask)
		__atomic_fetch_or(mask, EVENT_PROXY_OP | EVENT_PROXY_STEP | EVENT_NET,
			__ATOMIC_RELAXED);
	return mask != NULL;
}

void nccl_proxy_end(struct nccl_member *member)
{
	int *mask = atomic_load(&member->mask);

	if (mask)
		__atomic_fetch_and(mask, ~(EVENT_PROXY_OP | EVENT_PROXY_STEP | EVENT_NET),
			__ATOMIC_RELAXED);
}

bool nccl_proxy_has(unsigned type)
{
	return type == EVENT_PROXY_OP || type == EVENT_PROXY_STEP || type == EVENT_NET;
}

/* Each place keeps its link. */
static struct proxy_link *link_of(struct nccl_member *member, int peer, bool is_send)
{
	uint32_t n = atomic_load(&nlinks), place;

	for (uint32_t i = 0; i < n && i < LINKS; i++)
		if (atomic_load(&links[i].member) == member && links[i].peer == peer &&
			links[i].is_send == is_send)
			return &links[i];
	place = atomic_fetch_add(&nlinks, 1);
	if (place >= LINKS)
		return NULL;
	links[place].peer = peer;
	links[place].is_send = is_send;
	atomic_store(&links[place].member, member);
	return &links[place];
}

static struct proxy_op *op_start(struct context *context, const struct descriptor *event)
{
	struct nccl_member *member;
	struct proxy_op *op = NULL;

	/* another process's operation, which this one's proxy carries out: so is the context */
	if (event->proxy_op.pid != (int)sys_pid() || !context)
		return NULL;
	member = nccl_pair_member(context);
	for (unsigned i = 0; member && i < OPS; i++) {
		uint32_t none = 0;

		op = &ops[atomic_fetch_add(&next_op, 1) % OPS];
		if (atomic_compare_exchange_strong(&op->is_busy, &none, 1))
			break;
		op = NULL;
	}
	if (!op)
		return NULL;
	op->kind = HANDLE_PROXY_OP;
	op->link = link_of(member, event->proxy_op.peer, event->proxy_op.is_send);
	memset(op->steps, 0, sizeof(op->steps));
	if (op->link)
		atomic_fetch_add(&op->link->ops, 1);
	return op;
}

static struct proxy_step *step_start(const struct descriptor *event)
{
	struct proxy_op *op = event->parent;
	struct proxy_step *step;

	if (!op || op->kind != HANDLE_PROXY_OP || !op->link)
		return NULL;
	step = &op->steps[(unsigned)event->proxy_step.step % STEPS];
	*step = (struct proxy_step){ .kind = HANDLE_PROXY_STEP,
		.since = clock_monotonic_ns(),
		.link = op->link };
	return step;
}

static bool is_address(const struct sockaddr *a, const struct sockaddr *b)
{
	if (!a || a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return !memcmp(&((const struct sockaddr_in *)(const void *)a)->sin_addr,
			&((const struct sockaddr_in *)(const void *)b)->sin_addr,
			sizeof(struct in_addr));
	return a->sa_family == AF_INET6 &&
		!memcmp(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr,
			&((const struct sockaddr_in6 *)(const void *)b)->sin6_addr,
			sizeof(struct in6_addr));
}

/* The interface that has the address of the socket's own end. */
static void interface_find(int fd, char name[NIC_SIZE])
{
	union {
		struct sockaddr any;
		struct sockaddr_storage room;
	} own;
	socklen_t size = sizeof(own);
	struct ifaddrs *all = NULL;

	*name = '\0';
	if (getsockname(fd, &own.any, &size) < 0 || getifaddrs(&all) < 0)
		return;
	for (const struct ifaddrs *at = all; at && !*name; at = at->ifa_next)
		if (is_address(at->ifa_addr, &own.any))
			snprintf(name, NIC_SIZE, "%.*s", NIC_SIZE - 1, at->ifa_name);
	freeifaddrs(all);
}

/* The network's event of a step names the device, or the socket: asked once for a link. */
static void net_start(const struct descriptor *event)
{
	const struct proxy_step *step = event->parent;
	const struct net_event *net = event->net.data;
	struct proxy_link *link;
	int saved = errno;

	if (!step || step->kind != HANDLE_PROXY_STEP || !net || (event->net.id & NET_VERSION) != 1)
		return;
	link = step->link;
	if (atomic_load(&link->has_nic))
		return;
	if ((event->net.id & ~NET_VERSION) == NET_IB)
		snprintf(link->nic, sizeof(link->nic), "IB device %d", net->ib.device);
	else if ((event->net.id & ~NET_VERSION) == NET_SOCKET)
		interface_find(net->socket.fd, link->nic);
	atomic_store(&link->has_nic, 1);
	errno = saved;
}

static void count(uint64_t began)
{
	atomic_fetch_add_explicit(&nevents, 1, memory_order_relaxed);
	atomic_fetch_add_explicit(&own_ns, clock_monotonic_ns() - began, memory_order_relaxed);
}

void *nccl_proxy_start(struct context *context, unsigned type, const struct descriptor *event)
{
	uint64_t began = clock_monotonic_ns();
	void *handle = NULL;

	if (type == EVENT_PROXY_OP)
		handle = op_start(context, event);
	else if (type == EVENT_PROXY_STEP)
		handle = step_start(event);
	else
		net_start(event);
	count(began);
	return handle;
}

static bool is_in_network(int state)
{
	return state == STATE_SEND_WAIT || state == STATE_RECV_WAIT;
}

static void step_change(struct proxy_step *step, int state, uint64_t now)
{
	struct proxy_link *link = step->link;
	uint64_t took = now - step->since;

	if (step->state == STATE_SEND_PEER_WAIT)
		atomic_fetch_add_explicit(&link->peer_ns, took, memory_order_relaxed);
	else if (step->state == STATE_SEND_GPU_WAIT || step->state == STATE_RECV_GPU_WAIT)
		atomic_fetch_add_explicit(&link->gpu_ns, took, memory_order_relaxed);
	if (is_in_network(state) && !is_in_network(step->state) &&
		!atomic_fetch_add(&link->nflying, 1))
		link->since = now;
	if (is_in_network(step->state) && !is_in_network(state) &&
		atomic_fetch_sub(&link->nflying, 1) == 1)
		atomic_fetch_add_explicit(&link->net_ns, now - link->since, memory_order_relaxed);
	step->state = state;
	step->since = now;
}

/* The bytes of a step are known as it is sent, or has come. */
void nccl_proxy_state(void *handle, int state, const void *arguments)
{
	struct proxy_step *step = handle;
	uint64_t began = clock_monotonic_ns();
	bool has_bytes;
	size_t nbytes = 0;

	if (step->kind != HANDLE_PROXY_STEP)
		return;
	has_bytes = state == STATE_SEND_WAIT ||
		(step->state == STATE_RECV_WAIT && state != STATE_RECV_WAIT);
	if (has_bytes && arguments)
		memcpy(&nbytes, arguments, sizeof(nbytes));
	atomic_fetch_add_explicit(&step->link->bytes, nbytes, memory_order_relaxed);
	step_change(step, state, began);
	count(began);
}

/* --- properties of the process --- */

static void link_say(unsigned number, const struct proxy_link *link,
	const struct nccl_member *member)
{
	char key[40], text[320];

	snprintf(key, sizeof(key), "process.nccl_link.%u", number);
	snprintf(text, sizeof(text),
		"{\"comm\":\"%016llx\",\"rank\":%d,\"peer\":%d,\"send\":%d,\"nic\":\"%s\",\"ops\":%llu,"
		"\"bytes\":%llu,\"net_ns\":%llu,\"peer_ns\":%llu,\"gpu_ns\":%llu}",
		(unsigned long long)member->hash, member->rank, link->peer, link->is_send,
		atomic_load(&link->has_nic) ? link->nic : "", (unsigned long long)link->ops,
		(unsigned long long)link->bytes, (unsigned long long)link->net_ns,
		(unsigned long long)link->peer_ns, (unsigned long long)link->gpu_ns);
	process_define_property(key, text);
}

static void proxy_say(void)
{
	static _Atomic uint32_t is_busy;
	static uint64_t said;
	uint64_t n = atomic_load(&nevents);
	int saved = errno;
	char text[80];

	if (n == said || atomic_exchange(&is_busy, 1))
		return;
	said = n;
	for (unsigned i = 0; i < LINKS; i++) {
		struct nccl_member *member = atomic_load(&links[i].member);

		if (member)
			link_say(i + 1, &links[i], member);
	}
	snprintf(text, sizeof(text), "1 in %u, %llu events, %llu ns", every(),
		(unsigned long long)n, (unsigned long long)own_ns);
	process_define_property("process.nccl_sample", text);
	atomic_store(&is_busy, 0);
	errno = saved;
}

void nccl_proxy_stop(void *handle)
{
	static _Atomic uint64_t said_ns, rest_ns = SAY_NS;
	struct proxy_op *op = handle;
	uint64_t began = clock_monotonic_ns(), last = atomic_load(&said_ns);

	if (op->kind == HANDLE_PROXY_STEP) {
		step_change(handle, 0, began);
		count(began);
		return;
	}
	atomic_store(&op->is_busy, 0);
	if (began - last >= atomic_load(&rest_ns) &&
		atomic_compare_exchange_strong(&said_ns, &last, began) && last) {
		/* each time all links are written again: a long run has a limited number of these */
		atomic_store(&rest_ns, 2 * atomic_load(&rest_ns));
		proxy_say();
	}
	count(began);
}

const struct source tacho_proxy_source = { .end_first = proxy_say };
