/* evidence.c - times in a sentence, and in the columns of a query. */
#include "config.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "evidence.h"

#define COLUMNS_MOST 16
#define VALUES_MOST  256

static const struct unit {
	const char *name;
	double s;
} units[] = { { "ms", 1e-3 }, { "us", 1e-6 }, { "\xc2\xb5s", 1e-6 }, { "ns", 1e-9 }, { "s", 1 } };

/* NULL: it is no time. */
static const struct unit *unit_of_column(const char *name)
{
	const char *last = strrchr(name, '_') ? strrchr(name, '_') + 1 : name;

	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(last, units[i].name) == 0)
			return &units[i];
	return NULL;
}

/* The unit that follows a number, as in " 36.7 ms, …". NULL: none. */
static const struct unit *unit_after(const char *text)
{
	for (size_t i = 0; *text == ' ' && i < sizeof units / sizeof *units; i++) {
		size_t n = strlen(units[i].name);

		if (strncmp(text + 1, units[i].name, n) == 0 &&
			!isalnum((unsigned char)text[1 + n]))
			return &units[i];
	}
	return NULL;
}

struct times {
	double s[VALUES_MOST];
	size_t n;
};

static void time_add(struct times *times, double s)
{
	if (times->n < VALUES_MOST)
		times->s[times->n++] = s;
}

static void times_read(struct times *times, sqlite3_stmt *select)
{
	double sums[COLUMNS_MOST] = { 0 };
	int many[COLUMNS_MOST] = { 0 }, columns = sqlite3_column_count(select);

	do {
		for (int i = 0; i < columns && i < COLUMNS_MOST; i++) {
			const struct unit *unit = unit_of_column(sqlite3_column_name(select, i));

			if (!unit || sqlite3_column_type(select, i) == SQLITE_NULL)
				continue;
			time_add(times, sqlite3_column_double(select, i) * unit->s);
			sums[i] += sqlite3_column_double(select, i) * unit->s;
			many[i]++;
		}
	} while (sqlite3_step(select) == SQLITE_ROW);
	for (int i = 0; i < columns && i < COLUMNS_MOST; i++) {
		time_add(times, sums[i]);
		time_add(times, sums[i] / (many[i] ? many[i] : 1));
	}
}

/* Half a unit of the last digit of the number at `text`, of which `end` is the end. */
static double number_precision(const char *text, const char *end)
{
	const char *point = memchr(text, '.', (size_t)(end - text));

	return 0.501 * pow(10, point ? -(double)(end - point - 1) : 0);
}

bool evidence_has_times(sqlite3_stmt *select, const char *message)
{
	struct times times = { 0 };
	bool all = true;

	times_read(&times, select);
	for (const char *at = message; *at;) {
		char *end = (char *)at + 1;
		bool starts = isdigit((unsigned char)*at) && (at == message || at[-1] == ' ');
		double value = starts ? strtod(at, &end) : 0;
		const struct unit *unit = starts ? unit_after(end) : NULL;
		bool found = !unit;

		for (size_t i = 0; i < times.n && !found; i++)
			found = fabs(times.s[i] / unit->s - value) <= number_precision(at, end);
		if (!found)
			printf("# %.*s %s of \"%s\" is not in its evidence\n", (int)(end - at), at,
				unit->name, message);
		all &= found;
		at = end;
	}
	return all;
}

bool evidence_is_partial(const char *rule)
{
	static const char *const rules[] = { "blocked", "gpu_starved/launches",
		"gpu_starved/synchronisations", "hang", "serial_phase", "socket_late",
		"start_end/gpu", "suspended" };

	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		if (strcmp(rules[i], rule) == 0)
			return true;
	return false;
}
