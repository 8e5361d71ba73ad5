/*
 * doctor_memory.c - memory bandwidth by the triad of STREAM (McCalpin 1995): a[i] = b[i] + s * c[i] by a thread
 * per core of this process, on arrays of four times the last cache, best of several times; 24 bytes count an element.
 * Matrix
 * products by OpenBLAS, where there is one; and the clock of a core.
 */
#include "config.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock_now.h"
#include "doctor/doctor.h"

enum {
	TIMES = 6,
	ADDITIONS = 1 << 20,
	CLOCK_TIMES = 50,
	TIMES_BRIEF = 3,
	THREADS_MOST = 512,
	GEMM_SIZE = 1536,
	GEMM_BRIEF = 512
};
#define LEAST_BYTES (INT64_C(64) << 20) /* of an array */
#define MOST_BYTES  (INT64_C(1) << 30)

struct triad {
	size_t n; /* elements of an array */
	int nthreads, times;
	double *a, *b, *c;
	pthread_barrier_t barrier;
	double best_s;
	pthread_mutex_t lock; /* of cpu */
	struct doctor_cpu cpu;
};

struct triad_thread {
	struct triad *triad;
	int number, core;
	pthread_t thread;
};

static void *triad_run(void *argument)
{
	struct triad_thread *self = argument;
	struct triad *t = self->triad;
	size_t first = t->n * (size_t)self->number / (size_t)t->nthreads,
	       end = t->n * (size_t)(self->number + 1) / (size_t)t->nthreads;
	double *restrict a = t->a;
	const double *restrict b = t->b, *restrict c = t->c;
	cpu_set_t core;

	CPU_ZERO(&core);
	CPU_SET(self->core, &core);
	pthread_setaffinity_np(pthread_self(), sizeof(core), &core);
	/* first touch places a page in the toucher's memory */
	for (size_t i = first; i < end; i++) {
		t->a[i] = 0;
		t->b[i] = 1;
		t->c[i] = 2;
	}
	for (int k = 0; k < t->times; k++) {
		int64_t begun;
		double seconds;

		pthread_barrier_wait(&t->barrier);
		begun = clock_now_ns(CLOCK_MONOTONIC);
		for (size_t i = first; i < end; i++)
			a[i] = b[i] + 3 * c[i];
		pthread_barrier_wait(&t->barrier);
		seconds = (double)(clock_now_ns(CLOCK_MONOTONIC) - begun) * 1e-9;
		if (self->number == 0 && seconds < t->best_s)
			t->best_s = seconds;
	}
	pthread_mutex_lock(&t->lock);
	doctor_cpu_thread(&t->cpu);
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/*
 * Size of an array in bytes: four times the last cache; all three together at most an eighth of
 * free memory.
 */
static size_t array_bytes(bool brief)
{
	int64_t cache = sysconf(_SC_LEVEL3_CACHE_SIZE), bytes = 4 * cache,
		available = (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE) / 24;

	if (bytes < LEAST_BYTES || brief)
		bytes = LEAST_BYTES;
	if (bytes > MOST_BYTES)
		bytes = MOST_BYTES;
	return (size_t)(bytes < available ? bytes : available);
}

static int threads_start(struct triad *t, struct triad_thread *threads, const cpu_set_t *cores)
{
	int n = 0;

	for (int core = 0; core < CPU_SETSIZE && n < t->nthreads; core++) {
		if (!CPU_ISSET(core, cores))
			continue;
		threads[n] = (struct triad_thread){ .triad = t, .number = n, .core = core };
		if (pthread_create(&threads[n].thread, NULL, triad_run, &threads[n]) != 0)
			return -1; /* the others wait at the barrier for ever: the caller leaves them */
		n++;
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i].thread, NULL);
	return 0;
}

void doctor_memory(struct doctor_node *node, bool brief)
{
	static struct triad t;
	static struct triad_thread threads[THREADS_MOST];
	int ncores = CPU_COUNT(&node->cores);

	t = (struct triad){ .nthreads = ncores < THREADS_MOST ? ncores : THREADS_MOST,
		.times = brief ? TIMES_BRIEF : TIMES,
		.n = array_bytes(brief) / sizeof(double),
		.best_s = INFINITY,
		.lock = PTHREAD_MUTEX_INITIALIZER };
	t.a = malloc(t.n * sizeof(double));
	t.b = malloc(t.n * sizeof(double));
	t.c = malloc(t.n * sizeof(double));
	if (!t.a || !t.b || !t.c || t.nthreads < 1 ||
		pthread_barrier_init(&t.barrier, NULL, (unsigned)t.nthreads) != 0) {
		snprintf(node->note[DOCTOR_TRIAD], DOCTOR_TEXT, "no memory to measure it");
	} else if (threads_start(&t, threads, &node->cores) < 0) {
		snprintf(node->note[DOCTOR_TRIAD], DOCTOR_TEXT,
			"not as many threads as cores can be made");
		return;
	} else {
		node->cpu = t.cpu;
		node->figure[DOCTOR_TRIAD][0] = 24 * (double)t.n / t.best_s * 1e-9;
		snprintf(node->note[DOCTOR_TRIAD], DOCTOR_TEXT, "%d threads, arrays of %zu MiB",
			t.nthreads, t.n * sizeof(double) >> 20);
	}
	free(t.a);
	free(t.b);
	free(t.c);
}

typedef void dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a,
	int lda, const double *b, int ldb, double beta, double *c, int ldc);

void doctor_gemm(struct doctor_node *node, bool brief)
{
	static const char *const names[] = { "libopenblas.so.0", "libopenblas.so", "libmkl_rt.so" };
	int n = brief ? GEMM_BRIEF : GEMM_SIZE;
	double *a = calloc((size_t)n * n, sizeof(*a)), *b = calloc((size_t)n * n, sizeof(*b)),
	       *c = calloc((size_t)n * n, sizeof(*c)), best = INFINITY;
	dgemm *multiply = NULL;
	const char *name = NULL;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !multiply; i++) {
		void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

		name = names[i];
		if (library)
			*(void **)&multiply = dlsym(library, "cblas_dgemm");
	}
	for (int i = 0; multiply && a && b && c && i < 4; i++) {
		int64_t begun = clock_now_ns(CLOCK_MONOTONIC);
		double seconds;

		for (size_t k = 0; i == 0 && k < (size_t)n * n; k++)
			a[k] = b[k] = (double)(k % 7) - 3;
		begun = clock_now_ns(CLOCK_MONOTONIC);
		multiply(101, 111, 111, n, n, n, 1, a, n, b, n, 0, c, n);
		seconds = (double)(clock_now_ns(CLOCK_MONOTONIC) - begun) * 1e-9;
		best = seconds < best ? seconds : best;
	}
	if (isfinite(best)) {
		node->figure[DOCTOR_GEMM][0] = 2.0 * n * n * n / best * 1e-9;
		snprintf(node->note[DOCTOR_GEMM], DOCTOR_TEXT, "double, %d x %d, %s", n, n, name);
	} else {
		snprintf(node->note[DOCTOR_GEMM], DOCTOR_TEXT, "no OpenBLAS is installed");
	}
	free(a);
	free(b);
	free(c);
}

/* Sixteen additions of which each waits for the one before: of a register, as some processors add constants by the way. */
#ifdef __aarch64__
#define ADDITIONS_16 ".rept 16\n add %0, %0, %1\n .endr"
#else
#define ADDITIONS_16 ".rept 16\n add %1, %0\n .endr"
#endif

/* The clock of a core in GHz, at one cycle for each addition; best of several times. */
void doctor_clock(struct doctor_node *node)
{
	double best = INFINITY, all, ran = (double)clock_now_ns(CLOCK_THREAD_CPUTIME_ID);
	int64_t first = clock_now_ns(CLOCK_MONOTONIC);

	for (int i = 0; i < CLOCK_TIMES; i++) {
		int64_t begun = clock_now_ns(CLOCK_MONOTONIC);
		uint64_t sum = (uint64_t)begun, one = 1;

		for (int k = 0; k < ADDITIONS; k += 16)
			__asm__ volatile(ADDITIONS_16 : "+r"(sum) : "r"(one) : "cc");
		best = fmin(best, (double)(clock_now_ns(CLOCK_MONOTONIC) - begun));
	}
	all = (double)(clock_now_ns(CLOCK_MONOTONIC) - first);
	ran = (double)clock_now_ns(CLOCK_THREAD_CPUTIME_ID) - ran;
	node->lacked = 1 - fmin(ran, all) / all;
	node->figure[DOCTOR_CLOCK][0] = ADDITIONS / best;
}
