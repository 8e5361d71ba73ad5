/*
 * report_deflate.h - packs the data of a page as DEFLATE (RFC 1951), which browsers unpack. It uses
 * zlib with fixed codes only, so that the unpacker for browsers without DEFLATE
 * (view_data.js) stays small; texts of numbers shrink to a third or less. Without zlib the
 * data is stored uncompressed in DEFLATE's format.
 */
#ifndef ANALYZER_REPORT_DEFLATE_H
#define ANALYZER_REPORT_DEFLATE_H

#include <stddef.h>

/* The packed form of `data`, to be freed, and its size; NULL: no memory (reported). */
unsigned char *deflate_pack(const void *data, size_t size, size_t *packed_size);

#endif
