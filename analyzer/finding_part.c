/*
 * finding_part.c - least_part(value, parts), an aggregate for rules: of the smallest of all values,
 * one in so many of them and at least one, the largest; 4: the lower quartile. SQL's way to it
 * sorts and numbers all rows, which takes ten times as long.
 */
#include "config.h"

#include <stdlib.h>

#include "finding_unit.h"
#include "table.h"

struct values { ARRAY_OF(int64_t) all; int64_t parts; };

static void value_add(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct values *values = sqlite3_aggregate_context(context, sizeof(*values));
	int64_t *at;

	(void)argc;
	if (!values || sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	values->parts = sqlite3_value_int64(argv[1]);
	at = ARRAY_ADD(&values->all);
	if (at)
		*at = sqlite3_value_int64(argv[0]);
	else
		sqlite3_result_error_nomem(context);
}

static int compare(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void part_tell(sqlite3_context *context)
{
	struct values *values = sqlite3_aggregate_context(context, 0);
	size_t parts;

	if (!values || !values->all.n)
		return;
	parts = values->parts > 1 ? (size_t)values->parts : 1;
	qsort(values->all.at, values->all.n, sizeof(*values->all.at), compare);
	sqlite3_result_int64(context, values->all.at[(values->all.n + parts - 1) / parts - 1]);
	free(values->all.at);
}

int finding_part_add(sqlite3 *handle)
{
	return sqlite3_create_function(handle, "least_part", 2,
		SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL, NULL, value_add, part_tell) == SQLITE_OK ?
		0 : -1;
}
