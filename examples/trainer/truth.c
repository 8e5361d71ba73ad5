/* truth.c - see truth.h. */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "say.h"
#include "truth.h"

static const char *const class_names[] = {
#define X(id, name) name,
	FILE_CLASSES(X)
#undef X
};

static const char *const function_names[] = {
#define X(name) "MPI_" #name,
	MPI_FUNCTIONS(X)
#undef X
};

typedef _Atomic uint64_t counter;

static struct {
	counter calls, bytes;
} functions[MPI_FUNCTION_COUNT];

static struct {
	counter opens, closes, reads, writes, fsyncs, bytes_read, bytes_written;
} files[FILE_CLASS_COUNT];

static counter steps, step_samples;

static void (*save_more)(FILE *out);

void truth_also(void (*save)(FILE *out))
{
	save_more = save;
}

void truth_mpi(enum mpi_function function, size_t nbytes)
{
	functions[function].calls++;
	functions[function].bytes += nbytes;
}

void truth_step(size_t samples)
{
	steps++;
	step_samples += samples;
}

int truth_open(enum file_class class, const char *path, int flags, mode_t mode)
{
	files[class].opens++;
	return open(path, flags | O_CLOEXEC, mode);
}

int truth_close(enum file_class class, int fd)
{
	files[class].closes++;
	return close(fd);
}

ssize_t truth_read(enum file_class class, int fd, void *buffer, size_t nbytes)
{
	size_t done = 0;

	while (done < nbytes) {
		ssize_t got = read(fd, (char *)buffer + done, nbytes - done);

		files[class].reads++;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += got;
		files[class].bytes_read += got;
	}
	return done;
}

ssize_t truth_pread(enum file_class class, int fd, void *buffer, size_t nbytes, off_t offset)
{
	size_t done = 0;

	while (done < nbytes) {
		ssize_t got = pread(fd, (char *)buffer + done, nbytes - done, offset + done);

		files[class].reads++;
		if (got < 0)
			return -1;
		if (got == 0)
			break;
		done += got;
		files[class].bytes_read += got;
	}
	return done;
}

ssize_t truth_write(enum file_class class, int fd, const void *buffer, size_t nbytes)
{
	size_t done = 0;

	while (done < nbytes) {
		ssize_t put = write(fd, (const char *)buffer + done, nbytes - done);

		files[class].writes++;
		if (put < 0)
			return -1;
		done += put;
		files[class].bytes_written += put;
	}
	return done;
}

int truth_fsync(enum file_class class, int fd)
{
	files[class].fsyncs++;
	return fsync(fd);
}

int truth_save(const char *path, int rank)
{
	char name[4096];
	FILE *out;

	snprintf(name, sizeof(name), "%s.%d", path, rank);
	out = fopen(name, "w");
	if (!out)
		return fail("cannot write %s: %m (see --truth)", name);
	for (int i = 0; i < MPI_FUNCTION_COUNT; i++)
		fprintf(out, "mpi %s calls %" PRIu64 " bytes %" PRIu64 "\n", function_names[i],
			functions[i].calls, functions[i].bytes);
	for (int i = 0; i < FILE_CLASS_COUNT; i++)
		fprintf(out,
			"file %s opens %" PRIu64 " closes %" PRIu64 " reads %" PRIu64
			" writes %" PRIu64 " fsyncs %" PRIu64 " bytes_read %" PRIu64
			" bytes_written %" PRIu64 "\n",
			class_names[i], files[i].opens, files[i].closes, files[i].reads,
			files[i].writes, files[i].fsyncs, files[i].bytes_read,
			files[i].bytes_written);
	if (save_more)
		save_more(out);
	fprintf(out, "steps %" PRIu64 " samples %" PRIu64 "\n", steps, step_samples);
	if (fclose(out))
		return fail("cannot write %s: %m (see --truth)", name);
	return 0;
}
