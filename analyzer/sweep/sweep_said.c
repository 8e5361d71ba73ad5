/* sweep_said.c - see sweep_said.h. */
#include "config.h"

#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/median.h"
#include "base/student.h"
#include "base/terminal.h"
#include "report/report_db.h"
#include "result/format.h"
#include "sweep/shift.h"
#include "sweep/sweep_said.h"
#include "sweep/sweep_search.h"

enum { INTERVAL_LEAST = 3 }; /* runs of a point for an interval of its mean */

/* By what points compare: less of it is better. */
enum measure { BY_TIME, BY_RATE, BY_TARGET };

static double measure_of(const struct sweep_run *run, enum measure by)
{
	if (by == BY_TARGET)
		return isnan(run->target_ns) ? INFINITY : run->target_ns;
	return by == BY_RATE ? 1 / run->rate : run->ns;
}

/* The time to the target where there is one, the rate where all runs have it, else the time. */
static enum measure measure_choose(const struct sweep *sweep)
{
	if (sweep->study->target)
		return BY_TARGET;
	for (size_t i = 0; i < sweep->nruns; i++)
		if (sweep->runs[i].end == SWEEP_DONE && !(sweep->runs[i].rate > 0))
			return BY_TIME;
	return BY_RATE;
}

/* Measures of a point's runs, sorted; how many. */
static size_t measures_of(const struct sweep *sweep, size_t point, enum measure by, double *at)
{
	size_t n = 0;

	for (size_t i = 0; i < sweep->depth; i++) {
		const struct sweep_run *run = &sweep->runs[point * sweep->depth + i];

		if (run->end == SWEEP_DONE)
			at[n++] = measure_of(run, by);
	}
	qsort(at, n, sizeof(*at), compare_numbers);
	return n;
}

static double middle_of(const double *sorted, size_t n)
{
	return n ? (sorted[(n - 1) / 2] + sorted[n / 2]) / 2 : INFINITY;
}

/* The best point but `but`; npoints: none has a measure. */
static size_t best_find(const struct sweep *sweep, enum measure by, size_t but, double *at)
{
	size_t best = sweep->npoints;
	double least = INFINITY;

	for (size_t i = 0; i < sweep->npoints; i++) {
		double middle = i == but ? INFINITY : middle_of(at, measures_of(sweep, i, by, at));

		if (middle < least) {
			least = middle;
			best = i;
		}
	}
	return best;
}

/* "fusion=1, readers=2, 4 ranks" */
static void point_put(FILE *out, const struct sweep *sweep, size_t number)
{
	const struct study *study = sweep->study;
	const struct study_point *point = &sweep->points[number];
	const char *between = "";

	for (size_t i = 0; i < study->knobs.n; i++) {
		fprintf(out, "%s%s=%s", between, study->knobs.at[i].name, point->values[i]);
		between = ", ";
	}
	if (point->ranks && (study->ranks.n > 1 || !study->knobs.n))
		fprintf(out, "%s%s rank%s", between, point->ranks,
			strcmp(point->ranks, "1") ? "s" : "");
}

static const char *shown(char *buf, size_t size, enum measure by, double measure)
{
	return by == BY_RATE ? number_format(buf, size, FORMAT_NUMBER, 1 / measure)
			     : number_format(buf, size, FORMAT_NS, measure);
}

/*
 * How sure the value of a point is: the interval of the mean, or the least and greatest value of
 * its runs.
 */
static void interval_put(FILE *out, enum measure by, const double *sorted, size_t n)
{
	double sum = 0, squares = 0, mean, half;
	char low[64], high[64];

	if (n == 1) {
		fputs(" (one run)", out);
		return;
	}
	for (size_t i = 0; i < n; i++)
		sum += by == BY_RATE ? 1 / sorted[i] : sorted[i];
	mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += pow((by == BY_RATE ? 1 / sorted[i] : sorted[i]) - mean, 2);
	half = n < INTERVAL_LEAST
		? NAN
		: student_t95((double)n - 1) * sqrt(squares / (double)(n - 1) / (double)n);
	if (isnan(half) || half >= mean) {
		fprintf(out, " (%s to %s in %zu runs)",
			shown(low, sizeof(low), by, sorted[by == BY_RATE ? n - 1 : 0]),
			shown(high, sizeof(high), by, sorted[by == BY_RATE ? 0 : n - 1]), n);
		return;
	}
	fprintf(out, " (%zu runs, 95 %%: %s to %s)", n,
		number_format(low, sizeof(low), by == BY_RATE ? FORMAT_NUMBER : FORMAT_NS,
			mean - half),
		number_format(high, sizeof(high), by == BY_RATE ? FORMAT_NUMBER : FORMAT_NS,
			mean + half));
}

/* By how much the next one is worse. */
static void next_put(FILE *out, const struct sweep *sweep, enum measure by, size_t best,
	const double *a, size_t n)
{
	double *b = calloc(2 * sweep->depth, sizeof(*b)), whole = middle_of(a, n) / 100;
	size_t next = b ? best_find(sweep, by, best, b) : sweep->npoints, m;
	struct shift shift;

	if (next < sweep->npoints) {
		m = measures_of(sweep, next, by, b);
		if (isfinite(b[m - 1]) && shift_of(a, n, b, m, &shift) == 0) {
			fputs("; the next, ", out);
			point_put(out, sweep, next);
			fprintf(out, ", takes %+.1f %%%s", shift.median / whole,
				by == BY_RATE ? " a sample" : "");
			if (shift.bounded)
				fprintf(out, " (95 %%: %+.1f to %+.1f %%)%s", shift.low / whole,
					shift.high / whole,
					shift.low > 0 ? "" : " and may be as good");
			else
				fputs(", of too few runs for an interval (-r 4)", out);
		}
	}
	free(b);
}

static void best_put(FILE *out, const struct sweep *sweep, enum measure by, size_t best)
{
	double *at = calloc(sweep->depth, sizeof(*at));
	size_t n = at ? measures_of(sweep, best, by, at) : 0;
	char buf[64];

	if (n) {
		point_put(out, sweep, best);
		fprintf(out, ": %s%s", shown(buf, sizeof(buf), by, middle_of(at, n)),
			by == BY_RATE		  ? " samples/s"
				: by == BY_TARGET ? " to "
						  : "");
		if (by == BY_TARGET)
			fputs(sweep->study->target, out);
		if (isfinite(at[n - 1]))
			interval_put(out, by, at, n);
		else
			fputs(", which not all of its runs reached", out);
		if (isfinite(at[n - 1]))
			next_put(out, sweep, by, best, at, n);
	}
	free(at);
}

static bool is_number(const char *text)
{
	char *end;

	strtod(text, &end);
	return end != text && !*end;
}

/* A knob of numbers of which the best has the first or the last one. */
static bool edge_put(FILE *out, const struct sweep *sweep, size_t best)
{
	const struct study *study = sweep->study;

	for (size_t i = 0; i < study->knobs.n; i++) {
		const struct study_knob *knob = &study->knobs.at[i];
		double own = atof(sweep->points[best].values[i]), least = own, most = own;
		bool numbers = knob->values.n > 1;

		for (size_t k = 0; k < knob->values.n; k++) {
			numbers = numbers && is_number(knob->values.at[k]);
			least = fmin(least, atof(knob->values.at[k]));
			most = fmax(most, atof(knob->values.at[k]));
		}
		if (!numbers || (own != most && (own != least || !(own > 1))))
			continue;
		fprintf(out, "try %s %s %s: the best is the %s value", knob->name,
			own == most ? "above" : "below", sweep->points[best].values[i],
			own == most ? "largest" : "smallest");
		return true;
	}
	return false;
}

/* The one cell of a query about a run, to be freed; NULL: none, or it failed (reported). */
static char *sentence_ask(struct report_db *db, const char *query, long long run)
{
	long long before = db->run;
	struct result r;
	char *text = NULL;

	db->run = run;
	if (report_db_query(db, query, &r) == 0) {
		if (r.nrows && result_cell(&r, 0, 0)->text)
			text = strdup(result_cell(&r, 0, 0)->text);
		result_free(&r);
	}
	db->run = before;
	return text;
}

/* `format`: with %Q, as SQLite has it. */
static int execute(struct report_db *db, const char *why, const char *format, ...)
{
	va_list args;
	char *sql, *error = NULL;
	int ret;

	va_start(args, format);
	sql = sqlite3_vmprintf(format, args);
	va_end(args);
	ret = sql && sqlite3_exec(db->handle, sql, NULL, NULL, &error) == SQLITE_OK ? 0 : -1;
	if (ret < 0)
		log_error("%s: %s", why, error ? error : "out of memory");
	sqlite3_free(error);
	sqlite3_free(sql);
	return ret;
}

static int say(struct report_db *db, const char *line, char *sentence)
{
	char *tried = sentence ? strchr(sentence, '\n') : NULL;

	if (!sentence || !*sentence)
		return 0;
	if (tried) { /* a search lists its tries in a separate line */
		*tried++ = '\0';
		return say(db, line, sentence) < 0 ? -1
						   : say(db, "tried", tried + strlen("tried: "));
	}
	return execute(db, "cannot sum up the study",
		"insert into sweep_said values (%Q, 'good', %Q)", line, sentence);
}

/* What to do next, of the study and of the best run. */
static char *next_make(const struct sweep *sweep, size_t best, long long run, struct report_db *db)
{
	char *text = NULL, *finding = sentence_ask(db, "sweep_next", run);
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	bool begun;

	if (!out) {
		free(finding);
		return NULL;
	}
	begun = edge_put(out, sweep, best);
	if (finding)
		fprintf(out, "%s%s", begun ? "; " : "", finding);
	free(finding);
	return fclose(out) == 0 ? text : NULL;
}

/* The first sentence: the result of a search, or the best of all. */
static char *verdict_make(const struct sweep *sweep, enum measure by, size_t best)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	if (sweep->study->search)
		return sweep_search_text(sweep);
	out = open_memstream(&text, &size);
	if (!out)
		return NULL;
	if (best < sweep->npoints) {
		fputs("best: ", out);
		best_put(out, sweep, by, best);
	} else {
		fprintf(out, "no run reached %s", sweep->study->target);
	}
	return fclose(out) == 0 ? text : NULL;
}

/* What the repetitions of each point differ by. */
static int points_make(const struct sweep *sweep, const long long *run_ids, double *at,
	struct report_db *db)
{
	int ret = 0;

	for (size_t i = 0; i < sweep->npoints && ret == 0; i++) {
		size_t n = measures_of(sweep, i, BY_TIME, at);
		double times[] = { at[0], middle_of(at, n), n ? at[n - 1] : 0 };
		size_t m = measures_of(sweep, i, BY_RATE, at);

		if (!run_ids[i] || !n)
			continue;
		ret = execute(db, "cannot sum up the study",
			"insert into sweep_point values (%lld, %d, %.17g, %.17g, %.17g, "
			"nullif(%.17g, 0), nullif(%.17g, 0))",
			run_ids[i], (int)n, times[0], times[1], times[2],
			at[m - 1] > 0 && isfinite(at[m - 1]) ? 1 / at[m - 1] : 0.0,
			at[0] > 0 && isfinite(at[m - 1]) ? 1 / at[0] : 0.0);
	}
	return ret;
}

int sweep_said_make(const struct sweep *sweep, const long long *run_ids, struct report_db *db)
{
	enum measure by = measure_choose(sweep);
	double *at = calloc(sweep->depth, sizeof(*at));
	size_t best = at ? best_find(sweep, by, sweep->npoints, at) : 0;
	char *verdict = NULL, *lost = NULL, *next = NULL;
	int ret = at ? points_make(sweep, run_ids, at, db) : -1;

	for (size_t i = 0; sweep->study->search && i < sweep->npoints; i++)
		best = sweep_search_place(sweep, i) == 1 ? i : best;
	if (ret == 0) {
		verdict = verdict_make(sweep, by, best);
		if (best < sweep->npoints && run_ids[best]) {
			lost = sentence_ask(db, "sweep_lost", run_ids[best]);
			next = next_make(sweep, best, run_ids[best], db);
		}
		ret = say(db, "verdict", verdict) < 0 || say(db, "lost", lost) < 0 ||
				say(db, "next", next) < 0
			? -1
			: 0;
	}
	free(verdict);
	free(lost);
	free(next);
	free(at);
	return ret;
}

int sweep_said_print(struct report_db *db)
{
	struct result r;

	if (report_db_query(db, "runs_said", &r) < 0)
		return -1;
	for (size_t i = 0; i < r.nrows; i++) {
		const char *line = result_cell(&r, i, 0)->text;
		int indent = 0;

		putchar('\n');
		if (strcmp(line, "verdict") != 0)
			indent = printf("%s: ", line);
		text_wrap(result_cell(&r, i, 2)->text, indent, terminal_width(stdout));
	}
	result_free(&r);
	return 0;
}
