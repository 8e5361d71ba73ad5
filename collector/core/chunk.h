/* chunk.h - stretches of a spool file: reserved on disk first, then mapped. */
#ifndef COLLECTOR_CHUNK_H
#define COLLECTOR_CHUNK_H

#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

/*
 * Reserves, counts (budget.h) and maps `size` bytes at `offset` of the file (both multiples of
 * the page size). Returns NULL with errno set when there is no room: a page
 * that is mapped always has its block on disk, so no access can fault.
 */
void *file_map(int fd, int64_t offset, size_t size) HIDDEN;

/* Maps a range that is already reserved and counted. */
void *file_map_reserved(int fd, int64_t offset, size_t size) HIDDEN;

/*
 * Writes memory to `offset`; 0, or -1 with errno when the disk is full: then a part may be written.
 */
int file_write(int fd, int64_t offset, const void *from, size_t size) HIDDEN;

/*
 * Lets the kernel make the pages now, so that writing them later faults no
 * more. Harmless whatever became of the mapping. -1 with EINVAL before Linux
 * 5.14; chunk_touch does the same on memory that is surely mapped.
 */
int chunk_populate(void *chunk, size_t size) HIDDEN;
void chunk_touch(void *chunk, size_t size) HIDDEN;

#endif
