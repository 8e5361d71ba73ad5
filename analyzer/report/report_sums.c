/*
 * report_sums.c - see report_sums.h. The result is a blob, of each name a struct head, then its
 * sums and the name, filled up to whole numbers.
 */
#include "config.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "report/report_sums.h"

#define NUMBERS_MOST (1 << 24)
#define NAMES_MOST   64

struct head {
	size_t n;   /* of sums */
	size_t len; /* of the name */
};

struct sum_series {
	char *name;
	size_t len;
	double *at;
	size_t n, room;
};

struct report_sums {
	struct sum_series *series;
	int n, last; /* of the row before */
};

static bool series_is(const struct sum_series *series, const void *name, size_t len)
{
	return series->len == len && memcmp(series->name, name, len) == 0;
}

static struct sum_series *series_add(struct report_sums *sums, const void *name, size_t len)
{
	struct sum_series *series;

	if (!sums->series)
		sums->series = sqlite3_malloc64(NAMES_MOST * sizeof(*series));
	if (!sums->series || sums->n == NAMES_MOST)
		return NULL;
	series = &sums->series[sums->n];
	*series = (struct sum_series){ .name = sqlite3_malloc64(len + 1), .len = len };
	if (!series->name)
		return NULL;
	memcpy(series->name, name, len);
	sums->last = sums->n++;
	return series;
}

/* Rows often come with their names in the same order: the one after the last is tried first. */
static struct sum_series *series_find(struct report_sums *sums, const void *name, size_t len)
{
	for (int i = 0; i < sums->n; i++) {
		int next = (sums->last + 1 + i) % sums->n;

		if (series_is(&sums->series[next], name, len)) {
			sums->last = next;
			return &sums->series[next];
		}
	}
	return series_add(sums, name, len);
}

/* The sums up to the i-th exist. 0, or -1 without memory. */
static int series_extend(struct sum_series *series, size_t i)
{
	if (i >= series->room) {
		size_t larger = series->room ? series->room : 32;
		double *at;

		while (larger <= i)
			larger *= 2;
		at = sqlite3_realloc64(series->at, larger * sizeof(*at));
		if (!at)
			return -1;
		series->at = at;
		series->room = larger;
	}
	memset(series->at + series->n, 0, (i + 1 - series->n) * sizeof(*series->at));
	series->n = i + 1;
	return 0;
}

static void sums_step(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	struct report_sums *sums = sqlite3_aggregate_context(context, sizeof(*sums));
	sqlite3_int64 i = sqlite3_value_int64(argv[0]);
	const void *name = sqlite3_value_text(argv[1]);
	struct sum_series *series;

	(void)argc;
	if (!sums || !name || (i == 0 && sqlite3_value_type(argv[0]) == SQLITE_NULL))
		return;
	if (i < 0 || i >= NUMBERS_MOST) {
		sqlite3_result_error_toobig(context);
		return;
	}
	series = series_find(sums, name, (size_t)sqlite3_value_bytes(argv[1]));
	if (!series || ((size_t)i >= series->n && series_extend(series, (size_t)i) < 0))
		sqlite3_result_error_nomem(context);
	else
		series->at[i] += sqlite3_value_double(argv[2]);
}

/* Bytes of a name, filled up to whole numbers. */
static size_t name_room(size_t len)
{
	return (len + 7) / 8 * 8;
}

static void sums_write(char *to, const struct report_sums *sums)
{
	for (const struct sum_series *s = sums->series; s < sums->series + sums->n; s++) {
		struct head head = { s->n, s->len };

		to = mempcpy(to, &head, sizeof(head));
		to = mempcpy(to, s->at, s->n * sizeof(*s->at));
		memcpy(to, s->name, s->len);
		to += name_room(s->len);
	}
}

static void sums_final(sqlite3_context *context)
{
	struct report_sums *sums = sqlite3_aggregate_context(context, 0);
	size_t size = 0;
	char *blob;

	if (!sums || !sums->series)
		return; /* NULL */
	for (int i = 0; i < sums->n; i++)
		size += sizeof(struct head) + sums->series[i].n * sizeof(double) +
			name_room(sums->series[i].len);
	blob = sqlite3_malloc64(size);
	if (blob) {
		sums_write(blob, sums);
		sqlite3_result_blob64(context, blob, size, sqlite3_free);
	} else {
		sqlite3_result_error_nomem(context);
	}
	for (int i = 0; i < sums->n; i++) {
		sqlite3_free(sums->series[i].name);
		sqlite3_free(sums->series[i].at);
	}
	sqlite3_free(sums->series);
}

static void sum_of(sqlite3_context *context, int argc, sqlite3_value **argv)
{
	const char *blob = sqlite3_value_blob(argv[0]);
	const char *end = blob ? blob + sqlite3_value_bytes(argv[0]) : NULL;
	sqlite3_int64 i = sqlite3_value_int64(argv[1]);
	const void *name = sqlite3_value_text(argv[2]); /* NULL: all */
	size_t len = (size_t)sqlite3_value_bytes(argv[2]);
	double sum = 0, one;

	(void)argc;
	if (!blob)
		return; /* NULL */
	while (blob < end) {
		struct head head;
		const char *at;

		memcpy(&head, blob, sizeof(head));
		at = blob + sizeof(head);
		blob = at + head.n * sizeof(sum);
		if (i >= 0 && (size_t)i < head.n &&
			(!name || (head.len == len && memcmp(blob, name, len) == 0))) {
			memcpy(&one, at + (size_t)i * sizeof(one), sizeof(one));
			sum += one;
		}
		blob += name_room(head.len);
	}
	sqlite3_result_double(context, sum);
}

int report_sums_add(sqlite3 *db)
{
	/* not for views of a database, which may come with their own blob */
	const int flags = SQLITE_UTF8 | SQLITE_DIRECTONLY;
	int code = sqlite3_create_function_v2(db, "sums", 3, flags, NULL, NULL, sums_step,
		sums_final, NULL);

	if (code == SQLITE_OK)
		code = sqlite3_create_function_v2(db, "sum_of", 3, flags | SQLITE_DETERMINISTIC,
			NULL, sum_of, NULL, NULL, NULL);
	return code;
}
