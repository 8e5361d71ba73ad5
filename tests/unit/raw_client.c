/*
 * raw_client.c - tests/gpu/raw.c, which saves CUPTI's buffers on a real GPU, with a CUPTI that
 * hands them back as late and as often as allowed: the saved buffers are whole, and the program
 * ends well.
 */
#include "../gpu/raw.c"

#include <sys/wait.h>

enum { EARLY = 100, LAST = 200, LATE = 300 }; /* bytes of three buffers */

static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static uint8_t *early, *last;

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
	CUpti_BuffersCallbackCompleteFunc completed)
{
	request = requested;
	complete = completed;
	return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind)
{
	(void)kind;
	return CUPTI_SUCCESS;
}

/* One kernel a buffer, at its start. */
CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
	static CUpti_ActivityKernel4 kernel = { .kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
		.name = "kernel" };

	(void)buffer, (void)valid;
	if (*record)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	*record = (CUpti_Activity *)&kernel;
	return CUPTI_SUCCESS;
}

static uint8_t *taken(int byte)
{
	uint8_t *buffer;
	size_t size, records;

	request(&buffer, &size, &records);
	memset(buffer, byte, size);
	return buffer;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag)
{
	(void)flag;
	complete(NULL, 0, last, BUFFER_BYTES, LAST);
	return CUPTI_SUCCESS;
}

/* Registered first, so it runs after raw.c's: libcupti's own end. */
static void end_of_cupti(void)
{
	if (getpid() != owner)
		return;
	complete(NULL, 0, taken(LATE & 0xff), BUFFER_BYTES, LATE);
	complete(NULL, 0, last, BUFFER_BYTES, LAST);
	complete(NULL, 0, early, BUFFER_BYTES, EARLY);
}

static void program(void)
{
	pid_t child;

	atexit(end_of_cupti);
	InitializeInjection();
	InitializeInjection();
	early = taken(EARLY);
	last = taken(LAST);
	complete(NULL, 0, early, BUFFER_BYTES, EARLY);
	child = fork();
	if (!child)
		exit(0);
	waitpid(child, NULL, 0);
	exit(0);
}

static int file_is_whole(FILE *file)
{
	static const size_t sizes[] = { EARLY, LAST, LATE };
	static uint8_t buffer[BUFFER_BYTES];
	uint64_t size;

	for (size_t i = 0; i < 3; i++) {
		if (fread(&size, sizeof(size), 1, file) != 1 || size != sizes[i] ||
			fread(buffer, 1, size, file) != size)
			return 0;
		for (size_t k = 0; k < size; k++)
			if (buffer[k] != (sizes[i] & 0xff))
				return 0;
	}
	return fgetc(file) == EOF;
}

/* Once, with its address. */
static int names_are_whole(FILE *file)
{
	char name[16], more[2];
	unsigned long long address;

	return fscanf(file, "%llu %15s %1s", &address, name, more) == 2 && address &&
		!strcmp(name, "kernel");
}

static int file_check(int (*check)(FILE *file), const char *name)
{
	FILE *file = fopen(name, "r");
	int ret = file && check(file);

	if (file)
		fclose(file);
	unlink(name);
	return ret;
}

int main(void)
{
	char prefix[] = "/tmp/raw_client.XXXXXX", name[64];
	int status, fd = mkstemp(prefix);
	pid_t child;

	if (fd < 0)
		return 1;
	close(fd);
	setenv("RAW_OUT", prefix, 1);
	puts("1..3");
	fflush(stdout);
	child = fork();
	if (!child)
		program();
	waitpid(child, &status, 0);
	printf("%sok 1 - buffers that come late or twice do not end the program\n",
		status ? "not " : "");
	snprintf(name, sizeof(name), "%s.%d", prefix, (int)child);
	printf("%sok 2 - each buffer is saved once, by the process that has it\n",
		file_check(file_is_whole, name) ? "" : "not ");
	snprintf(name, sizeof(name), "%s.names.%d", prefix, (int)child);
	printf("%sok 3 - each kernel is named once\n",
		file_check(names_are_whole, name) ? "" : "not ");
	unlink(prefix);
	return 0;
}
