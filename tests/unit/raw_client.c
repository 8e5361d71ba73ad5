/*
 * raw_client.c - tests/gpu/raw.c, which saves CUPTI's buffers on a real GPU, with a CUPTI that hands
 * them back as late and as often as one may: what is saved is whole, and the program ends well.
 */
#include "../gpu/raw.c"

#include <string.h>
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

int main(void)
{
	char prefix[] = "/tmp/raw_client.XXXXXX", name[64];
	int status, fd = mkstemp(prefix);
	pid_t child;
	FILE *file;

	if (fd < 0)
		return 1;
	close(fd);
	setenv("RAW_OUT", prefix, 1);
	puts("1..2");
	fflush(stdout);
	child = fork();
	if (!child)
		program();
	waitpid(child, &status, 0);
	printf("%sok 1 - buffers that come late or twice do not end the program\n",
		status ? "not " : "");
	snprintf(name, sizeof(name), "%s.%d", prefix, (int)child);
	file = fopen(name, "r");
	printf("%sok 2 - each buffer is saved once, by the process that has it\n",
		file && file_is_whole(file) ? "" : "not ");
	if (file)
		fclose(file);
	unlink(name);
	unlink(prefix);
	return 0;
}
