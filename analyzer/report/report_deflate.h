/*
 * report_deflate.h - data of a page packed as DEFLATE (RFC 1951), which browsers unpack. One block
 * with the fixed codes: texts of numbers shrink to a third or less, and what unpacks it where the
 * browser cannot (reports/view_data.js) stays small.
 */
#ifndef ANALYZER_REPORT_DEFLATE_H
#define ANALYZER_REPORT_DEFLATE_H

#include <stddef.h>

/* The packed form of `data`, to be freed, and its size; NULL: no memory (reported). */
unsigned char *deflate(const void *data, size_t size, size_t *packed_size);

#endif
