/*
 * straggler_sums.c - what ranks did in any range of steps, from sums up to each step; see
 * straggler.h. Each slow stretch asks for it, and a noisy run has many: adding up its rows each
 * time took longer than reading the events.
 */
#include "config.h"

#include <stdlib.h>

#include "engine/engine.h"
#include "base/log.h"
#include "metrics/straggler.h"

/* In memory, of all processes; where there are more, neighbouring steps share one. */
enum { MOST_SUMS = 1 << 19 };

/* Of the steps of a process up to the end of a block. */
struct step_sum {
	int64_t late[PART_COUNT];
	/* those that had ended: own time, and all; the block's own first and last moment */
	int64_t nwhole, own, length, start, end;
};

static const char range_sql[] =
	"select coalesce(min(n), 0), coalesce(max(n), 0) from step where run_id = 1";

#define LATE_COLUMN(id, name) ", coalesce(late_" name "_ns, 0)"

static const char steps_sql[] = "select process_id, n, waited_ns, start_ns, end_ns, cut" STEP_PARTS(
	LATE_COLUMN) " from step where run_id = 1 and waited_ns is not null";

enum { FIRST_PART = 6 };

/* NULL: reported. */
static sqlite3_stmt *prepare(struct engine *engine, const char *sql)
{
	sqlite3_stmt *select = NULL;

	if (sqlite3_prepare_v2(engine->tables.db.handle, sql, -1, &select, NULL) != SQLITE_OK) {
		log_error("cannot read the steps: %s", sqlite3_errmsg(engine->tables.db.handle));
		engine->tables.failed = true;
	}
	return select;
}

static struct step_sum *sums_of(const struct step_sums *sums, size_t process)
{
	return &sums->at[process * (sums->nblocks + 1)];
}

/* Of a process and step; what is of no step goes to the first. */
static struct step_sum *sum_of(const struct step_sums *sums, size_t process, int64_t n)
{
	uint64_t block = (uint64_t)(n >> sums->shift) - (uint64_t)sums->first;

	return sums_of(sums, process) + (block < sums->nblocks ? block + 1 : 0);
}

/* One more step. */
static void step_add(struct step_sum *sum, const struct step_row *row)
{
	for (int part = 0; part < PART_COUNT; part++)
		sum->late[part] += row->late[part];
	if (row->cut)
		return;
	sum->start = sum->nwhole && sum->start < row->start ? sum->start : row->start;
	sum->end = sum->nwhole && sum->end > row->end ? sum->end : row->end;
	sum->nwhole++;
	sum->own += row->end - row->start - row->waited;
	sum->length += row->end - row->start;
}

static void steps_add(struct engine *engine, struct step_sums *sums)
{
	sqlite3_stmt *from = prepare(engine, steps_sql);

	while (from && sqlite3_step(from) == SQLITE_ROW) {
		struct step_row row = { .waited = sqlite3_column_int64(from, 2),
			.start = sqlite3_column_int64(from, 3),
			.end = sqlite3_column_int64(from, 4),
			.cut = sqlite3_column_int(from, 5) };

		for (int part = 0; part < PART_COUNT; part++)
			row.late[part] = sqlite3_column_int64(from, FIRST_PART + part);
		step_add(sum_of(sums, (size_t)sqlite3_column_int64(from, 0) - 1,
				 sqlite3_column_int64(from, 1)),
			&row);
	}
	sqlite3_finalize(from);
}

static void accumulate(struct step_sums *sums, size_t nprocesses)
{
	for (size_t p = 0; p < nprocesses; p++)
		for (size_t i = 1; i <= sums->nblocks; i++) {
			struct step_sum *sum = &sums_of(sums, p)[i];

			sum->nwhole += sum[-1].nwhole;
			sum->own += sum[-1].own;
			sum->length += sum[-1].length;
			for (int part = 0; part < PART_COUNT; part++)
				sum->late[part] += sum[-1].late[part];
		}
}

/* So many steps in a block that all sums have room. */
static int sums_make(struct step_sums *sums, size_t nprocesses, int64_t first, int64_t last)
{
	uint64_t most = MOST_SUMS / (nprocesses + 1) + 1;

	while ((uint64_t)(last >> sums->shift) - (uint64_t)(first >> sums->shift) >= most)
		sums->shift++;
	sums->first = first >> sums->shift;
	sums->nblocks = (size_t)((uint64_t)(last >> sums->shift) - (uint64_t)sums->first) + 1;
	sums->at = calloc((nprocesses + 1) * (sums->nblocks + 1), sizeof(*sums->at));
	if (sums->at)
		return 0;
	log_error("out of memory for the search for stragglers");
	return -1;
}

/* Of steps in memory. */
static int rows_add(const struct step_rows *rows, struct step_sums *sums, size_t nprocesses)
{
	int64_t first = rows->rows.n ? rows->rows.at[0].n : 0, last = first;

	for (size_t i = 0; i < rows->rows.n; i++) {
		first = rows->rows.at[i].n < first ? rows->rows.at[i].n : first;
		last = rows->rows.at[i].n > last ? rows->rows.at[i].n : last;
	}
	if (sums_make(sums, nprocesses, first, last) < 0)
		return -1;
	for (size_t i = 0; i < rows->rows.n; i++) {
		const struct step_row *row = &rows->rows.at[i];

		if (row->captured)
			step_add(sum_of(sums, row->process, row->n), row);
	}
	accumulate(sums, nprocesses);
	return 0;
}

int step_sums_read(struct engine *engine, struct step_sums *sums)
{
	size_t nprocesses = engine->tables.model.processes.n;
	const struct step_rows *rows = step_rows_whole(&engine->tables);
	sqlite3_stmt *range;
	int ret = -1;

	if (sums->at)
		return 0;
	if (rows)
		return rows_add(rows, sums, nprocesses);
	range = prepare(engine, range_sql);
	if (range && sqlite3_step(range) == SQLITE_ROW)
		ret = sums_make(sums, nprocesses, sqlite3_column_int64(range, 0),
			sqlite3_column_int64(range, 1));
	sqlite3_finalize(range);
	if (ret == 0) {
		steps_add(engine, sums);
		accumulate(sums, nprocesses);
	}
	return engine->tables.failed ? -1 : ret;
}

void step_sums_free(struct step_sums *sums)
{
	free(sums->at);
	*sums = (struct step_sums){ 0 };
}

/* In which block a step is, and how many of it are before the step. */
static int64_t block_of(const struct step_sums *sums, int64_t n, uint64_t *before)
{
	*before = (uint64_t)n & ((UINT64_C(1) << sums->shift) - 1);
	return n >> sums->shift;
}

/*
 * The sums between which a range lies: of those blocks whose middle step is in it, or of the one
 * where it begins. A block of one step is its middle.
 */
struct bounds {
	size_t from, to;
};

static struct bounds bounds_of(const struct step_sums *sums, int64_t first, int64_t last)
{
	uint64_t half = (UINT64_C(1) << sums->shift) / 2, before;
	int64_t low = block_of(sums, first, &before), high, begin = low,
		most = sums->first + (int64_t)sums->nblocks - 1;

	low += before > half;
	high = block_of(sums, last, &before);
	high -= before < half;
	if (high < low)
		low = high = begin;
	low = low < sums->first ? sums->first : low > most ? most : low;
	high = high < low ? low : high > most ? most : high;
	return (struct bounds){ (size_t)(low - sums->first), (size_t)(high - sums->first) + 1 };
}

void step_sums_late(const struct step_sums *sums, size_t process, int64_t first, int64_t last,
	int64_t late[PART_COUNT])
{
	struct bounds at = bounds_of(sums, first, last);
	const struct step_sum *from = &sums_of(sums, process)[at.from],
			      *to = &sums_of(sums, process)[at.to];

	for (int part = 0; part < PART_COUNT; part++)
		late[part] = to->late[part] - from->late[part];
}

struct step_range step_sums_range(const struct step_sums *sums, size_t process, int64_t first,
	int64_t last)
{
	struct bounds at = bounds_of(sums, first, last);
	const struct step_sum *from = &sums_of(sums, process)[at.from],
			      *to = &sums_of(sums, process)[at.to];
	struct step_range range = { .n = to->nwhole - from->nwhole,
		.own = to->own - from->own,
		.length = to->length - from->length };

	if (!range.n)
		return range;
	while (from[1].nwhole == from->nwhole)
		from++;
	while (to[-1].nwhole == to->nwhole)
		to--;
	range.start = from[1].start;
	range.end = to->end;
	return range;
}
