/*
 * report.h - one self-contained HTML page about a run, for `tacho report`
 * and the end of `tacho record`. It reads the run's database and nothing else.
 */
#ifndef ANALYZER_REPORT_H
#define ANALYZER_REPORT_H

struct report_options {
	const char *output;  /* HTML file; NULL: report.html next to the database */
	const char *gnuplot; /* what draws, "" for no plots; NULL: $GNUPLOT, else from PATH */
};

/*
 * Writes the report of `run`, a run's folder or a database file. Plots and
 * their data also go, as files, to the folder that is named as the output
 * without ".html". Without gnuplot the report has its tables and states what to
 * install. 0, or -1 (reported); an older report stays when a new one fails.
 */
int report_run(const char *run, const struct report_options *options);

/* Where report_run() writes to unless asked otherwise, to be freed; NULL: out of memory. */
char *report_path(const char *run);

#define REPORT_OF_RUNS "tacho-runs.html" /* in the working folder */

/* The same about several runs next to each other, in the order given; to REPORT_OF_RUNS unless
 * asked otherwise. */
int report_runs(char *const *runs, int nruns, const struct report_options *options);

/*
 * The databases of several runs, folders or files, in one in memory, with the table `study`
 * (reports/runs/runs_study.sql). 0, or -1 (reported). report_db_close() ends it.
 */
struct report_db;
int report_runs_open(struct report_db *db, char *const *runs, int nruns);

/* The page of runs that were opened so, after scaling_compute(). */
int report_runs_write(struct report_db *db, const struct report_options *options);

/*
 * The database of one more run, folder or file, or only the run of that number in it (0: all); db->run
 * is the last run in it. 0, or -1 (reported).
 */
int report_run_add(struct report_db *db, const char *run, long long only);

/*
 * The page of two runs in `db`. tacho compare has filled the tables that reports/compare_page_*.sql
 * read: pair, side_step, said and compared_*. 0, or -1 (reported).
 */
int report_compared(struct report_db *db, const struct report_options *options);

/* The page of runs over time, after history_open() (history.h). 0, or -1 (reported). */
int report_history(struct report_db *db, const struct report_options *options);

#endif
