/* db_leftover.h - temporary files of an analysis: whose they are, and those that nobody has any more. */
#ifndef ANALYZER_DB_LEFTOVER_H
#define ANALYZER_DB_LEFTOVER_H

/* Shows others that the file is in use, for as long as the descriptor is open. */
void db_temporary_hold(int fd);

/* Removes the temporary files of `path` that processes left which were killed. */
void db_leftovers_remove(const char *path);

#endif
