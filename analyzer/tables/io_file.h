/* io_file.h - how each process used each file, from the I/O events of its threads. */
#ifndef ANALYZER_IO_FILE_H
#define ANALYZER_IO_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/containers.h"
#include "db/db.h"
#include "model/model.h"
#include "tables/io_save.h"
#include "tables/socket_log.h"

struct io_use {
	uint32_t file;
	uint64_t opens, reads, writes, bytes_read, bytes_written;
	uint64_t saves; /* openings by a thread in which it wrote */
	int64_t read_ns, write_ns, meta_ns;
	/*
	 * all; those that continue an access of their thread; those that are the first in their
	 * thread
	 */
	uint64_t accesses, following, starts;
	uint64_t min_access, max_access;
	int64_t first;		/* begin of the first one, where there are any */
	bool storage;		/* see io_is_storage() */
	bool checkpoint;	/* touched in a phase named so */
	bool outside;		/* written by the main thread outside of all phases */
	struct socket_log sent; /* of a socket with a recorded peer */
	struct io_saves when;	/* it was written; of storage */
};

/* The files that one process used: of a large run a small part of all. */
struct io_table {
	struct idmap numbers; /* file → its place below */
	ARRAY_OF(struct io_use *) uses;
};

/*
 * Position of a thread in a file. Threads are read one after the other, so sequential accesses are
 * counted per thread.
 */
struct io_cursor {
	uint64_t next; /* offset after the latest access */
	/*
	 * The handle that was opened or moved last, until its next access: the offset of that
	 * access, and whether it is the first one.
	 */
	uint64_t handle, position;
	bool any, moved, opened;
	bool wrote; /* since it was opened */
	struct io_saving saving;
};

struct io_cursors {
	struct idmap numbers; /* file → its place below */
	ARRAY_OF(struct io_cursor) at;
};

/* A thread's cursor in a file, made when it is new; until the next one. NULL without memory (reported). */
struct io_cursor *io_cursor_of(struct io_cursors *cursors, uint32_t file);
void io_cursors_free(struct io_cursors *cursors);

/* The use of a file by a process, made when it is new; NULL without memory (reported). */
struct io_use *io_use_of(struct io_table *table, const struct model *model, uint32_t file);

/* The same; NULL: it did not use the file. */
struct io_use *io_use_find(const struct io_table *table, uint32_t file);

/* Puts the uses of each process in the order of the files, in which rows are written. */
void io_tables_sort(struct io_table *tables, const struct model *model);

/* The file was opened as `handle`; the position of `handle` was set. */
void io_use_open(struct io_use *use, struct io_cursor *cursor, uint64_t handle);
void io_cursor_seek(struct io_cursor *cursor, uint64_t handle, uint64_t position);

/* The first half of a split read or write, at `offset` (UINT64_MAX: at the handle's position). */
void io_use_split(struct io_use *use, struct io_cursor *cursor, uint64_t handle, bool write,
	uint64_t offset, int64_t ns);

/*
 * One finished read or write of `bytes` by `handle` at `offset` (UINT64_MAX: at the handle's
 * position, which is after the previous access unless a seek has moved it).
 */
void io_use_access(struct io_use *use, struct io_cursor *cursor, uint64_t handle, bool write,
	uint64_t bytes, uint64_t offset, int64_t ns);

/* `n` reads or writes of `bytes` and `ns` together, with unknown sizes and offsets. */
void io_use_sum(struct io_use *use, bool write, uint64_t n, uint64_t bytes, int64_t ns);

/* True for a path that is storage, not a pipe, socket, device or a view of the kernel. */
bool io_is_storage(const char *path);

/* When a process first read a file of the data set; DB_NULL: it did not. */
int64_t io_first_sample(const struct io_table *table, const struct model *model);

/* Rows of the tables `io_file` and `io_save`. */
void io_files_write(struct db *db, const struct model *model, const struct io_table *tables,
	bool has_phases);
void io_files_free(struct io_table *tables, const struct model *model);

#endif
