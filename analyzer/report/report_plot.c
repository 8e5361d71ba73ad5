/*
 * report_plot.c - the rows of a query as CSV, and as a plot drawn by gnuplot.
 * Names reach gnuplot as quoted fields of a data file only, never as part of
 * a script or of a command line.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "report/report_page.h"
#include "result/result_html.h"
#include "base/rundir.h"

#define PLOT_WIDTH   900
#define PNG_SCALE    2	/* pixels of the PNG for one of the page */
#define TABLE_LIMIT  40 /* rows of a plot's data that are shown as a table */
#define PLOT_SECONDS 60 /* after which gnuplot is given up */
#define CHART_AROUND 96 /* pixels of a chart above and below its lines, without its key */
#define CHART_KEY    19 /* of a line of its key: four names */
#define CHART_LEAST  90 /* and of all its lines */
#define CHART_MOST   640

extern char **environ;

/* Is this column the block's name? Then a change of it starts its own block. */
static bool has_blocks(const struct result *r)
{
	return r->ncols > 0 && r->columns[0].format == FORMAT_BLOCK;
}

static void put_data_head(FILE *out, const struct result *r, size_t row)
{
	for (int i = 0; i < r->ncols; i++) {
		fputs(i ? "\t" : "", out);
		text_gnuplot(out,
			i == 0 && has_blocks(r) && result_cell(r, row, 0)->text
				? result_cell(r, row, 0)->text
				: r->columns[i].title);
	}
	fputc('\n', out);
}

/*
 * Tab-separated; each block begins with its titles, the first being its name. Returns the number of
 * blocks.
 */
static size_t plot_data(FILE *out, const struct result *r)
{
	const char *block = NULL;
	size_t nblocks = 0;

	for (size_t row = 0; row < r->nrows; row++) {
		const char *name = has_blocks(r) && result_cell(r, row, 0)->text
			? result_cell(r, row, 0)->text
			: "";

		if (!block || strcmp(block, name) != 0) {
			fputs(block ? "\n\n" : "", out);
			put_data_head(out, r, row);
			nblocks++;
			block = name;
		}
		for (int i = 0; i < r->ncols; i++) {
			const struct result_cell *cell = result_cell(r, row, i);

			fputs(i ? "\t" : "", out);
			if (cell->null || cell->is_number)
				fputs(cell->null ? "NaN" : cell->text, out);
			else
				text_gnuplot(out, cell->text);
		}
		fputc('\n', out);
	}
	return nblocks;
}

/* Appends reports/NAME.gp to the script. */
static int script_add(FILE *script, const char *name)
{
	char file[128], *path, buf[4096];
	FILE *part = NULL;
	size_t n;

	snprintf(file, sizeof(file), "%s.gp", name);
	path = report_file(file);
	if (path) {
		part = fopen(path, "re");
		if (!part)
			log_error("cannot read %s: %s", path, strerror(errno));
	}
	free(path);
	if (!part)
		return -1;
	while ((n = fread(buf, 1, sizeof(buf), part)) > 0)
		fwrite(buf, 1, n, script);
	fclose(part);
	return 0;
}

/* The same again as PNG for slides and papers, by a gnuplot that can. */
static void png_write(FILE *script, const char *name, int height)
{
	fprintf(script,
		"if (strstrt(GPVAL_TERMINALS, \"pngcairo\") > 0) {\n"
		"\tset terminal pngcairo size %d,%d noenhanced font \"sans,10\" fontscale %d "
		"linewidth %d pointscale %d butt\n"
		"\tset output \"%s.png\"\n\teval again\n}\n",
		PNG_SCALE * PLOT_WIDTH, PNG_SCALE * height, PNG_SCALE, PNG_SCALE, PNG_SCALE, name);
}

/* What an earlier report drew; a link must not lead to it. */
static void drawings_remove(const struct report_page *page, const char *name)
{
	static const char *const extensions[] = { "svg", "png" };

	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++) {
		char *path = part_path(page, name, extensions[i]);

		if (path)
			unlink(path);
		free(path);
	}
}

static int plot_write(struct report_page *page, const struct report_part *part,
	const struct result *rows, int height)
{
	FILE *data = part_create(page, part->name, "dat"), *script;
	size_t nblocks;
	int ret;

	if (!data)
		return -1;
	nblocks = plot_data(data, rows);
	if (part_close(page, data) < 0)
		return -1;
	script = part_create(page, part->name, "gp");
	if (!script)
		return -1;
	fprintf(script,
		"# Draws %s.svg and .png again: gnuplot %s.gp\n"
		"set terminal svg name \"%s\" size %d,%d dynamic noenhanced font "
		"\"sans-serif,13\" butt\n"
		"set encoding utf8\n"
		"set output \"%s.svg\"\ndata = \"%s.dat\"\nrows = %zu\nblocks = %zu\nheight = %d\n",
		part->name, part->name, part->name, PLOT_WIDTH, height, part->name, part->name,
		rows->nrows, nblocks, height);
	ret = script_add(script, "common") < 0 || script_add(script, part->name) < 0 ? -1 : 0;
	png_write(script, part->name, height);
	return part_close(page, script) < 0 ? -1 : ret;
}

/* The drawing of `rows`, or why there is none. 0, or -1 (reported). */
static int plot_show(struct report_page *page, const struct report_part *part,
	const struct result *rows, int height, const struct svg_titles *titles)
{
	char *svg, why[256];

	if (plot_write(page, part, rows, height) < 0)
		return -1;
	svg = part_path(page, part->name, "svg");
	if (!svg)
		return -1;
	drawings_remove(page, part->name);
	if (gnuplot_run(page->gnuplot, page->folder, part->name, why, sizeof(why)) < 0 ||
		svg_inline(page->out, svg, part->name, part->title, titles) < 0) {
		log_warn("no plot %s in the report: %s", part->name,
			why[0] ? why : "gnuplot did not write an SVG");
		fputs("<p class=\"missing\">This plot could not be drawn; its data are "
		      "below.</p>\n",
			page->out);
	}
	free(svg);
	return 0;
}

static void put_caption(FILE *out, const char *title)
{
	fputs("<figcaption>", out);
	text_html(out, title);
	fputs("</figcaption>\n", out);
}

int part_plot(struct report_page *page, const struct report_part *part, const struct result *rows)
{
	const struct svg_titles none = { 0 };
	int ret;

	if (!page->gnuplot)
		return part_data(page, part, rows);
	fputs("<figure>\n", page->out);
	if (plot_show(page, part, rows, part->size, &none) < 0)
		return -1;
	put_caption(page->out, part->title);
	if (rows->nrows <= TABLE_LIMIT) {
		fputs("<details class=\"small\"><summary>As a table</summary>\n", page->out);
		result_html(page->out, rows, part->title, 0, rows->nrows);
		fputs("</details>\n", page->out);
	}
	ret = part_data(page, part, rows);
	fputs("</figure>\n", page->out);
	return ret;
}

/* A chart's height in pixels: a line per row of its block `rows`, plus axes and legend. */
static int chart_height(const struct result *rows, const struct svg_titles *titles, int line)
{
	int n = 0, keys = (int)titles->n + 1, height;

	for (size_t row = 0; row < rows->nrows; row++) {
		n += strcmp(result_cell(rows, row, 0)->text, "rows") == 0;
		keys += strcmp(result_cell(rows, row, 0)->text, "states") == 0;
	}
	height = n * line;
	return CHART_AROUND + (keys + 3) / 4 * CHART_KEY +
		(height > CHART_MOST		       ? CHART_MOST
				: height < CHART_LEAST ? CHART_LEAST
						       : height);
}

/* The names of the blocks before `rows`, which a chart draws first. -1 without memory (reported).
 */
static int titles_find(struct svg_titles *titles, const struct result *rows)
{
	titles->at = calloc(rows->nrows + 1, sizeof(*titles->at));
	for (size_t row = 0; titles->at && row < rows->nrows; row++) {
		const char *name = result_cell(rows, row, 0)->text;

		if (strcmp(name, "rows") == 0)
			break;
		if (!row || strcmp(name, titles->at[titles->n - 1]) != 0)
			titles->at[titles->n++] = name;
	}
	if (!titles->at)
		log_error("out of memory");
	return titles->at ? 0 : -1;
}

int part_chart(struct report_page *page, const struct report_part *part, const struct result *rows)
{
	struct svg_titles titles = { 0 };
	struct result data;
	char name[64];
	int ret = 0;

	snprintf(name, sizeof(name), "%s_data", part->name);
	if (report_db_query(page->db, name, &data) < 0)
		return -1;
	fputs("<figure>\n", page->out);
	if (page->gnuplot)
		ret = titles_find(&titles, rows) < 0
			? -1
			: plot_show(page, part, rows, chart_height(rows, &titles, part->size),
				  &titles);
	put_caption(page->out, part->title);
	if (ret == 0)
		ret = part_data(page, part, &data);
	fputs("</figure>\n", page->out);
	free(titles.at);
	result_free(&data);
	return ret;
}

/* Waits for the child, PLOT_SECONDS at most. Its status, -1 when it had to be killed. */
static int child_wait(pid_t pid)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	int status;

	for (long i = 0; i < PLOT_SECONDS * 500L; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
		nanosleep(&pause, NULL);
	}
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return -1;
}

/* Finds the line of gnuplot's error message that names the error. */
static void read_complaint(int fd, char *why, size_t size)
{
	char buf[2048], *line, *rest = buf;
	ssize_t n = pread(fd, buf, sizeof(buf) - 1, 0);

	buf[n > 0 ? n : 0] = '\0';
	while ((line = strsep(&rest, "\n")))
		if (strstr(line, "line "))
			snprintf(why, size, "gnuplot reports %s", line);
}

/* gnuplot's command that goes to the folder, where scripts name their data. -1: it is too long. */
static int enter_folder(const char *folder, char *command, size_t size)
{
	size_t n = (size_t)snprintf(command, size, "cd '");

	for (; *folder; folder++) {
		if (n + 4 > size)
			return -1;
		if (*folder == '\'') /* doubled within quotes */
			command[n++] = '\'';
		command[n++] = *folder;
	}
	snprintf(command + n, size - n, "'");
	return 0;
}

int gnuplot_run(const char *gnuplot, const char *folder, const char *name, char *why, size_t size)
{
	char script[128], defaults[] = "-d", command[] = "-e", enter[2 * PATH_MAX + 8];
	/* posix_spawn takes the strings as writable but leaves them alone */
	char *argv[] = { script, defaults, command, enter, script, NULL };
	posix_spawn_file_actions_t actions;
	int complaint, error, status;
	pid_t pid;

	why[0] = '\0';
	snprintf(script, sizeof(script), "%s.gp", name);
	if (enter_folder(folder, enter, sizeof(enter)) < 0) {
		snprintf(why, size, "the name of %s is too long", folder);
		return -1;
	}
	complaint = memfd_create("gnuplot", MFD_CLOEXEC);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (complaint >= 0)
		posix_spawn_file_actions_adddup2(&actions, complaint, STDERR_FILENO);
	error = posix_spawnp(&pid, gnuplot, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (error) {
		snprintf(why, size, "cannot run %s: %s", gnuplot, strerror(error));
	} else {
		status = child_wait(pid);
		error = status;
		if (status != 0)
			snprintf(why, size,
				status == -1 ? "gnuplot took longer than %d s" : "gnuplot failed",
				PLOT_SECONDS);
		if (status > 0 && complaint >= 0)
			read_complaint(complaint, why, size);
	}
	if (complaint >= 0)
		close(complaint);
	return error ? -1 : 0;
}
