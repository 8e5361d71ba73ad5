/* db_migrate.h - bringing a database of several runs to the schema of this tacho. */
#ifndef ANALYZER_DB_MIGRATE_H
#define ANALYZER_DB_MIGRATE_H

#include <sqlite3.h>

/*
 * `db` has the old database as main, and one of the present schema attached as source; foreign keys
 * must be off. Changes main within the transaction that the caller has begun: recreates tables with
 * another layout and fills them from the old columns. 0, or -1 (the caller reports).
 */
int db_migrate(sqlite3 *db, int from, int to);

#endif
