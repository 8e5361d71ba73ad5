/* export_gzip.h - a stream that compresses its input (gzip). */
#ifndef ANALYZER_EXPORT_GZIP_H
#define ANALYZER_EXPORT_GZIP_H

#include <stdbool.h>
#include <stdio.h>

/* Whether tacho is built with zlib, without which there is no such stream. */
bool export_gzip_is_there(void);

/* The stream; fclose() writes its rest to `out`, and leaves that open. NULL: no memory, or no zlib. */
FILE *export_gzip(FILE *out);

#endif
