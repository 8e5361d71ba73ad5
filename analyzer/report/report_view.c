/*
 * report_view.c - the data of a picture that reports/view/view.js draws: JSON texts, and columns of
 * numbers (report_planes.h), each in a script element that no browser executes, packed, as base64.
 * For a run the whole comes first, then its resources, then three elements for each step in full
 * detail.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_deflate.h"
#include "report/report_page.h"
#include "result/format.h"

/* `what`: whatif, run, lanes, step, slices or launches; NULL: there is none. */
static void put_open(FILE *out, const char *what)
{
	fprintf(out, "<script type=\"application/x-deflate\" data-what=\"%s\">", what);
}

/* 0, or -1 (reported). */
static int put_json(FILE *out, const char *what, const char *json)
{
	size_t size;
	unsigned char *packed;

	if (!json)
		return 0;
	packed = deflate_pack(json, strlen(json), &size);
	if (!packed)
		return -1;
	put_open(out, what);
	text_base64(out, (const char *)packed, size);
	fputs("</script>\n", out);
	free(packed);
	return 0;
}

/* Columns that planes() has packed. */
static void put_planes(FILE *out, const char *what, const struct result_cell *cell)
{
	put_open(out, what);
	if (cell->text)
		fputs(cell->text, out);
	fputs("</script>\n", out);
}

enum { STEPS_BYTES = 3500000 }; /* of a page: steps that were added as there was room end here */

static size_t cell_length(const struct result_cell *cell)
{
	return cell->text ? strlen(cell->text) : 0;
}

/* Writes the first `most` steps in full detail, up to STEPS_BYTES. 0, or -1 (reported). */
static int put_steps(FILE *out, struct report_db *db, size_t most)
{
	struct result steps;
	size_t bytes = 0;
	int ret = report_db_query(db, "timeline_full", &steps);

	if (ret < 0)
		return -1;
	for (size_t i = 0; i < steps.nrows && i < most && bytes < STEPS_BYTES && ret == 0; i++) {
		for (int column = 0; column < 3; column++)
			bytes += cell_length(result_cell(&steps, i, column));
		ret = put_json(out, "step", result_cell(&steps, i, 0)->text);
		put_planes(out, "slices", result_cell(&steps, i, 1));
		put_planes(out, "launches", result_cell(&steps, i, 2));
	}
	result_free(&steps);
	return ret;
}

int part_view(struct report_page *page, const struct report_part *part, const struct result *rows)
{
	const char *json = result_cell(rows, 0, 0)->text;
	struct result lanes;
	int ret;

	(void)part;
	if (!json)
		return 0;
	if (report_db_query(page->db, "timeline_lanes", &lanes) < 0)
		return -1;
	fputs("<div class=\"view\" hidden>\n", page->out);
	ret = put_json(page->out, "run", json);
	if (ret == 0)
		ret = put_json(page->out, "lanes",
			lanes.nrows ? result_cell(&lanes, 0, 0)->text : NULL);
	if (ret == 0)
		ret = put_steps(page->out, page->db, SIZE_MAX);
	fputs("</div>\n", page->out);
	result_free(&lanes);
	return ret;
}

int part_whatif(struct report_page *page, const struct report_part *part, const struct result *rows)
{
	const char *json = result_cell(rows, 0, 0)->text;
	int ret;

	(void)part;
	fputs("<div class=\"whatif\" hidden>\n", page->out);
	ret = put_json(page->out, "whatif", json);
	fputs("</div>\n", page->out);
	return ret;
}

/*
 * The timeline of run `id` (0: the last one) in the database `path`, as [label, data], and its typical
 * step. 0, or -1 (reported).
 */
static int put_run(FILE *out, const char *label, const char *path, long long id)
{
	struct report_db db;
	struct result view;
	char *json = NULL;
	int ret = report_db_open(&db, path);

	if (ret < 0)
		return -1;
	if (id)
		db.run = id;
	ret = report_db_query(&db, "timeline_view", &view);
	if (ret == 0 && view.nrows && result_cell(&view, 0, 0)->text &&
		asprintf(&json, "[%s,%s]", label, result_cell(&view, 0, 0)->text) > 0)
		ret = put_json(out, "run", json);
	if (ret == 0 && json)
		ret = put_steps(out, &db, 1);
	if (ret == 0)
		result_free(&view);
	free(json);
	report_db_close(&db);
	return ret;
}

/* The timelines of runs with a named database. Only if all runs have one. */
int part_pair(struct report_page *page, const struct report_part *part, const struct result *rows)
{
	int path = result_column(rows, "Path"), label = result_column(rows, "Label"),
	    id = result_column(rows, "Id");
	int ret = 0;

	(void)part;
	fputs("<div class=\"view\" hidden>\n", page->out);
	for (size_t i = 0; i < rows->nrows && ret == 0; i++)
		ret = put_run(page->out, result_cell(rows, i, label)->text,
			result_cell(rows, i, path)->text,
			(long long)result_cell(rows, i, id)->number);
	fputs("</div>\n", page->out);
	return ret;
}
