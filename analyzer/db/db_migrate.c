/*
 * db_migrate.c - see db_migrate.h. New tables, columns, keys, indexes and views need nothing here:
 * they come from the new schema. A renamed column, or one with a new meaning, has a step.
 */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "db/db_migrate.h"

/* What is done to a database of a version before its tables get the new shape. */
static const struct {
	int from;
	const char *sql;
} steps[] = {
	/* to 2: medians, stragglers, time that steps waited; numbers of communicators by kind */
	{ 1, "select 1" },
	{ 2, "select 1" }, /* to 3: time of threads by state, bytes that they read */
	{ 3, "select 1" }, /* to 4: sums of items without separate rows */
	/* to 5: torch.distributed over gloo separate from MPI; findings in a clause */
	{ 4, "select 1" },
	{ 5, "select 1" }, /* to 6: sockets between processes */
	/* to 7: noise in lateness; metrics named as in reports */
	{ 6,
		"update main.metric set name = 'synchronisation_efficiency' "
		"where model = 'host' and name = 'handover_efficiency';"
		"update main.metric set name = replace(name, 'own_cost', 'overhead') "
		"where model = 'quality' and name glob 'own_cost*'" },
	{ 7, "select 1" }, /* to 8: waits through sockets; more of the step that is shown */
	/*
	 * to 9: several steps in full, with their step number. Creates tables newer than the
	 * database here already.
	 */
	{ 8,
		"create table if not exists main.timeline_window (run_id, step); "
		"alter table main.timeline_window add column why text; "
		"update main.timeline_window set why = 'typical';"
#define OF_STEP(table)                                                                             \
	"create table if not exists main." table " (run_id); "                                     \
	"alter table main." table " add column step integer; "                                     \
	"update main." table " set step = (select step from main.timeline_window w "               \
	"where w.run_id = " table ".run_id);"
		OF_STEP("timeline_step") OF_STEP("timeline_path") OF_STEP("timeline_message")
			OF_STEP("timeline_collective") OF_STEP("timeline_launch")
#undef OF_STEP
	},
	{ 9, "select 1" },  /* to 10: parts of a training in steps */
	{ 10, "select 1" }, /* to 11: peaks of GPUs; when checkpoints were written */
	/* to 12: not_recorded has more than events */
	{ 11, "alter table main.loss rename to not_recorded" },
};

static int execute(sqlite3 *db, char *sql)
{
	int ret = sql ? sqlite3_exec(db, sql, NULL, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return ret == SQLITE_OK ? 0 : -1;
}

/*
 * Executes `with(name)` for each row of a query of one column. The rows are read before the first
 * is used.
 */
static int each(sqlite3 *db, const char *query, int (*with)(sqlite3 *db, const char *name))
{
	char **names = NULL;
	int n = 0, ret = 0;

	if (sqlite3_get_table(db, query, &names, &n, NULL, NULL) != SQLITE_OK)
		return -1;
	for (int i = 1; i <= n && ret == 0; i++)
		ret = with(db, names[i]);
	sqlite3_free_table(names);
	return ret;
}

static int view_drop(sqlite3 *db, const char *name)
{
	return execute(db, sqlite3_mprintf("drop view main.\"%w\"", name));
}

/* The names of the columns that both shapes of a table have, quoted and separated by commas. */
static char *common_columns(sqlite3 *db, const char *table)
{
	char *query = sqlite3_mprintf(
		"select group_concat('\"' || replace(n.name, '\"', '\"\"') || '\"', ', ') "
		"from pragma_table_info(%Q, 'source') n "
		"join pragma_table_info(%Q, 'main') o on o.name = n.name",
		table, table);
	sqlite3_stmt *statement = NULL;
	char *columns = NULL;

	if (query && sqlite3_prepare_v2(db, query, -1, &statement, NULL) == SQLITE_OK &&
		sqlite3_step(statement) == SQLITE_ROW &&
		sqlite3_column_type(statement, 0) != SQLITE_NULL)
		columns = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	sqlite3_free(query);
	return columns;
}

static int object_create(sqlite3 *db, const char *sql)
{
	return sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : -1;
}

static int table_create(sqlite3 *db, const char *table)
{
	char *query = sqlite3_mprintf("select sql from source.sqlite_master where type = 'table' "
				      "and name = %Q",
		table);
	int ret = query ? each(db, query, object_create) : -1;

	sqlite3_free(query);
	return ret;
}

/* Recreates a table with a new layout, with its old rows. */
static int table_reshape(sqlite3 *db, const char *table)
{
	char *columns = common_columns(db, table);
	int ret = -1;

	if (columns &&
		execute(db,
			sqlite3_mprintf("alter table main.\"%w\" rename to \"old %w\"", table,
				table)) == 0 &&
		table_create(db, table) == 0 &&
		execute(db,
			sqlite3_mprintf(
				"insert into main.\"%w\" (%s) select %s from main.\"old %w\"",
				table, columns, columns, table)) == 0)
		ret = execute(db, sqlite3_mprintf("drop table main.\"old %w\"", table));
	sqlite3_free(columns);
	return ret;
}

int db_migrate(sqlite3 *db, int from, int to)
{
	/* else a rename would follow into the foreign keys of other tables */
	if (sqlite3_exec(db, "pragma legacy_alter_table = on", NULL, NULL, NULL) != SQLITE_OK ||
		each(db, "select name from main.sqlite_master where type = 'view'", view_drop) < 0)
		return -1;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i].from >= from &&
			sqlite3_exec(db, steps[i].sql, NULL, NULL, NULL) != SQLITE_OK)
			return -1;
	if (each(db,
		    "select n.name from source.sqlite_master n join main.sqlite_master o "
		    "on o.name = n.name and o.type = n.type "
		    "where n.type = 'table' and n.sql is not o.sql",
		    table_reshape) < 0 ||
		each(db,
			"select name from source.sqlite_master where type = 'table' and name not in "
			"(select name from main.sqlite_master)",
			table_create) < 0 ||
		each(db,
			"select sql from source.sqlite_master n where type in ('index', 'view') "
			"and sql is not null and not exists "
			"(select 1 from main.sqlite_master o where o.name = n.name) order by type",
			object_create) < 0)
		return -1;
	return execute(db,
		sqlite3_mprintf("update main.meta set value = '%d' where key = 'schema_version'",
			to));
}
