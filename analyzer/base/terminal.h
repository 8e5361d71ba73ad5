/* terminal.h - texts on a terminal, within its width. */
#ifndef ANALYZER_TERMINAL_H
#define ANALYZER_TERMINAL_H

#include <stdio.h>

/* Columns of the terminal that `out` is, else $COLUMNS, else 100. */
int terminal_width(FILE *out);

/* Columns of a UTF-8 text. */
int text_columns(const char *text);

/*
 * Prints a text broken between words, and ends the line. The first line has begun, with `indent`
 * columns; the others are indented by as many.
 */
void text_wrap(const char *text, int indent, int width);

#endif
