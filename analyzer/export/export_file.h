/*
 * export_file.h - a file that appears only when it is complete: it is written under another name in
 * the same folder, and an older one remains until then. Other than regular files (a pipe, a device)
 * are written directly.
 */
#ifndef ANALYZER_EXPORT_FILE_H
#define ANALYZER_EXPORT_FILE_H

#include <stdio.h>

struct export_file {
	FILE *out;
	char *path;
	char *temporary; /* NULL: it is in its place */
};

/* Opens a file for writing. 0, or -1 (reported). export_file_free() follows in any case. */
int export_file_open(struct export_file *file, const char *path);

/* Ends the writing. 0, or -1 when something of it failed (reported). */
int export_file_close(struct export_file *file);

/* Moves the closed file to its place. 0, or -1 (reported). */
int export_file_place(struct export_file *file);

/* Closes it, removes an incomplete file, frees its memory. */
void export_file_free(struct export_file *file);

#endif
