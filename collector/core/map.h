/*
 * map.h - the library's mappings. A program that locks its memory (mlockall) under a small limit must not
 * have them counted: they are listed here, and unlocked when the program locks all.
 *
 * RATIONALE: the kernel locks what a process maps after mlockall(MCL_FUTURE), and has no flag for a mapping
 * that stays out. So of each of the library's one page is mapped and unlocked, and grows then, which the
 * limit does not concern. Where the program has locked all that it may, that page finds no room: a loss with
 * its reason, which harms no mapping of the program's.
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
