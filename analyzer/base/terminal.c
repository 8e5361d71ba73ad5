/* terminal.c - see terminal.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/terminal.h"

enum { DEFAULT_WIDTH = 100 };

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
