/* report_data.c - the files of a part, its CSV and the links to them; see report_page.h. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "report/report_page.h"
#include "result/format.h"

#define EMBED_LIMIT 100000 /* bytes of CSV that go into the page; more is a file next to it */

char *part_path(const struct report_page *page, const char *name, const char *extension)
{
	char *path;

	if (asprintf(&path, "%s/%s.%s", page->folder, name, extension) < 0) {
		log_error("out of memory");
		return NULL;
	}
	return path;
}

FILE *part_create(const struct report_page *page, const char *name, const char *extension)
{
	char *path = part_path(page, name, extension);
	FILE *file = path ? fopen(path, "we") : NULL;

	if (path && !file)
		log_error("cannot write %s: %s", path, strerror(errno));
	free(path);
	return file;
}

int part_close(const struct report_page *page, FILE *file)
{
	bool failed = ferror(file);

	if (fclose(file) == 0 && !failed)
		return 0;
	log_error("cannot write to %s: %s", page->folder, strerror(errno));
	return -1;
}

/* A link to FOLDER/NAME.EXTENSION, when there is one. */
static void put_file_link(struct report_page *page, const char *name, const char *extension,
	const char *shown)
{
	char *path = part_path(page, name, extension);

	if (path && access(path, R_OK) == 0) {
		fputs(" <a href=\"", page->out);
		text_url(page->out, page->folder_name);
		fprintf(page->out, "/%s.%s\">%s</a>", name, extension, shown);
	}
	free(path);
}

static void put_link(struct report_page *page, const struct report_part *part, const char *csv,
	size_t size, size_t nrows)
{
	const char *name = part->name;

	fprintf(page->out, "<p class=\"data\"><a download=\"%s.csv\" href=\"", name);
	if (size <= EMBED_LIMIT) {
		fputs("data:text/csv;charset=utf-8;base64,", page->out);
		text_base64(page->out, csv, size);
	} else {
		text_url(page->out, page->folder_name);
		fprintf(page->out, "/%s.csv", name);
	}
	fputs("\">CSV</a>", page->out);
	if (page->gnuplot && (part->kind == KIND_PLOT || part->kind == KIND_CHART)) {
		put_file_link(page, name, "svg", "SVG");
		put_file_link(page, name, "png", "PNG");
	}
	fprintf(page->out, " <span>%zu %s</span></p>\n", nrows, nrows == 1 ? "row" : "rows");
}

int part_data(struct report_page *page, const struct report_part *part, const struct result *rows)
{
	FILE *file = part_create(page, part->name, "csv"), *memory;
	char *csv = NULL;
	size_t size = 0;

	if (!file)
		return -1;
	memory = open_memstream(&csv, &size);
	if (!memory) {
		fclose(file);
		log_error("out of memory");
		return -1;
	}
	result_csv_head(memory, rows);
	result_csv_rows(memory, rows);
	fclose(memory);
	fwrite(csv, 1, size, file);
	put_link(page, part, csv, size, rows->nrows);
	free(csv);
	return part_close(page, file);
}
