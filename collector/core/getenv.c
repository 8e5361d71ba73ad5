/*
 * getenv.c - the library's own getenv(). Programs may have one that this library would find before
 * libc's: bash's looks into tables that it has not filled yet when it makes its first recorded call.
 * Hidden, so that nobody outside meets it.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/span.h"

extern char **environ;

HIDDEN char *getenv(const char *name);

char *getenv(const char *name)
{
	size_t n = strlen(name);

	for (char **at = environ; at && *at; at++)
		if (strncmp(*at, name, n) == 0 && (*at)[n] == '=')
			return *at + n + 1;
	return NULL;
}
