/* compare_tables.c - the tables of tacho compare: figures, where the time went, calls. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_print.h"
#include "base/terminal.h"

#define MOST_STATES  4	  /* in the sentence: the table has all */
#define LEAST_STATE  0.02 /* of the largest difference, to be in the sentence */
#define LEAST_CHANGE 0.01 /* to be called better or worse */

const struct scale *scale_of(double ns)
{
	static const struct scale scales[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "µs" },
		{ 1, "ns" } };
	const struct scale *scale = scales;

	while (scale->ns > 1 && fabs(ns) < scale->ns)
		scale++;
	return scale;
}

const char *number_text(char buf[32], double value, bool sign)
{
	double size = fabs(value) < 0.005 ? 0 : fabs(value);
	int decimals = size == 0 || size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2;

	snprintf(buf, 32, "%s%.*f",
		!sign || size == 0  ? ""
			: value < 0 ? "−"
				    : "+",
		decimals, size);
	return buf;
}

const char *percent_text(char buf[32], double share, bool sign)
{
	double size = fabs(share) < 0.0005 ? 0 : fabs(100 * share);

	if (isnan(share))
		return "–";
	snprintf(buf, 32, "%s%.*f %%",
		!sign || size == 0  ? ""
			: share < 0 ? "−"
				    : "+",
		size == 0 || size >= 9.95 ? 0 : 1, size);
	return buf;
}

const char *row_text(const struct result *result, size_t row, const char *column)
{
	int i = result_column(result, column);
	const char *text = i < 0 ? NULL : result_cell(result, row, i)->text;

	return text ? text : "";
}

double row_number(const struct result *result, size_t row, const char *column)
{
	int i = result_column(result, column);

	return i < 0 ? NAN : result_cell(result, row, i)->number;
}

bool row_equals(const struct result *result, size_t row, const char *column, const char *text)
{
	return strcmp(row_text(result, row, column), text) == 0;
}

/* A figure's value by its unit, as in compare->figures. */
static const char *figure_text(char buf[64], const char *unit, double value)
{
	static const struct {
		const char *unit;
		enum result_format format;
	} formats[] = { { "ns", FORMAT_NS }, { "efficiency", FORMAT_EFFICIENCY },
		{ "percent", FORMAT_PERCENT }, { "bytes", FORMAT_BYTES } };
	enum result_format format = FORMAT_NUMBER;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i].unit, unit) == 0)
			format = formats[i].format;
	number_format(buf, 64, format, value);
	if (strcmp(unit, "gbps") == 0 && isfinite(value))
		snprintf(buf + strlen(buf), 64 - strlen(buf), " Gb/s");
	return buf;
}

/*
 * The change, and whether it is an improvement: shares of time in points, all else in percent;
 * nothing if both values are below the printed precision.
 */
static void put_figure_change(struct result *table, const struct result *figures, size_t row,
	bool is_below)
{
	bool points = row_equals(figures, row, "unit", "percent");
	bool more = row_equals(figures, row, "better", "more");
	bool judged = more || row_equals(figures, row, "better", "less");
	double change = points ? row_number(figures, row, "new") - row_number(figures, row, "base")
			       : row_number(figures, row, "change");
	char buf[32];

	if (isnan(change) || is_below)
		result_put(table, "–");
	else if (points)
		result_put(table, "%s points", number_text(buf, 100 * change, true));
	else if (change >= 9.995)
		result_put(table, "× %s", number_text(buf, 1 + change, false));
	else
		result_put(table, "%s", percent_text(buf, change, true));
	result_put(table, "%s",
		!judged || is_below || !(fabs(change) >= LEAST_CHANGE) ? ""
			: (change > 0) == more			       ? "better"
								       : "worse");
}

void figures_make(const struct compare *compare, struct result *table)
{
	static const char *const columns[] = { "", "base|number", "new|number", "change|number",
		"" };
	const struct result *figures = &compare->figures;
	char base[64], new[64];

	result_columns(table, columns, 5);
	for (size_t row = 0; row < figures->nrows; row++) {
		const char *unit = row_text(figures, row, "unit");

		result_put(table, "%*s%s", 2 * (int)row_number(figures, row, "depth"), "",
			row_text(figures, row, "figure"));
		result_put(table, "%s", figure_text(base, unit, row_number(figures, row, "base")));
		result_put(table, "%s", figure_text(new, unit, row_number(figures, row, "new")));
		put_figure_change(table, figures, row, base[0] == '<' && strcmp(base, new) == 0);
	}
}

static void table_print(struct result *table)
{
	result_print(table, &(struct result_look){ .indent = 2, .whole = "json" });
	result_free(table);
}

void put_figures(const struct compare *compare)
{
	struct result table;

	putchar('\n');
	figures_make(compare, &table);
	table_print(&table);
}

/* "all of train", which contains the steps: a note on a step does not apply to its time. */
static void put_window(FILE *out, const struct compare *compare)
{
	const char *window = compare_text(compare, 1, "window");

	if (strncmp(window, "phase:", strlen("phase:")) == 0)
		fprintf(out, "all of %s takes ", window + strlen("phase:"));
	else
		fprintf(out, "%s takes ",
			strcmp(compare->unit, "run") == 0 ? "the run" : "all of the run");
}

/*
 * "all of train takes 3.30 ms more per step: io +6.86, mpi −2.37, useful −1.19 (…)", of rows
 * `first` to `all`, which is the sum of the others.
 */
static char *shares_text(const struct compare *compare, size_t first, size_t all)
{
	const struct result *time = &compare->time;
	double sum = row_number(time, all, "difference_ns");
	double most = fmax(fabs(sum), fabs(row_number(time, first, "difference_ns")));
	const struct scale *scale = scale_of(most);
	char buf[32], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	put_window(out, compare);
	if (fabs(sum) < LEAST_KNOWN * row_number(time, all, "base_ns"))
		fputs("as long", out);
	else
		fprintf(out, "%s %s %s", number_text(buf, fabs(sum) / scale->ns, false),
			scale->name, sum < 0 ? "less" : "more");
	if (strcmp(compare->unit, "run") != 0)
		fprintf(out, " per %s", compare->unit);
	for (size_t row = first; row < all && row < first + MOST_STATES; row++) {
		double difference = row_number(time, row, "difference_ns");

		if (difference != 0 && fabs(difference) >= LEAST_STATE * most)
			fprintf(out, "%s %s %s", row == first ? ":" : ",",
				row_text(time, row, "state"),
				number_text(buf, difference / scale->ns, true));
	}
	fprintf(out, " (mean over the %s)",
		row_equals(time, first, "part", "host") ? "ranks" : "devices");
	fclose(out);
	return text;
}

/* The row `all` of the part that begins at `first`. */
static size_t part_end(const struct result *time, size_t first)
{
	while (!row_equals(time, first, "state", "all"))
		first++;
	return first;
}

char *time_text(const struct compare *compare, bool device)
{
	for (size_t row = 0; row < compare->time.nrows; row = part_end(&compare->time, row) + 1)
		if (row_equals(&compare->time, row, "part", "host") != device)
			return shares_text(compare, row, part_end(&compare->time, row));
	return NULL;
}

/* States of the host or of the devices, per step. */
static void put_part(const struct compare *compare, size_t first, size_t all)
{
	const struct result *time = &compare->time;
	const struct scale *scale = scale_of(
		fmax(row_number(time, all, "base_ns"), row_number(time, all, "new_ns")));
	const char *const columns[] = { scale->name, "base|number", "new|number",
		"difference|number" };
	char buf[32], *text = shares_text(compare, first, all);
	struct result table;

	putchar('\n');
	if (text)
		text_wrap(text, 0, terminal_width(stdout));
	free(text);
	result_columns(&table, columns, 4);
	for (size_t row = first; row <= all; row++) {
		result_put(&table, "%s", row_text(time, row, "state"));
		result_put(&table, "%s",
			number_text(buf, row_number(time, row, "base_ns") / scale->ns, false));
		result_put(&table, "%s",
			number_text(buf, row_number(time, row, "new_ns") / scale->ns, false));
		result_put(&table, "%s",
			number_text(buf, row_number(time, row, "difference_ns") / scale->ns, true));
	}
	table_print(&table);
}

void put_time(const struct compare *compare)
{
	size_t end;

	for (size_t row = 0; row < compare->time.nrows; row = end + 1) {
		end = part_end(&compare->time, row);
		put_part(compare, row, end);
	}
}

/* A dash where there is no number, as in a table of both runs. */
static void put_number(struct result *table, enum result_format format, double value)
{
	char buf[64];

	result_put(table, "%s", number_format(buf, sizeof(buf), format, value));
}

/*
 * Cells for an item with a time in each run: whether it is new or gone, both times, the difference.
 */
static void put_times(struct result *table, const struct result *result, size_t row)
{
	double difference = row_number(result, row, "difference_ns");
	char buf[64];

	result_put(table, "%s", row_text(result, row, "state"));
	put_number(table, FORMAT_NS, row_number(result, row, "base_ns"));
	put_number(table, FORMAT_NS, row_number(result, row, "new_ns"));
	result_put(table, "%s%s", difference < 0 ? "−" : "+",
		number_format(buf, sizeof(buf), FORMAT_NS, fabs(difference)));
}

void put_parts(const struct compare *compare)
{
	static const char *const columns[] = { "", "base|ns", "new|ns", "difference|ns", "" };
	const struct result *parts = &compare->parts;
	struct result table;

	if (parts->nrows == 0)
		return;
	puts("\nparts of the runs that changed by more than 1 % of the run");
	result_columns(&table, columns, 5);
	for (size_t row = 0; row < parts->nrows; row++) {
		put_times(&table, parts, row);
		result_put(&table, "%s", row_text(parts, row, "name"));
	}
	table_print(&table);
}

void put_calls(const struct compare *compare)
{
	/* calls are per step; of the whole run their number may be a fraction */
	static const char *const columns[] = { "", "base|ns", "new|ns", "difference|ns",
		"calls base|number", "new|number", "" };
	const struct result *calls = &compare->calls;
	struct result table;

	if (calls->nrows == 0)
		return;
	printf("\ncalls and kernels that changed by more than 1 %% of a %s, per %s and %s\n",
		compare->unit, compare->unit,
		compare_number(compare, 1, "gpus") > 0 ? "rank or device" : "rank");
	result_columns(&table, columns, 7);
	for (size_t row = 0; row < calls->nrows; row++) {
		put_times(&table, calls, row);
		put_number(&table, FORMAT_NUMBER, row_number(calls, row, "base_calls"));
		put_number(&table, FORMAT_NUMBER, row_number(calls, row, "new_calls"));
		result_put(&table, "%s", row_text(calls, row, "name"));
	}
	table_print(&table);
}
