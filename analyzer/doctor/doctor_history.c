/*
 * doctor_history.c - earlier measurements of nodes in an SQLite database: the usual figures of each
 * node.
 */
#include "config.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <time.h>

#include "base/log.h"
#include "doctor/doctor.h"

enum { LEAST_BEFORE = 3, BUSY_MS = 30000 };

static const char schema[] =
	"begin immediate; create table if not exists doctor(host text not null, measured integer "
	"not null, brief integer not null, figure text not null, folder text not null, value real "
	"not null, unit text not null, lacked real not null);"
	"create index if not exists doctor_node on doctor(host, figure, folder);";

/*
 * The median of a node's earlier measurements with all of its cores; ?5: maximum share of missing
 * CPU time.
 */
static const char usual_sql[] =
	"with before as (select value, row_number() over (order by value) as nth, count(*) over () "
	"as n from doctor where host = ?1 and figure = ?2 and folder = ?3 and brief = ?4 and "
	"lacked <= ?5) select avg(value), max(n) from before where nth in ((n + 1) / 2, n / 2 + 1)";

static const char add_sql[] =
	"insert into doctor(host, figure, folder, brief, lacked, value, unit, "
	"measured) values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

struct node_history {
	sqlite3 *db;
	sqlite3_stmt *usual, *add;
	bool brief;
};

static void figure_bind(sqlite3_stmt *stmt, const struct node_history *history,
	const struct doctor_node *node, enum doctor_figure figure, const char *folder)
{
	sqlite3_reset(stmt);
	sqlite3_bind_text(stmt, 1, node->host, -1, SQLITE_STATIC);
	sqlite3_bind_text(stmt, 2, doctor_kinds[figure].name, -1, SQLITE_STATIC);
	sqlite3_bind_text(stmt, 3, folder, -1, SQLITE_STATIC);
	sqlite3_bind_int(stmt, 4, history->brief);
}

/* 0, or -1: SQLite knows why. */
static int figure_follow(const struct node_history *history, struct doctor_node *node,
	enum doctor_figure figure, int place, const char *folder)
{
	struct doctor_usual *usual = &node->usual[figure][place];

	if (isnan(node->figure[figure][place]))
		return 0;
	figure_bind(history->usual, history, node, figure, folder);
	sqlite3_bind_double(history->usual, 5, DOCTOR_LACKED_MOST);
	if (sqlite3_step(history->usual) != SQLITE_ROW)
		return -1;
	if (sqlite3_column_int(history->usual, 1) >= LEAST_BEFORE) {
		usual->n = sqlite3_column_int(history->usual, 1);
		usual->value = sqlite3_column_double(history->usual, 0);
	}
	figure_bind(history->add, history, node, figure, folder);
	sqlite3_bind_double(history->add, 5, node->lacked);
	sqlite3_bind_double(history->add, 6, node->figure[figure][place]);
	sqlite3_bind_text(history->add, 7, doctor_kinds[figure].unit, -1, SQLITE_STATIC);
	sqlite3_bind_int64(history->add, 8, time(NULL));
	return sqlite3_step(history->add) == SQLITE_DONE ? 0 : -1;
}

static int nodes_follow(struct doctor *doctor, const struct node_history *history)
{
	int ret = 0;

	for (int r = 0; r < doctor->nranks; r++)
		for (int i = 0; i < DOCTOR_FIGURES && doctor->nodes[r].measured; i++)
			for (int k = 0; k < doctor_places(doctor, i) && ret == 0; k++)
				ret = figure_follow(history, &doctor->nodes[r], i, k,
					i < DOCTOR_WRITE ? "" : doctor->wanted.folders[k]);
	return ret;
}

int doctor_history(struct doctor *doctor, const char *path)
{
	struct node_history history = { .brief = doctor->wanted.brief };
	int ret = -1;

	if (sqlite3_open(path, &history.db) == SQLITE_OK &&
		sqlite3_busy_timeout(history.db, BUSY_MS) == SQLITE_OK &&
		sqlite3_exec(history.db, schema, NULL, NULL, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(history.db, usual_sql, -1, &history.usual, NULL) == SQLITE_OK &&
		sqlite3_prepare_v2(history.db, add_sql, -1, &history.add, NULL) == SQLITE_OK)
		ret = nodes_follow(doctor, &history);
	if (ret < 0)
		log_error("cannot keep the measurements in %s: %s", path,
			sqlite3_errmsg(history.db));
	sqlite3_finalize(history.usual);
	sqlite3_finalize(history.add);
	if (ret == 0 && sqlite3_exec(history.db, "commit", NULL, NULL, NULL) != SQLITE_OK) {
		log_error("cannot write %s: %s", path, sqlite3_errmsg(history.db));
		ret = -1;
	}
	sqlite3_close(history.db);
	return ret;
}
