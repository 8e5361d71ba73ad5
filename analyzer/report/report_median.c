/* report_median.c - see report_median.h. */
#include "config.h"

#include <sqlite3.h>
#include <stddef.h>

#include "base/median.h"
#include "report/report_median.h"

struct numbers {
	double *at;
	size_t n, room;
};

static void median_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct numbers *numbers = sqlite3_aggregate_context(context, sizeof(*numbers));

	(void)argc;
	if (!numbers || sqlite3_value_numeric_type(argv[0]) == SQLITE_NULL)
		return;
	if (numbers->n == numbers->room) {
		size_t larger = numbers->room ? 2 * numbers->room : 64;
		double *at = sqlite3_realloc64(numbers->at, larger * sizeof(*at));

		if (!at) {
			sqlite3_result_error_nomem(context);
			return;
		}
		numbers->at = at;
		numbers->room = larger;
	}
	numbers->at[numbers->n++] = sqlite3_value_double(argv[0]);
}

static void median_final(sqlite3_context *context)
{
	struct numbers *numbers = sqlite3_aggregate_context(context, 0);

	if (!numbers || !numbers->n)
		return; /* NULL */
	sqlite3_result_double(context, median_of(numbers->at, numbers->n));
	sqlite3_free(numbers->at);
}

int report_median_add(sqlite3 *db)
{
	return sqlite3_create_function_v2(db, "median", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
		NULL, median_step, median_final, NULL);
}
