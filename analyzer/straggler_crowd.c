/*
 * straggler_crowd.c - nodes where more wants to run than there are cores; see straggler.h. There a
 * rank's time in MPI is time without a core, whoever it moves data with.
 */
#include "config.h"

#include <stdlib.h>

#include "analysis.h"
#include "log.h"
#include "straggler.h"

/*
 * Something waited for a core for a quarter of the time, and cores were idle for less than a tenth:
 * either alone is usual, on nodes with many programs and where ranks poll. NULL without counters.
 */
static const char crowded_sql[] =
	"select sum(case when name = 'pressure.cpu' then grown end) "
	">= 0.25 * sum(case when name = 'pressure.cpu' then span end) "
	"and sum(case when name in ('cpu.idle', 'cpu.iowait') then grown end) "
	"<= 0.1 * sum(case when name glob 'cpu.*' then grown end) from "
	"(select name, max(value) - min(value) as grown, max(t_ns) - min(t_ns) as span from sample "
	"where run_id = 1 and node_id = ? and process_id is null "
	"and (name = 'pressure.cpu' or name glob 'cpu.*') group by name) "
	"having sum(span) > 0";

int crowd_read(struct analysis *analysis, struct crowd *crowd)
{
	size_t n = analysis->model.nodes.n;
	sqlite3_stmt *select = NULL;

	*crowd = (struct crowd){ .nodes = calloc(n + 1, sizeof(*crowd->nodes)), .all = n > 0 };
	if (!crowd->nodes || sqlite3_prepare_v2(analysis->db.handle, crowded_sql, -1, &select,
						NULL) != SQLITE_OK) {
		log_error("cannot read the counters: %s", sqlite3_errmsg(analysis->db.handle));
		return -1;
	}
	for (size_t i = 0; i < n; i++) {
		sqlite3_bind_int64(select, 1, (int64_t)i + 1);
		crowd->nodes[i] = sqlite3_step(select) == SQLITE_ROW &&
			sqlite3_column_int(select, 0);
		crowd->all &= crowd->nodes[i];
		sqlite3_reset(select);
	}
	sqlite3_finalize(select);
	return 0;
}

bool crowd_has(const struct crowd *crowd, const struct analysis *analysis, uint32_t process)
{
	uint32_t node = analysis->model.processes.at[process].node;

	return node != MODEL_NONE && crowd->nodes[node];
}

void crowd_free(struct crowd *crowd)
{
	free(crowd->nodes);
}
