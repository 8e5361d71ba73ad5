/* db_merge.h - copying the run of one database into another that holds several. */
#ifndef ANALYZER_DB_MERGE_H
#define ANALYZER_DB_MERGE_H

/*
 * Copies the one run of the database `from` into the one at `path`, in one
 * transaction; a run of the same archive (run.path) that began at the same time is replaced there.
 * 0, or -1 (reported).
 */
int db_merge(const char *path, const char *from);

/* True if db_merge() would reject the existing database at `path`; reported. */
bool db_keep_lacks(const char *path);

/* The same, or a new database at `path` with what `from` holds. 0, or -1 (reported). */
int db_keep(const char *path, const char *from);

struct sqlite3;

/*
 * Adds the runs of `from`, or only number `only` (0: all), behind those in an open database of the
 * present schema, for commands that compare several: without files, collectives, samples and
 * figures of single steps. 0, or -1 (reported).
 */
int db_join(struct sqlite3 *db, const char *from, long long only);

#endif
