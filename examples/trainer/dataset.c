/* dataset.c - see dataset.h: reading. dataset_make.c writes it. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "dataset.h"
#include "dataset_path.h"
#include "say.h"
#include "truth.h"

static const char *const split_names[] = { "train", "validate", "test" };

void dataset_describe(const struct dataset_spec *spec, char *text, size_t size)
{
	snprintf(text, size,
		"tacho-trainer data set 1\n"
		"content %s\nlayout %s\nseed %ld\npixel bytes %zu\n"
		"train %d\nvalidate %d\ntest %d\nsamples in a shard %d\n",
		spec->content, spec->layout == LAYOUT_FILES ? "files" : "shards", spec->seed,
		spec->pixel_bytes, spec->samples[SPLIT_TRAIN], spec->samples[SPLIT_VALIDATE],
		spec->samples[SPLIT_TEST], spec->layout == LAYOUT_FILES ? 0 : spec->shard_samples);
}

int dataset_path(char *path, size_t size, const char *dir, int split, const char *kind, int number)
{
	int length = number < 0
		? snprintf(path, size, "%s/%s", dir, split_names[split])
		: snprintf(path, size, "%s/%s/%s%06d.bin", dir, split_names[split], kind, number);

	return length < (int)size ? 0 : fail("the path %s is too long", dir);
}

int dataset_exists(const char *dir)
{
	struct stat st;

	return stat(dir, &st) == 0;
}

/* Samples in packed file `shard`: all but the last are full. */
static int shard_size(const struct dataset_spec *spec, int split, int shard)
{
	int left = spec->samples[split] - shard * spec->shard_samples;

	return left < spec->shard_samples ? left : spec->shard_samples;
}

static int shard_check(const struct dataset *dataset, int split, int shard)
{
	off_t wanted = (off_t)shard_size(&dataset->spec, split, shard) * dataset_record(dataset);
	char path[4096];
	struct stat st;

	if (dataset_path(path, sizeof(path), dataset->dir, split, "shard-", shard) < 0)
		return -1;
	if (stat(path, &st) < 0)
		return fail("cannot read %s: %m: delete the folder %s to have it made again", path,
			dataset->dir);
	if (st.st_size != wanted)
		return fail("%s has %lld of %lld bytes: delete the folder %s to have it made again",
			path, (long long)st.st_size, (long long)wanted, dataset->dir);
	return 0;
}

static int shards_check(const struct dataset *dataset)
{
	const struct dataset_spec *spec = &dataset->spec;

	for (int split = 0; split < SPLIT_COUNT; split++)
		for (int shard = 0; shard * spec->shard_samples < spec->samples[split]; shard++)
			if (shard_check(dataset, split, shard) < 0)
				return -1;
	return 0;
}

static int header_check(const struct dataset_spec *wanted, const char *dir)
{
	char path[4096], found[512] = "", text[512];
	ssize_t got;
	int fd;

	dataset_describe(wanted, text, sizeof(text));
	snprintf(path, sizeof(path), "%s/dataset.txt", dir);
	fd = truth_open(FILE_HEADER, path, O_RDONLY, 0);
	if (fd < 0)
		return fail("cannot read %s: %m: %s is no data set; give --data-dir another folder",
			path, dir);
	got = truth_read(FILE_HEADER, fd, found, sizeof(found) - 1);
	truth_close(FILE_HEADER, fd);
	if (got < 0)
		return fail("cannot read %s: %m", path);
	if (strcmp(found, text) != 0)
		return fail("%s holds a data set made with other options (see its dataset.txt): "
			    "delete it or give another --data-dir",
			dir);
	return 0;
}

int dataset_open(struct dataset *dataset, const struct dataset_spec *wanted, const char *dir)
{
	if (strlen(dir) >= sizeof(dataset->dir))
		return fail("--data-dir %s: the path is too long", dir);
	dataset->spec = *wanted;
	strcpy(dataset->dir, dir);
	if (header_check(wanted, dir) < 0)
		return -1;
	return wanted->layout == LAYOUT_SHARDS ? shards_check(dataset) : 0;
}

void cursor_init(struct cursor *cursor)
{
	for (int i = 0; i < CURSOR_FILES; i++)
		cursor->files[i].fd = -1;
}

void cursor_close(struct cursor *cursor)
{
	for (int i = 0; i < CURSOR_FILES; i++) {
		if (cursor->files[i].fd >= 0)
			truth_close((enum file_class)cursor->files[i].split, cursor->files[i].fd);
		cursor->files[i].fd = -1;
	}
}

static int file_open(const struct dataset *dataset, int split, const char *kind, int number)
{
	char path[4096];
	int fd;

	if (dataset_path(path, sizeof(path), dataset->dir, split, kind, number) < 0)
		return -1;
	fd = truth_open((enum file_class)split, path, O_RDONLY, 0);
	return fd < 0 ? fail("cannot read %s: %m", path) : fd;
}

/* The packed file of that number, opened unless it is open already; -1 having reported why. */
static int cursor_find(const struct dataset *dataset, struct cursor *cursor, int split, int number)
{
	int place = number % CURSOR_FILES, fd = cursor->files[place].fd;

	if (fd >= 0 && cursor->files[place].split == split && cursor->files[place].number == number)
		return fd;
	if (fd >= 0)
		truth_close((enum file_class)cursor->files[place].split, fd);
	cursor->files[place].fd = file_open(dataset, split, "shard-", number);
	cursor->files[place].split = split;
	cursor->files[place].number = number;
	return cursor->files[place].fd;
}

/* Bytes of the record that were read, or -1 (*said: the reason has been reported). */
static ssize_t packed_read(const struct dataset *dataset, struct cursor *cursor, int split,
	uint32_t index, uint8_t *record, bool *said)
{
	int per_file = dataset->spec.shard_samples;
	int fd = cursor_find(dataset, cursor, split, index / per_file);
	size_t nbytes = dataset_record(dataset);

	*said = fd < 0;
	if (fd < 0)
		return -1;
	return truth_pread((enum file_class)split, fd, record, nbytes,
		(off_t)(index % per_file) * nbytes);
}

static ssize_t small_read(const struct dataset *dataset, int split, uint32_t index, uint8_t *record,
	bool *said)
{
	int fd = file_open(dataset, split, "", index), error;
	ssize_t got;

	*said = fd < 0;
	if (fd < 0)
		return -1;
	got = truth_read((enum file_class)split, fd, record, dataset_record(dataset));
	error = errno;
	truth_close((enum file_class)split, fd);
	errno = error;
	return got;
}

int dataset_read(const struct dataset *dataset, struct cursor *cursor, int split, uint32_t index,
	uint8_t *record)
{
	size_t nbytes = dataset_record(dataset);
	bool said;
	ssize_t got = dataset->spec.layout == LAYOUT_SHARDS
		? packed_read(dataset, cursor, split, index, record, &said)
		: small_read(dataset, split, index, record, &said);

	if (said)
		return -1;
	if (got < 0)
		return fail("reading sample %u of %s in %s failed: %m", index, split_names[split],
			dataset->dir);
	if ((size_t)got < nbytes)
		return fail("sample %u of %s in %s is cut short (%zd of %zu bytes): delete the "
			    "folder to have it made again",
			index, split_names[split], dataset->dir, got, nbytes);
	return 0;
}
