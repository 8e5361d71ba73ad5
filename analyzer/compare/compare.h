/*
 * compare.h - two runs next to each other, for `tacho compare`: what reports/compare finds in
 * their databases, by how much the new one is slower and how sure that is, and the gate on it.
 */
#ifndef ANALYZER_COMPARE_H
#define ANALYZER_COMPARE_H

#include <stdbool.h>

#include "compare/compare_baseline.h"
#include "report/report_db.h"

/* What is inspected: PART(name), a query compare_NAME.sql and a member of the output. */
#define COMPARE_PARTS(PART)                                                                        \
	PART(notes)                                                                                \
	PART(figures)                                                                              \
	PART(time)                                                                                 \
	PART(parts)                                                                                \
	PART(calls)                                                                                \
	PART(findings)                                                                             \
	PART(differences)                                                                          \
	PART(computing)                                                                            \
	PART(causes)                                                                               \
	PART(disturbances)

/* Change of the time of a step, of a sample or of the run. */
struct change {
	double base_ns, new_ns; /* geometric means of blocks */
	double share;		/* new ÷ base − 1; NAN: not known */
	double low, high;	/* its 95 % interval; NAN: one value each, nothing is known of it */
	int nbase, nnew;	/* blocks of steps */
};

struct compare {
	struct report_db db;
	struct result runs; /* two rows, base and new */
#define PART(name) struct result name;
	COMPARE_PARTS(PART)
#undef PART
	struct change change; /* by the blocks' medians: few long steps do not move them */
	struct change mean;   /* by their means; of steps only */
	const char *unit;     /* "step", "sample" or "run"; belongs to runs */
	struct apart
		apart;	  /* of runs of the base's database, or (runs 0) so short; NAN: not known */
	double threshold; /* as a share, 0.05: larger is too slow */
	long long base_id; /* the number of the base in its database; 0: it is the last there */
};

/*
 * Reads both runs, folders or databases; of base the run of that number, 0: the last one. 0, or -1
 * (reported); compare_close() in any case.
 */
int compare_open(struct compare *compare, const char *base, long long base_id, const char *new);
void compare_close(struct compare *compare);

/*
 * The change from base to new of the medians or means of blocks. The interval is Welch's for the
 * difference of their logarithms: what disturbs a step makes it several times as long, never
 * shorter than 0.
 */
struct change change_of(const double *base, int nbase, const double *new, int nnew);

/* Half the width of the interval; NAN: not known. */
double change_error(const struct change *change);

/* True if the noise exceeds the threshold, and the interval contains the threshold: undecided. */
bool change_is_open(const struct change *change, double threshold);

/*
 * The factor by which interference from other programs makes the new run's steps longer than the
 * base's; `most`: at its largest possible effect.
 */
double compare_disturbance(const struct compare *compare, bool most);

/*
 * Describes the unequal interference without which the new run would, or would not, be slower by
 * more than the threshold, or (`faster_counts`) faster; NULL: none. Contention of the base alone
 * makes no new run slower, and no contention explains a call with a time many times as long.
 */
const char *compare_disturbed(const struct compare *compare, bool faster_counts);

/*
 * Own time of the slowest rank in the shortest steps, which nothing disturbed, by how much it is longer in
 * the new run, and how much that alone adds to the base's shortest steps, as shares: true if it surely
 * makes steps longer by more than the threshold (docs/noise.md).
 */
struct computing {
	double base_ns, new_ns, share, of_step;
};
bool compare_computing_is_slower(const struct compare *compare, struct computing *computing);

/* True if the interference is too large to estimate its effect. */
bool compare_is_beyond(const struct compare *compare);

/* A cell of base (row 0) or new (row 1) in compare->runs; NAN or NULL where there is none. */
double compare_number(const struct compare *compare, int side, const char *column);
const char *compare_text(const struct compare *compare, int side, const char *column);

/* A figure of the database that is gated: MODEL.NAME[@WINDOW][:PERCENT]. */
struct gate_figure {
	char *name, *window;
	double limit; /* as a share */
	int sign;     /* 1: it fails when it rises, -1: when it falls, 0: by its unit */
};

enum gate_state { GATE_PASSED, GATE_OPEN, GATE_FAILED };

struct gate {
	bool time; /* on the time as well */
	struct gate_figure *figures;
	int nfigures;
	enum gate_state state; /* set by gate_decide() */
	char *failed, *open;   /* sentences, parted by "; "; NULL: none */
};

/* 0, or -1 where `text` is no such figure (not reported); `limit` where it has no percentage. */
int gate_figure_parse(struct gate_figure *figure, const char *text, double limit);

/*
 * Decides the gate.
 *
 * Time fails if the new run is certainly slower by more than the threshold: by the interval of
 * medians or, if these leave nothing open, of means. So noise alone never fails the gate.
 *
 * Time is open if the noise exceeds the threshold and the interval contains it, or if the times are
 * not comparable: different sizes or phases, a step and a run, marked and detected steps. If
 * neither run has steps the run times decide, unless a run failed or was truncated. Differences
 * within the spread of a database's runs (compare->apart), and results that interference would turn
 * (compare_disturbed()), are open as well. 0, or -1 (reported).
 */
int gate_decide(struct gate *gate, struct compare *compare);
void gate_free(struct gate *gate);

/* The whole on stdout, for people, as JSON or Markdown; gate NULL: there is none. */
void compare_print(const struct compare *compare, const struct gate *gate);
void compare_json(const struct compare *compare, const struct gate *gate);
void compare_markdown(const struct compare *compare, const struct gate *gate);

/* The gate as a test case of JUnit's XML: passed, failed, an error where it is not decided, skipped without one. */
void compare_junit(const struct compare *compare, const struct gate *gate);

/*
 * Writes the same as a page, with its plots in the folder next to it; `runs` are the opened runs.
 * 0, or -1 (reported).
 */
int compare_page(struct compare *compare, const struct gate *gate, char *const *runs,
	const char *output);

#endif
