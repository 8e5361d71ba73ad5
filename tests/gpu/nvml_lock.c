/*
 * nvml_lock.c - whether NVML and the CUDA driver get on when both initialise at a time, with no tool in
 * the process or with the one that CUDA_INJECTION64_PATH names. With CUPTI attached by an injected
 * library an nvmlInit that waited for cuInit kept their common lock (driver 580), and the next cuInit
 * never came back: see collector/counters/nvml.c. Prints a line for each way to meet: how many of its
 * tries hung.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRIES 5
#define LIMIT 4	    /* s; a first cuInit takes less than one */
#define MANY  2000  /* later calls of cuInit */
#define STEP  15000 /* µs by which tries differ */

enum way { AFTER, FIRST, BEFORE, LATER, WAYS };
static const char *const names[WAYS] = { "nvmlInit after cuInit",
	"nvmlInit during the first cuInit", "the first cuInit during nvmlInit",
	"nvmlInit during later ones" };

static int (*cu_init)(unsigned);
static int (*nvml_init)(void);
static useconds_t cu_delay, nvml_delay;
static int cu_times = 1;

static void *cuda(void *arg)
{
	usleep(cu_delay);
	for (int i = 0; i < cu_times; i++)
		if (cu_init(0))
			_exit(3);
	return arg;
}

static void *nvml(void *arg)
{
	usleep(nvml_delay);
	if (nvml_init())
		_exit(3);
	return arg;
}

/* In a separate process: 0 when all come back. */
static void try(enum way way, int n)
{
	void *driver = dlopen("libcuda.so.1", RTLD_NOW),
	     *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
	pthread_t threads[2];

	if (!driver || !library)
		_exit(3);
	*(void **)&cu_init = dlsym(driver, "cuInit");
	*(void **)&nvml_init = dlsym(library, "nvmlInit_v2");
	alarm(LIMIT);
	if (way == AFTER || way == LATER)
		cuda(NULL);
	if (way == LATER)
		cu_times = MANY;
	*(way == BEFORE ? &cu_delay
			: &nvml_delay) = (useconds_t)(n * (way == FIRST ? STEP : STEP / 15));
	if (way != AFTER)
		pthread_create(&threads[0], NULL, cuda, NULL);
	pthread_create(&threads[1], NULL, nvml, NULL);
	for (int i = way == AFTER; i < 2; i++)
		pthread_join(threads[i], NULL);
	cu_times = 1;
	cu_delay = 0;
	pthread_create(&threads[0], NULL, cuda, NULL);
	pthread_join(threads[0], NULL);
	_exit(0);
}

int main(void)
{
	pid_t children[WAYS][TRIES];

	for (int way = 0; way < WAYS; way++)
		for (int n = 0; n < TRIES; n++)
			if (!(children[way][n] = fork()))
				try((enum way)way, n);
	for (int way = 0; way < WAYS; way++) {
		int hung = 0, wrong = 0, status;

		for (int n = 0; n < TRIES; n++) {
			waitpid(children[way][n], &status, 0);
			hung += WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
			wrong += WIFEXITED(status) && WEXITSTATUS(status);
		}
		printf("%s: %d of %d hung, %d with errors\n", names[way], hung, TRIES, wrong);
	}
	return 0;
}
