/* db_sum.c - see db_sum.h. */
#include "config.h"

#include <sqlite3.h>
#include <stddef.h>
#include <stdint.h>

#include "db/db_sum.h"

/* SQLite's memory for an aggregate is aligned to 8 bytes. */
typedef __int128 whole __attribute__((aligned(8)));

struct sum {
	whole whole;
	double real;
	int64_t n, nreal; /* numbers; of them real ones */
};

static void value_add(sqlite3_context *context, sqlite3_value *value, int sign)
{
	struct sum *sum = sqlite3_aggregate_context(context, sizeof(*sum));
	int type = sqlite3_value_numeric_type(value);

	if (!sum || type == SQLITE_NULL)
		return;
	sum->n += sign;
	if (type == SQLITE_INTEGER) {
		sum->whole += sign * (__int128)sqlite3_value_int64(value);
	} else {
		sum->real += sign * sqlite3_value_double(value);
		sum->nreal += sign;
	}
}

static void sum_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	(void)argc;
	value_add(context, argv[0], 1);
}

static void sum_inverse(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	(void)argc;
	value_add(context, argv[0], -1);
}

static void sum_value(sqlite3_context *context)
{
	const struct sum *sum = sqlite3_aggregate_context(context, 0);

	if (!sum || !sum->n)
		return; /* NULL */
	if (sum->nreal || sum->whole > INT64_MAX || sum->whole < INT64_MIN)
		sqlite3_result_double(context, (double)sum->whole + sum->real);
	else
		sqlite3_result_int64(context, (int64_t)sum->whole);
}

int db_sum_add(sqlite3 *db)
{
	return sqlite3_create_window_function(db, "sum", 1,
		SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, NULL, sum_step, sum_value,
		sum_value, sum_inverse, NULL);
}
