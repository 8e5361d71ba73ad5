/*
 * db_bulk.h - a table that is still empty gets all its rows at once, as pages of the file (SQLite's
 * "Database File Format"), which takes a tenth of the time that SQLite needs to insert them one by
 * one in the order of their key.
 */
#ifndef ANALYZER_DB_BULK_H
#define ANALYZER_DB_BULK_H

#include "db.h"

/*
 * Takes the rows until there are no more. 1: they are in the table. 0: it has to be done by SQLite,
 * and nothing is changed: the table is not empty, not as `to` says, has an index, the file is not
 * as usual, rows are not in the order of the key, or one is too long for a page. -1: the file
 * cannot be written (reported). Ends the transaction and begins a new one.
 */
int db_bulk_put(struct db *db, const struct db_table *to, const struct db_rows *rows);

#endif
