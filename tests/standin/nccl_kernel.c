/*
 * nccl_kernel.c - a kernel of the stand-in for NCCL, on a stream's thread: it waits for its turn in
 * the communicator and carries its tasks out, messages all at once, then collectives.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nccl_standin.h"
#include "standin.h"

static size_t bytes_of(const struct task *t)
{
	return t->count * type_size(t->type);
}

/* Element range that rank `i` sums up. */
static size_t share(const struct task *t, int i)
{
	return t->count * (size_t)i / (size_t)t->comm->size;
}

/*
 * Each rank sums its share of the elements: gets it from every rank, and adds them in the order of
 * ranks. `where` is the place of share i in every rank's buffer.
 */
static int reduce_shares(const struct task *t, const void *send, void *out, bool is_scattered)
{
	struct ncclComm *comm = t->comm;
	int n = comm->size, ret = -1;
	size_t size = type_size(t->type), total = is_scattered ? t->count * (size_t)n : t->count;
	size_t first = is_scattered ? t->count * (size_t)comm->rank : share(t, comm->rank);
	size_t mine = is_scattered ? t->count : share(t, comm->rank + 1) - first;
	char *own = malloc(total * size + 1), *got = malloc(mine * (size_t)n * size + 1);
	struct part *parts = calloc(2 * (size_t)n, sizeof(*parts));
	void **rows = calloc((size_t)n, sizeof(*rows));

	if (own && got && parts && rows) {
		memcpy(own, send, total * size);
		reduce_prepare(comm, own, total, t->type, t->op);
		for (int i = 0; i < n; i++) {
			size_t from = is_scattered ? t->count * (size_t)i : share(t, i);
			size_t count = is_scattered ? t->count : share(t, i + 1) - from;

			rows[i] = got + (size_t)i * mine * size;
			parts[i] = (struct part){ i, own + from * size, count * size };
			parts[n + i] = (struct part){ i, rows[i], mine * size };
		}
		ret = net_exchange(comm, comm->data, parts, n, parts + n, n);
		if (ret == 0)
			reduce(comm, out, rows, mine, t->type, t->op);
	}
	free(own);
	free(got);
	free(parts);
	free(rows);
	return ret;
}

/* Parts between all ranks: `stride` bytes to and from each, or the same to all (0). */
static int all_to_all(const struct task *t, size_t send_stride, size_t recv_stride, bool sends,
	bool receives, size_t bytes)
{
	struct ncclComm *comm = t->comm;
	struct part *parts = calloc(2 * (size_t)comm->size, sizeof(*parts));
	int nsends = 0, nreceives = 0, ret;

	if (!parts)
		return -1;
	for (int i = 0; i < comm->size && sends; i++)
		parts[nsends++] = (struct part){ i, (char *)t->send + (size_t)i * send_stride,
			bytes };
	for (int i = 0; i < comm->size && receives; i++)
		parts[comm->size + nreceives++] = (struct part){ i,
			(char *)t->recv + (size_t)i * recv_stride, bytes };
	ret = net_exchange(comm, comm->data, parts, nsends, parts + comm->size, nreceives);
	free(parts);
	return ret;
}

/* The root's `bytes` to all: it sends them once to each, also to itself. */
static int from_root(const struct task *t, size_t stride, size_t bytes)
{
	struct part *parts = calloc((size_t)t->comm->size, sizeof(*parts));
	struct part mine = { t->peer, t->recv, bytes };
	bool is_root = t->comm->rank == t->peer;
	int ret;

	for (int i = 0; parts && is_root && i < t->comm->size; i++)
		parts[i] = (struct part){ i, (char *)t->send + (size_t)i * stride, bytes };
	ret = parts
		? net_exchange(t->comm, t->comm->data, parts, is_root ? t->comm->size : 0, &mine, 1)
		: -1;
	free(parts);
	return ret;
}

static int to_root(const struct task *t, void *into, size_t bytes)
{
	struct part *parts = calloc((size_t)t->comm->size, sizeof(*parts));
	struct part mine = { t->peer, (char *)t->send, bytes };
	bool is_root = t->comm->rank == t->peer;
	int ret;

	for (int i = 0; parts && is_root && i < t->comm->size; i++)
		parts[i] = (struct part){ i, (char *)into + (size_t)i * bytes, bytes };
	ret = parts
		? net_exchange(t->comm, t->comm->data, &mine, 1, parts, is_root ? t->comm->size : 0)
		: -1;
	free(parts);
	return ret;
}

static int run_allreduce(const struct task *t)
{
	size_t size = type_size(t->type), first = share(t, t->comm->rank);
	struct ncclComm *comm = t->comm;
	char *mine = malloc((share(t, comm->rank + 1) - first) * size + 1);
	struct part *parts = calloc(2 * (size_t)comm->size, sizeof(*parts));
	int ret = mine && parts ? reduce_shares(t, t->send, mine, false) : -1;

	for (int i = 0; ret == 0 && i < comm->size; i++) {
		parts[i] = (struct part){ i, mine, (share(t, comm->rank + 1) - first) * size };
		parts[comm->size + i] = (struct part){ i, (char *)t->recv + share(t, i) * size,
			(share(t, i + 1) - share(t, i)) * size };
	}
	if (ret == 0)
		ret = net_exchange(comm, comm->data, parts, comm->size, parts + comm->size,
			comm->size);
	free(mine);
	free(parts);
	return ret;
}

static int run_reduce(const struct task *t)
{
	struct ncclComm *comm = t->comm;
	bool is_root = comm->rank == t->peer;
	size_t bytes = bytes_of(t);
	char *own = malloc(bytes + 1);
	char *all = is_root ? malloc(bytes * (size_t)comm->size + 1) : NULL;
	void **rows = calloc((size_t)comm->size, sizeof(*rows));
	struct task sent = *t;
	int ret = -1;

	if (own && rows && (all || !is_root)) {
		memcpy(own, t->send, bytes);
		reduce_prepare(comm, own, t->count, t->type, t->op);
		sent.send = own;
		ret = to_root(&sent, all, bytes);
		for (int i = 0; i < comm->size; i++)
			rows[i] = all + (size_t)i * bytes;
		if (ret == 0 && is_root)
			reduce(comm, t->recv, rows, t->count, t->type, t->op);
	}
	free(own);
	free(all);
	free(rows);
	return ret;
}

static int carry_out(const struct task *t)
{
	size_t bytes = bytes_of(t);

	switch (t->function) {
	case FUNCTION_BROADCAST: return from_root(t, 0, bytes);
	case FUNCTION_REDUCE: return run_reduce(t);
	case FUNCTION_ALLGATHER: return all_to_all(t, 0, bytes, true, true, bytes);
	case FUNCTION_REDUCESCATTER: return reduce_shares(t, t->send, t->recv, true);
	case FUNCTION_ALLREDUCE: return run_allreduce(t);
	case FUNCTION_ALLTOALL: return all_to_all(t, bytes, bytes, true, true, bytes);
	case FUNCTION_GATHER: return to_root(t, t->recv, bytes);
	case FUNCTION_SCATTER: return from_root(t, bytes, bytes);
	default: return 0;
	}
}

static int run_collective(const struct task *t)
{
	uint64_t start = standin_monotonic();
	int ret;

	proxy_begin(t);
	ret = carry_out(t);
	rate_wait(t, start);
	proxy_end(t);
	return ret;
}

/* A byte back for each message. */
static int acknowledge(struct ncclComm *comm, struct part *sends, int nsends, struct part *receives,
	int nreceives)
{
	static char byte;
	char got;

	for (int i = 0; i < nsends; i++)
		sends[i] = (struct part){ sends[i].peer, &got, 1 };
	for (int i = 0; i < nreceives; i++)
		receives[i] = (struct part){ receives[i].peer, &byte, 1 };
	return net_exchange(comm, comm->data, receives, nreceives, sends, nsends);
}

static bool is_message(const struct task *t)
{
	return t->function == FUNCTION_SEND || t->function == FUNCTION_RECV;
}

/*
 * All messages of the kernel at once: none waits for another. A send is over when the receiver
 * reports it, that is not before its kernel runs.
 */
static int run_messages(struct kernel *kernel)
{
	int n = 0, nsends = 0, nreceives = 0, ret;
	struct part *sends, *receives;

	for (struct task *t = kernel->tasks; t; t = t->next)
		n++;
	sends = calloc((size_t)n, sizeof(*sends));
	receives = calloc((size_t)n, sizeof(*receives));
	for (struct task *t = kernel->tasks; t && sends && receives; t = t->next) {
		if (t->function == FUNCTION_SEND)
			sends[nsends++] = (struct part){ t->peer, (char *)t->send, bytes_of(t) };
		else if (t->function == FUNCTION_RECV)
			receives[nreceives++] = (struct part){ t->peer, t->recv, bytes_of(t) };
	}
	ret = sends && receives
		? net_exchange(kernel->comm, kernel->comm->data, sends, nsends, receives, nreceives)
		: -1;
	if (ret == 0)
		ret = acknowledge(kernel->comm, sends, nsends, receives, nreceives);
	free(sends);
	free(receives);
	return ret;
}

/*
 * As with the real one, a kernel never ends after its peers have gone: the next work in the stream
 * must not take half a result for a complete one.
 */
static void kernel_fail(struct ncclComm *comm)
{
	const struct timespec nap = { .tv_nsec = 10000000 };

	atomic_store(&comm->error, ncclRemoteError);
	while (!atomic_load(&comm->aborted))
		nanosleep(&nap, NULL);
}

void kernel_run(void *arg)
{
	struct kernel *kernel = arg;
	struct ncclComm *comm = kernel->comm;
	int ret;

	pthread_mutex_lock(&comm->mutex);
	while (!kernel->is_captured && comm->served != kernel->ticket)
		pthread_cond_wait(&comm->turn, &comm->mutex);
	if (!kernel->is_captured)
		pthread_mutex_unlock(&comm->mutex);
	ret = run_messages(kernel);
	for (struct task *t = kernel->tasks; t && ret == 0; t = t->next)
		if (!is_message(t))
			ret = run_collective(t);
	if (ret < 0)
		kernel_fail(comm);
	if (!kernel->is_captured) {
		pthread_mutex_lock(&comm->mutex);
		comm->served++;
	}
	pthread_cond_broadcast(&comm->turn);
	pthread_mutex_unlock(&comm->mutex);
}

void tasks_free(struct task *task)
{
	while (task) {
		struct task *next = task->next;

		free(task);
		task = next;
	}
}

void kernel_release(void *arg)
{
	struct kernel *kernel = arg;

	tasks_free(kernel->tasks);
	free(kernel);
}

void comm_drain(struct ncclComm *comm)
{
	pthread_mutex_lock(&comm->mutex);
	while (comm->served != comm->next && !comm->error)
		pthread_cond_wait(&comm->turn, &comm->mutex);
	pthread_mutex_unlock(&comm->mutex);
}
