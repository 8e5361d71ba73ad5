/* say.c - see say.h. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "say.h"

int say_rank, say_quiet;

void say(const char *format, ...)
{
	va_list args;

	if (say_rank != 0 || say_quiet)
		return;
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
}

int fail(const char *format, ...)
{
	va_list args;
	char text[1024];

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "tacho-trainer[%d]: %s\n", say_rank, text);
	return -1;
}
