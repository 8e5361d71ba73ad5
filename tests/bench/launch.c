/*
 * launch.c - the cost of tacho's own code per launch of a kernel. Built twice: with -DNO_CUPTI as a libcupti
 * that does nothing (TACHO_CUPTI names it), and as the program that calls the library under LD_PRELOAD as
 * CUPTI would: around each launch, and with full buffers of records. So nothing of CUPTI is measured.
 *
 *	launch [BATCHES [LAUNCHES]]
 *
 * prints "KEY ns", processor time of the quietest tenth of batches: launch, the callbacks of both
 * domains; driver, the driver's callbacks alone; record, one kernel in a buffer.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef void (*callback)(void *user, int domain, uint32_t number, const void *data);
typedef void (*requested)(uint8_t **buffer, size_t *size, size_t *most);
typedef void (
	*completed)(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);

/* The library's requests to its CUPTI. */
struct told {
	callback callback;
	requested requested;
	completed completed;
	uint64_t (*now)(void);
};

enum { RECORD = 160, RUNTIME_LAUNCH = 211, DRIVER_LAUNCH = 307, ENTER = 0, EXIT = 1 };

#ifdef NO_CUPTI

struct told told;

#define OK(name, ...)                                                                              \
	int name(__VA_ARGS__);                                                                     \
	int name(__VA_ARGS__)

OK(cuptiSubscribe, void **subscriber, callback function, void *user)
{
	(void)user;
	*subscriber = &told;
	told.callback = function;
	return 0;
}
OK(cuptiUnsubscribe, void *subscriber)
{
	(void)subscriber;
	return 0;
}
OK(cuptiEnableCallback, uint32_t on, void *subscriber, int domain, uint32_t number)
{
	(void)on, (void)subscriber, (void)domain, (void)number;
	return 0;
}
OK(cuptiActivityRegisterCallbacks, requested request, completed complete)
{
	told.requested = request;
	told.completed = complete;
	return 0;
}
OK(cuptiActivityRegisterTimestampCallback, uint64_t (*now)(void))
{
	told.now = now;
	return 0;
}
OK(cuptiActivityEnable, int kind)
{
	(void)kind;
	return 0;
}
OK(cuptiActivityDisable, int kind)
{
	(void)kind;
	return 0;
}
OK(cuptiActivityFlushAll, uint32_t flag)
{
	(void)flag;
	return 0;
}
OK(cuptiActivityGetNextRecord, uint8_t *buffer, size_t valid, void **record)
{
	uint8_t *at = *record ? (uint8_t *)*record + RECORD : buffer;

	if (at + RECORD > buffer + valid)
		return 12;
	*record = at;
	return 0;
}
OK(cuptiActivityGetNumDroppedRecords, void *context, uint32_t stream, size_t *n)
{
	(void)context, (void)stream;
	*n = 0;
	return 0;
}
OK(cuptiGetTimestamp, uint64_t *now)
{
	*now = told.now ? told.now() : 0;
	return 0;
}
OK(cuptiGetDeviceId, void *context, uint32_t *device)
{
	(void)context;
	*device = 0;
	return 0;
}
OK(cuptiGetContextId, void *context, uint32_t *id)
{
	(void)context;
	*id = 1;
	return 0;
}
OK(cuptiGetStreamIdEx, void *context, void *stream, uint8_t own, uint32_t *id)
{
	(void)context, (void)stream, (void)own;
	*id = 7;
	return 0;
}
OK(cuptiGetVersion, uint32_t *version)
{
	*version = 26;
	return 0;
}

#else

struct call {
	int site;
	const char *function;
	const void *params;
	const int *result;
	const char *symbol;
	void *context;
	uint32_t context_id;
	uint64_t *own;
	uint32_t correlation;
};

static struct told *told;
static uint32_t correlation = 1000;

static double now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* As CUPTI: the runtime's callbacks around the driver's, all with one number. */
static void launch(int domains)
{
	static const uint64_t params[10];
	static const int success;
	static char context;
	uint64_t own[2] = { 0, 0 };
	struct call outer = { ENTER, "cudaLaunchKernel", params, NULL, "half", &context, 1, &own[0],
		++correlation };
	struct call inner = { ENTER, "cuLaunchKernel", params, NULL, "half", &context, 1, &own[1],
		correlation };

	if (domains > 1)
		told->callback(NULL, 2, RUNTIME_LAUNCH, &outer);
	told->callback(NULL, 1, DRIVER_LAUNCH, &inner);
	inner.site = outer.site = EXIT;
	inner.result = outer.result = &success;
	told->callback(NULL, 1, DRIVER_LAUNCH, &inner);
	if (domains > 1)
		told->callback(NULL, 2, RUNTIME_LAUNCH, &outer);
}

static void launches(int n, int domains)
{
	for (int i = 0; i < n; i++)
		launch(domains);
}

/* CUpti_ActivityKernel, as far as it is read: cupti_records.h. */
static void record_make(uint8_t *at, uint64_t start, uint32_t number)
{
	static const uint32_t kind = 10, one = 1, stream = 7;
	static const char *name = "half";
	uint64_t end = start + 500;

	memcpy(at, &kind, 4);
	memcpy(at + 16, &start, 8);
	memcpy(at + 24, &end, 8);
	memcpy(at + 44, &one, 4);
	memcpy(at + 48, &stream, 4);
	memcpy(at + 92, &number, 4);
	memcpy(at + 104, &name, 8);
}

static double records(int n)
{
	double spent = 0;

	while (n > 0) {
		uint8_t *buffer;
		size_t size, most, valid = 0;
		double begun;

		told->requested(&buffer, &size, &most);
		for (; n > 0 && valid + RECORD <= size; valid += RECORD, n--)
			record_make(buffer + valid, told->now(), ++correlation);
		begun = now_ns();
		told->completed(NULL, 0, buffer, size, valid);
		spent += now_ns() - begun;
	}
	return spent;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	static const char *const keys[] = { "launch", "driver", "record" };
	int (*start)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "InitializeInjection");
	int nbatches = argc > 1 ? atoi(argv[1]) : 50, n = argc > 2 ? atoi(argv[2]) : 10000;
	double *ns = calloc((size_t)nbatches, sizeof(*ns));
	void *library;

	if (!start || !start() || !ns) {
		fprintf(stderr, "launch: tacho's library is to be preloaded\n");
		return 1;
	}
	library = dlopen(getenv("TACHO_CUPTI"), RTLD_NOW | RTLD_NOLOAD);
	told = library ? dlsym(library, "told") : NULL;
	if (!told || !told->callback || !told->completed || !told->now) {
		fprintf(stderr, "launch: the library has not attached\n");
		return 1;
	}
	for (int key = 0; key < 3; key++) {
		for (int i = 0; i < nbatches; i++) {
			double begun = now_ns();

			if (key == 2) {
				ns[i] = records(n) / n;
				continue;
			}
			launches(n, 2 - key);
			ns[i] = (now_ns() - begun) / n;
		}
		qsort(ns, (size_t)nbatches, sizeof(*ns), compare);
		printf("%s %.1f\n", keys[key], ns[nbatches / 10]);
	}
	return 0;
}
#endif
