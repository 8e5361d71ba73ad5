/*
 * finding_last.c - collectives by the rank that came last: how long others waited for a rank that was
 * alone in a phase, and the longest waits; see finding_unit.h. The time inside of the phase up to t is
 * open * t - sum(opens * t) of what opened and closed it until then. What happens now and then (a
 * checkpoint, a validation) stands out among the longest waits.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "advise/finding_unit.h"
#include "db/query.h"
#include "base/containers.h"

/* Kept: a training that stops more often than that is one of slow steps. */
#define MOST 256

/*
 * finding_awaited, ns: of all collectives in which the rank came last, from the first one in to it.
 * finding_stop, of the longest waits: who came last, since when others waited, how long; typical: what
 * ranks wait in all others; begun_ns: when the first of all was complete.
 */
static const char tables_sql[] =
	"create temp table finding_awaited(phase text, rank integer, ns integer);"
	"create temp table finding_stop(rank integer, first_ns integer, ns integer, typical real,"
	" begun_ns integer)";

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

struct stop {
	int64_t rank, first, ns;
};

struct finding_last {
	sqlite3 *handle;
	ARRAY_OF(struct alone) alone;
	struct stop kept[MOST];
	size_t n, least; /* of those kept the place of the shortest */
	int64_t all, sum, begun;
	bool failed;
};

static struct alone *alone_find(struct finding_last *walk, const char *phase, int64_t rank)
{
	struct alone *last = walk->alone.n ? &walk->alone.at[walk->alone.n - 1] : NULL;

	if (last && last->rank == rank && strcmp(last->phase, phase) == 0)
		return last;
	last = ARRAY_ADD(&walk->alone);
	if (last)
		*last = (struct alone){ .phase = strdup(phase), .rank = rank };
	return last && last->phase ? last : NULL;
}

static void edges_read(struct finding_last *walk, sqlite3_stmt *select)
{
	while (query_row_next(select, &walk->failed)) {
		struct alone *one = alone_find(walk, (const char *)sqlite3_column_text(select, 0),
			sqlite3_column_int64(select, 1));
		int64_t t = sqlite3_column_int64(select, 2);
		int64_t opens = sqlite3_column_int64(select, 3);
		struct edge *edge = one ? ARRAY_ADD(&one->edges) : NULL;

		if (!edge) {
			walk->failed = true;
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

static void alone_add(struct finding_last *walk, int64_t rank, int64_t first_ns, int64_t last_ns)
{
	for (size_t i = 0; i < walk->alone.n; i++) {
		struct alone *one = &walk->alone.at[i];

		if (one->rank == rank && last_ns > one->edges.at[0].t &&
			first_ns < one->edges.at[one->edges.n - 1].t)
			one->ns += inside(one, last_ns) - inside(one, first_ns);
	}
}

static void stop_add(struct finding_last *walk, struct stop here)
{
	if (walk->n < MOST) {
		walk->kept[walk->n++] = here;
		if (walk->n < MOST)
			return;
	} else if (here.ns <= walk->kept[walk->least].ns) {
		return;
	} else {
		walk->kept[walk->least] = here;
	}
	for (size_t i = 0; i < MOST; i++)
		if (walk->kept[i].ns < walk->kept[walk->least].ns)
			walk->least = i;
}

void finding_last_add(struct finding_last *walk, int64_t rank, int64_t first_ns, int64_t last_ns)
{
	if (rank < 0)
		return;
	alone_add(walk, rank, first_ns, last_ns);
	if (!walk->all || last_ns < walk->begun)
		walk->begun = last_ns;
	walk->all++;
	walk->sum += last_ns - first_ns;
	stop_add(walk, (struct stop){ rank, first_ns, last_ns - first_ns });
}

struct finding_last *finding_last_open(sqlite3 *handle, bool *failed)
{
	struct finding_last *walk = calloc(1, sizeof(*walk));
	sqlite3_stmt *edges;

	if (!walk) {
		*failed = true;
		return NULL;
	}
	walk->handle = handle;
	walk->failed = sqlite3_exec(handle, tables_sql, NULL, NULL, NULL) != SQLITE_OK;
	edges = query_prepare(handle, edges_sql, 0, &walk->failed);
	if (!walk->failed)
		edges_read(walk, edges);
	sqlite3_finalize(edges);
	*failed |= walk->failed;
	return walk;
}

static void alone_write(struct finding_last *walk)
{
	sqlite3_stmt *put = query_prepare(walk->handle,
		"insert into temp.finding_awaited values (?,?,?)", 0, &walk->failed);

	for (size_t i = 0; i < walk->alone.n && !walk->failed; i++) {
		const struct alone *one = &walk->alone.at[i];

		if (one->ns <= 0)
			continue;
		sqlite3_bind_text(put, 1, one->phase, -1, SQLITE_STATIC);
		sqlite3_bind_int64(put, 2, one->rank);
		sqlite3_bind_int64(put, 3, one->ns);
		query_row_put(put, &walk->failed);
	}
	sqlite3_finalize(put);
}

static int compare_longer(const void *a, const void *b)
{
	int64_t x = ((const struct stop *)a)->ns, y = ((const struct stop *)b)->ns;

	return (x < y) - (x > y);
}

/* Of few the median, else the mean of those that were not kept. */
static double typical_of(const struct finding_last *walk)
{
	int64_t rest = walk->sum;

	if (walk->all <= MOST)
		return walk->n ? (double)walk->kept[walk->n / 2].ns : 0;
	for (size_t i = 0; i < walk->n; i++)
		rest -= walk->kept[i].ns;
	return (double)rest / (double)(walk->all - (int64_t)walk->n);
}

static void stops_write(struct finding_last *walk)
{
	sqlite3_stmt *put = query_prepare(walk->handle,
		"insert into temp.finding_stop values (?,?,?,?,?)", 0, &walk->failed);
	double typical;

	qsort(walk->kept, walk->n, sizeof(*walk->kept), compare_longer);
	typical = typical_of(walk);
	for (size_t i = 0; i < walk->n && !walk->failed; i++) {
		sqlite3_bind_int64(put, 1, walk->kept[i].rank);
		sqlite3_bind_int64(put, 2, walk->kept[i].first);
		sqlite3_bind_int64(put, 3, walk->kept[i].ns);
		sqlite3_bind_double(put, 4, typical);
		sqlite3_bind_int64(put, 5, walk->begun);
		query_row_put(put, &walk->failed);
	}
	sqlite3_finalize(put);
}

int finding_last_close(struct finding_last *walk)
{
	int ret;

	if (!walk)
		return -1;
	if (!walk->failed)
		alone_write(walk);
	if (!walk->failed)
		stops_write(walk);
	ret = walk->failed ? -1 : 0;
	for (size_t i = 0; i < walk->alone.n; i++) {
		free(walk->alone.at[i].phase);
		free(walk->alone.at[i].edges.at);
	}
	free(walk->alone.at);
	free(walk);
	return ret;
}
