/*
 * known.h - files that were opened before. A definition names a device, an inode, how it was opened and
 * the words of its path; an opening that is like an earlier one in all of them takes its number, once
 * the descriptor of the earlier one is closed. So a descriptor that is open has its own number.
 */
#ifndef COLLECTOR_KNOWN_H
#define COLLECTOR_KNOWN_H

#include <stdbool.h>
#include <sys/stat.h>

#include "core/span.h"

/*
 * The place of an opening, for known_put() or known_drop(); `entry` is the earlier opening's (as in
 * handle.h), 0: none. NULL: there is no place.
 */
struct known *known_take(const struct stat *st, int flags, const char *path,
	uint32_t *entry) HIDDEN;

/* The descriptor has the entry; until known_close() no other one gets it. */
void known_put(struct known *known, int fd, uint32_t entry) HIDDEN;

/* There is no such entry after all. */
void known_drop(struct known *known) HIDDEN;

/* The descriptor is about to be closed. */
void known_close(int fd) HIDDEN;

/* Relative paths begin elsewhere from now on. */
void known_move(void) HIDDEN;

/*
 * vfork.c: whether the calling thread is the process's, not a child that vfork made in its memory.
 */
bool vfork_is_over(void) HIDDEN;

#endif
