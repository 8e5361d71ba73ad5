/* compare_baseline.h - which run of a database of many a new run is compared with. */
#ifndef ANALYZER_COMPARE_BASELINE_H
#define ANALYZER_COMPARE_BASELINE_H

/* In the order of the words of tacho compare --baseline. */
enum baseline_how { BASELINE_LAST, BASELINE_BEST, BASELINE_MEDIAN };

struct baseline {
	enum baseline_how how;
	int n;			    /* BASELINE_MEDIAN: of the last n */
	const char *label, *branch; /* only runs with these; NULL: any */
};

/* By how much the last runs differ by themselves, of which two may differ by `share` at 95 %; NAN: not known. */
struct apart {
	double share;
	int runs;
};

/*
 * The number of the run in the database of `base` that `run` is compared with: it ended well, is as
 * large, and is not `run` itself. -1: there is none, or it cannot be read (reported).
 */
long long baseline_choose(const struct baseline *baseline, const char *base, const char *run,
	struct apart *apart);

#endif
