/*
 * timeline_step.c - the picture of one step: which step represents the others, and whose locations
 * are looked at in it; see timeline.h.
 */
#include "config.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "analysis.h"
#include "metric.h"
#include "timeline.h"
#include "timeline_step.h"

enum {
	RANKS_MOST = 128,	/* shown; of more, every so-manieth */
	/* threads that are no main thread, and children, of all ranks together */
	HELPERS_OF_ALL = 192,
};

static bool is_shown(const struct model *model, int64_t rank)
{
	int64_t every = (model->nranks + RANKS_MOST - 1) / RANKS_MOST;

	return rank >= 0 && (every < 2 || rank % every == 0);
}

static int64_t rank_of(const struct model *model, uint32_t process)
{
	for (int depth = 0; process != MODEL_NONE && depth < 8; depth++) {
		if (model->processes.at[process].rank >= 0)
			return model->processes.at[process].rank;
		process = model->processes.at[process].parent;
	}
	return -1;
}

static void locations_look(struct analysis *analysis, struct looks *looks)
{
	const struct model *model = &analysis->model;
	size_t helpers = HELPERS_OF_ALL / (model->nranks < RANKS_MOST ? model->nranks : RANKS_MOST);
	uint32_t *used = calloc(model->nranks + 1, sizeof(*used));

	for (size_t i = 0; used && i < model->locations.n && !analysis->failed; i++) {
		const struct location *at = &model->locations.at[i];
		int64_t rank = at->process == MODEL_NONE ? -1 : rank_of(model, at->process);
		bool is_main =
		        at->is_main && rank >= 0 && model->processes.at[at->process].rank >= 0;

		if (at->in->type == OTF2_LOCATION_TYPE_METRIC || !is_shown(model, rank) ||
		    rank >= model->nranks)
			continue;
		if (is_main || at->device != MODEL_NONE || used[rank]++ < helpers)
			timeline_look(analysis, looks, i);
	}
	analysis->failed |= !used;
	free(used);
}

/*
 * The median step of the commonest phase, by the first rank that has steps; and its extent over all
 * ranks. ?1: part of the run was not captured, and steps of which nothing is known are left out.
 */
static const char step_sql[] =
        "with mine as (select s.n, s.end_ns - s.start_ns as ns, p.name from step s left join phase "
        "p on p.id = s.phase_id "
        "where s.run_id = 1 and s.cut = 0 and s.process_id = (select id from process where run_id "
        "= 1 and rank is not null "
        "and exists (select 1 from step where run_id = 1 and process_id = process.id) order by "
        "rank limit 1) and (?1 = 0 or s.end_ns - s.start_ns = (select sum(ns) from host_time h "
        "where h.run_id = 1 "
        "and h.process_id = s.process_id and h.window = 'step:' || s.n and h.state <> 'absent'))), "
        "common as (select name from mine group by name order by count(*) desc, min(n) limit 1), "
        "one as (select n, mine.name from mine, common where mine.name is common.name order by ns, "
        "n "
        "limit 1 offset (select (count(*) - 1) / 2 from mine, common where mine.name is "
        "common.name)) "
        "select one.n, min(s.start_ns), max(s.end_ns), one.name from one join step s on s.run_id = "
        "1 and s.n = one.n "
        "and s.process_id in (select id from process where run_id = 1)";

static bool step_choose(struct analysis *analysis, struct looks *looks)
{
	sqlite3_stmt *statement = NULL;
	bool found = false;

	if (sqlite3_prepare_v2(analysis->db.handle, step_sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_bind_int64(statement, 1, metric_uncaptured_ns(analysis, NULL)) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW &&
	    sqlite3_column_type(statement, 0) != SQLITE_NULL) {
		looks->step = sqlite3_column_int64(statement, 0);
		looks->from = sqlite3_column_int64(statement, 1);
		looks->to = sqlite3_column_int64(statement, 2);
		db_put(&analysis->db, "insert into timeline_window values (1,?,?,?,?)", "isii",
		       looks->step, (const char *)sqlite3_column_text(statement, 3), looks->from,
		       looks->to);
		found = looks->to > looks->from;
	}
	sqlite3_finalize(statement);
	return found;
}

void timeline_step_write(struct analysis *analysis)
{
	struct looks looks = { 0 };

	if (!step_choose(analysis, &looks))
		return;
	locations_look(analysis, &looks);
	timeline_rows_flush(analysis, &looks);
	if (!analysis->failed)
		timeline_path_write(analysis, &looks);
	for (size_t i = 0; i < looks.at.n; i++)
		free(looks.at.at[i].pieces.at);
	free(looks.at.at);
	free(looks.rows.at);
}
