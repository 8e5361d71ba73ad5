/*
 * metric_lacks.c - sets figures to undefined that the recorder of the archive cannot measure. The
 * archive lists these kinds (PROPERTY_ARCHIVE_LACKS): no record of such a kind does not mean that
 * none happened.
 */
#include "config.h"

#include <string.h>

#include "engine/engine.h"
#include "metrics/metric.h"
#include "tacho/trace.h"

/* One of the words, with no other around it. */
static bool has_word(const char *text, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = text; (at = strstr(at, word)); at += n)
		if ((at == text || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return true;
	return false;
}

/* Metrics by model.name, where both may be patterns; the state of hosts. */
static const struct lack {
	const char *word, *figures[7], *state, *flag;
} lacks[] = {
	{ LACKS_IO, { "host.io_efficiency", "replay.io_efficiency", "calls.storage*" }, "io",
		"the recorder sees no I/O" },
	{ LACKS_MPI,
		{ "mpi.*", "host.mpi_parallel_efficiency", "hybrid.mpi_parallel_efficiency",
			"calls.network*" },
		"mpi", "the recorder sees no MPI" },
	{ LACKS_BYTES, { "calls.storage*", "calls.network*" }, "",
		"the recorder sees no bytes of calls" },
	{ LACKS_WAITS,
		{ "host.synchronisation_efficiency", "host.slept*", "host.wait*",
			"hybrid.thread_efficiency", "hybrid.parallel_efficiency" },
		"wait", "the recorder sees no waits of threads" },
};

/* Time in gloo is communication of hosts, which model mpi has as well. */
static void lack_apply(struct engine *engine, const struct lack *lack)
{
	for (size_t i = 0; i < sizeof(lack->figures) / sizeof(*lack->figures); i++)
		if (lack->figures[i])
			db_put(&engine->tables.db,
				"update metric set value = NULL, flag = ? where model || '.' || name glob ?"
				" and value is not null and (? <> 'mpi' or not exists"
				" (select 1 from host_time where state = 'gloo' and ns > 0))",
				"sss", lack->flag, lack->figures[i], lack->state);
	db_put(&engine->tables.db, "delete from host_time where state = ? and ns = 0", "s",
		lack->state);
}

void metric_lacks_apply(struct engine *engine)
{
	const char *words = property_find(&engine->tables.archive.properties,
		PROPERTY_ARCHIVE_LACKS);

	for (size_t i = 0; words && i < sizeof(lacks) / sizeof(*lacks); i++)
		if (has_word(words, lacks[i].word))
			lack_apply(engine, &lacks[i]);
}
