/*
 * python_from.h - the callers of a line of Python, if several lines of the program call it: a place
 * in a shared helper explains little alone.
 */
#ifndef ANALYZER_PYTHON_FROM_H
#define ANALYZER_PYTHON_FROM_H

#include <stdint.h>

#include "otf2/otf2_in.h"

/*
 * For each place in Python's tree of calls, whose local time is ns[place], the caller that
 * distinguishes it from other calls of the same line: the innermost one by which they differ.
 * PYTHON_NONE if only one line calls it, and for callers with a small share of the line's time. If
 * a stack consists of library code only, the caller is the innermost one in another file. NULL
 * without memory; free() it.
 */
uint32_t *python_from_find(const struct archive *archive, const uint64_t *ns);

#endif
