/* python_lines.h - the tables of lines in code objects, of which each version has its own. */
#ifndef COLLECTOR_PYTHON_LINES_H
#define COLLECTOR_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "core/span.h"

/*
 * Line of the instruction `offset` bytes behind the first, by a table of Python 3.`minor`; 0: it has
 * none.
 */
uint32_t lines_look(int minor, const unsigned char *table, size_t size, uint32_t first_line,
	uint32_t offset) HIDDEN;

#endif
