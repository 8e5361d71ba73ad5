/* history.h - many runs in the order in which they began, for `tacho history`: what changed, and when. */
#ifndef ANALYZER_HISTORY_H
#define ANALYZER_HISTORY_H

struct report_db;

/* Which runs of a database count; NULL and 0: all. */
struct history_choice {
	const char *label, *branch;
	int last; /* the last ones of these */
};

/*
 * Makes the temporary tables of history_tables.sql in an open database. 0, or -1 (reported).
 */
int history_tables_make(struct report_db *db, const struct history_choice *choice);

/*
 * Opens one database of many runs, or many runs, makes these tables, and searches for changes
 * (base/change_points.h): history_change and history_level, of which reports/history/ reads.
 * `alpha`: the allowed share of series without a change for which one is reported. 0, or -1 (reported);
 * report_db_close() ends it after 0.
 */
int history_open(struct report_db *db, char *const *runs, int nruns,
	const struct history_choice *choice, double alpha);

#endif
