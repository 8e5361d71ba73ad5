/* db_leftover.h - finds and removes temporary files of analyses that ended early. */
#ifndef ANALYZER_DB_LEFTOVER_H
#define ANALYZER_DB_LEFTOVER_H

/* Shows others that the file is in use, for as long as the descriptor is open. */
void db_temporary_hold(int fd);

/* Removes the temporary files of `path` that processes left which were killed. */
void db_leftovers_remove(const char *path);

#endif
