/*
 * raw.c - saves the activity buffers of the CUPTI that is there, byte by byte: test data for
 * decoders. Loaded by the driver into any CUDA program:
 *	CUDA_INJECTION64_PATH=raw.so RAW_OUT=prefix program
 * writes prefix.PID: for each buffer its valid size (8 bytes) and its bytes; and prefix.names.PID: a
 * line for each kernel, the address of its name, as records have it, and the name. It is a client of
 * its own, so that what it saves depends on no code that is to be tested.
 *
 * RAW_SPLIT=PART measures instead what a part of CUPTI costs a launch: nothing is written, and of kinds
 * there are kernels and copies alone.
 *	records		no more than that
 *	api		records of the runtime's launches (cuptiActivityEnableRuntimeApi)
 *	driver_api	records of the driver's launches
 *	runtime, driver, both	callbacks around launches, which return at once
 *	hardware	kernels by the hardware's event system (cuptiActivityEnableHWTrace)
 * A part that this CUPTI lacks or refuses ends the program with 3.
 *
 * CUPTI hands buffers back after the last handler of exit(), too, so nothing is ever closed; a buffer
 * that comes twice is neither written nor freed again. Forked children write nothing, and a process
 * that has no activities (Open MPI's orted) leaves no file.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <cupti.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (64 << 10)
#define BUFFERS	     1024      /* that CUPTI may hold */
#define LIMIT	     (8 << 20) /* of a file */
#define NAMES	     1024      /* kernels that are named */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of all of this */
static uint8_t *held[BUFFERS];
static int out = -1, names_out = -1;
static const char *names[NAMES];
static size_t written;
static pid_t owner;

static uint8_t **place_of(const uint8_t *buffer)
{
	for (int i = 0; i < BUFFERS; i++)
		if (held[i] == buffer)
			return &held[i];
	return NULL;
}

static void buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	uint8_t **place;

	*buffer = NULL;
	*size = *max_records = 0;
	pthread_mutex_lock(&lock);
	place = place_of(NULL);
	if (place && !posix_memalign((void **)buffer, 8, BUFFER_BYTES)) {
		*place = *buffer;
		*size = BUFFER_BYTES;
	}
	pthread_mutex_unlock(&lock);
}

static int file_open(const char *what)
{
	const char *prefix = getenv("RAW_OUT");
	char name[4096];
	int fd;

	snprintf(name, sizeof(name), "%s%s.%d", prefix ? prefix : "raw", what, (int)owner);
	fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		fprintf(stderr, "raw: %s cannot be written\n", name);
	return fd;
}

static void file_write(int fd, const void *from, size_t n)
{
	const char *at = from;

	for (ssize_t done; n; at += done, n -= (size_t)done) {
		done = write(fd, at, n);
		if (done <= 0) {
			fprintf(stderr, "raw: the file cannot be written\n");
			return;
		}
	}
}

static void name_write(const char *name)
{
	char address[32];
	int i = 0;

	while (i < NAMES && names[i] && names[i] != name)
		i++;
	if (i == NAMES || names[i])
		return;
	names[i] = name;
	snprintf(address, sizeof(address), "%llu ", (unsigned long long)(uintptr_t)name);
	file_write(names_out, address, strlen(address));
	file_write(names_out, name, strlen(name));
	file_write(names_out, "\n", 1);
}

static void names_write(uint8_t *buffer, size_t valid)
{
	CUpti_Activity *record = NULL;

	while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
		const CUpti_ActivityKernel4 *kernel = (const CUpti_ActivityKernel4 *)record;

		if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && kernel->name)
			name_write(kernel->name);
	}
}

static void buffer_write(uint8_t *buffer, uint64_t valid)
{
	if (!valid || written + valid >= LIMIT)
		return;
	if (out < 0) {
		out = file_open("");
		names_out = file_open(".names");
	}
	if (out < 0 || names_out < 0)
		return;
	file_write(out, &valid, sizeof(valid));
	file_write(out, buffer, valid);
	written += valid;
	names_write(buffer, valid);
}

static void buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
	size_t valid)
{
	uint8_t **place;

	(void)context, (void)stream, (void)size;
	if (!buffer || getpid() != owner)
		return;
	pthread_mutex_lock(&lock);
	place = place_of(buffer);
	if (place) {
		buffer_write(buffer, valid);
		*place = NULL;
		free(buffer);
	} else {
		fprintf(stderr, "raw: CUPTI handed a buffer back that it does not have\n");
	}
	pthread_mutex_unlock(&lock);
}

static const CUpti_ActivityKind kinds[] = {
	CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
	CUPTI_ACTIVITY_KIND_MEMCPY,
	CUPTI_ACTIVITY_KIND_MEMCPY2,
	CUPTI_ACTIVITY_KIND_MEMSET,
	CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
	CUPTI_ACTIVITY_KIND_RUNTIME,
	CUPTI_ACTIVITY_KIND_DRIVER,
	CUPTI_ACTIVITY_KIND_OVERHEAD,
	CUPTI_ACTIVITY_KIND_DEVICE,
	CUPTI_ACTIVITY_KIND_CONTEXT,
	CUPTI_ACTIVITY_KIND_STREAM,
};

/* --- the cost of a part of CUPTI --- */

static void callback(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId number,
	const void *data)
{
	(void)user, (void)domain, (void)number, (void)data;
}

/* The CUPTI that this is linked with: the driver has loaded it for this library alone. */
static void *library(void)
{
	Dl_info info;

	return dladdr((void *)(uintptr_t)cuptiActivityFlushAll, &info)
		? dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD)
		: NULL;
}

/* Launches, by the numbers of cupti_runtime_cbid.h and cupti_driver_cbid.h. */
static const CUpti_CallbackId runtime_launches[] = { 211, 214, 430, 431, 505, 506 };
static const CUpti_CallbackId driver_launches[] = { 307, 442, 652, 653 };

static int api_enable(const char *function, const CUpti_CallbackId *numbers, int n)
{
	CUptiResult (*enable)(CUpti_CallbackId,
		uint8_t) = (CUptiResult(*)(CUpti_CallbackId, uint8_t))dlsym(library(), function);
	int error = !enable;

	for (int i = 0; i < n && enable; i++)
		error |= enable(numbers[i], 1) != CUPTI_SUCCESS && i == 0;
	return error;
}

static int callbacks_enable(int runtime, int driver)
{
	CUptiResult (*subscribe)(CUpti_SubscriberHandle *, CUpti_CallbackFunc,
		void *) = (CUptiResult(*)(CUpti_SubscriberHandle *, CUpti_CallbackFunc,
		void *))dlsym(library(), "cuptiSubscribe");
	CUptiResult (*enable)(uint32_t, CUpti_SubscriberHandle, CUpti_CallbackDomain,
		CUpti_CallbackId) = (CUptiResult(*)(uint32_t, CUpti_SubscriberHandle,
		CUpti_CallbackDomain, CUpti_CallbackId))dlsym(library(), "cuptiEnableCallback");
	CUpti_SubscriberHandle subscriber;

	if (!subscribe || !enable || subscribe(&subscriber, callback, NULL))
		return 1;
	for (int i = 0; i < 6 && runtime; i++)
		enable(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, runtime_launches[i]);
	for (int i = 0; i < 4 && driver; i++)
		enable(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, driver_launches[i]);
	return 0;
}

static int hardware_enable(void)
{
	CUptiResult (*enable)(
		uint8_t) = (CUptiResult(*)(uint8_t))dlsym(library(), "cuptiActivityEnableHWTrace");

	return !enable || enable(1) != CUPTI_SUCCESS;
}

static void split_start(const char *part)
{
	static const CUpti_ActivityKind work[] = { CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
		CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET };
	int error = 0;

	if (!strcmp(part, "hardware"))
		error = hardware_enable();
	else if (!strcmp(part, "api"))
		error = api_enable("cuptiActivityEnableRuntimeApi", runtime_launches, 6);
	else if (!strcmp(part, "driver_api"))
		error = api_enable("cuptiActivityEnableDriverApi", driver_launches, 4);
	else if (strcmp(part, "records") != 0)
		error = callbacks_enable(strcmp(part, "driver") != 0, strcmp(part, "runtime") != 0);
	for (size_t i = 0; i < sizeof(work) / sizeof(*work); i++)
		error |= cuptiActivityEnable(work[i]);
	if (error)
		_exit(3);
	written = LIMIT; /* nothing is to be */
}

static void finish(void)
{
	if (getpid() == owner)
		cuptiActivityFlushAll(1);
}

/* The driver's convention: 1 when all went well. */
int InitializeInjection(void);
int InitializeInjection(void)
{
	if (owner == getpid())
		return 1;
	owner = getpid();
	if (cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed)) {
		fprintf(stderr, "raw: CUPTI takes no client\n");
		return 0;
	}
	if (getenv("RAW_SPLIT")) {
		split_start(getenv("RAW_SPLIT"));
		atexit(finish);
		return 1;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (cuptiActivityEnable(kinds[i]))
			fprintf(stderr, "raw: CUPTI has no activity kind %d\n", (int)kinds[i]);
	atexit(finish);
	return 1;
}
