/* watch_print.c - prints a sample of a run on a terminal, or in one line; see watch_view.h. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "merge/walk/walk_regions.h"
#include "watch/watch_view.h"

/* In the order in which they are shown. */
static const struct {
	enum host_state state, too;
	const char *name;
} shown[] = {
	{ HOST_USEFUL, HOST_USEFUL, "useful" },
	{ HOST_IO, HOST_IO, "I/O" },
	{ HOST_MPI, HOST_MPI, "MPI" },
	{ HOST_GLOO, HOST_GLOO, "gloo" },
	{ HOST_CUDA, HOST_CUDA, "CUDA" },
	{ HOST_WAIT, HOST_WAIT, "wait" },
	{ HOST_ABSENT, HOST_LOST, "not recorded" },
};
enum { NSHOWN = sizeof(shown) / sizeof(*shown) };

static double share_of(const double share[HOST_STATE_COUNT], int column)
{
	return share[shown[column].state] +
		(shown[column].too != shown[column].state ? share[shown[column].too] : 0);
}

/* Whether any rank spends so much time in it that it can be seen. */
static bool column_matters(const struct view *view, int column)
{
	for (size_t i = 0; i < view->ranks.n; i++)
		if (share_of(view->ranks.at[i].share, column) >= 0.005)
			return true;
	return false;
}

/* A number with three digits. */
static const char *number(char text[24], double value)
{
	if (isnan(value))
		strcpy(text, "-");
	else if (value >= 999.5)
		snprintf(text, 24, "%.0f", value);
	else
		snprintf(text, 24, "%.*f", value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value);
	return text;
}

static void shares_print(const struct view *view, FILE *out)
{
	bool any = false;

	for (int i = 0; i < NSHOWN; i++)
		if (column_matters(view, i)) {
			fprintf(out, "%s%s %.0f %%", any ? "  " : "", shown[i].name,
				100 * share_of(view->share, i));
			any = true;
		}
}

static const struct live_process *furthest(const struct view *view)
{
	const struct live_process *most = NULL;

	for (size_t i = 0; i < view->ranks.n; i++) {
		const struct live_process *p = view->ranks.at[i].process;

		if (p->has_step && (!most || p->step > most->step))
			most = p;
	}
	return most;
}

static void progress_print(const struct view *view, FILE *out)
{
	const struct live_process *most = furthest(view);
	char text[24];

	if (most)
		fprintf(out, " · step %" PRIu64, most->step);
	if (!isnan(view->steps_per_s))
		fprintf(out, " · %s steps/s", number(text, view->steps_per_s));
	if (!isnan(view->samples_per_s) && view->samples_per_s > 0)
		fprintf(out, " · %s samples/s", number(text, view->samples_per_s));
}

/* Sums over all nodes, in Gb/s; leaves out unknown rates and zeros. */
static void rates_print(const struct view *view, FILE *out)
{
	static const char *const names[VIEW_RATE_COUNT] = { "files read", "files written",
		"storage read", "storage written", "network sent", "received" };
	char text[24];

	for (int i = 0; i < VIEW_RATE_COUNT; i++) {
		double sum = 0;

		for (size_t k = 0; k < view->nodes.n; k++)
			sum += isnan(view->nodes.at[k].rate[i]) ? 0 : view->nodes.at[k].rate[i];
		if (sum * 8 / 1e9 >= 0.005)
			fprintf(out, " · %s %s Gb/s", names[i], number(text, sum * 8 / 1e9));
	}
}

static void gpus_print(const struct view *view, FILE *out)
{
	double util = 0, watts = 0;
	size_t nutil = 0, nwatts = 0;

	for (size_t i = 0; i < view->nodes.n; i++)
		for (size_t k = 0; k < view->nodes.at[i].gpus.n; k++) {
			const struct view_gpu *gpu = &view->nodes.at[i].gpus.at[k];

			nutil += !isnan(gpu->util);
			util += isnan(gpu->util) ? 0 : gpu->util;
			nwatts += !isnan(gpu->watts);
			watts += isnan(gpu->watts) ? 0 : gpu->watts;
		}
	if (nutil)
		fprintf(out, " · %zu GPU%s %.0f %%", nutil, nutil == 1 ? "" : "s",
			util / (double)nutil);
	if (nwatts)
		fprintf(out, " %.0f W", watts);
}

static void troubles_print(const struct view *view, FILE *out)
{
	if (view->lost)
		fprintf(out, " · %" PRIu64 " events lost", view->lost);
	if (view->nsilent)
		fprintf(out, " · %zu rank%s without a sign of life", view->nsilent,
			view->nsilent == 1 ? "" : "s");
}

void view_line(const struct view *view, FILE *out)
{
	if (!view->ranks.n) {
		fputs("no rank has been recorded yet", out);
		return;
	}
	fprintf(out, "%zu rank%s", view->ranks.n, view->ranks.n == 1 ? "" : "s");
	if (view->nended)
		fprintf(out, ", %zu ended", view->nended);
	progress_print(view, out);
	if (view->has_shares) {
		fputs(" · ", out);
		shares_print(view, out);
	}
	if (view->slowest)
		fprintf(out, " · slowest rank %d", view->slowest->process->rank);
	rates_print(view, out);
	gpus_print(view, out);
	troubles_print(view, out);
	if (view->hang)
		fprintf(out, " · HANGS: %s", view->hang);
}

/* Lines that still fit on the terminal; nothing is written beyond its right edge. */
struct page {
	FILE *out;
	int lines, columns;
};

static void page_text(struct page *page, const char *text)
{
	size_t n = strlen(text), at = 0;

	if (!page->columns) {
		fprintf(page->out, "%s\n", text);
		return;
	}
	if (page->lines-- <= 0)
		return;
	for (int column = 0; at < n && column < page->columns; column++) {
		uint32_t c;

		at += text_character(text + at, n - at, &c);
	}
	fwrite(text, 1, at, page->out);
	fputs("\033[K\n", page->out);
}

static void page_print(struct page *page, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void page_print(struct page *page, const char *format, ...)
{
	char *text, *clean;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	clean = text ? text_clean(text, strlen(text)) : NULL;
	page_text(page, clean ? clean : "");
	free(clean);
	free(text);
}

/* The output of a print function for a view, to be freed. */
static char *said(const struct view *view, void (*print)(const struct view *, FILE *))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return strdup("");
	print(view, out);
	fclose(out);
	return text ? text : strdup("");
}

/* Without the " · " that leads the first of several facts. */
static const char *without_dot(const char *text)
{
	return strncmp(text, " · ", 4) == 0 ? text + 4 : text;
}

static void head_print(const struct view *view, struct page *page)
{
	char *progress = said(view, progress_print), *shares = said(view, shares_print),
	     *rates = said(view, rates_print), *gpus = said(view, gpus_print),
	     *troubles = said(view, troubles_print);
	long s = isnan(view->elapsed_s) ? 0 : (long)view->elapsed_s;

	page_print(page, "%s: %zu rank%s on %zu node%s · %ld:%02ld:%02ld%s", view->run,
		view->ranks.n, view->ranks.n == 1 ? "" : "s", view->nodes.n,
		view->nodes.n == 1 ? "" : "s", s / 3600, s / 60 % 60, s % 60, progress);
	if (view->hang)
		page_print(page, "hangs    %s", view->hang);
	if (*troubles)
		page_print(page, "trouble  %s", without_dot(troubles));
	page_print(page, "time     %s", *shares ? shares : "-");
	if (view->slowest)
		page_print(page, "slowest  rank %d on %s: the others wait for it",
			view->slowest->process->rank, view->slowest->process->hostname);
	if (*rates || *gpus)
		page_print(page, "rates    %s%s", *rates ? without_dot(rates) : "",
			*rates ? gpus : without_dot(gpus));
	free(progress);
	free(shares);
	free(rates);
	free(gpus);
	free(troubles);
}

static void rank_print(const struct view *view, const struct view_rank *rank, struct page *page)
{
	char line[400], text[24];
	const char *name = rank->process->inside ? region_infos[rank->process->inside].name
						 : "computes";
	int n = snprintf(line, sizeof(line), "%6d  %-12.12s", rank->process->rank,
		rank->process->hostname);

	n += rank->process->has_step
		? snprintf(line + n, sizeof(line) - (size_t)n, " %8" PRIu64, rank->process->step)
		: snprintf(line + n, sizeof(line) - (size_t)n, " %8s", "-");
	n += snprintf(line + n, sizeof(line) - (size_t)n, " %8s", number(text, rank->steps_per_s));

	for (int i = 0; i < NSHOWN; i++)
		if (column_matters(view, i))
			n += rank->has_shares
				? snprintf(line + n, sizeof(line) - (size_t)n, " %*.0f %%",
					  (int)strlen(shown[i].name) > 3
						  ? (int)strlen(shown[i].name)
						  : 3,
					  100 * share_of(rank->share, i))
				: snprintf(line + n, sizeof(line) - (size_t)n, " %*s  ",
					  (int)strlen(shown[i].name) > 3
						  ? (int)strlen(shown[i].name)
						  : 3,
					  "-");
	if (rank->life != VIEW_RUNS)
		page_print(page, "%s  %s", line,
			rank->life == VIEW_ENDED ? "ended" : "no sign of life");
	else if (rank->inside_s >= 1)
		page_print(page, "%s  %s for %.1f s", line, name, rank->inside_s);
	else
		page_print(page, "%s  %s", line, name);
}

static void titles_print(const struct view *view, struct page *page)
{
	char line[400];
	int n = snprintf(line, sizeof(line), "%6s  %-12s %8s %8s", "rank", "node", "step",
		"steps/s");

	for (int i = 0; i < NSHOWN; i++)
		if (column_matters(view, i))
			n += snprintf(line + n, sizeof(line) - (size_t)n, " %*s  ", 3,
				shown[i].name);
	page_print(page, "%s  in", line);
}

/* What is known of it. */
static size_t gpu_print(char *text, size_t size, const struct view_gpu *gpu)
{
	size_t n = (size_t)snprintf(text, size, "  GPU %s", gpu->number);

	if (!isnan(gpu->util))
		n += (size_t)snprintf(text + n, size - n, " %.0f %%", gpu->util);
	if (!isnan(gpu->watts))
		n += (size_t)snprintf(text + n, size - n, " %.0f W", gpu->watts);
	return n;
}

static void nodes_print(const struct view *view, struct page *page)
{
	page_print(page, "  %-12s %18s %18s %18s   Gb/s", "node", "files in / out",
		"storage in / out", "network in / out");
	for (size_t i = 0; i < view->nodes.n; i++) {
		const struct view_node *node = &view->nodes.at[i];
		char text[VIEW_RATE_COUNT][24], gpus[200] = "";
		size_t n = 0;

		for (int k = 0; k < VIEW_RATE_COUNT; k++)
			number(text[k], node->rate[k] * 8 / 1e9);
		for (size_t k = 0; k < node->gpus.n && n < sizeof(gpus) - 40; k++)
			n += gpu_print(gpus + n, sizeof(gpus) - n, &node->gpus.at[k]);
		page_print(page, "  %-12.12s %8s / %7s %8s / %7s %8s / %7s%s", node->hostname,
			text[VIEW_FILES_READ], text[VIEW_FILES_WRITTEN], text[VIEW_STORAGE_READ],
			text[VIEW_STORAGE_WRITTEN], text[VIEW_RECEIVED], text[VIEW_SENT], gpus);
	}
}

void view_print(const struct view *view, FILE *out, int lines, int columns)
{
	struct page page = { out, lines, columns };
	size_t room;

	if (!view->ranks.n) {
		page_print(&page, "%s: no rank has been recorded yet", view->run);
		return;
	}
	head_print(view, &page);
	page_text(&page, "");
	titles_print(view, &page);
	room = !columns				      ? view->ranks.n
		: page.lines > (int)view->nodes.n + 4 ? (size_t)page.lines - view->nodes.n - 4
						      : 1;
	for (size_t i = 0; i < view->ranks.n; i++)
		if (i < room || &view->ranks.at[i] == view->slowest)
			rank_print(view, &view->ranks.at[i], &page);
	if (view->ranks.n > room)
		page_print(&page, "        %zu more ranks", view->ranks.n - room);
	page_text(&page, "");
	nodes_print(view, &page);
}
