/*
 * report_view.c - the data of a picture that reports/view.js draws: what the query returns is one
 * JSON text, which goes into the page as data.
 */
#include "config.h"

#include <stdio.h>

#include "report/report_page.h"

/* In a script element a text may hold anything but what ends or hides it: both begin with <. */
static void put_json(FILE *out, const char *json)
{
	for (; *json; json++)
		if (*json == '<')
			fputs("\\u003c", out);
		else
			putc(*json, out);
}

int part_view(struct report_page *page, const struct report_part *part,
	const struct report_result *rows)
{
	const char *json = result_cell(rows, 0, 0)->text;

	(void)part;
	if (!json)
		return 0;
	fputs("<div class=\"view\" hidden>\n<script type=\"application/json\">", page->out);
	put_json(page->out, json);
	fputs("</script>\n</div>\n", page->out);
	return 0;
}
