/*
 * scaling.h - the model scaling: how runs of several sizes compare, and the laws that their
 * speed-ups follow (metrics.md 6).
 */
#ifndef ANALYZER_SCALING_H
#define ANALYZER_SCALING_H

struct report_db;

/* How much work a run of n times the reference's size does. */
enum scaling_rule {
	SCALING_AUTO,	/* as the marked samples indicate; without any: the same */
	SCALING_STRONG, /* the same */
	SCALING_WEAK,	/* n times as much */
};

/*
 * Adds the model scaling to the table metric of `db` (see report_runs_open()), and the temporary
 * tables scaled, scaling_lost (scaling_tables.sql) and scaling_fit. For each configuration
 * with several sizes the smallest run is the reference. 0, or -1 (reported).
 */
int scaling_compute(struct report_db *db, enum scaling_rule rule);

/* A figure with half its 95 % confidence interval; NAN: there are too few runs for it. */
struct scaling_value {
	double value, error;
};

/* A run for fitting a law: its size and its speed-up, both relative to the reference. */
struct scaling_point {
	double size, speedup;
};

/*
 * The serial share s of the reference's work by Amdahl (1967), size / speed-up = 1 + s (size - 1),
 * for the same work in all runs; by Gustafson (1988), speed-up = size - s (size - 1), where the
 * work grows with the size. Least squares; the interval is Student's.
 */
struct scaling_value scaling_amdahl(const struct scaling_point *points, int n);
struct scaling_value scaling_gustafson(const struct scaling_point *points, int n);

/*
 * Contention a and coherence b of Gunther's universal scalability law (1993),
 * size / speed-up = 1 + a (size - 1) + b size (size - 1), of those with neither below 0 the best.
 * Both NAN with fewer than two sizes besides the reference.
 */
void scaling_usl(const struct scaling_point *points, int n, struct scaling_value *contention,
	struct scaling_value *coherence);

#endif
