/* folder.h - the process's folder in the spool directory, and its files. */
#ifndef COLLECTOR_FOLDER_H
#define COLLECTOR_FOLDER_H

#include "core/process.h"

/* The path of a file in the process's folder. */
void process_path(char path[PATH_MAX], const char *name) HIDDEN;

/* Opens a file of the folder, mode 0600, never through a link. A descriptor, or -1 with errno. */
int process_file_open(const char *name, int flags) HIDDEN;

/* Removes a file of the folder. */
void process_file_remove(const char *name) HIDDEN;

/* The same as process_file_open() of a file of spool `number`, to be read and written: thread.<number>, totals.<number>. */
int process_spool_open(const char *kind, uint32_t number, int flags) HIDDEN;

/*
 * The folder, open: from now on its files are reached through it, where a descriptor may be kept. To be
 * given to process_folder_leave(); -1 with errno.
 */
int process_folder_keep(void) HIDDEN;
void process_folder_leave(int folder) HIDDEN;

/* The helper thread keeps the folder in its own table: it reaches it whatever the program becomes. */
void process_folder_own(void) HIDDEN;

/* Whether the descriptor of the folder is open and still leads to the folder. */
bool folder_is_open(void) HIDDEN;

/*
 * Checks the directory of all spools, which only the first process of a run makes: where one that
 * descends from it finds none, or another one, it has another root, and spools there are in no run.
 * 0, or -1 with errno.
 */
int spools_find(const char *directory) HIDDEN;

/* Names the folder <directory>/<host>.<pid>.<k>. 0, or -1 with errno. */
int folder_name(const char *directory, uint32_t k) HIDDEN;

/* Makes <directory>/<host>.<pid>.<k> with the first k that is free. 0, or -1 with errno. */
int folder_make(const char *directory) HIDDEN;

#endif
