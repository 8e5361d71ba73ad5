/* path_list.h - files of a folder. */
#ifndef ANALYZER_PATH_LIST_H
#define ANALYZER_PATH_LIST_H

#include <stdbool.h>

#include "base/containers.h"

typedef ARRAY_OF(char *) path_list;

/*
 * Appends the paths of a folder's entries that `is_wanted`, and sorts all by name and the numbers in it.
 * Names that begin with a dot are left out, and so is what memory does not suffice for.
 */
void path_list_read(path_list *paths, const char *folder, bool (*is_wanted)(const char *path));
void path_list_free(path_list *paths);

#endif
