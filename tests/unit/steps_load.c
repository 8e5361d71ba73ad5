/* steps_load.c - see steps_load.h. */
#include "config.h"

#include <stdio.h>

#include "engine/engine.h"
#include "steps_load.h"

bool steps_load(struct engine *engine)
{
	sqlite3 *handle = engine->tables.db.handle;
	bool good = steps_read(handle, &engine->tables.step_rows) &&
		sqlite3_exec(handle, "delete from step; delete from host_time", NULL, NULL, NULL) ==
			SQLITE_OK &&
		db_rows_open(&engine->tables.db) == SQLITE_OK;
	if (!good)
		printf("# %s\n", sqlite3_errmsg(handle));
	else
		step_rows_flush(&engine->tables);
	return good && !engine->tables.failed && !engine->tables.db.failed;
}
