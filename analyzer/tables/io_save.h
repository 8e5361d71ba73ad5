/*
 * io_save.h - when a process wrote a file: from the opening, or else the first write, until the last
 * write, sync or close. A pause makes two of one, so that a file that stays open is not always saved.
 */
#ifndef ANALYZER_IO_SAVE_H
#define ANALYZER_IO_SAVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IO_SAVES_MOST 1024 /* of a file and process; later ones are not kept */

struct io_save {
	int64_t begin, end;
	uint64_t bytes;
	int64_t is_main; /* by the process's main thread */
};

struct io_saves {
	size_t n, room;
	struct io_save *at;
};

/* A save that a thread is at in a file; zeroed at first. */
struct io_saving {
	bool is_opened; /* nothing was written since */
	int64_t opened; /* when that began */
	size_t number;	/* of the save, from 1 on; 0: none */
};

/* An opening from `begin` on. */
void io_saving_open(struct io_saving *saving, int64_t begin);

/* A write of `bytes` > 0. 0, or -1 without memory. */
int io_saves_write(struct io_saves *saves, struct io_saving *saving, int64_t begin, int64_t end,
	uint64_t bytes, bool is_main);

/* A sync or close until `end`. */
void io_saves_sync(struct io_saves *saves, const struct io_saving *saving, int64_t end);

#endif
