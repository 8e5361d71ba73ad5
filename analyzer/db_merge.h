/* db_merge.h - copying the run of one database into another that holds several. */
#ifndef ANALYZER_DB_MERGE_H
#define ANALYZER_DB_MERGE_H

/*
 * Copies the one run of the database `from` into the one at `path`, in one
 * transaction; a run of the same archive (run.path) there is replaced. 0, or -1 (reported).
 */
int db_merge(const char *path, const char *from);

#endif
