/* dataset.c - see dataset.h: reading. dataset_make.c writes it. */
#include "config.h"

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
	int length = number < 0 ? snprintf(path, size, "%s/%s", dir, split_names[split])
				: snprintf(path, size, "%s/%s/%s%06d.bin", dir, split_names[split],
					   kind, number);

	return length < (int)size ? 0 : fail("the path %s is too long", dir);
}

int dataset_exists(const char *dir)
{
	struct stat st;

	return stat(dir, &st) == 0;
}

/* Samples in packed file `shard`: all but the last are full. */
int dataset_shard_size(const struct dataset_spec *spec, int split, int shard)
{
	int left = spec->samples[split] - shard * spec->shard_samples;

	return left < spec->shard_samples ? left : spec->shard_samples;
}

static int shard_check(const struct dataset *dataset, int split, int shard)
{
	off_t wanted = (off_t)dataset_shard_size(&dataset->spec, split, shard) *
		       dataset_record(dataset);
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
			    "delete it or give another --data-dir", dir);
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

void cursor_close(struct cursor *cursor)
{
	if (cursor->fd >= 0)
		truth_close((enum file_class)cursor->split, cursor->fd);
	cursor->fd = -1;
}

/* Opens the file that holds the sample, unless it is open already. */
static int cursor_move(const struct dataset *dataset, struct cursor *cursor, int split, int number)
{
	const char *kind = dataset->spec.layout == LAYOUT_SHARDS ? "shard-" : "";
	char path[4096];

	if (cursor->fd >= 0 && cursor->split == split && cursor->shard == number)
		return 0;
	cursor_close(cursor);
	if (dataset_path(path, sizeof(path), dataset->dir, split, kind, number) < 0)
		return -1;
	cursor->fd = truth_open((enum file_class)split, path, O_RDONLY, 0);
	if (cursor->fd < 0)
		return fail("cannot read %s: %m", path);
	cursor->split = split;
	cursor->shard = number;
	return 0;
}

int dataset_read(const struct dataset *dataset, struct cursor *cursor, int split, uint32_t index,
		 uint8_t *record)
{
	const struct dataset_spec *spec = &dataset->spec;
	size_t nbytes = dataset_record(dataset);
	bool packed = spec->layout == LAYOUT_SHARDS;
	int number = packed ? (int)index / spec->shard_samples : (int)index;
	ssize_t got;

	if (cursor_move(dataset, cursor, split, number) < 0)
		return -1;
	if (packed)
		got = truth_pread((enum file_class)split, cursor->fd, record, nbytes,
				  (off_t)(index % spec->shard_samples) * nbytes);
	else
		got = truth_read((enum file_class)split, cursor->fd, record, nbytes);
	if (!packed)
		cursor_close(cursor);
	if (got < 0)
		return fail("reading sample %u of %s in %s failed: %m", index, split_names[split],
			    dataset->dir);
	if ((size_t)got < nbytes)
		return fail("sample %u of %s in %s is cut short (%zd of %zu bytes): delete the "
			    "folder to have it made again", index, split_names[split], dataset->dir, got,
			    nbytes);
	return 0;
}
