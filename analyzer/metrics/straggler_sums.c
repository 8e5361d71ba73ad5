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
	int64_t n, ns[PART_COUNT];
	/* those that had ended: own time, and all; the block's own first and last moment */
	int64_t nwhole, own, length, start, end;
};

static const char range_sql[] =
	"select coalesce(min(n), 0), coalesce(max(n), 0), count(waited_ns) from step where run_id = 1";

static const char steps_sql[] =
	"select process_id, n, waited_ns, coalesce(waited_io_ns, 0), start_ns, end_ns, cut, "
	"coalesce(slept_ns, 0), coalesce(readers_ns, 0) "
	"from step where run_id = 1 and waited_ns is not null";

/* ?1: no rank lacks a step, nor what it did in it; else it has to be looked for. */
#define OF_STEPS(process)                                                                          \
	"run_id = 1 and window >= 'step:' and window < 'step;' and (?1 or exists "                 \
	"(select 1 from step s where s.run_id = 1 and s.process_id = " process                     \
	" and s.n = cast(substr(window, 6) as integer) and s.waited_ns is not null))"

#define NUMBER "cast(substr(window, 6) as integer)"

/* In the order of enum part. */
static const char host_sql[] =
	"select process_id, " NUMBER ", case state when 'useful' then 0 when 'io' then 2 "
	"when 'mpi' then 3 when 'gloo' then 3 when 'absent' then null else 1 end, ns from host_time "
	"where " OF_STEPS("host_time.process_id");

static const char device_sql[] =
	"select d.process_id, " NUMBER ", case when state = 'compute' then 0 "
	"when state in ('idle:io_wait', 'idle:checkpoint') then 2 "
	"when state in ('nccl_transfer', 'memcpy') then 3 "
	"when state = 'idle:mpi_wait' then null when state glob 'idle:*' then 1 end, ns, d.many "
	"from device_time t cross join temp.device_use d on d.device_id = t.device_id "
	"where " OF_STEPS("d.process_id");

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

/* The same of a row's first two columns. */
static struct step_sum *row_sum(const struct step_sums *sums, sqlite3_stmt *row)
{
	return sum_of(sums, (size_t)sqlite3_column_int64(row, 0) - 1, sqlite3_column_int64(row, 1));
}

/* One more step; of `row` what it waited, when it was, and whether it had ended. */
static void step_add(struct step_sum *sum, const struct step_row *row)
{
	sum->n++;
	sum->ns[PART_LINK] -= row->waited - row->waited_io;
	sum->ns[PART_IO] -= row->waited_io;
	if (row->cut)
		return;
	sum->start = sum->nwhole && sum->start < row->start ? sum->start : row->start;
	sum->end = sum->nwhole && sum->end > row->end ? sum->end : row->end;
	sum->nwhole++;
	sum->own += row->end - row->start - row->waited;
	sum->length += row->end - row->start;
}

/* What of PART_HOST has parts of its own; of a row in memory it was taken off. */
static void waits_divide(struct step_sum *sum, int64_t slept, int64_t readers)
{
	sum->ns[PART_SLEEP] += slept;
	sum->ns[PART_READERS] += readers;
	sum->ns[PART_HOST] -= slept + readers;
}

static void steps_add(struct engine *engine, struct step_sums *sums)
{
	sqlite3_stmt *row = prepare(engine, steps_sql);

	while (row && sqlite3_step(row) == SQLITE_ROW) {
		waits_divide(row_sum(sums, row), sqlite3_column_int64(row, 7),
			sqlite3_column_int64(row, 8));
		step_add(row_sum(sums, row),
			&(struct step_row){ .waited = sqlite3_column_int64(row, 2),
				.waited_io = sqlite3_column_int64(row, 3),
				.start = sqlite3_column_int64(row, 4),
				.end = sqlite3_column_int64(row, 5),
				.cut = sqlite3_column_int(row, 6) });
	}
	sqlite3_finalize(row);
}

/* A process with devices is judged by these alone, of several by their mean. */
static void device_first(struct step_sums *sums, size_t process, int64_t many)
{
	sums->many[process] = many;
	for (size_t i = 0; i <= sums->nblocks; i++)
		for (int part = 0; part < PART_COUNT; part++)
			sums_of(sums, process)[i].ns[part] = 0;
}

static void parts_add(struct engine *engine, struct step_sums *sums, const char *sql, bool whole)
{
	sqlite3_stmt *row = prepare(engine, sql);
	bool devices = sqlite3_column_count(row) > 4;

	if (row)
		sqlite3_bind_int(row, 1, whole);
	while (row && sqlite3_step(row) == SQLITE_ROW) {
		size_t process = (size_t)sqlite3_column_int64(row, 0) - 1;

		if (devices && !sums->many[process])
			device_first(sums, process, sqlite3_column_int64(row, 4));
		if (sqlite3_column_type(row, 2) != SQLITE_NULL)
			row_sum(sums, row)
				->ns[sqlite3_column_int(row, 2)] += sqlite3_column_int64(row, 3);
	}
	sqlite3_finalize(row);
}

static void accumulate(struct step_sums *sums, size_t nprocesses)
{
	for (size_t p = 0; p < nprocesses; p++)
		for (size_t i = 1; i <= sums->nblocks; i++) {
			struct step_sum *sum = &sums_of(sums, p)[i];

			sum->n += sum[-1].n;
			sum->nwhole += sum[-1].nwhole;
			sum->own += sum[-1].own;
			sum->length += sum[-1].length;
			for (int part = 0; part < PART_COUNT; part++)
				sum->ns[part] += sum[-1].ns[part];
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
	sums->many = calloc(nprocesses + 1, sizeof(*sums->many));
	if (sums->at && sums->many)
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
		struct step_sum *sum = sum_of(sums, row->process, row->n);

		if (!row->captured)
			continue;
		step_add(sum, row);
		for (int part = 0; part < PART_COUNT; part++)
			sum->ns[part] += row->ns[part];
	}
	accumulate(sums, nprocesses);
	return 0;
}

int step_sums_read(struct engine *engine, struct step_sums *sums)
{
	size_t nprocesses = engine->tables.model.processes.n;
	const struct step_rows *rows = step_rows_whole(&engine->tables);
	sqlite3_stmt *range;
	bool whole = false;
	int ret = -1;

	if (sums->at)
		return 0;
	if (rows)
		return rows_add(rows, sums, nprocesses);
	range = prepare(engine, range_sql);
	if (range && sqlite3_step(range) == SQLITE_ROW) {
		int64_t first = sqlite3_column_int64(range, 0),
			last = sqlite3_column_int64(range, 1);

		whole = (uint64_t)sqlite3_column_int64(range, 2) ==
			((uint64_t)last - (uint64_t)first + 1) * engine->tables.model.nranks;
		ret = sums_make(sums, nprocesses, first, last);
	}
	sqlite3_finalize(range);
	if (ret == 0) {
		steps_add(engine, sums);
		parts_add(engine, sums, host_sql, whole);
		if (engine->tables.model.devices.n)
			parts_add(engine, sums, device_sql, whole);
		accumulate(sums, nprocesses);
	}
	return engine->tables.failed ? -1 : ret;
}

void step_sums_free(struct step_sums *sums)
{
	free(sums->at);
	free(sums->many);
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

void step_sums_parts(const struct step_sums *sums, size_t nprocesses, int64_t first, int64_t last,
	struct parts *parts)
{
	struct bounds at = bounds_of(sums, first, last);

	for (size_t p = 0; p < nprocesses; p++) {
		const struct step_sum *from = &sums_of(sums, p)[at.from],
				      *to = &sums_of(sums, p)[at.to];
		double n = (double)(to->n - from->n) * (sums->many[p] ? sums->many[p] : 1);

		parts[p].any = n > 0;
		for (int part = 0; part < PART_COUNT; part++)
			parts[p].ns[part] = n > 0 ? (to->ns[part] - from->ns[part]) / n : 0;
	}
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
