/* kineto_source.h - the bytes of a file, compressed or not. */
#ifndef ANALYZER_KINETO_SOURCE_H
#define ANALYZER_KINETO_SOURCE_H

#include <stddef.h>

struct kineto_source;

/* NULL: it cannot be opened (reported). */
struct kineto_source *kineto_source_open(const char *path);

/* As json_in.h wants it: how many bytes are put there; 0 at the end; -1: reading failed. */
long kineto_source_more(void *source, char *to, size_t room);

void kineto_source_close(struct kineto_source *source);

#endif
