/* attach_image.h - programs and libraries that another process has mapped: their files and symbols. */
#ifndef COLLECTOR_ATTACH_IMAGE_H
#define COLLECTOR_ATTACH_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

/* An ELF file, mapped. */
struct image {
	const unsigned char *at;
	size_t size;
};

struct image_symbol {
	const char *name;
	uint64_t value, size; /* in the file's own terms */
	bool is_function;
};

/* The file that process `pid` knows by this name. 0, or -1 when it cannot be read. */
int image_of(struct image *image, uint32_t pid, const char *file) HIDDEN;
void image_close(struct image *image) HIDDEN;

/* `n` items of `size` bytes at `offset` of the file; NULL: not within it. */
const void *image_at(const struct image *image, uint64_t offset, uint64_t n, size_t size) HIDDEN;

/*
 * Address at which the file's first byte wants to be, and the one behind its last. UINT64_MAX: it is no
 * program or library of 64 bits.
 */
uint64_t image_base(const struct image *image, uint64_t *end) HIDDEN;

/* Calls `take` for each symbol that is defined, until it returns true. */
typedef bool symbol_taker(const struct image_symbol *symbol, void *user);
void image_symbols(const struct image *image, symbol_taker *take, void *user) HIDDEN;

/* The function at an address as the file has it; NULL: no symbol covers it. */
const char *image_function(const struct image *image, uint64_t address) HIDDEN;

/* Calls `take` for each file that a process has mapped from its first byte on. */
typedef void file_taker(const char *file, uint64_t begin, void *user);
void files_walk(uint32_t pid, file_taker *take, void *user) HIDDEN;

#endif
