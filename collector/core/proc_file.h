/*
 * proc_file.h - reads small text files of /proc and /sys repeatedly, and parses their lines. Names
 * and numbers in them are not trusted: a function that does not find its word fails.
 */
#ifndef COLLECTOR_PROC_FILE_H
#define COLLECTOR_PROC_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

/* Prefix of all paths: "" but in tests. */
extern const char *tacho_source_root HIDDEN;

/* Where /proc shows the program's process, for tasks, which /proc/self is not. */
extern const char *tacho_proc_self HIDDEN;

/*
 * The text of a file, terminated, or NULL when it cannot be read or is empty;
 * valid until the next call. The part beyond 64 KiB is truncated after the
 * last whole line. The file is not kept open: the processes of a node would have
 * a dozen each.
 */
const char *file_text(const char *path) HIDDEN;

/* The same for a file that mostly exists. */
const char *file_text_once(const char *path) HIDDEN;

bool file_exists(const char *path) HIDDEN;

/* Equal for one file only while the machine runs; 0: there is none. */
uint32_t file_identity(const char *path) HIDDEN;

/* Bytes that this file has read; they are in the process's own rchar. */
extern uint64_t tacho_source_bytes HIDDEN;

/*
 * Bytes that the library has written to its files, without the helper's, which has a separate
 * account. They are in the process's wchar, and in its write_bytes if the file system has storage.
 */
extern _Atomic uint64_t tacho_spool_bytes HIDDEN;
extern bool tacho_spool_is_stored HIDDEN;

/*
 * Around each call that writes such bytes, and after it the number written (<= 0: none). The kernel
 * counts them during the call, so a concurrent reader of both counts sees them in one only. Any
 * thread.
 */
void own_write_begin(void) HIDDEN;
void own_write_end(_Atomic uint64_t *bytes, int64_t n) HIDDEN;

/* The task that stays has been waited for: the kernel has added its account to the program's. */
void own_task_ended(void) HIDDEN;

/* What has been written and read; false while a call writes. */
struct own_bytes {
	uint64_t spool, sources;
};
bool own_bytes_get(struct own_bytes *own) HIDDEN;

/* In a forked child: begins its account of bytes; before it has a file. */
void own_forked(void) HIDDEN;

#define FOLDER_MAX_ENTRIES 16
#define FOLDER_ENTRY_SIZE  64

/* Names in a folder, looked up again at most every 10 s. */
struct folder {
	uint64_t due_ns; /* CLOCK_MONOTONIC */
	unsigned count;
	char names[FOLDER_MAX_ENTRIES][FOLDER_ENTRY_SIZE];
};
void folder_read(struct folder *folder, const char *path) HIDDEN;

/* The names in a folder that are numbers, as it is now: at most `max` of them. */
unsigned folder_numbers(const char *path, uint32_t *numbers, unsigned max) HIDDEN;

/* a/b/c… into `to` of `size` bytes; false when it does not fit. The list ends with NULL. */
bool path_build(char *to, size_t size, const char *first, ...) HIDDEN __attribute__((sentinel));

/* After the end of the line. */
const char *line_next(const char *at) HIDDEN;

/* Takes the next blank-separated word or number of the line at *at; false when there is none. */
bool word_take(const char **at, const char **word, size_t *len) HIDDEN;
bool number_take(const char **at, uint64_t *value) HIDDEN;

/* Passes over `n` words. False when the line has fewer. */
bool words_skip(const char **at, unsigned n) HIDDEN;

/* After `key` at the start of a line of `text`; NULL when no line starts so. */
const char *line_find(const char *text, const char *key) HIDDEN;

/* FNV-1a, to be started with HASH_START. */
#define HASH_START 0xcbf29ce484222325u
uint64_t hash_bytes(uint64_t hash, const char *bytes, size_t len) HIDDEN;

#endif
