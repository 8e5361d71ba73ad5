/* summary_text.c - see summary_text.h. */
#include "config.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "report/summary_text.h"

static int columns_of(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += (*s & 0xc0) != 0x80;
	return n;
}

void put(struct summary *s, enum style style, const char *text)
{
	static const char *const codes[] = { "", "\033[2m", "\033[1m", "\033[32m", "\033[33m",
		"\033[31m" };

	if (s->colour && style != PLAIN)
		fprintf(s->out, "%s%s\033[0m", codes[style], text);
	else
		fputs(text, s->out);
	s->column += columns_of(text);
}

void break_line(struct summary *s)
{
	fprintf(s->out, "\n%*s", INDENT, "");
	s->column = INDENT;
}

void line_begin(struct summary *s, const char *name)
{
	s->column = 0;
	put(s, DIM, name);
	while (s->column < INDENT)
		put(s, PLAIN, " ");
}

void line_end(struct summary *s)
{
	fputc('\n', s->out);
}

void item(struct summary *s, enum style style, const char *between, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	if (!text)
		return;
	if (s->column > INDENT && s->column + columns_of(between) + columns_of(text) > s->width) {
		break_line(s);
		between += strspn(between, " ");
		put(s, PLAIN, strncmp(between, "·", strlen("·")) == 0 ? "" : between);
	} else if (s->column > INDENT) {
		put(s, PLAIN, between);
	}
	put(s, style, text);
	free(text);
}

void words(struct summary *s, enum style style, const char *between, const char *sentence)
{
	char *copy = strdup(sentence), *rest = copy, *word;

	while (rest && (word = strsep(&rest, " "))) {
		item(s, style, between, "%s", word);
		between = " ";
	}
	free(copy);
}

const char *shown(char *buf, size_t size, enum result_format format, double value)
{
	return number_format(buf, size, format, value);
}
