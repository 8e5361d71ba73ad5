/* pack.h - the bytes of a note that is being made, or taken apart. */
#ifndef ANALYZER_PACK_H
#define ANALYZER_PACK_H

#include <stddef.h>

struct pack {
	char *at;
	size_t n, cap;
};

/* Ends a guarded process that has no memory for it (reported). */
void pack_add(struct pack *pack, const void *data, size_t n);

/* Takes `n` bytes off the front of a note. */
void unpack(const char **at, void *to, size_t n);

#endif
