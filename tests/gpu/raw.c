/*
 * raw.c - saves the activity buffers of the CUPTI that is there, byte by byte: test data for
 * decoders. Loaded by the driver into any CUDA program:
 *	CUDA_INJECTION64_PATH=raw.so RAW_OUT=prefix program
 * writes prefix.PID: for each buffer its valid size (8 bytes) and its bytes. It is a client of its
 * own, so that what it saves depends on no code that is to be tested.
 */
#include <cupti.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define BUFFER_BYTES (64 << 10)
#define LIMIT	     (8 << 20) /* of a file */

static FILE *out;
static size_t written;

static void buffer_requested(uint8_t **buffer, size_t *size, size_t *max_records)
{
	*size = BUFFER_BYTES;
	*max_records = 0;
	if (posix_memalign((void **)buffer, 8, BUFFER_BYTES))
		*buffer = NULL;
}

/* Several threads may be in here: the size and the bytes that follow it stay together. */
static void buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
	size_t valid)
{
	uint64_t length = valid;

	(void)context, (void)stream, (void)size;
	if (valid && written + valid < LIMIT) {
		flockfile(out);
		fwrite(&length, sizeof(length), 1, out);
		fwrite(buffer, 1, valid, out);
		written += valid;
		funlockfile(out);
	}
	free(buffer);
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

static void finish(void)
{
	cuptiActivityFlushAll(1);
	fclose(out);
}

/* The driver's convention: 1 when all went well. */
int InitializeInjection(void);
int InitializeInjection(void)
{
	const char *prefix = getenv("RAW_OUT");
	char name[4096];

	snprintf(name, sizeof(name), "%s.%d", prefix ? prefix : "raw", (int)getpid());
	out = fopen(name, "w");
	if (!out || cuptiActivityRegisterCallbacks(buffer_requested, buffer_completed))
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (cuptiActivityEnable(kinds[i]))
			fprintf(stderr, "raw: CUPTI has no activity kind %d\n", (int)kinds[i]);
	atexit(finish);
	return 1;
}
