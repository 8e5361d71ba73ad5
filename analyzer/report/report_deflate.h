/*
 * report_deflate.h - data of a page packed as DEFLATE (RFC 1951), which browsers unpack: by zlib, with
 * the fixed codes alone, so that what unpacks it where the browser cannot (reports/view_data.js)
 * stays small; texts of numbers shrink to a third or less. Built without zlib they only stand in
 * DEFLATE's frame.
 */
#ifndef ANALYZER_REPORT_DEFLATE_H
#define ANALYZER_REPORT_DEFLATE_H

#include <stddef.h>

/* The packed form of `data`, to be freed, and its size; NULL: no memory (reported). */
unsigned char *deflate_pack(const void *data, size_t size, size_t *packed_size);

#endif
