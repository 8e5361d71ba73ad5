/*
 * doctor_nccl.c - all-reduces and all-to-alls of NCCL over the GPUs of all nodes, by size. The first process of each
 * node drives all GPUs of its node. NCCL is found at run time, and has a time after which the doctor ends without it.
 */
#include "config.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/par.h"
#include "doctor/doctor.h"
#include "doctor/doctor_cuda.h"

enum { TURNS = 5, LEAST = 8 << 10, MOST = 256 << 20, MOST_BRIEF = 512 << 10, PATIENCE_S = 40 };
enum { NCCL_BYTE = 0, NCCL_FLOAT = 7, NCCL_SUM = 0, ID_BYTES = 128 };
#define SLOW_S 0.1 /* larger ones are not tried */

struct nccl_unique_id {
	char bytes[ID_BYTES];
};

struct nccl_library_calls {
	int (*id)(struct nccl_unique_id *), (*init)(void **, int, struct nccl_unique_id, int),
		(*destroy)(void *), (*begin)(void), (*end)(void),
		(*reduce)(const void *, void *, size_t, int, int, void *, void *),
		(*send)(const void *, size_t, int, int, void *, void *),
		(*receive)(void *, size_t, int, int, void *, void *);
};

/* Sent by each process before: its number of GPUs, and an id; all use the first process's id. */
struct nccl_entry {
	int ngpus;
	struct nccl_unique_id id;
};

struct gpus {
	const struct doctor_cuda *cuda;
	struct nccl_library_calls nccl;
	int n, first, all; /* of this process, the number of the first, of all processes */
	void *context[DOCTOR_DEVICES], *comm[DOCTOR_DEVICES];
	device_address in[DOCTOR_DEVICES], out[DOCTOR_DEVICES];
};

static bool nccl_load(struct nccl_library_calls *nccl)
{
	const struct doctor_symbol all[] = { { "ncclGetUniqueId", &nccl->id },
		{ "ncclCommInitRank", &nccl->init }, { "ncclCommDestroy", &nccl->destroy },
		{ "ncclGroupStart", &nccl->begin }, { "ncclGroupEnd", &nccl->end },
		{ "ncclAllReduce", &nccl->reduce }, { "ncclSend", &nccl->send },
		{ "ncclRecv", &nccl->receive } };
	void *library = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);

	return doctor_symbols(library, all, sizeof(all) / sizeof(*all));
}

/* ---- when NCCL waits for ever, for a network that it cannot use for example */

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t over;
	bool is_over;
} watch = { .mutex = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER };

static void *watch_run(void *unused)
{
	struct timespec until;

	(void)unused;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	pthread_mutex_lock(&watch.mutex);
	while (!watch.is_over &&
		pthread_cond_timedwait(&watch.over, &watch.mutex, &until) != ETIMEDOUT)
		;
	if (!watch.is_over) {
		log_error(
			"NCCL has not ended in %d s: check the output of NCCL_DEBUG=INFO, or skip NCCL by --no-nccl",
			PATIENCE_S);
		guard_leave(1);
	}
	pthread_mutex_unlock(&watch.mutex);
	return NULL;
}

static void watch_end(pthread_t thread)
{
	pthread_mutex_lock(&watch.mutex);
	watch.is_over = true;
	pthread_cond_signal(&watch.over);
	pthread_mutex_unlock(&watch.mutex);
	pthread_join(thread, NULL);
}

/* ---- operations */

static int group_begin(const struct gpus *gpus)
{
	return gpus->nccl.begin();
}

/* One operation on all GPUs of this process, until it has ended. */
static int operation_do(const struct gpus *gpus, enum doctor_collective which, size_t bytes)
{
	size_t each = bytes / (size_t)gpus->all;
	int code = group_begin(gpus);

	for (int i = 0; i < gpus->n; i++) {
		char *in = (char *)(uintptr_t)gpus->in[i], *out = (char *)(uintptr_t)gpus->out[i];

		code |= gpus->cuda->current(gpus->context[i]);
		if (which == DOCTOR_NCCL_ALLREDUCE)
			code |= gpus->nccl.reduce(in, out, bytes / sizeof(float), NCCL_FLOAT,
				NCCL_SUM, gpus->comm[i], NULL);
		for (int r = 0; which == DOCTOR_NCCL_ALLTOALL && r < gpus->all; r++) {
			code |= gpus->nccl.send(in + (size_t)r * each, each, NCCL_BYTE, r,
				gpus->comm[i], NULL);
			code |= gpus->nccl.receive(out + (size_t)r * each, each, NCCL_BYTE, r,
				gpus->comm[i], NULL);
		}
	}
	code |= gpus->nccl.end();
	for (int i = 0; i < gpus->n; i++) {
		code |= gpus->cuda->current(gpus->context[i]);
		code |= gpus->cuda->synchronize(NULL);
	}
	return code;
}

/* The maximum over the processes; NAN if any has NAN. */
static double most_of_all(double mine)
{
	char *all = NULL;
	size_t *sizes = NULL;
	double most = -INFINITY;

	if (par_allgather(&mine, sizeof(mine), &all, &sizes) < 0)
		return NAN;
	for (int r = 0; r < par_size(); r++) {
		double value;

		memcpy(&value, all + (size_t)r * sizeof(value), sizeof(value));
		most = isnan(value) || isnan(most) ? NAN : fmax(most, value);
	}
	free(all);
	free(sizes);
	return most;
}

/* Seconds of the best turn of the slowest process, the first turn not counted; NAN: it failed. */
static double size_measure(const struct gpus *gpus, enum doctor_collective which, size_t bytes)
{
	double best = gpus->n ? INFINITY : 0;

	for (int turn = 0; gpus->n && !isnan(best) && turn <= TURNS; turn++) {
		int64_t begun = clock_now_ns(CLOCK_MONOTONIC);

		if (operation_do(gpus, which, bytes) != 0)
			best = NAN;
		else if (turn)
			best = fmin(best, (double)(clock_now_ns(CLOCK_MONOTONIC) - begun) * 1e-9);
	}
	return most_of_all(best);
}

/* Allocates buffers and communicators; code 0: success. */
static int gpus_start(struct gpus *gpus, const struct nccl_unique_id *id, size_t bytes)
{
	int code = 0;

	for (int i = 0; i < gpus->n && code == 0; i++) {
		code |= gpus->cuda->retain(&gpus->context[i], i);
		code |= gpus->cuda->current(gpus->context[i]);
		code |= gpus->cuda->alloc(&gpus->in[i], bytes);
		code |= gpus->cuda->alloc(&gpus->out[i], bytes);
		code = code ? code : gpus->cuda->clear(gpus->in[i], 0, bytes);
	}
	if (par_any_failed(code != 0))
		return -1;
	if (!gpus->n)
		return 0;
	code = group_begin(gpus);
	for (int i = 0; i < gpus->n; i++) {
		code |= gpus->cuda->current(gpus->context[i]);
		code |= gpus->nccl.init(&gpus->comm[i], gpus->all, *id, gpus->first + i);
	}
	return code | gpus->nccl.end();
}

static void gpus_end(struct gpus *gpus)
{
	for (int i = 0; i < gpus->n; i++) {
		if (!gpus->context[i])
			continue;
		gpus->cuda->current(gpus->context[i]);
		if (gpus->comm[i])
			gpus->nccl.destroy(gpus->comm[i]);
		if (gpus->in[i])
			gpus->cuda->dealloc(gpus->in[i]);
		if (gpus->out[i])
			gpus->cuda->dealloc(gpus->out[i]);
		gpus->cuda->current(NULL);
		gpus->cuda->release(i);
	}
}

static bool sweeps_measure(struct doctor *doctor, const struct gpus *gpus, size_t most)
{
	double seconds = 0;

	for (int which = DOCTOR_NCCL_ALLREDUCE; which <= DOCTOR_NCCL_ALLTOALL; which++) {
		struct doctor_sweep *sweep = &doctor->sweeps[which];
		bool goes_on = true;

		sweep->members = gpus->all;
		for (size_t bytes = LEAST; bytes <= most && goes_on; bytes *= 8) {
			seconds = size_measure(gpus, which, bytes);
			goes_on = !isnan(seconds) &&
				doctor_sweep_add(sweep, which, bytes, seconds) && seconds < SLOW_S;
		}
		if (isnan(seconds))
			return false;
	}
	return true;
}

/* Who brings how many GPUs, and the id that they meet by. 0, or -1 (reported). */
static int entries_exchange(struct gpus *gpus, struct nccl_unique_id *id, const bool *leads)
{
	struct nccl_entry mine = { 0 }, *entries;
	char *all = NULL;
	size_t *sizes = NULL;
	int n = 0, code = 0;

	if (leads[par_rank()] && gpus->cuda && gpus->cuda->count(&n) == 0 && n > 0 &&
		nccl_load(&gpus->nccl)) {
		mine.ngpus = gpus->n = n < DOCTOR_DEVICES ? n : DOCTOR_DEVICES;
		code = gpus->nccl.id(&mine.id);
	}
	if (code != 0)
		mine.ngpus = gpus->n = 0;
	if (par_allgather(&mine, sizeof(mine), &all, &sizes) < 0)
		return -1;
	entries = (struct nccl_entry *)all;
	for (int r = 0; r < par_size(); r++) {
		if (entries[r].ngpus && !gpus->all)
			*id = entries[r].id;
		if (r == par_rank())
			gpus->first = gpus->all;
		gpus->all += entries[r].ngpus;
	}
	free(all);
	free(sizes);
	return 0;
}

int doctor_nccl(struct doctor *doctor, struct doctor_node *node, const bool *leads)
{
	struct gpus gpus = { 0 };
	struct nccl_unique_id id = { { 0 } };
	size_t most = doctor->wanted.brief ? MOST_BRIEF : MOST;
	pthread_t thread;

	if (doctor->wanted.no_nccl)
		return 0;
	gpus.cuda = leads[par_rank()] ? doctor_cuda() : NULL;
	if (entries_exchange(&gpus, &id, leads) < 0)
		return -1;
	if (gpus.all < 2)
		return 0;
	if (par_any_failed(pthread_create(&thread, NULL, watch_run, NULL) != 0))
		return -1;
	if (par_any_failed(gpus_start(&gpus, &id, most) != 0) ||
		!sweeps_measure(doctor, &gpus, most))
		doctor_trouble(node,
			"NCCL fails over the %d GPUs of all nodes: check the output of "
			"NCCL_DEBUG=INFO",
			gpus.all);
	gpus_end(&gpus);
	watch_end(thread);
	return 0;
}
