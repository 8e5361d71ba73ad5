/*
 * python_from.h - from where a line of Python was called, if several lines of the program call it: a place in a
 * shared helper tells little alone.
 */
#ifndef ANALYZER_PYTHON_FROM_H
#define ANALYZER_PYTHON_FROM_H

#include <stdint.h>

#include "otf2/otf2_in.h"

/*
 * For each place in Python's tree of calls, whose own time is ns[place], the caller that tells it from
 * other calls of the same line: the innermost one by which they differ. PYTHON_NONE where only one line calls it, and of
 * callers that have little of the line's time. Where all of a stack is libraries', the
 * caller is the innermost one in another file. NULL without memory; free() it.
 */
uint32_t *python_from_find(const struct archive *archive, const uint64_t *ns);

#endif
