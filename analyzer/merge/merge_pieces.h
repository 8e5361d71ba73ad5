/*
 * merge_pieces.h - lines of text about a process as properties of it, each of a limited size.
 */
#ifndef ANALYZER_MERGE_PIECES_H
#define ANALYZER_MERGE_PIECES_H

#include <stddef.h>
#include <stdint.h>

struct strings;

enum { PIECE = 16384, PIECE_LINE = 1024 }; /* bytes of a property, about; of a line at most */

struct pieces {
	struct strings *s;
	const char *key; /* the properties are KEY0, KEY1, … */
	uint32_t process, n;
	size_t size;
	char text[PIECE + PIECE_LINE];
};

/* Appends to the present line as printf() does; what does not fit into PIECE_LINE is cut. */
void pieces_print(struct pieces *pieces, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* After a line: writes the property if it is full. */
void pieces_line(struct pieces *pieces);

/* Writes what is left. */
void pieces_end(struct pieces *pieces);

#endif
