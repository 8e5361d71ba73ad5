/* python_file.c - see python_file.h. */
#include "config.h"

#include <string.h>

#include "model/python_file.h"
#include "tacho/spool.h"

bool python_file_names_module(const char *file)
{
	return strcmp(file, SPOOL_PYTHON_MODULE) == 0;
}

bool python_file_is_library(const char *file)
{
	return python_file_names_module(file) || strstr(file, ".so.") ||
		strstr(file, "/site-packages/") || strstr(file, "/dist-packages/") ||
		strstr(file, "/lib/python3") || strncmp(file, "<frozen ", 8) == 0;
}
