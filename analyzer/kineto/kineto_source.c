/*
 * kineto_source.c - see kineto_source.h. A compressed file is decompressed by its own thread, ahead of
 * reading: both take as long.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "base/log.h"
#include "base/rundir.h"
#include "kineto/kineto_source.h"

enum { BLOCK = 1 << 19, BLOCKS = 4 };

struct kineto_source {
	int fd;
#ifdef HAVE_ZLIB
	gzFile file;
#endif
	bool ahead; /* a thread reads ahead, and shares the members below */
	pthread_t thread;
	pthread_mutex_t mutex;
	pthread_cond_t moved;
	unsigned long read, taken; /* blocks so far */
	bool closed;
	struct block {
		char *data;
		long n, at;
	} blocks[BLOCKS];
};

/* From the file itself. */
static long bytes_read(struct kineto_source *source, char *to, size_t room)
{
	long n;

#ifdef HAVE_ZLIB
	int error = Z_OK;

	n = gzread(source->file, to, (unsigned)room);
	if (n == 0) /* end of file: too early if the file is truncated */
		gzerror(source->file, &error);
	return error == Z_OK || error == Z_STREAM_END ? n : -1;
#else
	do
		n = read(source->fd, to, room);
	while (n < 0 && errno == EINTR);
	return n;
#endif
}

/* Reads ahead until the end, a failure, or until no reader is left. */
static void *ahead(void *context)
{
	struct kineto_source *source = context;
	long n = 1;

	while (n > 0) {
		struct block *block;

		pthread_mutex_lock(&source->mutex);
		while (source->read - source->taken == BLOCKS && !source->closed)
			pthread_cond_wait(&source->moved, &source->mutex);
		block = source->closed ? NULL : &source->blocks[source->read % BLOCKS];
		pthread_mutex_unlock(&source->mutex);
		if (!block)
			break;
		n = block->n = bytes_read(source, block->data, BLOCK);
		block->at = 0;
		pthread_mutex_lock(&source->mutex);
		source->read++;
		pthread_cond_signal(&source->moved);
		pthread_mutex_unlock(&source->mutex);
	}
	return NULL;
}

/* Without memory or a thread the file is read as it is. */
static void ahead_start(struct kineto_source *source)
{
	char *data = malloc((size_t)BLOCK * BLOCKS);

	if (!data)
		return;
	for (int i = 0; i < BLOCKS; i++)
		source->blocks[i].data = data + (size_t)i * BLOCK;
	pthread_mutex_init(&source->mutex, NULL);
	pthread_cond_init(&source->moved, NULL);
	source->ahead = pthread_create(&source->thread, NULL, ahead, source) == 0;
	if (!source->ahead) {
		free(data);
		source->blocks[0].data = NULL;
	}
}

long kineto_source_more(void *context, char *to, size_t room)
{
	struct kineto_source *source = context;
	struct block *block = &source->blocks[source->taken % BLOCKS];
	size_t n;

	if (!source->ahead)
		return bytes_read(source, to, room);
	pthread_mutex_lock(&source->mutex);
	while (source->read == source->taken)
		pthread_cond_wait(&source->moved, &source->mutex);
	pthread_mutex_unlock(&source->mutex);
	if (block->n <= 0) /* stays: more may be asked for again */
		return block->n;
	n = (size_t)(block->n - block->at) < room ? (size_t)(block->n - block->at) : room;
	memcpy(to, block->data + block->at, n);
	block->at += (long)n;
	if (block->at == block->n) {
		pthread_mutex_lock(&source->mutex);
		source->taken++;
		pthread_cond_signal(&source->moved);
		pthread_mutex_unlock(&source->mutex);
	}
	return (long)n;
}

static bool open_as_it_is(struct kineto_source *source, const char *path)
{
	unsigned char magic[2] = { 0 };
	bool is_compressed = pread(source->fd, magic, 2, 0) == 2 && magic[0] == 0x1f &&
		magic[1] == 0x8b;

#ifdef HAVE_ZLIB
	source->file = gzdopen(source->fd, "r");
	if (!source->file) {
		log_error("cannot read %s: out of memory", path);
		return false;
	}
	gzbuffer(source->file, 1 << 18);
#else
	if (is_compressed) {
		log_error(
			"%s is compressed, and this tacho was built without zlib: gunzip it first",
			path);
		return false;
	}
#endif
	if (is_compressed)
		ahead_start(source);
	return true;
}

struct kineto_source *kineto_source_open(const char *path)
{
	struct kineto_source *source = calloc(1, sizeof(*source));

	if (!source) {
		log_error("out of memory");
		return NULL;
	}
	source->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (source->fd < 0 || path_is_folder(path))
		log_error("cannot read %s: %s", path, strerror(source->fd < 0 ? errno : EISDIR));
	else if (open_as_it_is(source, path))
		return source;
	kineto_source_close(source);
	return NULL;
}

void kineto_source_close(struct kineto_source *source)
{
	if (!source)
		return;
	if (source->ahead) {
		pthread_mutex_lock(&source->mutex);
		source->closed = true;
		pthread_cond_signal(&source->moved);
		pthread_mutex_unlock(&source->mutex);
		pthread_join(source->thread, NULL);
	}
	free(source->blocks[0].data);
#ifdef HAVE_ZLIB
	if (source->file) {
		gzclose(source->file);
		source->fd = -1;
	}
#endif
	if (source->fd >= 0)
		close(source->fd);
	free(source);
}
