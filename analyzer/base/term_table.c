/* term_table.c - see grid.h. */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/term_table.h"

enum {
	DEFAULT_WIDTH = 100,
	LEAST_LAST = 20, /* columns of the last column, however narrow the terminal is */
};

int terminal_width(FILE *out)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	int width = 0;

	if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	if (!width && columns)
		width = atoi(columns);
	return width > 0 ? width : DEFAULT_WIDTH;
}

int text_columns(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += (*text & 0xc0) != 0x80;
	return n;
}

void term_table_cell(struct term_table *grid, const char *format, ...)
{
	char **cell = ARRAY_ADD(&grid->cells);
	va_list args;

	va_start(args, format);
	if (cell && vasprintf(cell, format, args) < 0)
		*cell = NULL;
	va_end(args);
}

static const char *cell_text(const struct term_table *grid, size_t i)
{
	return grid->cells.at[i] ? grid->cells.at[i] : "";
}

/* At most `room` columns of the text. */
static void put_clipped(const char *text, int room)
{
	bool whole = text_columns(text) <= room;
	const char *end = text + strlen(text);
	int n = 0;

	if (!whole)
		for (end = text; n < room || (*end & 0xc0) == 0x80; end++)
			n += (*end & 0xc0) != 0x80;
	while (!whole && end > text && (*--end & 0xc0) == 0x80)
		;
	printf("%.*s%s\n", (int)(end - text), text, whole ? "" : "…");
}

static int column_width(const struct term_table *grid, int column)
{
	int most = 0;

	for (size_t i = column; i < grid->cells.n; i += grid->ncols)
		if (text_columns(cell_text(grid, i)) > most)
			most = text_columns(cell_text(grid, i));
	return most;
}

static void put_row(const struct term_table *grid, size_t row, const int *widths, int room)
{
	int last = grid->ncols - 1;

	for (int k = 0; k < last; k++) {
		const char *text = cell_text(grid, row + k);
		int pad = widths[k] - text_columns(text);

		if (k == 0)
			printf("  %s%*s", text, pad, "");
		else
			printf("  %*s%s", pad, "", text);
	}
	if (cell_text(grid, row + last)[0])
		fputs("  ", stdout);
	put_clipped(cell_text(grid, row + last), room);
}

void term_table_print(struct term_table *grid, int width)
{
	int last = grid->ncols - 1, room = width - 2;
	int *widths = calloc(grid->ncols, sizeof(*widths));

	for (int k = 0; widths && k < last; k++)
		room -= 2 + (widths[k] = column_width(grid, k));
	for (size_t row = 0; widths && row + last < grid->cells.n; row += grid->ncols)
		put_row(grid, row, widths, room > LEAST_LAST ? room : LEAST_LAST);
	for (size_t i = 0; i < grid->cells.n; i++)
		free(grid->cells.at[i]);
	free(grid->cells.at);
	free(widths);
	*grid = (struct term_table){ .ncols = grid->ncols };
}

void text_wrap(const char *text, int indent, int width)
{
	char *copy = strdup(text), *rest = copy, *word;
	int column = indent;

	while (rest && (word = strsep(&rest, " "))) {
		if (column > indent && column + 1 + text_columns(word) > width) {
			printf("\n%*s", indent, "");
			column = indent;
		} else if (column > indent) {
			column += printf(" ");
		}
		fputs(word, stdout);
		column += text_columns(word);
	}
	putchar('\n');
	free(copy);
}
