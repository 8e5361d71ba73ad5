/* report_median.c - see report_median.h. */
#include "config.h"

#include <sqlite3.h>
#include <stddef.h>

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

static void swap(double *a, double *b)
{
	double c = *a;

	*a = *b;
	*b = c;
}

/*
 * Moves the k-th least of a[0…n) to its place, none larger before it and none less behind it
 * (Hoare's selection, the middle of three as pivot).
 */
static void select_nth(double *a, size_t n, size_t k)
{
	size_t low = 0, high = n - 1;

	while (low < high) {
		size_t middle = low + (high - low) / 2, i = low, j = high;

		if (a[middle] < a[low])
			swap(&a[middle], &a[low]);
		if (a[high] < a[low])
			swap(&a[high], &a[low]);
		if (a[high] < a[middle])
			swap(&a[high], &a[middle]);
		double pivot = a[middle];

		for (;;) {
			while (a[i] < pivot)
				i++;
			while (a[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap(&a[i++], &a[j--]);
		}
		/* a[low…j] ≤ pivot ≤ a[j + 1…high] */
		if (k <= j)
			high = j;
		else
			low = j + 1;
	}
}

static void median_final(sqlite3_context *context)
{
	struct numbers *numbers = sqlite3_aggregate_context(context, 0);

	if (!numbers || !numbers->n)
		return; /* NULL */
	size_t n = numbers->n, k = n / 2;
	double *a = numbers->at, other;

	select_nth(a, n, k);
	other = a[k];
	if (n % 2 == 0) { /* the largest before it */
		other = a[0];
		for (size_t i = 1; i < k; i++)
			other = a[i] > other ? a[i] : other;
	}
	sqlite3_result_double(context, a[k] / 2 + other / 2);
	sqlite3_free(a);
}

int report_median_add(sqlite3 *db)
{
	return sqlite3_create_function_v2(db, "median", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
		NULL, median_step, median_final, NULL);
}
