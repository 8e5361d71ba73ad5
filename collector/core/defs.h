/*
 * defs.h - the file of definitions (`process` of the folder), mapped: defining is a store, and no
 * descriptor is needed. It grows by chunks, each made by a task.
 */
#ifndef COLLECTOR_DEFS_H
#define COLLECTOR_DEFS_H

#include "core/define.h"
#include "core/process.h"

/* Makes the file with its first chunk. 0, or -1 with errno. */
int defs_create(void) HIDDEN;

/* The first ones go to `size` bytes at `at`, all zero, and the file is made once those are full. */
void defs_begin(char *at, uint32_t size) HIDDEN;

/* Whether there is a file. */
bool defs_have_file(void) HIDDEN;

/* The first ones, up to 256 KiB; how many bytes. */
const char *defs_first(size_t *size) HIDDEN;

/* In a forked child: the mapped ones are the parent's, and stay as they are. */
void defs_forget(void) HIDDEN;

/*
 * Appends a definition. 0, or -1 with errno: there was no room for it. Any thread may, signal handlers
 * too, without a lock: a definition takes its place by one compare-and-swap of its first word, which
 * states how long it is, and counts once its type is stored.
 */
int defs_append(const struct def *def) HIDDEN;

/* At the end of the process: frees reserved, unused space. */
void defs_trim(void) HIDDEN;

#endif
