/*
 * stats_db.h - the database that tacho stats and tacho info print: opened, one of its runs chosen,
 * names looked up.
 */
#ifndef ANALYZER_STATS_DB_H
#define ANALYZER_STATS_DB_H

#include <stdbool.h>

#include "report/report_db.h"

/*
 * Opens the database of `run`, a run's folder or the file itself. 0, or -1 (reported);
 * report_db_close() in the end.
 */
int stats_db_open(struct report_db *db, const char *run);

/*
 * From now on tables and views have the rows of one run only (table run still lists all): `wanted`,
 * its label or number, NULL = the last one, which is reported where there are several, unless
 * `quiet`. 0, or -1 (reported).
 */
int stats_db_choose(struct report_db *db, const char *wanted, bool quiet);

/* Whether there is such a window, and such a metric in it (NULL: any). False: reported. */
bool stats_db_knows(struct report_db *db, const char *window, const char *metric);

#endif
