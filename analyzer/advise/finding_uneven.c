/*
 * finding_uneven.c - how long others waited in collectives for a rank that has more to do in a
 * phase, each time that the phase came; see finding_unit.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "advise/finding_unit.h"
#include "db/query.h"
#include "base/containers.h"

static const char instances_sql[] =
	"select rowid, phase, rank, instance, since, till from temp.finding_instance "
	"order by phase, since";

/* `last`: of those of its phase that had begun by its begin, the one with the highest number. */
struct instance {
	int64_t row, number, since, till, ns;
	size_t last;
	bool any;
};

struct uneven {
	char *phase;
	int64_t rank;
	ARRAY_OF(struct instance) instances;
};

struct finding_uneven {
	sqlite3_stmt *put;
	ARRAY_OF(struct uneven) all;
	bool failed;
};

static struct uneven *uneven_find(struct finding_uneven *uneven, const char *phase, int64_t rank)
{
	struct uneven *last = uneven->all.n ? &uneven->all.at[uneven->all.n - 1] : NULL;

	if (last && strcmp(last->phase, phase) == 0)
		return last;
	last = ARRAY_ADD(&uneven->all);
	if (last)
		*last = (struct uneven){ .phase = strdup(phase), .rank = rank };
	return last && last->phase ? last : NULL;
}

static void instances_read(struct finding_uneven *uneven, sqlite3_stmt *select)
{
	while (query_row_next(select, &uneven->failed)) {
		struct uneven *one = uneven_find(uneven,
			(const char *)sqlite3_column_text(select, 1),
			sqlite3_column_int64(select, 2));
		struct instance *instance = one ? ARRAY_ADD(&one->instances) : NULL;

		if (!instance) {
			uneven->failed = true;
			return;
		}
		*instance = (struct instance){ .row = sqlite3_column_int64(select, 0),
			.number = sqlite3_column_int64(select, 3),
			.since = sqlite3_column_int64(select, 4),
			.till = sqlite3_column_int64(select, 5),
			.last = one->instances.n - 1 };
		if (instance->last > 0 &&
			one->instances.at[instance[-1].last].number > instance->number)
			instance->last = instance[-1].last;
	}
}

/* The last instance that had begun before t; NULL: none had. */
static struct instance *instance_at(struct uneven *one, int64_t t)
{
	size_t low = LOWER_BOUND(i, 0, one->instances.n, one->instances.at[i].since < t);

	return low ? &one->instances.at[one->instances.at[low - 1].last] : NULL;
}

void finding_uneven_add(struct finding_uneven *uneven, int64_t last_rank, int64_t first_ns,
	int64_t last_ns, int64_t end_ns)
{
	for (size_t i = 0; i < uneven->all.n; i++) {
		struct uneven *one = &uneven->all.at[i];
		struct instance *instance = instance_at(one, end_ns);

		if (!instance || first_ns >= instance->till)
			continue;
		instance->any = true;
		instance->ns += one->rank == last_rank ? last_ns - first_ns : first_ns - last_ns;
	}
}

struct finding_uneven *finding_uneven_open(sqlite3 *handle, bool *failed)
{
	struct finding_uneven *uneven = calloc(1, sizeof(*uneven));
	sqlite3_stmt *instances;

	if (!uneven) {
		*failed = true;
		return NULL;
	}
	instances = query_prepare(handle, instances_sql, 0, &uneven->failed);
	uneven->put = query_prepare(handle,
		"update temp.finding_instance set ns = ? where rowid = ?", 0, &uneven->failed);
	if (!uneven->failed)
		instances_read(uneven, instances);
	sqlite3_finalize(instances);
	*failed |= uneven->failed;
	return uneven;
}

static void instances_write(struct finding_uneven *uneven, const struct uneven *one)
{
	for (size_t i = 0; i < one->instances.n && !uneven->failed; i++) {
		const struct instance *instance = &one->instances.at[i];

		if (!instance->any)
			continue;
		sqlite3_bind_int64(uneven->put, 1, instance->ns);
		sqlite3_bind_int64(uneven->put, 2, instance->row);
		query_row_put(uneven->put, &uneven->failed);
	}
}

int finding_uneven_close(struct finding_uneven *uneven)
{
	int ret;

	if (!uneven)
		return -1;
	for (size_t i = 0; i < uneven->all.n; i++) {
		instances_write(uneven, &uneven->all.at[i]);
		free(uneven->all.at[i].phase);
		free(uneven->all.at[i].instances.at);
	}
	ret = uneven->failed ? -1 : 0;
	free(uneven->all.at);
	sqlite3_finalize(uneven->put);
	free(uneven);
	return ret;
}
