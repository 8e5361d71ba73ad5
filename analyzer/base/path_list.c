/* path_list.c - see path_list.h. */
#include "config.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/path_list.h"
#include "base/rundir.h"

static int by_name(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

void path_list_read(path_list *paths, const char *folder, bool (*is_wanted)(const char *path))
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		char *path = entry->d_name[0] == '.' ? NULL : path_join(folder, entry->d_name);
		char **at = path && is_wanted(path) ? ARRAY_ADD(paths) : NULL;

		if (at)
			*at = path;
		else
			free(path);
	}
	if (dir)
		closedir(dir);
	if (paths->n)
		qsort(paths->at, paths->n, sizeof(*paths->at), by_name);
}

void path_list_free(path_list *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		free(paths->at[i]);
	free(paths->at);
}
