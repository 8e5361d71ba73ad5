/* sources_table.c - the table of counters; see sources.h. */
#include "config.h"

#include "counters/sources.h"

const struct counter tacho_counters[SOURCE_COUNT] = {
#define SOURCE(id, path, function, scope, period) [SOURCE_##id] = { path, function, scope, period },
	SOURCES(SOURCE)
#undef SOURCE
};

void sources_forget(void)
{
	threads_forget();
	quota_forget();
	stop_forget();
	core_forget();
}
