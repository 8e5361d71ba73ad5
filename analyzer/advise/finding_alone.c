/*
 * finding_alone.c - how long others waited in collectives for a rank that was alone in a phase; see
 * finding_unit.h. The time inside of the phase up to t is open * t - sum(opens * t) of what opened
 * and closed it until then.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "advise/finding_unit.h"
#include "db/query.h"
#include "base/containers.h"

/* ns: of all collectives in which the rank came last, from the first one in to it. */
static const char tables_sql[] =
	"create temp table finding_awaited(phase text, rank integer, ns integer)";

static const char edges_sql[] =
	"select phase, rank, t, opens from temp.finding_alone order by phase, rank, t";

struct edge {
	int64_t t, open, sum;
}; /* sums of all up to this one */

struct alone {
	char *phase;
	int64_t rank, ns;
	ARRAY_OF(struct edge) edges;
};

struct finding_alone {
	sqlite3_stmt *put;
	ARRAY_OF(struct alone) all;
	bool failed;
};

static struct alone *alone_find(struct finding_alone *alone, const char *phase, int64_t rank)
{
	struct alone *last = alone->all.n ? &alone->all.at[alone->all.n - 1] : NULL;

	if (last && last->rank == rank && strcmp(last->phase, phase) == 0)
		return last;
	last = ARRAY_ADD(&alone->all);
	if (last)
		*last = (struct alone){ .phase = strdup(phase), .rank = rank };
	return last && last->phase ? last : NULL;
}

static void edges_read(struct finding_alone *alone, sqlite3_stmt *select)
{
	while (query_row_next(select, &alone->failed)) {
		struct alone *one = alone_find(alone, (const char *)sqlite3_column_text(select, 0),
			sqlite3_column_int64(select, 1));
		int64_t t = sqlite3_column_int64(select, 2);
		int64_t opens = sqlite3_column_int64(select, 3);
		struct edge *edge = one ? ARRAY_ADD(&one->edges) : NULL;

		if (!edge) {
			alone->failed = true;
			return;
		}
		*edge = (struct edge){ t, opens, opens * t };
		if (one->edges.n > 1) {
			edge->open += edge[-1].open;
			edge->sum += edge[-1].sum;
		}
	}
}

/* ns inside of the phase up to t. */
static int64_t inside(const struct alone *one, int64_t t)
{
	size_t low = LOWER_BOUND(i, 0, one->edges.n, one->edges.at[i].t <= t);

	return low ? one->edges.at[low - 1].open * t - one->edges.at[low - 1].sum : 0;
}

void finding_alone_add(struct finding_alone *alone, int64_t rank, int64_t first_ns, int64_t last_ns)
{
	for (size_t i = 0; i < alone->all.n; i++) {
		struct alone *one = &alone->all.at[i];

		if (one->rank == rank && last_ns > one->edges.at[0].t &&
			first_ns < one->edges.at[one->edges.n - 1].t)
			one->ns += inside(one, last_ns) - inside(one, first_ns);
	}
}

struct finding_alone *finding_alone_open(sqlite3 *handle, bool *failed)
{
	struct finding_alone *alone = calloc(1, sizeof(*alone));
	sqlite3_stmt *edges;

	if (!alone) {
		*failed = true;
		return NULL;
	}
	alone->failed = sqlite3_exec(handle, tables_sql, NULL, NULL, NULL) != SQLITE_OK;
	edges = query_prepare(handle, edges_sql, 0, &alone->failed);
	alone->put = query_prepare(handle, "insert into temp.finding_awaited values (?,?,?)", 0,
		&alone->failed);
	if (!alone->failed)
		edges_read(alone, edges);
	sqlite3_finalize(edges);
	*failed |= alone->failed;
	return alone;
}

int finding_alone_close(struct finding_alone *alone)
{
	int ret;

	if (!alone)
		return -1;
	for (size_t i = 0; i < alone->all.n; i++) {
		const struct alone *one = &alone->all.at[i];

		if (one->ns > 0 && !alone->failed) {
			sqlite3_bind_text(alone->put, 1, one->phase, -1, SQLITE_STATIC);
			sqlite3_bind_int64(alone->put, 2, one->rank);
			sqlite3_bind_int64(alone->put, 3, one->ns);
			query_row_put(alone->put, &alone->failed);
		}
		free(one->phase);
		free(one->edges.at);
	}
	ret = alone->failed ? -1 : 0;
	free(alone->all.at);
	sqlite3_finalize(alone->put);
	free(alone);
	return ret;
}
