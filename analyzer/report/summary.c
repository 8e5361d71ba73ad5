/* summary.c - see summary.h. Items are put one after the other and wrapped at the width. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report_db.h"
#include "base/terminal.h"
#include "report/summary.h"
#include "report/summary_text.h"
#include "report/summary_training.h"

#define LEAST_WIDTH   40
#define MOST_PHASES   6 /* in the summary; the report has all */
#define MOST_FINDINGS 5
#define LEAST_PHASE   0.01  /* of the run, for a phase to be in the summary */
#define LEAST_RATE    0.005 /* Gb/s in the mean, or ten times at the peak: less is shown as 0 */
#define LEAST_SHARE   0.01  /* of the run: minimum wait for other ranks that the summary shows */

static enum style efficiency_style(double value)
{
	return isnan(value) ? DIM : value < 0.6 ? POOR : value < 0.8 ? FAIR : GOOD;
}

/* At the end of a line of figures, where they are not of all that was to be recorded. */
static void put_lossy(struct summary *s)
{
	if (s->lossy)
		words(s, POOR, "  – ", "events were lost");
	else if (s->summed)
		words(s, DIM, "  – ", "of what is in detail");
}

/* "41 % MFU of 989 TFLOP/s a GPU, as given", or why it is not known; nothing where none is asked for. */
static void put_mfu(struct summary *s, const struct result *head)
{
	double mfu = result_number(head, "MFU");
	const char *unknown = result_text(head, "MFU unknown"), *of = result_text(head, "MFU of");
	char buf[64];

	if (!isnan(mfu))
		item(s, PLAIN, " · ", "%s MFU%s", shown(buf, sizeof(buf), FORMAT_PERCENT, mfu),
			of ? of : "");
	else if (unknown)
		item(s, DIM, " · ", "MFU not known: %s", unknown);
}

/* "run1: 4 ranks, 8 GPUs on 2 nodes · 64.2 s · 412 steps · 5,133 samples/s" */
static int put_head(struct summary *s, struct report_db *db)
{
	struct result head;
	char buf[64];
	double gpus, emulated, steps, rate, nodes, ranks, detail;

	if (report_db_query(db, "head", &head) < 0)
		return -1;
	ranks = result_number(&head, "Ranks");
	nodes = result_number(&head, "Nodes");
	gpus = result_number(&head, "GPUs");
	emulated = result_number(&head, "Emulated GPUs");
	s->emulated = emulated > 0;
	steps = result_number(&head, "Steps");
	rate = result_number(&head, "Samples/s");
	s->column = INDENT + 1; /* this line wraps without being indented first */
	item(s, BOLD, "", "%s:", result_text(&head, "Run"));
	item(s, PLAIN, " ", "%.0f %s%s", ranks, ranks == 1 ? "rank" : "ranks",
		gpus + emulated > 0 ? "," : "");
	if (gpus > 0)
		item(s, PLAIN, " ", "%.0f %s%s", gpus, gpus == 1 ? "GPU" : "GPUs",
			emulated > 0 ? "," : "");
	if (emulated > 0)
		item(s, PLAIN, " ", "%.0f %s", emulated,
			emulated == 1 ? "emulated GPU" : "emulated GPUs");
	item(s, PLAIN, " ", "on %.0f %s", nodes, nodes == 1 ? "node" : "nodes");
	item(s, PLAIN, " · ", "%s",
		shown(buf, sizeof(buf), FORMAT_NS, result_number(&head, "Duration")));
	if (steps > 0)
		item(s, PLAIN, " · ", "%s %s", shown(buf, sizeof(buf), FORMAT_COUNT, steps),
			steps == 1 ? "step" : "steps");
	if (!isnan(rate))
		item(s, PLAIN, " · ", "%s samples/s%s%s",
			shown(buf, sizeof(buf), FORMAT_NUMBER, rate),
			result_text(&head, "Phase") ? " in " : "",
			result_text(&head, "Phase") ? result_text(&head, "Phase") : "");
	put_mfu(s, &head);
	if (result_number(&head, "Truncated") > 0)
		item(s, POOR, " · ", "truncated");
	s->lossy = result_number(&head, "Lossy") > 0;
	if (s->lossy)
		item(s, POOR, " · ", "events were lost");
	detail = result_number(&head, "In detail");
	s->summed = !isnan(detail);
	if (s->summed)
		item(s, PLAIN, " · ", "%s in detail",
			shown(buf, sizeof(buf), FORMAT_PERCENT, detail));
	fputs("\n\n", s->out);
	s->least_wait = LEAST_SHARE * result_number(&head, "Duration");
	s->ranks = ranks;
	result_free(&head);
	return 0;
}

/* The verdict, in words for any reader. */
static int put_verdict(struct summary *s, struct report_db *db)
{
	struct result lines;

	if (report_db_query(db, "verdict", &lines) < 0)
		return -1;
	int line = result_column(&lines, "Line"), level = result_column(&lines, "Level"),
	    said = result_column(&lines, "Sentence");

	for (size_t i = 0; i < lines.nrows; i++) {
		const char *name = result_cell(&lines, i, line)->text;
		bool is_verdict = strcmp(name, "verdict") == 0;
		bool is_bad = strcmp(result_cell(&lines, i, level)->text, "bad") == 0;

		if (!result_cell(&lines, i, said)->text)
			continue;
		line_begin(s, name);
		words(s, is_verdict ? is_bad ? POOR : BOLD : PLAIN, "",
			result_cell(&lines, i, said)->text);
		line_end(s);
		if (strcmp(name, "why") == 0)
			s->why = result_cell(&lines, i, result_column(&lines, "Finding"))->number;
	}
	if (lines.nrows)
		line_end(s);
	result_free(&lines);
	return 0;
}

/* "main threads     useful 54 %  MPI 20 %": the states that a query returns */
static void put_states(struct summary *s, const struct result *shares, const char *line)
{
	int label = result_column(shares, "State"), share = result_column(shares, "Share");
	char buf[64];

	if (shares->nrows)
		line_begin(s, line);
	for (size_t i = 0; i < shares->nrows; i++) {
		double value = result_cell(shares, i, share)->number;

		if (value < 0.001)
			continue; /* the report has it */
		if (value >= 0.0095)
			snprintf(buf, sizeof(buf), "%.0f %%", 100 * value);
		else
			shown(buf, sizeof(buf), FORMAT_PERCENT, value);
		item(s, i == 0 ? BOLD : PLAIN, "  ", "%s %s", result_cell(shares, i, label)->text,
			buf);
	}
	if (shares->nrows)
		line_end(s);
}

static int query_states(struct summary *s, struct report_db *db, const char *query,
	const char *line)
{
	struct result shares;

	if (report_db_query(db, query, &shares) < 0)
		return -1;
	put_states(s, &shares, line);
	result_free(&shares);
	return 0;
}

/* Parts of a training step; without steps, from stack samples. */
static int put_training(struct summary *s, struct report_db *db)
{
	struct result parts;
	size_t n;

	if (report_db_query(db, "step_parts", &parts) < 0)
		return -1;
	n = parts.nrows;
	put_states(s, &parts, "a training step");
	result_free(&parts);
	return n ? 0 : query_states(s, db, "python_parts", "PyTorch");
}

/* "391 ms (19 %) before the first work, 49.2 ms (2 %) after the last": of an average GPU */
static int put_gpu_ends(struct summary *s, struct report_db *db)
{
	struct result r;
	char before[64], after[64];

	if (report_db_query(db, "gpu_ends", &r) < 0)
		return -1;
	if (r.nrows) {
		line_begin(s, "GPU start and end");
		item(s, PLAIN, "", "%s (%.0f %%) before the first work,",
			shown(before, sizeof(before), FORMAT_NS, result_number(&r, "Before")),
			100 * result_number(&r, "Share"));
		item(s, PLAIN, " ", "%s (%.0f %%) after the last",
			shown(after, sizeof(after), FORMAT_NS, result_number(&r, "After")),
			100 * result_number(&r, "Share after"));
		line_end(s);
	}
	result_free(&r);
	return 0;
}

static int put_shares(struct summary *s, struct report_db *db)
{
	if (query_states(s, db, "device_shares",
		    s->emulated ? "emulated-GPU time" : "a GPU second") < 0 ||
		put_gpu_ends(s, db) < 0 || query_states(s, db, "shares", "main threads") < 0)
		return -1;
	return put_training(s, db) < 0 ? -1 : summary_gradients(s, db);
}

/*
 * Products of the hierarchy, a line each: the figure and its factors as rows of pop.sql. The names
 * in FACTOR are those in its columns Model and Name.
 */
static const struct product {
	const char *line, *model, *whole;
	struct {
		const char *name, *label;
	} factors[7];
} products[] = {
	{ "POP, MPI", "mpi", "parallel_efficiency",
		{ { "load_balance", "load balance" },
			{ "communication_efficiency", "communication" } } },
	{ "why (replay)", "mpi", "communication_efficiency",
		{ { "serialisation_efficiency", "serialisation" },
			{ "transfer_efficiency", "transfer" } } },
	{ "POP, host", "host", "host_parallel_efficiency",
		{ { "mpi_parallel_efficiency", "MPI" }, { "device_offload_efficiency", "offload" },
			{ "synchronisation_efficiency", "thread synchronisation" },
			{ "io_efficiency", "I/O" } } },
	{ "POP, hybrid", "hybrid", "parallel_efficiency",
		{ { "mpi_parallel_efficiency", "MPI" }, { "thread_efficiency", "threads" } } },
	{ "POP, device", "device", "device_parallel_efficiency",
		{ { "load_balance", "load balance" },
			{ "communication_efficiency", "communication" },
			{ "orchestration_efficiency", "orchestration" } } },
	{ "why (replay)", "replay", "device_parallel_efficiency",
		{ { "transfer_efficiency", "transfer" }, { "memory_efficiency", "copies" },
			{ "io_efficiency", "I/O" }, { "host_efficiency", "host" },
			{ "serialisation_efficiency", "serialisation" },
			{ "load_balance", "balance" } } },
};

/* Row of the whole run's figure in the result of pop.sql, -1 when the run has none. */
static int find_figure(const struct result *pop, const char *model, const char *name)
{
	int m = result_column(pop, "Model"), n = result_column(pop, "Name"),
	    w = result_column(pop, "Window");

	for (size_t i = 0; i < pop->nrows; i++)
		if (strcmp(result_cell(pop, i, m)->text, model) == 0 &&
			strcmp(result_cell(pop, i, n)->text, name) == 0 &&
			strcmp(result_cell(pop, i, w)->text, "run") == 0)
			return i;
	return -1;
}

static double figure_value(const struct result *pop, int row)
{
	return result_cell(pop, row, result_column(pop, "Value"))->number;
}

/* Whether the run has a figure, and whether it is defined; `reason` is set to why it is not. */
static bool figure_is_known(const struct result *pop, int row, const char **reason)
{
	if (row < 0)
		return false;
	if (!isnan(figure_value(pop, row)))
		return true;
	*reason = result_cell(pop, row, result_column(pop, "Reason"))->text;
	return false;
}

/* Why a figure that is known is to be read with care, or NULL. */
static const char *figure_flag(const struct result *pop, int row)
{
	return row < 0 || isnan(figure_value(pop, row))
		? NULL
		: result_cell(pop, row, result_column(pop, "Reason"))->text;
}

/* `is_marked`: with a dagger, as the line ends with why. */
static void put_figure(struct summary *s, const struct result *pop, int row, const char *between,
	const char *label, bool is_marked)
{
	double value = figure_value(pop, row);
	char buf[64];

	item(s, efficiency_style(value), between, "%s%s%s", label,
		shown(buf, sizeof(buf), FORMAT_EFFICIENCY, value), is_marked ? "†" : "");
}

/* A label of the hierarchy, with MPI replaced by the ranks' means of communication. */
static const char *named(const char *text, const struct result *pop, char *buf, size_t size)
{
	const char *at = strstr(text, "MPI");
	const char *network = result_cell(pop, 0, result_column(pop, "Network"))->text;

	if (!at)
		return text;
	snprintf(buf, size, "%.*s%s%s", (int)(at - text), text, network, at + strlen("MPI"));
	return buf;
}

/* Those of hosts are of all of the run, whatever is in detail. */
static bool figure_is_host(const char *model)
{
	return !strcmp(model, "mpi") || !strcmp(model, "host");
}

static void put_product(struct summary *s, const struct result *pop, const struct product *p)
{
	int whole = find_figure(pop, p->model, p->whole), rows[7], nknown = 0;
	const char *between = " = ", *reason = NULL, *flag, *all;
	char label[64], buf[64];
	bool known;

	if (whole < 0)
		return;
	known = figure_is_known(pop, whole, &reason);
	flag = all = figure_flag(pop, whole); /* also of all factors */
	for (int i = 0; p->factors[i].name; i++) {
		rows[i] = find_figure(pop, p->model, p->factors[i].name);
		if (!strcmp(p->factors[i].name, "device_offload_efficiency") &&
			find_figure(pop, "device", "device_parallel_efficiency") < 0)
			rows[i] = -1; /* of runs without devices it is 1 */
		nknown += rows[i] >= 0 && figure_is_known(pop, rows[i], &reason);
	}
	line_begin(s, named(p->line, pop, buf, sizeof(buf)));
	if (known)
		put_figure(s, pop, whole, "", "", all);
	for (int i = 0; nknown && p->factors[i].name; i++) {
		if (rows[i] < 0)
			continue;
		snprintf(label, sizeof(label), "%s ",
			named(p->factors[i].label, pop, buf, sizeof(buf)));
		put_figure(s, pop, rows[i], between, label, !all && figure_flag(pop, rows[i]));
		flag = flag ? flag : figure_flag(pop, rows[i]);
		between = " × ";
	}
	if (reason && !nknown)
		words(s, DIM, "", known ? ", not split: " : "not known: ");
	if (reason)
		words(s, DIM, nknown ? "  – " : "", reason);
	if (flag && !reason)
		words(s, DIM, "  † ", flag);
	else if (s->lossy || !figure_is_host(p->model))
		put_lossy(s);
	line_end(s);
}

static int put_products(struct summary *s, struct report_db *db)
{
	struct result pop;

	if (report_db_query(db, "pop", &pop) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(products) / sizeof(products[0]); i++)
		put_product(s, &pop, &products[i]);
	result_free(&pop);
	return 0;
}

/* "1.03 s on cores in threads without recorded calls (OpenMP, pools) · main threads 1.82 s" */
static int put_silent(struct summary *s, struct report_db *db)
{
	struct result r;
	char buf[64];

	if (report_db_query(db, "threads_silent", &r) < 0)
		return -1;
	if (r.nrows) {
		line_begin(s, "other threads");
		item(s, PLAIN, "", "%s on cores in threads without recorded calls (OpenMP, pools)",
			shown(buf, sizeof(buf), FORMAT_NS, result_number(&r, "Silent")));
		if (!isnan(result_number(&r, "Main")))
			item(s, PLAIN, " · ", "main threads %s",
				shown(buf, sizeof(buf), FORMAT_NS, result_number(&r, "Main")));
		line_end(s);
	}
	result_free(&r);
	return 0;
}

/* "0.98 = load balance … · MPI_Init to MPI_Finalize; start and end took 1.20 s" */
static int put_active(struct summary *s, struct report_db *db)
{
	static const char *const titles[] = { "Parallel", "Balance", "Communication" };
	static const char *const labels[] = { "", "load balance ", "communication " };
	static const char *const before[] = { "", " = ", " × " };
	struct result r;
	char buf[64];

	if (report_db_query(db, "active", &r) < 0)
		return -1;
	if (r.nrows) {
		const char *flag = result_text(&r, "Reason");

		line_begin(s, "POP, MPI active");
		for (int i = 0; i < 3; i++) {
			double value = result_number(&r, titles[i]);

			item(s, efficiency_style(value), before[i], "%s%s%s", labels[i],
				shown(buf, sizeof(buf), FORMAT_EFFICIENCY, value),
				flag && i == 0 ? "†" : "");
		}
		item(s, PLAIN, " · ", "MPI_Init to MPI_Finalize; start and end took %s",
			shown(buf, sizeof(buf), FORMAT_NS, result_number(&r, "Start and end")));
		if (flag)
			words(s, DIM, "  † ", flag);
		line_end(s);
	}
	result_free(&r);
	return 0;
}

/* "train 9.60 s (useful 0.55, 2,133 samples/s)": where the run's phases differ. */
static int put_phases(struct summary *s, struct report_db *db)
{
	static const struct {
		const char *title, *before, *after;
		enum result_format format;
	} columns[] = { { "Useful", "useful ", "", FORMAT_EFFICIENCY },
		{ "Samples/s", "", " samples/s", FORMAT_NUMBER } };
	struct result r;
	char buf[64], figures[160];
	size_t nshown = 0;
	bool is_part = false; /* its figures are, of a device */

	if (report_db_query(db, "phases", &r) < 0)
		return -1;
	if (r.nrows)
		line_begin(s, "phases");
	for (size_t i = 0; i < r.nrows; i++) {
		int n = 0;

		if (nshown == MOST_PHASES ||
			result_cell(&r, i, result_column(&r, "Of the run"))->number < LEAST_PHASE)
			continue;
		nshown++;
		is_part |= result_cell(&r, i, result_column(&r, "Useful") + 1)->text != NULL;
		figures[0] = '\0';
		for (int k = 0; k < 2; k++) {
			double value = result_cell(&r, i, result_column(&r, columns[k].title))
					       ->number;

			if (!isnan(value))
				n += snprintf(figures + n, sizeof(figures) - n, "%s%s%s%s",
					n ? ", " : " (", columns[k].before,
					shown(buf, sizeof(buf), columns[k].format, value),
					columns[k].after);
		}
		item(s, PLAIN, " · ", "%s %s%s%s",
			result_cell(&r, i, result_column(&r, "Phase"))->text,
			shown(buf, sizeof(buf), FORMAT_NS,
				result_cell(&r, i, result_column(&r, "Time"))->number),
			figures, n ? ")" : "");
	}
	if (!nshown && r.nrows)
		item(s, PLAIN, " · ", "%zu, each a small part of the run", r.nrows);
	else if (r.nrows > nshown)
		item(s, PLAIN, " · ", "%zu more", r.nrows - nshown);
	if (r.nrows) {
		if (s->lossy || is_part)
			put_lossy(s);
		line_end(s);
	}
	result_free(&r);
	return 0;
}

/* "storage read 7.4 Gb/s (peak 9.1)": the highest of the nodes, as they are what binds. */
static int put_rates(struct summary *s, struct report_db *db)
{
	struct result rates;
	char buf[64], peak[64], share[64];

	bool begun = false;

	if (report_db_query(db, "rates", &rates) < 0)
		return -1;
	for (size_t i = 0; i < rates.nrows; i++) {
		double roof = result_cell(&rates, i, result_column(&rates, "Of the roof"))->number;

		if (result_cell(&rates, i, result_column(&rates, "Mean"))->number < LEAST_RATE &&
			result_cell(&rates, i, result_column(&rates, "Peak"))->number <
				10 * LEAST_RATE)
			continue;
		if (!begun)
			line_begin(s, "per node");
		begun = true;
		item(s, PLAIN, " · ", "%s %s Gb/s (%s%speak %s)",
			result_cell(&rates, i, result_column(&rates, "What"))->text,
			shown(buf, sizeof(buf), FORMAT_NUMBER,
				result_cell(&rates, i, result_column(&rates, "Mean"))->number),
			isnan(roof) ? "" : shown(share, sizeof(share), FORMAT_PERCENT, roof),
			isnan(roof) ? "" : " of the roof, ",
			shown(peak, sizeof(peak), FORMAT_NUMBER,
				result_cell(&rates, i, result_column(&rates, "Peak"))->number));
	}
	if (begun)
		line_end(s);
	result_free(&rates);
	return 0;
}

/* "50 MB a step between ranks, 5 GB in all; most from rank 0 to 1": nothing where it is little */
static int put_sockets(struct summary *s, struct report_db *db)
{
	struct result r;
	char step[64], all[64];

	if (report_db_query(db, "sockets_all", &r) < 0)
		return -1;
	if (r.nrows) {
		line_begin(s, "through sockets");
		if (!isnan(result_number(&r, "Step")))
			item(s, PLAIN, "", "%s a step between ranks, ",
				shown(step, sizeof(step), FORMAT_BYTES, result_number(&r, "Step")));
		item(s, PLAIN, "", "%s in all%s",
			shown(all, sizeof(all), FORMAT_BYTES, result_number(&r, "All")),
			isnan(result_number(&r, "Step")) ? " between ranks" : "");
		if (!isnan(result_number(&r, "From")))
			item(s, PLAIN, " · ", "most from rank %.0f to %.0f",
				result_number(&r, "From"), result_number(&r, "To"));
		put_lossy(s);
		line_end(s);
	}
	result_free(&r);
	return 0;
}

/*
 * "rank 2 takes 3.1 % longer than the others from step 31 on, in compute · the others waited 1.2 s
 * each": the worst, and how many more
 */
static int put_stragglers(struct summary *s, struct report_db *db)
{
	struct result slow;
	char share[64], since[64], waited[64];
	size_t n = 0;

	if (report_db_query(db, "slow_ranks", &slow) < 0)
		return -1;
	/* the costliest come first */
	while (n < slow.nrows &&
		result_cell(&slow, n, result_column(&slow, "Others waited"))->number >=
			s->least_wait)
		n++;
	if (n) {
		const char *until = result_text(&slow, "Until");
		const char *others = s->ranks > 2 ? "s" : "";

		line_begin(s, n > 1 ? "stragglers" : "straggler");
		if (result_number(&slow, "of a step") >= 1)
			item(s, FAIR, "", "%s takes %.3g times as long as the other%s",
				result_text(&slow, "Rank"), 1 + result_number(&slow, "of a step"),
				others);
		else
			item(s, FAIR, "", "%s takes %s longer than the other%s",
				result_text(&slow, "Rank"),
				shown(share, sizeof(share), FORMAT_PERCENT,
					result_number(&slow, "of a step")),
				others);
		item(s, PLAIN, " ", "from step %s %s%s, in %s",
			shown(since, sizeof(since), FORMAT_COUNT,
				result_number(&slow, "Since step")),
			strcmp(until, "the end") == 0 ? "on" : "until ",
			strcmp(until, "the end") == 0 ? "" : until, result_text(&slow, "Slow in"));
		item(s, PLAIN, " · ",
			s->ranks > 2 ? "the others waited %s each" : "the other waited %s",
			shown(waited, sizeof(waited), FORMAT_NS,
				result_number(&slow, "Others waited")));
		if (n > 1)
			item(s, PLAIN, " · ", "%zu more", n - 1);
		line_end(s);
	}
	result_free(&slow);
	return 0;
}

/* The message and advice of a finding; `again`: the lines "why" and "next" have them already. */
static void put_said(struct summary *s, const char *message, const char *sure, const char *shared,
	const char *advice, bool again)
{
	words(s, again ? PLAIN : BOLD, "", again ? "see why and next, above" : message);
	if (sure && strcmp(sure, "low") == 0)
		words(s, PLAIN, " ", "(uncertain)");
	if (shared) {
		item(s, PLAIN, " ", "–");
		words(s, PLAIN, " ", shared);
	}
	if (advice && !again) {
		item(s, PLAIN, "  ", "→");
		words(s, PLAIN, " ", advice);
	}
}

/* One finding, with its seconds instead of its name; ≤ marks an upper bound. */
static void put_finding(struct summary *s, const struct result *findings, size_t i, double run)
{
	double saved = result_cell(findings, i, result_column(findings, "Saves"))->number / 1e9;
	bool bounded = result_cell(findings, i, result_column(findings, "Bound"))->number > 0;
	char number[32], name[64];

	snprintf(number, sizeof(number), "%.*f", run < 10 ? 2 : 1, saved);
	snprintf(name, sizeof(name), "%3zu %*s%s%s", i + 1,
		(run < 10 ? 7 : 6) - (int)strlen(number) - bounded, "", bounded ? "≤" : "", number);
	line_begin(s, name);
	put_said(s, result_cell(findings, i, result_column(findings, "Finding"))->text,
		result_cell(findings, i, result_column(findings, "Certainty"))->text,
		result_cell(findings, i, result_column(findings, "Shared"))->text,
		result_cell(findings, i, result_column(findings, "Advice"))->text,
		result_cell(findings, i, result_column(findings, "#"))->number == s->why);
	line_end(s);
}

static int put_findings(struct summary *s, struct report_db *db)
{
	struct result findings, head;
	size_t n = 0;
	double run, detail;
	char *known;

	if (report_db_query(db, "findings", &findings) < 0)
		return -1;
	if (report_db_query(db, "head", &head) < 0) {
		result_free(&findings);
		return -1;
	}
	run = result_number(&head, "Duration") / 1e9;
	detail = run * result_number(&head, "In detail");
	result_free(&head);
	known = s->summed ? report_db_ask(db, "select 1 from step_sum limit 1", NULL, NULL, NULL)
			  : NULL;
	if (s->summed && !s->lossy && !known)
		run = detail;
	/* without seconds: the line on quality has it */
	while (n < findings.nrows && n < MOST_FINDINGS &&
		!isnan(result_cell(&findings, n, result_column(&findings, "Saves"))->number))
		n++;
	if (n == 0 && run > 0) {
		line_begin(s, "findings");
		item(s, PLAIN, "", "none that would save 1 %% of %s or more",
			s->summed && !known ? "what is in detail" : "the run");
		line_end(s);
	} else if (n) {
		fprintf(s->out, "\nfindings, seconds saved of %.*f%s\n", run < 10 ? 2 : 1, run,
			s->lossy		      ? ", of which events were lost"
				: s->summed && !known ? " that are in detail"
						      : "");
		if (known)
			fprintf(s->out, "  (those that need single calls: of the %.*f in detail)\n",
				detail < 10 ? 2 : 1, detail);
	}
	free(known);
	for (size_t i = 0; i < n; i++)
		put_finding(s, &findings, i, run);
	result_free(&findings);
	return 0;
}

/* Good news share a line; each of the others has its own. */
static int put_quality(struct summary *s, struct report_db *db)
{
	struct result notes;

	if (report_db_query(db, "quality", &notes) < 0)
		return -1;
	int level = result_column(&notes, "Level"), said = result_column(&notes, "Sentence");
	bool begun = false;

	line_begin(s, "quality");
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < notes.nrows; i++) {
			const char *kind = result_cell(&notes, i, level)->text;
			bool good = strcmp(kind, "good") == 0;

			if (good != (pass == 1) || !result_cell(&notes, i, said)->text)
				continue;
			if (begun && (!good || s->column == INDENT))
				break_line(s);
			words(s,
				strcmp(kind, "bad") == 0 ? POOR
					: good		 ? PLAIN
							 : FAIR,
				good ? " · " : "", result_cell(&notes, i, said)->text);
			begun = true;
		}
	line_end(s);
	result_free(&notes);
	return 0;
}

static bool colour_of(FILE *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(out)) && !(no && no[0]) && !(term && strcmp(term, "dumb") == 0);
}

int summary_print(const char *db_path, FILE *out, const struct summary_options *options)
{
	static int (*const parts[])(struct summary *, struct report_db *) = { put_head, put_verdict,
		put_shares, put_products, put_silent, put_active, put_phases, summary_learning,
		summary_ends, put_rates, put_sockets, put_stragglers, put_findings, summary_memory,
		put_quality };
	enum { BRIEF_PARTS = 2 };
	static const struct summary_options automatic;
	const struct summary_options *o = options ? options : &automatic;
	struct summary s = { .out = out,
		.width = o->width ? o->width : terminal_width(out),
		.colour = o->colour ? o->colour > 0 : colour_of(out) };
	struct report_db db;
	int ret = 0;

	if (s.width < LEAST_WIDTH)
		s.width = LEAST_WIDTH;
	if (report_db_open(&db, db_path) < 0)
		return -1;
	report_db_warn_several(&db);
	for (size_t i = 0;
		i < (o->brief ? BRIEF_PARTS : sizeof(parts) / sizeof(parts[0])) && ret == 0; i++)
		ret = parts[i](&s, &db);
	report_db_close(&db);
	if (ret == 0 && o->report)
		summary_report_print(o->report, out);
	return ret;
}

void summary_report_print(const char *page, FILE *out)
{
	struct summary s = { .out = out, .width = terminal_width(out), .colour = colour_of(out) };

	if (s.width < LEAST_WIDTH)
		s.width = LEAST_WIDTH;
	line_begin(&s, "report");
	put(&s, PLAIN, page);
	line_end(&s);
}
