/* par.c - see par.h. */
#include "config.h"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/par.h"
#include "base/rundir.h"

enum { COLLECT_NAP_NS = 100000 };

static const struct par_mpi *mpi;
static int rank, size = 1;
static bool lost, apart;

/* The launcher's number of processes. */
static int launched_size(void)
{
	static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_SIZE",
		"SLURM_NTASKS" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		/*
		 * A batch script sets SLURM_NTASKS for its shell too; only a step's task has a
		 * number.
		 */
		if (value && (i < 3 || (getenv("SLURM_STEP_ID") && getenv("SLURM_PROCID"))))
			return atoi(value);
	}
	return 1;
}

/* Whether there are others, which this process has not lost. */
static bool is_shared(void)
{
	return mpi && !lost;
}

int par_start(void)
{
	char *path;
	void *module;

	if (par_is_local(&rank, &size)) {
		mpi = &par_local;
		if (mpi->start(&rank, &size) == 0)
			return 0;
		log_error("the %d processes that were started cannot find each other: start one, "
			  "or set TACHO_APART=1",
			size);
		par_end();
		return -1;
	}
	rank = 0;
	size = 1;
	if (launched_size() <= 1)
		return 0;
	path = module_file("tacho-mpi.so");
	if (!path)
		return -1;
	/* Global, because Open MPI's own components search for libmpi's symbols. */
	module = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	mpi = module ? dlsym(module, "tacho_par_mpi") : NULL;
	free(path);
	if (!mpi) {
		log_error("several processes were started but %s: start one, or build tacho with "
			  "this MPI",
			dlerror());
		return -1;
	}
	if (mpi->start(&rank, &size) < 0) {
		log_error("MPI_Init failed: start a single process");
		return -1;
	}
	if (size != launched_size()) {
		log_error("the launcher belongs to another MPI than tacho was built with: use "
			  "that one's, or start one process");
		par_end();
		return -1;
	}
	return 0;
}

int par_join(const struct par_mpi *calls)
{
	mpi = calls;
	apart = true;
	if (mpi->start(&rank, &size) == 0)
		return 0;
	par_end();
	return -1;
}

void par_end(void)
{
	if (is_shared()) /* else the others are not waited for */
		mpi->end();
	mpi = NULL;
	rank = 0;
	size = 1;
}

int par_rank(void)
{
	return rank;
}

int par_size(void)
{
	return size;
}

void par_lost(void)
{
	if (!lost)
		log_error("out of memory for messages between processes");
	lost = true;
}

bool par_is_lost(void)
{
	return lost;
}

static void note_result(int result)
{
	if (result < 0 && apart)
		lost = true; /* that layer has reported the process */
	else if (result < 0)
		par_lost();
}

void par_barrier(void)
{
	if (is_shared())
		note_result(mpi->barrier());
}

int par_any_failed(int failed)
{
	int any = is_shared() ? mpi->max(!!failed) : !!failed;

	note_result(any);
	return lost || any;
}

void par_send(int to, const void *data, size_t n)
{
	if (is_shared())
		note_result(mpi->send(to, data, n));
}

int par_allreduce(double *values, size_t n)
{
	return is_shared() && mpi->allreduce ? mpi->allreduce(values, n) : -1;
}

int par_alltoall(const void *mine, void *all, size_t each)
{
	return is_shared() && mpi->alltoall ? mpi->alltoall(mine, all, each) : -1;
}

int par_probe(int *from, size_t *n)
{
	int any = is_shared() ? mpi->probe(from, n) : 0;

	note_result(any);
	return any > 0;
}

void par_receive(int from, void *data, size_t n)
{
	if (is_shared())
		mpi->receive(from, data, n);
}

/* Allocates buffers for the data of all ranks. False if any rank is out of memory. */
static bool room_make(size_t n, char **all, size_t **sizes)
{
	size_t total = 0;

	*sizes = calloc(size, sizeof(**sizes));
	if (*sizes) {
		(*sizes)[0] = n;
		if (is_shared())
			note_result(mpi->sizes(n, *sizes));
		for (int r = 0; r < size; r++)
			total += (*sizes)[r];
		*all = malloc(total + 1);
	}
	return !par_any_failed(!*all);
}

int par_allgather(const void *data, size_t n, char **all, size_t **sizes)
{
	*all = NULL;
	if (room_make(n, all, sizes)) {
		if (mpi)
			note_result(mpi->gather(data, *sizes, *all));
		else if (n)
			memcpy(*all, data, n);
		if (!lost)
			return 0;
	} else if (!lost) {
		log_error("out of memory");
	}
	free(*all);
	free(*sizes);
	*all = NULL;
	*sizes = NULL;
	return -1;
}

int par_jobs(int jobs)
{
	cpu_set_t cpus;

	if (jobs > 0)
		return jobs;
	if (sched_getaffinity(0, sizeof(cpus), &cpus) < 0)
		return 1;
	jobs = CPU_COUNT(&cpus);
	if (apart)
		return jobs;
	/* Several processes on a node that were not pinned apart share its cores. */
	return jobs > size ? jobs / size : 1;
}

/* Rank 0: stores the data of the others in rank order. -1: a process is lost. */
static int collect(const size_t *sizes, char *all)
{
	int awaited = 0;

	for (int r = 1; r < size; r++)
		awaited += sizes[r] > 0;
	while (awaited > 0 && !par_is_lost()) {
		char *at = all;
		int from;
		size_t n;

		if (!par_probe(&from, &n)) {
			nanosleep(&(struct timespec){ .tv_nsec = COLLECT_NAP_NS }, NULL);
			continue;
		}
		for (int r = 0; r < from; r++)
			at += sizes[r];
		par_receive(from, at, n);
		awaited--;
	}
	return par_is_lost() ? -1 : 0;
}

int par_collect(const void *data, size_t n, char **all, size_t *total)
{
	size_t *each = NULL, *ignored = NULL;
	int ret = -1;

	*all = NULL;
	*total = 0;
	if (par_allgather(&n, sizeof(n), (char **)&each, &ignored) < 0)
		return -1;
	for (int r = 0; r < size && !rank; r++)
		*total += each[r];
	if (!rank)
		*all = malloc(*total + 1);
	if (par_any_failed(!rank && !*all)) {
		if (!lost)
			log_error("out of memory");
	} else if (rank) {
		if (n)
			par_send(0, data, n);
		ret = lost ? -1 : 0;
	} else {
		if (n)
			memcpy(*all, data, n);
		ret = collect(each, *all);
	}
	free(each);
	free(ignored);
	return ret;
}

struct pool {
	int (*work)(void *context, size_t i);
	void *context;
	size_t n;
	atomic_size_t next;
	atomic_int failed;
};

static void *pool_thread(void *arg)
{
	struct pool *pool = arg;
	size_t i;

	while (!pool->failed && (i = atomic_fetch_add(&pool->next, 1)) < pool->n)
		if (pool->work(pool->context, i) < 0)
			pool->failed = 1;
	return NULL;
}

int par_for(int jobs, size_t n, int (*work)(void *context, size_t i), void *context)
{
	struct pool pool = { .work = work, .context = context, .n = n };
	pthread_t *threads;
	int started = 0;

	if ((size_t)jobs > n)
		jobs = n;
	threads = calloc(jobs > 0 ? jobs : 1, sizeof(*threads));
	while (threads && started < jobs - 1 &&
		pthread_create(&threads[started], NULL, pool_thread, &pool) == 0)
		started++;
	pool_thread(&pool);
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return pool.failed ? -1 : 0;
}
