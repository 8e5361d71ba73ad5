/*
 * map.h - the library's mappings. A program that locks its memory (mlockall) under a small limit must not
 * have them counted: they are listed here, and unlocked when the program locks all.
 *
 * RATIONALE: the kernel locks mappings made after mlockall(MCL_FUTURE), and has no flag to exempt
 * one. So each of the library's mappings begins as one page, which is unlocked and then grown; the
 * limit does not count the growth. When the program has reached its limit, that page cannot be
 * mapped: this is a loss with its reason, and harms no mapping of the program.
 */
#ifndef COLLECTOR_MAP_H
#define COLLECTOR_MAP_H

#include <stddef.h>
#include <stdint.h>

/* As mmap with those arguments anywhere, MAP_FAILED with errno. Safe in signal handlers and tasks. */
void *map_make(size_t n, int prot, int flags, int fd, int64_t offset)
	__attribute__((visibility("hidden")));

/* The end of a mapping, or of a part of one. 0, or -1 with errno. */
int sys_munmap(void *p, size_t n) __attribute__((visibility("hidden")));

#endif
