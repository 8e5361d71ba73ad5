/*
 * bulk.c - tables that get all their rows at once (db_bulk.h) hold what SQLite would have put into
 * them, are whole, and go on being changed; what cannot be done so is left to SQLite.
 *
 * usage: bulk [SEED]
 */
#include "config.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "db_bulk.h"

enum { TEXT_MOST = 60 };

struct row { char window[1200]; int64_t process, ns; const char *state; double x; bool none; };
struct source { struct row *rows; size_t n, next; char types[6]; };

static const struct db_table table = { "t", "1c-cccc", 5 };

#define COLUMNS "(run integer not null, process integer not null, window text not null, "	\
	"subject text not null, state text not null, ns integer, x real, "			\
	"primary key (run, window, subject, process, state)) without rowid;"

#define INSERT(into) "insert into " into " (run, process, window, subject, state, ns, x) "	\
	"select 1, c1, c0, '', c2, c3, c4 from rows"

static unsigned below(unsigned n)
{
	return (unsigned)rand() % n;
}

static bool source_next(void *user, union db_value *values)
{
	struct source *source = user;
	const struct row *row;

	if (source->next == source->n)
		return false;
	row = &source->rows[source->next++];
	source->types[3] = row->none ? 'n' : 'i';
	values[0].s = row->window;
	values[1].i = row->process;
	values[2].s = row->state;
	values[3].i = row->ns;
	values[4].d = row->x;
	return true;
}

static void source_again(void *user)
{
	((struct source *)user)->next = 0;
}

static int64_t integer_make(void)
{
	int64_t value = (int64_t)((uint64_t)rand() << 40 ^ (uint64_t)rand() << 20 ^ (uint64_t)rand());

	return below(9) ? value >> below(64) : -(int64_t)below(3);
}

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = strcmp(x->window, y->window);

	return order ? order : (x->process > y->process) - (x->process < y->process);
}

/* In the order of the key, which no two have in common. */
static struct source source_make(size_t n, size_t longest)
{
	static const char *const states[] = { "", "io", "mpi", "useful" };
	struct source source = { calloc(n + 1, sizeof(*source.rows)), 0, 0, "sisid" };

	for (size_t i = 0; source.rows && i < n; i++) {
		struct row *row = &source.rows[i];
		size_t length = below((unsigned)longest + 1);

		for (size_t k = 0; k < length; k++)
			row->window[k] = (char)(below(6) ? 'a' + (int)below(3) : 200);
		row->process = integer_make();
		row->ns = integer_make();
		row->x = below(4) ? (double)integer_make() / 8 : below(2) ? NAN : 1e300;
		row->state = states[below(4)];
		row->none = !below(5);
	}
	if (source.rows)
		qsort(source.rows, n, sizeof(*source.rows), compare_rows);
	for (size_t i = 0; source.rows && i < n; i++)
		if (!source.n || compare_rows(&source.rows[source.n - 1], &source.rows[i]) != 0)
			source.rows[source.n++] = source.rows[i];
	return source;
}

static bool holds(struct db *db, const char *sql)
{
	sqlite3_stmt *select = NULL;
	bool good = sqlite3_prepare_v2(db->handle, sql, -1, &select, NULL) == SQLITE_OK &&
		sqlite3_step(select) == SQLITE_ROW &&
		strcmp((const char *)sqlite3_column_text(select, 0), "ok") == 0;

	if (!good)
		printf("# %s: %s\n", sql, sqlite3_errmsg(db->handle));
	sqlite3_finalize(select);
	return good;
}

/* A file with pages of so many bytes, in a transaction; other tables have had rows in it. */
static bool file_open(struct db *db, const char *path, int page_size, const char *more)
{
	char sql[2000];

	*db = (struct db){ .temporary = strdup(path) };
	unlink(path);
	snprintf(sql, sizeof(sql), "pragma page_size = %d; pragma journal_mode = off; "
		"create table before(a); create table t" COLUMNS "create table u" COLUMNS
		"create table after(a); %s begin; insert into before values (zeroblob(9000))",
		page_size, more);
	return sqlite3_open(path, &db->handle) == SQLITE_OK && db_rows_open(db) == SQLITE_OK &&
		sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static void file_close(struct db *db)
{
	for (int i = 0; i < DB_STATEMENTS; i++)
		sqlite3_finalize(db->statements[i].statement);
	sqlite3_close(db->handle);
	unlink(db->temporary);
	free(db->temporary);
}

#define AS_SQLITE									\
	"select case when (select count(*) from t) = (select count(*) from u) and not exists "	\
	"(select *, typeof(ns), typeof(x) from t except select *, typeof(ns), typeof(x) from u) " \
	"then 'ok' else 'differs' end"
#define WHOLE "pragma integrity_check"

/* Then every third is deleted and others come, in both tables. */
static const char change_sql[] =
	"delete from t where length(window) % 3 = 0; delete from u where length(window) % 3 = 0;"
	"insert into after values (zeroblob(20000));"
	"insert or ignore into t select run, process + 1, window || 'b', subject, state, ns, x from t;"
	"insert or ignore into u select run, process + 1, window || 'b', subject, state, ns, x from u;"
	"commit; begin; insert into t values (1, 1, '', '', 'last', 1, 1), "
	"(1, 1, 'zzz', '', 'last', 1, 1); insert into u select * from t where state = 'last'";

static bool table_holds(const char *path, size_t n, int page_size)
{
	struct source source = source_make(n, TEXT_MOST);
	struct db db;
	bool good = source.rows && file_open(&db, path, page_size, "");
	const struct db_rows rows = { source.types, source_next, &source };

	if (!good)
		return false;
	good = db_bulk_put(&db, &table, &rows) == (source.n > 0);
	source_again(&source);
	db_put_rows(&db, INSERT("u"), &rows);
	good = good && !db.failed && holds(&db, AS_SQLITE) && holds(&db, WHOLE) &&
		sqlite3_exec(db.handle, change_sql, NULL, NULL, NULL) == SQLITE_OK &&
		holds(&db, AS_SQLITE) && holds(&db, WHOLE);
	if (!good)
		printf("# %zu rows on pages of %d: %s\n", source.n, page_size,
			sqlite3_errmsg(db.handle));
	file_close(&db);
	free(source.rows);
	return good;
}

/* Rows that only SQLite takes: table and file are as they were, and SQLite gets all rows. */
static bool left(const char *path, struct source *source, const char *more)
{
	struct db db;
	const struct db_rows rows = { source->types, source_next, source };
	bool good = source->rows && file_open(&db, path, 512, more);

	if (!good)
		return false;
	good = db_bulk_put(&db, &table, &rows) == 0 && holds(&db, WHOLE) &&
		holds(&db, "select case count(*) when 0 then 'ok' end from t where state <> 'had'");
	source_again(source);
	db_put_sorted(&db, &table, INSERT("t"), &rows, source_again);
	source_again(source);
	db_put_rows(&db, INSERT("u"), &rows);
	good = good && !db.failed && holds(&db, WHOLE) &&
		sqlite3_exec(db.handle, "delete from t where state = 'had'", NULL, NULL, NULL) ==
		SQLITE_OK && holds(&db, AS_SQLITE);
	file_close(&db);
	return good;
}

static bool unsorted_left(const char *path)
{
	struct source source = source_make(3000, TEXT_MOST);
	struct row last = source.rows[source.n - 1];
	bool good;

	source.rows[source.n - 1] = source.rows[1];
	source.rows[1] = last;
	good = left(path, &source, "");
	free(source.rows);
	return good;
}

static bool long_left(const char *path)
{
	struct source source = source_make(3000, 1000);
	bool good = left(path, &source, "");

	free(source.rows);
	return good;
}

static bool others_left(const char *path, const char *more)
{
	struct source source = source_make(300, TEXT_MOST);
	bool good = left(path, &source, more);

	free(source.rows);
	return good;
}

/* When files may grow by so many bytes only. */
static bool full_told(const char *path, long more)
{
	struct source source = source_make(3000, TEXT_MOST);
	struct db db;
	const struct db_rows rows = { source.types, source_next, &source };
	struct rlimit old, limit;
	bool good = source.rows && file_open(&db, path, 512, "") &&
		getrlimit(RLIMIT_FSIZE, &old) == 0;

	if (!good)
		return false;
	limit = (struct rlimit){ (rlim_t)(more + 20000), old.rlim_max };
	good = setrlimit(RLIMIT_FSIZE, &limit) == 0 && db_bulk_put(&db, &table, &rows) == -1;
	setrlimit(RLIMIT_FSIZE, &old);
	file_close(&db);
	free(source.rows);
	return good;
}

static void told(bool good, int n, const char *what)
{
	printf("%s %d - %s\n", good ? "ok" : "not ok", n, what);
}

int main(int argc, char **argv)
{
	static const size_t numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 20, 50, 100, 300, 20000 };
	char path[] = "/tmp/tacho-bulk-XXXXXX";
	int file = mkstemp(path);
	bool good[2] = { true, true };

	srand(argc > 1 ? (unsigned)atoi(argv[1]) : 1);
	if (file < 0)
		return 1;
	close(file);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		for (int round = 0; round < 3; round++) {
			good[0] &= table_holds(path, numbers[i], 512);
			good[1] &= table_holds(path, numbers[i], 4096);
		}
	told(good[0], 1, "a table made of pages holds what SQLite puts into one: many levels");
	told(good[1], 2, "… and few");
	told(unsorted_left(path), 3, "rows in another order than the key's are left to SQLite");
	told(long_left(path), 4, "so are rows that do not fit into a page");
	told(others_left(path, "insert into t values (1, 1, 'w', '', 'had', 1, 1);"), 5,
		"and those of a table that has some");
	told(others_left(path, "create index i on t(ns);"), 6, "or an index");
	told(others_left(path, "alter table t add y integer; alter table u add y integer;"
		"insert into after values (1);"), 7, "or another column");
	signal(SIGXFSZ, SIG_IGN);
	told(full_told(path, -18000) && full_told(path, 20000), 8,
		"a disk that is full is told, before and behind what was there");
	printf("1..8\n");
	return 0;
}
