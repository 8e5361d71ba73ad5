/*
 * sweep.h - the runs of a study, each recorded into its own folder, in mixed order. Results are
 * kept in the study's folder after each run, so that a sweep that was killed continues from there.
 */
#ifndef ANALYZER_SWEEP_H
#define ANALYZER_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/containers.h"
#include "sweep/study.h"

#define SWEEP_STUDY    "study.conf" /* in the study's folder: its definition */
#define SWEEP_STATE    "state"	    /* finished runs, a line each */
#define SWEEP_LOCK     "lock"	    /* held while a sweep works */
#define SWEEP_RUNS     "runs"
#define SWEEP_DATABASE "study.db" /* all runs */
#define SWEEP_PAGE     "study.html"
#define SWEEP_VARIABLE "TACHO_SWEEP" /* the study's folder, in the environment of its processes */

enum { SWEEP_TRIES = 2 };

enum sweep_end {
	SWEEP_OPEN,
	SWEEP_DONE,   /* the run ended whole */
	SWEEP_FAILED, /* it was tried `tries` times */
};

struct sweep_run {
	size_t point;
	int repetition; /* from 0 */
	enum sweep_end end;
	int tries;	/* that failed */
	int status;	/* of the last one that failed */
	bool wanted;	/* one of those to be made; in a search, so far */
	double seconds; /* that it took, with its analysis */
	double ns;	/* of the run itself; and the sought figure, NAN: it has none */
	double measure;
	double target_ns; /* until it reached the study's target, NAN: it did not */
	double rate;	  /* samples per second, NAN: not known; when all are done */
	char *name;	  /* of its folder in runs/ */
	char *job;	  /* of a batch system, in which it may still be; NULL: none */
};

struct sweep {
	struct study *study;
	char *folder; /* absolute */
	struct study_point *points;
	char **labels; /* of the points */
	size_t npoints;
	struct sweep_run *runs; /* runs of a point follow each other, as many of each: */
	size_t nruns, depth;
	size_t planned;	 /* runs in all, some of which a search has yet to choose */
	size_t *left;	 /* of a search: after which round a point was left; NULL: no search */
	int state, lock; /* files */
};

/*
 * Opens the study's folder, makes it if it does not exist, and reads its finished runs. Ends
 * processes that a killed sweep of it left. 0, or -1 (reported): the folder may belong to another
 * study.
 */
int sweep_open(struct sweep *sweep, struct study *study);
void sweep_close(struct sweep *sweep);

/*
 * Does the runs that are left. 0; -1: the sweep cannot continue (reported); or a signal that ended
 * it.
 */
int sweep_go(struct sweep *sweep);

/*
 * Puts the runs that are done into the study's database and page, and opens `db` with the temporary
 * table `swept`, a row per point (sweep_result.c). 0, or -1 (reported).
 */
struct report_db;
int sweep_result(const struct sweep *sweep, struct report_db *db);

/* The query of a table of the points for people and programs, to be freed; NULL without memory. */
char *sweep_table_sql(const struct study *study);

#endif
