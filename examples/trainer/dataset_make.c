/* dataset_make.c - writes the data set, see dataset.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dataset.h"
#include "dataset_path.h"
#include "say.h"
#include "truth.h"

struct maker {
	const struct dataset_spec *spec;
	char dir[3072]; /* the folder's name until it is complete */
	dataset_draw *draw;
	void *context;
	uint8_t *buffer; /* the records of one file */
};

static int file_write(const char *path, const void *data, size_t nbytes)
{
	int fd = truth_open(FILE_MAKE, path, O_WRONLY | O_CREAT | O_EXCL, 0644);
	int error;

	if (fd < 0)
		return fail("cannot make %s: %m", path);
	error = truth_write(FILE_MAKE, fd, data, nbytes) < 0;
	if (truth_close(FILE_MAKE, fd) < 0 || error)
		return fail("cannot write %s: %m", path);
	return 0;
}

/* Writes the file with the samples [first, first + count). */
static int samples_write(struct maker *m, int split, int first, int count, int number)
{
	const char *kind = m->spec->layout == LAYOUT_SHARDS ? "shard-" : "";
	size_t record = RECORD_HEAD + m->spec->pixel_bytes;
	char path[4096];

	for (int i = 0; i < count; i++)
		m->draw(m->context, split, first + i, m->buffer + i * record);
	if (dataset_path(path, sizeof(path), m->dir, split, kind, number) < 0)
		return -1;
	return file_write(path, m->buffer, count * record);
}

static int split_write(struct maker *m, int split)
{
	int per_file = m->spec->layout == LAYOUT_SHARDS ? m->spec->shard_samples : 1;
	int total = m->spec->samples[split];
	char path[4096];

	if (dataset_path(path, sizeof(path), m->dir, split, "", -1) < 0)
		return -1;
	if (mkdir(path, 0755) < 0)
		return fail("cannot make the folder %s: %m", path);
	for (int first = 0, number = 0; first < total; first += per_file, number++) {
		int count = total - first < per_file ? total - first : per_file;

		if (samples_write(m, split, first, count, number) < 0)
			return -1;
	}
	return 0;
}

static int header_write(struct maker *m)
{
	char path[4096], text[512];

	dataset_describe(m->spec, text, sizeof(text));
	snprintf(path, sizeof(path), "%s/dataset.txt", m->dir);
	return file_write(path, text, strlen(text));
}

/* Removes the files of a failed or overtaken attempt. */
static void folder_remove(struct maker *m)
{
	int per_file = m->spec->layout == LAYOUT_SHARDS ? m->spec->shard_samples : 1;
	const char *kind = m->spec->layout == LAYOUT_SHARDS ? "shard-" : "";
	char path[4096];

	for (int split = 0; split < SPLIT_COUNT; split++) {
		for (int i = 0; i * per_file < m->spec->samples[split]; i++)
			if (dataset_path(path, sizeof(path), m->dir, split, kind, i) == 0)
				unlink(path);
		if (dataset_path(path, sizeof(path), m->dir, split, "", -1) == 0)
			rmdir(path);
	}
	snprintf(path, sizeof(path), "%s/dataset.txt", m->dir);
	unlink(path);
	rmdir(m->dir);
}

/* Another process may have finished the same data set first: then that one is used. */
static int folder_publish(struct maker *m, const char *dir)
{
	if (rename(m->dir, dir) == 0)
		return 0;
	if (errno != EEXIST && errno != ENOTEMPTY)
		return fail("cannot rename %s to %s: %m", m->dir, dir);
	folder_remove(m);
	return 0;
}

int dataset_make(const struct dataset_spec *spec, const char *dir, dataset_draw *draw,
	void *context)
{
	struct maker m = { .spec = spec, .draw = draw, .context = context };
	size_t per_file = spec->layout == LAYOUT_SHARDS ? spec->shard_samples : 1;
	int ret = -1;

	if (snprintf(m.dir, sizeof(m.dir), "%s.%d.tmp", dir, (int)getpid()) >= (int)sizeof(m.dir))
		return fail("%s: the path is too long", dir);
	if (mkdir(m.dir, 0755) < 0)
		return fail("cannot make the folder %s: %m (its parent must exist and be writable)",
			m.dir);
	m.buffer = malloc(per_file * (RECORD_HEAD + spec->pixel_bytes));
	if (!m.buffer) {
		fail("not enough memory for a packed file of %zu samples", per_file);
		goto out;
	}
	for (int split = 0; split < SPLIT_COUNT; split++)
		if (split_write(&m, split) < 0)
			goto out;
	if (header_write(&m) < 0)
		goto out;
	ret = folder_publish(&m, dir);
out:
	if (ret < 0)
		folder_remove(&m);
	free(m.buffer);
	return ret;
}
