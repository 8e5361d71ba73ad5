/* report_planes.c - see report_planes.h. */
#include "config.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/report_deflate.h"
#include "report/report_planes.h"
#include "result/format.h"

enum { COLUMNS_MOST = 16, FIRST_ROOM = 1 << 10 };

struct planes {
	int32_t *rows; /* ncolumns of each */
	size_t n, room;
	int ncolumns;
};

static void planes_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct planes *planes = sqlite3_aggregate_context(context, sizeof(*planes));

	if (!planes || argc < 1 || argc > COLUMNS_MOST) {
		sqlite3_result_error(context, "planes() takes 1 to 16 columns", -1);
		return;
	}
	planes->ncolumns = argc;
	if (planes->n == planes->room) {
		size_t room = planes->room ? 2 * planes->room : FIRST_ROOM;
		int32_t *rows = sqlite3_realloc64(planes->rows, room * argc * sizeof(*rows));

		if (!rows) {
			sqlite3_result_error_nomem(context);
			return;
		}
		planes->rows = rows;
		planes->room = room;
	}
	for (int i = 0; i < argc; i++)
		planes->rows[planes->n * argc + i] = (int32_t)sqlite3_value_int64(argv[i]);
	planes->n++;
}

/* The bytes by plane; NULL: no memory. */
static unsigned char *bytes_of(const struct planes *planes)
{
	size_t columns = (size_t)planes->ncolumns;
	unsigned char *bytes = malloc(planes->n * columns * sizeof(int32_t)), *to = bytes;

	for (size_t i = 0; bytes && i < columns; i++)
		for (unsigned plane = 0; plane < sizeof(int32_t); plane++)
			for (size_t k = 0; k < planes->n; k++)
				*to++ = (unsigned char)((uint32_t)planes->rows[k * columns + i] >>
					(8 * plane));
	return bytes;
}

/* As text, to be freed; NULL: no memory. */
static char *planes_text(const struct planes *planes)
{
	unsigned char *bytes = bytes_of(planes);
	size_t size = planes->n * (size_t)planes->ncolumns * sizeof(int32_t), length;
	unsigned char *packed = bytes ? deflate_pack(bytes, size, &size) : NULL;
	char *text = NULL;
	FILE *out = packed ? open_memstream(&text, &length) : NULL;

	if (out) {
		text_base64(out, (const char *)packed, size);
		if (fclose(out) != 0) {
			free(text);
			text = NULL;
		}
	}
	free(packed);
	free(bytes);
	return text;
}

static void planes_final(sqlite3_context *context)
{
	struct planes *planes = sqlite3_aggregate_context(context, 0);
	char *text;

	if (!planes || !planes->n)
		return; /* NULL */
	text = planes_text(planes);
	if (text)
		sqlite3_result_text(context, text, -1, free);
	else
		sqlite3_result_error_nomem(context);
	sqlite3_free(planes->rows);
}

int report_planes_add(sqlite3 *db)
{
	return sqlite3_create_function_v2(db, "planes", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL,
		NULL, planes_step, planes_final, NULL);
}
