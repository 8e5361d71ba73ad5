/*
 * getenv.c - the library's own getenv(). Programs may define one that this library would find
 * before libc's: bash's reads tables that are still empty at its first recorded call. Hidden, so
 * that no other code calls it.
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
