/* finding_times.c - a table of times, read window by window; see finding_unit.h. */
#include "config.h"

#include <string.h>

#include "advise/finding_unit.h"
#include "db/query.h"

struct finding_times finding_times_open(sqlite3 *handle, const char *sql, int64_t run_id,
	bool *failed)
{
	return (struct finding_times){ query_prepare(handle, sql, run_id, failed), NULL, failed };
}

void finding_times_next(struct finding_times *times)
{
	times->window = query_row_next(times->select, times->failed)
		? (const char *)sqlite3_column_text(times->select, 0)
		: NULL;
}

void finding_times_begin(struct finding_times *times, const char *window)
{
	sqlite3_reset(times->select);
	sqlite3_bind_text(times->select, 2, window, -1, SQLITE_STATIC);
	finding_times_next(times);
}

bool finding_times_in(const struct finding_times *times, const char *window)
{
	return times->window && strcmp(times->window, window) == 0;
}
