/*
 * otf2_file.h - what a file of events tells by itself, without libotf2. A file
 * consists of chunks of one size; each begins with the numbers of its first
 * and last event, and the last chunk ends with the mark of the file's end.
 */
#ifndef ANALYZER_OTF2_FILE_H
#define ANALYZER_OTF2_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct event_file {
	bool there;		/* a plain file that is not empty */
	uint64_t size;		/* bytes */
	bool whole;		/* it ends as a file that was closed does */
	uint64_t nevents;	/* when whole: as its last chunk says; else what its size has room for */
};

/* Looks at a file of events of an archive with chunks of `chunk` bytes. */
struct event_file event_file_look(const char *path, uint64_t chunk);

/* Whether a file of a location's own definitions has none: most have not, and reading that costs libotf2 4 MiB of zeroes. */
bool definitions_file_empty(const char *path);

#endif
