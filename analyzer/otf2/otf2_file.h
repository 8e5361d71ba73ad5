/*
 * otf2_file.h - reads the structure of an event file without libotf2. A file consists of chunks of
 * one size; each begins with the numbers of its first and last event, and the last chunk ends with
 * an end-of-file mark.
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
	/* when complete: from its last chunk; else the most that its size allows */
	uint64_t nevents;
};

/* Inspects an open file of events of an archive with chunks of `chunk` bytes. */
struct event_file event_file_look(int fd, uint64_t chunk);

#endif
