/* python_text.h - Python's texts as UTF-8, and what objects have in common. */
#ifndef COLLECTOR_PYTHON_TEXT_H
#define COLLECTOR_PYTHON_TEXT_H

#include "python/python_layout.h"

/* Offsets in objects of all versions. */
#define OBJECT_TYPE 8
#define BYTES_SIZE  16
#define BYTES_DATA  32

/* The text object at `at`, shortened to `size` bytes with its NUL. 0, or -1 when it is none. */
int text_read(const struct python_runtime *python, uint64_t at, char *to, size_t size) HIDDEN;

#endif
