/*
 * python_lines.c - see python_lines.h. The formats are those of CPython's Objects/lnotab_notes.txt
 * (to 3.10) and Objects/locations.md (from 3.11 on).
 */
#include "config.h"

#include "python/python_lines.h"

#define CODE_UNIT 2 /* bytes */

/* To 3.9: pairs of bytes (instructions, signed lines) by which both continue. */
static int64_t line_of_pairs(const unsigned char *table, size_t size, int64_t line, uint32_t offset)
{
	uint64_t at = 0;

	for (size_t i = 0; i + 1 < size; i += 2) {
		at += table[i];
		if (at > offset)
			break;
		line += (int8_t)table[i + 1];
	}
	return line;
}

/* 3.10: pairs (bytes of instructions, lines before them); -128 lines: these have none. */
static int64_t line_of_ranges(const unsigned char *table, size_t size, int64_t line,
	uint32_t offset)
{
	uint64_t end = 0;

	for (size_t i = 0; i + 1 < size; i += 2) {
		int8_t lines = (int8_t)table[i + 1];

		end += table[i];
		if (lines != -128)
			line += lines;
		if (offset < end)
			return lines == -128 ? 0 : line;
	}
	return 0;
}

/* A number in pieces of six bits, the last one without bit 6; its lowest bit is the sign. */
static int64_t signed_number(const unsigned char *at, const unsigned char *end)
{
	uint64_t number = 0;

	for (unsigned shift = 0; at < end && shift < 36; shift += 6, at++) {
		number |= (uint64_t)(*at & 0x3f) << shift;
		if (!(*at & 0x40))
			break;
	}
	return number & 1 ? -(int64_t)(number >> 1) : (int64_t)(number >> 1);
}

enum location { LOCATION_ONE_LINE = 10, LOCATION_NO_COLUMN = 13, LOCATION_LONG, LOCATION_NONE };

/* From 3.11 on: entries that begin with a byte above 127: kind, and how many code units it is for. */
static int64_t line_of_locations(const unsigned char *table, size_t size, int64_t line,
	uint32_t offset)
{
	const unsigned char *at = table, *end = table + size;
	uint64_t until = 0;

	while (at < end) {
		unsigned kind = *at >> 3 & 15;

		until += ((*at & 7) + 1u) * CODE_UNIT;
		at++;
		if (kind == LOCATION_NO_COLUMN || kind == LOCATION_LONG)
			line += signed_number(at, end);
		else if (kind >= LOCATION_ONE_LINE && kind < LOCATION_NO_COLUMN)
			line += kind - LOCATION_ONE_LINE;
		if (offset < until)
			return kind == LOCATION_NONE ? 0 : line;
		while (at < end && *at < 0x80)
			at++;
	}
	return 0;
}

uint32_t lines_look(int minor, const unsigned char *table, size_t size, uint32_t first_line,
	uint32_t offset)
{
	int64_t line = minor < 10 ? line_of_pairs(table, size, first_line, offset)
		: minor == 10	  ? line_of_ranges(table, size, first_line, offset)
				  : line_of_locations(table, size, first_line, offset);

	return line > 0 && line < INT32_MAX ? (uint32_t)line : 0;
}
