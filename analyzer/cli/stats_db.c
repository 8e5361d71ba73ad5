/* stats_db.c - see stats_db.h. */
#include "config.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/rundir.h"
#include "cli/stats_db.h"

int stats_db_open(struct report_db *db, const char *run)
{
	char *path = run_database(run);
	int ret = -1;

	if (path)
		ret = report_db_open(db, path);
	db->path = run;
	free(path);
	return ret;
}

/*
 * its own view before every table of several runs, and before the views that are made of them.
 */
static const char views_sql[] =
	"select case m.type when 'view' then 'create temp' || substr(m.sql, 7) "
	"else 'create temp view \"' || m.name || '\" as select * from main.\"' || m.name || '\" "
	"where run_id = ' || ?1 end "
	"from main.sqlite_master m where m.type = 'view' or (m.type = 'table' and exists "
	"(select 1 from pragma_table_info(m.name) c where c.name = 'run_id'))";

static int views_make(sqlite3 *handle, const char *run)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(handle, views_sql, -1, &statement, NULL);

	if (code == SQLITE_OK)
		sqlite3_bind_text(statement, 1, run, -1, SQLITE_STATIC);
	while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW)
		code = sqlite3_exec(handle, (const char *)sqlite3_column_text(statement, 0), NULL,
			NULL, NULL);
	sqlite3_finalize(statement);
	return code == SQLITE_DONE ? 0 : -1;
}

int stats_db_choose(struct report_db *db, const char *wanted, bool quiet)
{
	char *run = report_db_ask(db,
		"select id from run where ?1 is null or label = ?1 or cast(id as text) = ?1 "
		"order by label = ?1 desc, id desc",
		wanted, NULL, NULL);
	char *label = report_db_ask(db, "select label from run where id = cast(?1 as integer)", run,
		NULL, NULL);
	char *runs = report_db_ask(db, "select count(*) from run", NULL, NULL, NULL);
	int ret = 0;

	if (!run || !label || !runs) {
		log_error("%s has no run %s (tacho stats %s run lists them)", db->path,
			wanted ? wanted : "", db->path);
		ret = -1;
	} else if (strcmp(runs, "1") != 0) {
		if (!wanted && !quiet)
			log_warn("%s holds %s runs: these are the figures of %s, --run LABEL "
				 "chooses another one",
				db->path, runs, label);
		ret = views_make(db->handle, run);
		if (ret < 0)
			log_error("cannot read the runs of %s: %s", db->path,
				sqlite3_errmsg(db->handle));
		db->run = atoll(run);
	}
	free(run);
	free(label);
	free(runs);
	return ret;
}

#define IN_WINDOW "(window = ?1 or window like ?1 || ':%')"

static const char windows_sql[] =
	"select (select group_concat(w, ', ') from (select distinct window as w from metric where "
	"window not like 'step:%' "
	"order by w like 'phase:%', w)) || coalesce((select ', step:' || min(n) || case when "
	"max(n) > min(n) then ' to step:' || "
	"max(n) else '' end from step), '')";

static void window_missing(struct report_db *db, const char *window)
{
	char *windows = report_db_ask(db, windows_sql, NULL, NULL, NULL);

	log_error("%s has no window %s (it has %s)", db->path, window, windows ? windows : "none");
	free(windows);
}

bool stats_db_knows(struct report_db *db, const char *window, const char *metric)
{
	char *at = window
		? report_db_ask(db,
			  "select 1 where exists (select 1 from metric where " IN_WINDOW ") or "
			  "exists (select 1 from host_time where " IN_WINDOW ")",
			  window, NULL, NULL)
		: strdup("");
	char *found = !metric ? strdup("")
			      : report_db_ask(db,
					"select 1 from metric where (?1 is null or " IN_WINDOW ") "
					"and (name = ?2 or model || '.' || name = ?2)",
					window, metric, NULL);
	bool known = at && found;

	if (!at)
		window_missing(db, window);
	else if (!found)
		log_error("%s has no metric %s%s%s (tacho stats %s metrics lists them)", db->path,
			metric, window ? " in window " : "", window ? window : "", db->path);
	free(at);
	free(found);
	return known;
}
