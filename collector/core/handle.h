/*
 * handle.h - which definition a file descriptor represents. A table by
 * descriptor, read without a lock; an entry is made when a wrapped call opens
 * the descriptor, or else (inherited, received, made by an unwrapped call)
 * when it is first used. Whatever closes a descriptor clears its entry.
 */
#ifndef COLLECTOR_HANDLE_H
#define COLLECTOR_HANDLE_H

#include <limits.h>

#include "core/known.h"
#include "core/span.h"

#define HANDLE_FDS 65536 /* higher descriptors have no number: 0 */

/* Number of the definition, and its enum spool_handle_kind in the upper bits; 0 = unknown. */
extern _Atomic uint32_t tacho_handles[HANDLE_FDS] HIDDEN;

#define HANDLE_KIND_SHIFT 28
#define HANDLE_EXCLUDED	  15u /* a kind of ours: not recorded, see capture.h */
#define HANDLE_NUMBER	  ((1u << HANDLE_KIND_SHIFT) - 1)

/*
 * Out of line: defines what `fd` leads to. `flags` as given to open(2), -1 =
 * ask; `path` by which it was opened, relative to the current directory, NULL
 * = ask. Returns the entry. Keeps errno.
 */
uint32_t handle_define(int fd, int flags, const char *path) HIDDEN;

/*
 * The path from the root, as it was named; false: not possible without the kernel (.., too long).
 */
bool path_make_absolute(char full[PATH_MAX], const char *path) HIDDEN;

/* A new pair of sockets: bytes written to one are read from the other. Keeps errno. */
void handle_pair(const int ends[2]) HIDDEN;

/* socket.c: defines the other end of a connected socket with a defined handle. May change errno. */
void socket_define(uint32_t handle, int fd) HIDDEN;

/*
 * Whether the definition is of a pipe, a socket, or another object at which reads wait
 * (HANDLE_EVENT).
 */
bool handle_has_peer(uint32_t number) HIDDEN;

/* Forgets what descriptors `first` to `last` represented. */
void handle_clear(unsigned first, unsigned last) HIDDEN;

/* In a forked child: the definitions are in the parent's file. */
void handle_forked(void) HIDDEN;

static inline uint32_t handle_entry(int fd)
{
	uint32_t entry;

	if (unlikely((unsigned)fd >= HANDLE_FDS))
		return 0;
	entry = atomic_load_explicit(&tacho_handles[fd], memory_order_relaxed);
	return likely(entry) ? entry : handle_define(fd, -1, NULL);
}

/* Forgets one descriptor: to be called before it is closed, whether that is recorded or not. */
static inline void handle_forget(int fd)
{
	if ((unsigned)fd < HANDLE_FDS &&
		atomic_load_explicit(&tacho_handles[fd], memory_order_relaxed)) {
		atomic_store_explicit(&tacho_handles[fd], 0, memory_order_relaxed);
		known_close(fd);
	}
}

#endif
