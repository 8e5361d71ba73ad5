/* steps_load.c - see steps_load.h. */
#include "config.h"

#include <stdio.h>

#include "analyze/analysis.h"
#include "steps_load.h"

bool steps_load(struct analysis *analysis)
{
	sqlite3 *handle = analysis->tables.db.handle;
	bool good = steps_read(handle, &analysis->tables.step_rows) &&
		sqlite3_exec(handle, "delete from step; delete from host_time", NULL, NULL, NULL) ==
			SQLITE_OK &&
		db_rows_open(&analysis->tables.db) == SQLITE_OK;
	if (!good)
		printf("# %s\n", sqlite3_errmsg(handle));
	else
		step_rows_flush(&analysis->tables);
	return good && !analysis->tables.failed && !analysis->tables.db.failed;
}
