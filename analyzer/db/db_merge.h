/* db_merge.h - copying the run of one database into another that holds several. */
#ifndef ANALYZER_DB_MERGE_H
#define ANALYZER_DB_MERGE_H

/*
 * Copies the one run of the database `from` into the one at `path`, in one
 * transaction; a run of the same archive (run.path) there is replaced. 0, or -1 (reported).
 */
int db_merge(const char *path, const char *from);

struct sqlite3;

/*
 * Adds the runs of `from` to an open database of the present schema, after those that are there,
 * for commands that look at several: without files, collectives, samples and figures of single
 * steps. 0, or -1 (reported).
 */
int db_join(struct sqlite3 *db, const char *from);

#endif
