/*
 * report_view.c - the data of a picture that reports/view.js draws: what the query returns is one
 * JSON text, which goes into the page packed, as base64 that no script runs.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_deflate.h"
#include "report/report_page.h"
#include "report/report_text.h"

/* 0, or -1 (reported). */
static int put_data(FILE *out, const char *json)
{
	size_t size;
	unsigned char *packed = deflate_pack(json, strlen(json), &size);

	if (!packed)
		return -1;
	fputs("<script type=\"application/x-deflate\">", out);
	text_base64(out, (const char *)packed, size);
	fputs("</script>\n", out);
	free(packed);
	return 0;
}

/* `more`: what stands beside it, NULL: nothing. 0, or -1 (reported). */
static int put_view(FILE *out, const char *json, const char *more)
{
	int ret;

	fputs("<div class=\"view\" hidden>\n", out);
	ret = put_data(out, json);
	if (more && ret == 0)
		ret = put_data(out, more);
	fputs("</div>\n", out);
	return ret;
}

int part_view(struct report_page *page, const struct report_part *part,
	const struct report_result *rows)
{
	const char *json = result_cell(rows, 0, 0)->text;
	struct report_result lanes;
	int ret;

	(void)part;
	if (!json)
		return 0;
	if (report_db_query(page->db, "timeline_lanes", &lanes) < 0)
		return -1;
	ret = put_view(page->out, json, lanes.nrows ? result_cell(&lanes, 0, 0)->text : NULL);
	result_free(&lanes);
	return ret;
}

/* The timeline of run `id` (0: the last one) in the database `path`, or nothing. 0, or -1 (reported). */
static int put_run(FILE *out, const char *label, const char *path, long long id, size_t *n)
{
	struct report_db db;
	struct report_result view;
	int ret = report_db_open(&db, path);

	if (ret < 0)
		return -1;
	if (id)
		db.run = id;
	ret = report_db_query(&db, "timeline_view", &view);
	if (ret == 0 && view.nrows && result_cell(&view, 0, 0)->text)
		fprintf(out, "%s[%s,%s]", (*n)++ ? "," : "[", label,
			result_cell(&view, 0, 0)->text);
	if (ret == 0)
		result_free(&view);
	report_db_close(&db);
	return ret;
}

/* The timelines of runs, whose databases are named, as [[label, data], ...]. */
int part_pair(struct report_page *page, const struct report_part *part,
	const struct report_result *rows)
{
	int path = result_column(rows, "Path"), label = result_column(rows, "Label"),
	    id = result_column(rows, "Id");
	char *json = NULL;
	size_t size, n = 0;
	FILE *out = open_memstream(&json, &size);
	int ret = out ? 0 : -1;

	(void)part;
	for (size_t i = 0; i < rows->nrows && ret == 0; i++)
		ret = put_run(out, result_cell(rows, i, label)->text,
			result_cell(rows, i, path)->text,
			(long long)result_cell(rows, i, id)->number, &n);
	if (out) {
		fputc(']', out);
		fclose(out);
	}
	if (ret == 0 && n == rows->nrows)
		ret = put_view(page->out, json, NULL);
	free(json);
	return ret;
}
