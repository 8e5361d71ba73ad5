/* report.c - see report.h. Builds the page: head, sections, frame (reports/page.html). */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "report/report.h"
#include "report/report_page.h"
#include "base/rundir.h"
#include "report/scaling.h"

/* The pages there are: of one run, and of several. */
static const struct report_part of_run[] = {
#define SECTION(anchor, heading, text, empty)                                                      \
	{ .kind = KIND_SECTION, .name = #anchor, .title = heading, .says = text },                 \
		{ .kind = KIND_END, .says = empty },
#define PART(id, query, caption, rows, fold)                                                       \
	{ .kind = KIND_##id, .name = #query, .title = caption, .size = rows, .folded = fold },
#include "report/report_sections.def"
	{ .kind = KIND_SECTION }
}, of_runs[] = {
#include "report/report_runs.def"
	{ .kind = KIND_SECTION }
#undef PART
#undef SECTION
};

/* Figures at the top of the page: columns of head.sql, singular and plural. */
static const struct {
	const char *column, *one, *many;
	enum report_format format;
} tiles[] = {
	{ "Runs", "run", "runs", FORMAT_COUNT },
	{ "Ranks", "rank", "ranks", FORMAT_COUNT },
	{ "GPUs", "GPU", "GPUs", FORMAT_COUNT },
	{ "Emulated GPUs", "emulated GPU", "emulated GPUs", FORMAT_COUNT },
	{ "Nodes", "node", "nodes", FORMAT_COUNT },
	{ "Duration", "run time", "run time", FORMAT_NS },
	{ "Steps", "step", "steps", FORMAT_COUNT },
	{ "Samples/s", "samples/s", "samples/s", FORMAT_NUMBER },
};

static void put_tiles(FILE *out, const struct report_result *head)
{
	char buf[64];

	fputs("<dl class=\"tiles\">\n", out);
	for (size_t i = 0; i < sizeof(tiles) / sizeof(tiles[0]); i++) {
		double value = result_number(head, tiles[i].column);
		const char *phase = strcmp(tiles[i].column, "Samples/s") == 0
			? result_text(head, "Phase")
			: NULL;

		if (isnan(value) || (value == 0 && tiles[i].format == FORMAT_COUNT))
			continue;
		fprintf(out, "<div><dt>%s%s", value == 1 ? tiles[i].one : tiles[i].many,
			phase ? " in " : "");
		text_html(out, phase ? phase : "");
		fprintf(out, "</dt><dd>%s</dd></div>\n",
			number_format(buf, sizeof(buf), tiles[i].format, value));
	}
	fputs("</dl>\n", out);
}

/* One sentence on the run, why it is so, what to do next. */
static void put_verdict(FILE *out, const struct report_result *lines)
{
	int line = result_column(lines, "Line"), level = result_column(lines, "Level"),
	    said = result_column(lines, "Sentence");

	for (size_t i = 0; i < lines->nrows; i++) {
		const char *name = result_cell(lines, i, line)->text;

		if (!result_cell(lines, i, said)->text)
			continue;
		if (strcmp(name, "verdict") == 0)
			fprintf(out, "<p class=\"verdict %s\">",
				result_cell(lines, i, level)->text);
		else
			fprintf(out, "<p class=\"because\"><b>%s</b> ", name);
		text_html(out, result_cell(lines, i, said)->text);
		fputs("</p>\n", out);
	}
}

static void put_head(struct report_page *page, const struct report_result *head,
	const struct report_result *verdict)
{
	const char *command = result_text(head, "Command"), *started = result_text(head, "Started");

	put_verdict(page->out, verdict);
	if (command) {
		fputs("<p class=\"command\"><code>", page->out);
		text_html(page->out, command);
		fputs("</code></p>\n", page->out);
	}
	if (started) {
		fputs("<p class=\"small\">started ", page->out);
		text_html(page->out, started);
		fputs("</p>\n", page->out);
	}
	put_tiles(page->out, head);
	if (result_number(head, "Truncated") > 0)
		fputs("<p class=\"banner bad\"><strong>This run was truncated.</strong> Figures "
		      "cover what was recorded until then; <a href=\"#verdict\">see below</a> "
		      "which rank was inside which call.</p>\n",
			page->out);
	if (result_number(head, "Lossy") > 0)
		fputs("<p class=\"banner bad\"><strong>Events were lost.</strong> Figures are of "
		      "the time that was recorded; <a href=\"#verdict\">see below</a> why.</p>\n",
			page->out);
	if (result_number(head, "Emulated GPUs") > 0)
		fputs("<p class=\"banner bad\"><strong>Emulated GPUs.</strong> Their figures are "
		      "not measurements of a real GPU.</p>\n",
			page->out);
	if (!page->gnuplot)
		fputs("<p class=\"banner note\"><strong>No plots:</strong> gnuplot was not found. "
		      "Install it (<code>apt-get install gnuplot-nox</code>, "
		      "<code>dnf install gnuplot</code>) and run "
		      "<code>tacho report</code> again.</p>\n",
			page->out);
}

static void put_foot(FILE *out, const struct report_result *head)
{
	if (!result_text(head, "Archive")) {
		fputs("Written by tacho " PACKAGE_VERSION " from the databases of these runs.",
			out);
		return;
	}
	fputs("Written by tacho " PACKAGE_VERSION " from the database of tacho ", out);
	text_html(out, result_text(head, "Version") ? result_text(head, "Version") : "?");
	fputs(", analysed ", out);
	text_html(out, result_text(head, "Analysed") ? result_text(head, "Analysed") : "?");
	fputs(". Trace: <code>", out);
	text_html(out, result_text(head, "Archive") ? result_text(head, "Archive") : "?");
	fputs("</code>.", out);
}

/* What the frame's {{places}} are filled with. */
struct frame {
	char *title, *style, *script, *nav, *head, *body, *foot;
};

static void frame_free(struct frame *f)
{
	free(f->title);
	free(f->style);
	free(f->script);
	free(f->nav);
	free(f->head);
	free(f->body);
	free(f->foot);
}

static const char *frame_place(const struct frame *f, const char *name, size_t len)
{
	const struct {
		const char *name, *text;
	} places[] = { { "title", f->title }, { "style", f->style }, { "script", f->script },
		{ "nav", f->nav }, { "head", f->head }, { "body", f->body }, { "foot", f->foot } };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (strlen(places[i].name) == len && strncmp(places[i].name, name, len) == 0)
			return places[i].text;
	return NULL;
}

static char *data_read(const char *name)
{
	char *path = data_file(name), *text = NULL;
	FILE *file = path ? fopen(path, "re") : NULL;
	size_t size = 0;

	if (file && getdelim(&text, &size, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	if (path && !text)
		log_error("cannot read %s: %s", path, strerror(errno));
	if (file)
		fclose(file);
	free(path);
	return text;
}

/* page.html with its places filled. Filled-in text is not looked at again. */
static int frame_write(FILE *out, const struct frame *f)
{
	char *text = data_read("reports/page.html"), *s = text, *open, *close;

	if (!text)
		return -1;
	while ((open = strstr(s, "{{")) && (close = strstr(open, "}}"))) {
		const char *filling = frame_place(f, open + 2, close - open - 2);

		fwrite(s, 1, open - s, out);
		fputs(filling ? filling : "", out);
		s = close + 2;
	}
	fputs(s, out);
	free(text);
	return 0;
}

/* Title, head and foot, the texts that need head.sql. */
static int head_show(struct report_page *page, void *user)
{
	struct frame *f = user;
	struct report_result head, verdict = { 0 };
	size_t size;
	FILE *out;

	if (report_db_query(page->db, page->head, &head) < 0)
		return -1;
	if (page->verdict && report_db_query(page->db, page->verdict, &verdict) < 0) {
		result_free(&head);
		return -1;
	}
	out = open_memstream(&f->title, &size);
	text_html(out, result_text(&head, "Run"));
	fclose(out);
	page->out = open_memstream(&f->head, &size);
	put_head(page, &head, &verdict);
	fclose(page->out);
	out = open_memstream(&f->foot, &size);
	put_foot(out, &head);
	fclose(out);
	result_free(&head);
	result_free(&verdict);
	return 0;
}

/* Fills the frame. 0, or -1 (reported). */
static int frame_fill(struct report_page *page, struct frame *f)
{
	size_t nav_size, body_size;
	FILE *nav = open_memstream(&f->nav, &nav_size);
	int ret = -1;

	page->out = open_memstream(&f->body, &body_size);
	if (nav && page->out)
		ret = sections_show(page, nav, head_show, f);
	else
		log_error("out of memory");
	if (nav)
		fclose(nav);
	if (page->out)
		fclose(page->out);
	return ret;
}

/* Writes the page to OUTPUT.tmp and moves it into place. */
static int page_write(struct report_page *page, const char *output)
{
	struct frame f = { 0 };
	char *temporary = NULL;
	FILE *out = NULL;
	int ret = -1;

	f.style = data_read("reports/style.css");
	f.script = data_read("reports/view.js");
	if (!f.style || !f.script || frame_fill(page, &f) < 0)
		goto out;
	if (asprintf(&temporary, "%s.tmp", output) < 0) {
		temporary = NULL;
		log_error("out of memory");
		goto out;
	}
	out = fopen(temporary, "we");
	if (!out) {
		log_error("cannot write %s: %s", temporary, strerror(errno));
		goto out;
	}
	ret = frame_write(out, &f);
	if ((fclose(out) != 0 || rename(temporary, output) < 0) && ret == 0) {
		log_error("cannot write %s: %s", output, strerror(errno));
		ret = -1;
	}
	if (ret < 0)
		unlink(temporary);
out:
	free(temporary);
	frame_free(&f);
	return ret;
}

/* Is there such a program, as a path or in PATH? */
static bool program_exists(const char *name)
{
	const char *path = getenv("PATH");
	char *copy, *rest, *dir, *file;
	bool found = false;

	if (strchr(name, '/'))
		return access(name, X_OK) == 0;
	copy = rest = strdup(path ? path : "/usr/bin:/bin");
	while (!found && rest && (dir = strsep(&rest, ":"))) {
		file = path_join(dir[0] ? dir : ".", name);
		found = file && access(file, X_OK) == 0;
		free(file);
	}
	free(copy);
	return found;
}

static const char *gnuplot_find(const struct report_options *options)
{
	const char *name = options && options->gnuplot ? options->gnuplot : getenv("GNUPLOT");

	if (!name || !name[0])
		name = "gnuplot";
	if (program_exists(name))
		return name;
	log_warn("the report has no plots, as %s was not found: install it (apt-get install "
		 "gnuplot-nox, dnf install gnuplot)",
		name);
	return NULL;
}

/* The folder of the plots: OUTPUT without ".html". */
static char *folder_make(const char *output)
{
	size_t len = strlen(output);
	char *folder;

	if (len > 5 && strcmp(output + len - 5, ".html") == 0)
		folder = strndup(output, len - 5);
	else if (asprintf(&folder, "%s.files", output) < 0)
		folder = NULL;
	if (!folder) {
		log_error("out of memory");
		return NULL;
	}
	if (mkdir(folder, 0777) == 0 || errno == EEXIST)
		return folder;
	log_error("cannot make the folder %s: %s; -o FILE writes the report elsewhere", folder,
		strerror(errno));
	free(folder);
	return NULL;
}

/* Database and default output of RUN, a folder, a database or an archive with one next to it. */
static int run_paths(const char *run, char **database, char **output)
{
	char *dir, *slash;

	*database = run_database(run);
	dir = *database ? strdup(*database) : NULL;
	slash = dir ? strrchr(dir, '/') : NULL;
	if (slash)
		slash[slash == dir] = '\0';
	*output = dir ? path_join(slash ? dir : ".", RUNDIR_REPORT) : NULL;
	free(dir);
	return *output ? 0 : -1;
}

char *report_path(const char *run)
{
	char *database, *output = NULL;

	if (run_paths(run, &database, &output) < 0) {
		free(output);
		output = NULL;
	}
	free(database);
	return output;
}

/* The page `target` with the folder of its plots. */
static int page_make(struct report_page *page, const char *target,
	const struct report_options *options)
{
	char *folder = folder_make(target);
	const char *slash = folder ? strrchr(folder, '/') : NULL;
	int ret = -1;

	if (folder) {
		page->folder = folder;
		page->folder_name = slash ? slash + 1 : folder;
		page->gnuplot = gnuplot_find(options);
		ret = page_write(page, target);
	}
	free(folder);
	return ret;
}

int report_run(const char *run, const struct report_options *options)
{
	struct report_db db;
	struct report_page page = { .db = &db,
		.parts = of_run,
		.head = "head",
		.verdict = "verdict" };
	char *database, *output;
	int ret = -1;

	if (run_paths(run, &database, &output) < 0)
		goto out;
	if (report_db_open(&db, database) < 0)
		goto out;
	report_db_warn_several(&db);
	ret = page_make(&page, options && options->output ? options->output : output, options);
	report_db_close(&db);
out:
	free(database);
	free(output);
	return ret;
}

int report_run_add(struct report_db *db, const char *run)
{
	char *database = NULL, *output = NULL;
	int ret = run_paths(run, &database, &output);

	if (ret == 0)
		ret = report_db_add(db, database);
	free(database);
	free(output);
	return ret;
}

int report_runs_open(struct report_db *db, char *const *runs, int nruns)
{
	int ret = report_db_memory(db);

	for (int i = 0; i < nruns && ret == 0; i++)
		ret = report_run_add(db, runs[i]);
	if (ret == 0)
		ret = report_db_script(db, "runs_study");
	if (ret < 0)
		report_db_close(db);
	return ret;
}

int report_runs_write(struct report_db *db, const struct report_options *options)
{
	struct report_page page = { .db = db, .parts = of_runs, .head = "runs_head" };

	return page_make(&page, options && options->output ? options->output : REPORT_OF_RUNS,
		options);
}

int report_runs(char *const *runs, int nruns, const struct report_options *options)
{
	struct report_db db;
	int ret;

	if (report_runs_open(&db, runs, nruns) < 0)
		return -1;
	ret = scaling_compute(&db, SCALING_AUTO);
	if (ret == 0)
		ret = report_runs_write(&db, options);
	report_db_close(&db);
	return ret;
}
