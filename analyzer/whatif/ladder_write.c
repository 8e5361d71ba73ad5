/* ladder_write.c - the rows of the tables `cause` and `account`; see ladder.h. */
#include "config.h"

#include <stdlib.h>

#include "base/log.h"
#include "db/query.h"
#include "whatif/ladder.h"

static const char delete_sql[] = "delete from main.cause where run_id = :run;"
				 "delete from main.cause_without where run_id = :run;"
				 "delete from main.account where run_id = :run";

static const char *const account_names[ACCOUNT_PART_COUNT] = {
#define ACCOUNT_PART(id, name) [ACCOUNT_##id] = name,
	ACCOUNT_PARTS(ACCOUNT_PART)
#undef ACCOUNT_PART
};

static const char account_sql[] =
	"insert into main.account (run_id, n, what, cause, ns) values (?1, ?2, ?3, ?4, ?5)";

/* To the ns the duration of the run. */
static const char rest_sql[] =
	"insert into main.account (run_id, n, what, ns) select r.id, 1 + coalesce(max(a.n), 0), 'rest',"
	" r.duration_ns - coalesce(sum(a.ns), 0) from main.run r left join main.account a"
	" on a.run_id = r.id where r.id = :run group by r.id";

static const char row_sql[] =
	"insert into main.cause (run_id, n, part, ranks, nranks, place, steps, first_step, last_step,"
	" own_ns, takes_ns, saves_ns) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)";

static sqlite3_int64 ns_of(double seconds)
{
	return (sqlite3_int64)(seconds * 1e9);
}

static void row_bind(sqlite3_stmt *row, const struct cause *cause, size_t i)
{
	sqlite3_bind_int64(row, 2, (sqlite3_int64)i + 1);
	sqlite3_bind_text(row, 3, own_part_names[cause->part], -1, SQLITE_STATIC);
	sqlite3_bind_text(row, 4, cause->rank_list, -1, SQLITE_STATIC);
	sqlite3_bind_int64(row, 5, (sqlite3_int64)cause->nranks);
	sqlite3_bind_text(row, 6, cause->place, -1, SQLITE_STATIC);
	sqlite3_bind_int64(row, 7, (sqlite3_int64)(cause->steps + 0.5));
	sqlite3_bind_int64(row, 8, cause->first);
	sqlite3_bind_int64(row, 9, cause->last);
	sqlite3_bind_int64(row, 10, ns_of(cause->own_s));
	sqlite3_bind_int64(row, 11, ns_of(cause->after_s));
	sqlite3_bind_int64(row, 12, ns_of(cause->before_s) - ns_of(cause->after_s));
}

/* Limits for combinations: the number of causes, and the work in rows of steps read. */
enum { WITHOUT_MOST = 6, WITHOUT_WORK = 1 << 26 };

static const char without_sql[] =
	"insert into main.cause_without (run_id, causes, steps_ns, outside_ns) values (?1, ?2, ?3, ?4)";

static void combinations_write(sqlite3 *handle, int64_t run_id, const struct ladder *ladder,
	bool *failed)
{
	size_t n = ladder->n < WITHOUT_MOST ? ladder->n : WITHOUT_MOST;
	struct step_left *left = ladder_all_left(ladder);
	sqlite3_stmt *row = query_prepare(handle, without_sql, run_id, failed);

	while (n > 1 && (ladder->model.steps.n << n) > WITHOUT_WORK)
		n--;
	*failed = *failed || !left;
	for (unsigned without = 0; n && !*failed && without < 1u << n; without++) {
		struct ladder_times times = ladder_times_without(ladder, without, left);

		sqlite3_bind_int64(row, 2, without);
		sqlite3_bind_int64(row, 3, ns_of(times.steps_s));
		sqlite3_bind_int64(row, 4, ns_of(times.outside_s));
		query_row_put(row, failed);
	}
	sqlite3_finalize(row);
	free(left);
}

/* The causes first. */
static void account_write(sqlite3_stmt *row, const struct ladder *ladder, bool *failed)
{
	sqlite3_int64 n = 0;

	for (size_t i = 0; !*failed && i < ladder->n; i++) {
		const struct cause *cause = &ladder->causes.at[i];

		sqlite3_bind_int64(row, 2, ++n);
		sqlite3_bind_text(row, 3, "cause", -1, SQLITE_STATIC);
		sqlite3_bind_int64(row, 4, (sqlite3_int64)i + 1);
		sqlite3_bind_int64(row, 5, ns_of(cause->before_s) - ns_of(cause->after_s));
		query_row_put(row, failed);
	}
	sqlite3_bind_null(row, 4);
	for (int part = 0; !*failed && part < ACCOUNT_PART_COUNT; part++) {
		sqlite3_int64 ns = ns_of(ladder->account_s[part]);

		if (!ns)
			continue;
		sqlite3_bind_int64(row, 2, ++n);
		sqlite3_bind_text(row, 3, account_names[part], -1, SQLITE_STATIC);
		sqlite3_bind_int64(row, 5, ns);
		query_row_put(row, failed);
	}
}

int ladder_write(sqlite3 *handle, int64_t run_id)
{
	bool failed = query_script(handle, delete_sql, run_id) != SQLITE_OK;
	sqlite3_stmt *row = failed ? NULL : query_prepare(handle, row_sql, run_id, &failed),
		     *account = failed ? NULL : query_prepare(handle, account_sql, run_id, &failed);
	struct ladder ladder;

	failed = ladder_make(&ladder, handle, run_id) < 0 || failed;
	for (size_t i = 0; !failed && i < ladder.n; i++) {
		row_bind(row, &ladder.causes.at[i], i);
		query_row_put(row, &failed);
	}
	if (!failed && ladder.n)
		combinations_write(handle, run_id, &ladder, &failed);
	account_write(account, &ladder, &failed);
	failed = failed || query_script(handle, rest_sql, run_id) != SQLITE_OK;
	if (failed)
		log_error("cannot write the causes: %s", sqlite3_errmsg(handle));
	sqlite3_finalize(row);
	sqlite3_finalize(account);
	ladder_free(&ladder);
	return failed ? -1 : 0;
}
