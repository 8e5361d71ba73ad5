/*
 * otf2_file.h - what a file of events says by itself, without libotf2. A file
 * consists of chunks of one size; each begins with the numbers of its first
 * and last event, and the last chunk ends with the mark of the file's end.
 */
#ifndef ANALYZER_OTF2_FILE_H
#define ANALYZER_OTF2_FILE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	HEADER_SIZE = 18,	      /* of a chunk: kind, byte order, first and last event */
	FILE_EMPTY = HEADER_SIZE + 2, /* bytes of a file without records: a header, two marks */
};

struct event_file {
	bool there;    /* a plain file that is not empty */
	uint64_t size; /* bytes */
	bool complete; /* it ends as a file that was closed does */
	/* when complete: as its last chunk says; else what its size has room for */
	uint64_t nevents;
};

/* Inspects an open file of events of an archive with chunks of `chunk` bytes. */
struct event_file event_file_look(int fd, uint64_t chunk);

#endif
