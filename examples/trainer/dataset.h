/*
 * dataset.h - the data set on disk. DIR/dataset.txt describes it; then
 * DIR/<split>/000017.bin per sample (layout files) or DIR/<split>/shard-0002.bin
 * with shard_samples samples each (layout shards). A sample is a record:
 * label, second label, share of the second in 1/255, 0, then the pixel bytes.
 */
#ifndef TRAINER_DATASET_H
#define TRAINER_DATASET_H

#include <stddef.h>
#include <stdint.h>

#include "options.h"

#define RECORD_HEAD 4

struct dataset_spec {
	char content[64]; /* the kind of samples and how they were prepared */
	int layout;
	long seed;
	size_t pixel_bytes; /* of one sample */
	int samples[SPLIT_COUNT], shard_samples;
};

struct dataset {
	struct dataset_spec spec;
	char dir[3072];
};

/*
 * The packed files that a reader has open, one per thread. Samples come in a
 * shuffled order, so files stay open: number n in place n % CURSOR_FILES.
 */
#define CURSOR_FILES 64

struct cursor {
	struct {
		int fd, split, number;
	} files[CURSOR_FILES];
};

/* Writes sample `index` of a split as a record of RECORD_HEAD + pixel_bytes. */
typedef void dataset_draw(void *context, int split, uint32_t index, uint8_t *record);

/*
 * Makes the data set in a folder next to `dir` and renames it, so that it exists complete or not at
 * all. 0, or -1 having reported why.
 */
int dataset_make(const struct dataset_spec *spec, const char *dir, dataset_draw *draw,
	void *context);

/* 1 when `dir` exists, 0 when not. */
int dataset_exists(const char *dir);

/*
 * Opens `dir` and checks that it holds what `wanted` describes and that its
 * packed files have their full size. 0, or -1 having reported why.
 */
int dataset_open(struct dataset *dataset, const struct dataset_spec *wanted, const char *dir);

static inline size_t dataset_record(const struct dataset *dataset)
{
	return RECORD_HEAD + dataset->spec.pixel_bytes;
}

/* Reads one record. Any thread, with its own cursor. 0, or -1 having reported why. */
int dataset_read(const struct dataset *dataset, struct cursor *cursor, int split, uint32_t index,
	uint8_t *record);
void cursor_init(struct cursor *cursor);
void cursor_close(struct cursor *cursor);

#endif
