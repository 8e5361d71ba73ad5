/*
 * finding_stop.c - the collectives in which ranks waited longest for the last one; see
 * finding_unit.h. What happens now and then (a checkpoint, a validation) stands out among them.
 */
#include "config.h"

#include <stdlib.h>

#include "advise/finding_unit.h"
#include "db/query.h"

/* Kept: a training that stops more often than that is one of slow steps. */
#define MOST 256

/*
 * Who came last, since when others waited, how long; typical: what ranks wait in all others; of how
 * many, and when the first of them was complete.
 */
static const char table_sql[] =
	"create temp table finding_stop(rank integer, first_ns integer, ns integer, typical real,"
	" many integer, begun_ns integer)";

struct stop {
	int64_t rank, first, ns;
};

struct finding_stop {
	struct stop kept[MOST];
	size_t n, least; /* of those kept the place of the shortest */
	int64_t all, sum, begun;
	sqlite3_stmt *put;
	bool failed;
};

struct finding_stop *finding_stop_open(sqlite3 *handle, bool *failed)
{
	struct finding_stop *stop = calloc(1, sizeof(*stop));

	if (!stop) {
		*failed = true;
		return NULL;
	}
	stop->failed = sqlite3_exec(handle, table_sql, NULL, NULL, NULL) != SQLITE_OK;
	stop->put = query_prepare(handle, "insert into temp.finding_stop values (?,?,?,?,?,?)", 0,
		&stop->failed);
	*failed |= stop->failed;
	return stop;
}

void finding_stop_add(struct finding_stop *stop, int64_t rank, int64_t first_ns, int64_t last_ns)
{
	struct stop here = { rank, first_ns, last_ns - first_ns };

	if (rank < 0)
		return;
	if (!stop->all || last_ns < stop->begun)
		stop->begun = last_ns;
	stop->all++;
	stop->sum += here.ns;
	if (stop->n < MOST) {
		stop->kept[stop->n++] = here;
		if (stop->n < MOST)
			return;
	} else if (here.ns <= stop->kept[stop->least].ns) {
		return;
	} else {
		stop->kept[stop->least] = here;
	}
	for (size_t i = 0; i < MOST; i++)
		if (stop->kept[i].ns < stop->kept[stop->least].ns)
			stop->least = i;
}

static int compare_longer(const void *a, const void *b)
{
	int64_t x = ((const struct stop *)a)->ns, y = ((const struct stop *)b)->ns;

	return (x < y) - (x > y);
}

/* Of few the median, else the mean of those that were not kept. */
static double typical_of(const struct finding_stop *stop)
{
	int64_t rest = stop->sum;

	if (stop->all <= MOST)
		return stop->n ? (double)stop->kept[stop->n / 2].ns : 0;
	for (size_t i = 0; i < stop->n; i++)
		rest -= stop->kept[i].ns;
	return (double)rest / (double)(stop->all - (int64_t)stop->n);
}

int finding_stop_close(struct finding_stop *stop)
{
	double typical;
	int ret;

	if (!stop)
		return -1;
	qsort(stop->kept, stop->n, sizeof(*stop->kept), compare_longer);
	typical = typical_of(stop);
	for (size_t i = 0; i < stop->n && !stop->failed; i++) {
		sqlite3_bind_int64(stop->put, 1, stop->kept[i].rank);
		sqlite3_bind_int64(stop->put, 2, stop->kept[i].first);
		sqlite3_bind_int64(stop->put, 3, stop->kept[i].ns);
		sqlite3_bind_double(stop->put, 4, typical);
		sqlite3_bind_int64(stop->put, 5, stop->all);
		sqlite3_bind_int64(stop->put, 6, stop->begun);
		query_row_put(stop->put, &stop->failed);
	}
	ret = stop->failed ? -1 : 0;
	sqlite3_finalize(stop->put);
	free(stop);
	return ret;
}
