/* report.c - see report.h. Builds the page: head, sections, frame (reports/page/page.html). */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "report/report.h"
#include "report/report_head.h"
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
}, of_compared[] = {
#include "report/report_compare.def"
	{ .kind = KIND_SECTION }
}, of_history[] = {
#include "report/report_history.def"
	{ .kind = KIND_SECTION }
#undef PART
#undef SECTION
};

static void frame_free(struct page_frame *f)
{
	free(f->title);
	free(f->style);
	free(f->script);
	free(f->nav);
	free(f->head);
	free(f->body);
	free(f->foot);
}

static const char *frame_place(const struct page_frame *f, const char *name, size_t len)
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

char *report_data(const char *name)
{
	char *path = report_file(name), *text = NULL;
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

/* The page's one script, of several files. */
static char *script_read(void)
{
	static const char *const files[] = { "lanes.js", "view_data.js", "whatif.js",
		"view_tree.js", "view_links.js", "view_run.js", "view_step.js", "view_range.js",
		"view_draw.js", "view_input.js", "view_share.js", "view.js", "tables.js" };
	char *script = NULL;
	size_t size;
	FILE *out = open_memstream(&script, &size);
	bool all = out;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && all; i++) {
		char *text = report_data(files[i]);

		all = text && fputs(text, out) >= 0;
		free(text);
	}
	if (out)
		fclose(out);
	if (all)
		return script;
	free(script);
	return NULL;
}

/*
 * Writes page.html with its placeholders filled. Inserted text is not scanned for placeholders
 * again.
 */
static int frame_write(FILE *out, const struct page_frame *f)
{
	char *text = report_data("page.html"), *s = text, *open, *close;

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

/* Fills the frame. 0, or -1 (reported). */
static int frame_fill(struct report_page *page, struct page_frame *f)
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
	struct page_frame f = { 0 };
	char *temporary = NULL;
	FILE *out = NULL;
	int ret = -1;

	f.style = report_data("style.css");
	f.script = script_read();
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

static const char *gnuplot_find(const struct report_options *options, bool *left_out)
{
	const char *name = options && options->gnuplot ? options->gnuplot : getenv("GNUPLOT");

	if (!name)
		name = "gnuplot";
	*left_out = !name[0];
	if (*left_out)
		return NULL;
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
		page->gnuplot = gnuplot_find(options, &page->plots_left_out);
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

int report_run_add(struct report_db *db, const char *run, long long only)
{
	char *database = NULL, *output = NULL;
	int ret = run_paths(run, &database, &output);

	if (ret == 0)
		ret = report_db_add(db, database, only);
	free(database);
	free(output);
	return ret;
}

int report_runs_open(struct report_db *db, char *const *runs, int nruns)
{
	int ret = report_db_memory(db);

	for (int i = 0; i < nruns && ret == 0; i++)
		ret = report_run_add(db, runs[i], 0);
	if (ret == 0)
		ret = report_db_script(db, "runs_study");
	if (ret < 0)
		report_db_close(db);
	return ret;
}

int report_runs_write(struct report_db *db, const struct report_options *options)
{
	struct report_page page = { .db = db,
		.parts = of_runs,
		.head = "runs_head",
		.verdict = "runs_said" };

	return page_make(&page, options && options->output ? options->output : REPORT_OF_RUNS,
		options);
}

int report_compared(struct report_db *db, const struct report_options *options)
{
	struct report_page page = { .db = db,
		.parts = of_compared,
		.head = "compare_page_head",
		.verdict = "compare_page_said" };

	return page_make(&page, options->output, options);
}

int report_history(struct report_db *db, const struct report_options *options)
{
	struct report_page page = { .db = db,
		.parts = of_history,
		.head = "history_head",
		.verdict = "history_said" };

	return page_make(&page, options->output, options);
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
