/* finding_units.c - see finding_units.h. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "advise/finding_units.h"
#include "base/containers.h"
#include "db/query.h"

/* Reasons for which a rank lacked a core, as finding_without has them. */
enum { REASONS = 4 };

struct unit_rank {
	int64_t process;
	double without[REASONS]; /* the share of its work */
};

/* The share of a rank's waits in a phase that is for busy readers. */
struct unit_fed {
	int64_t process;
	char *phase;
	double part;
};

/* ns of a rank in a part of the run; `outside`: of MPI and gloo. */
struct spent {
	double useful, io, comm, wait, cuda, outside;
	bool any;
};

/* Sums over the ranks of a part, and for the longest rank its time without each reason. */
struct unit_sum {
	double ranks, useful, ns, longest, outside, host, fed, read, without[REASONS];
};

enum { SUM_COLUMNS = sizeof(struct unit_sum) / sizeof(double) };

/* The part of the run in the current rows, and its rank. */
struct part {
	char *window, *phase;
	bool is_setup;
	int64_t process;
	struct spent spent;
	struct unit_sum sum;
};

struct units {
	ARRAY_OF(struct unit_rank) ranks; /* by process */
	ARRAY_OF(struct unit_fed) feds;
	sqlite3_stmt *put;
	bool has_devices, failed;
};

/* Without the host's calls of CUDA: a host runs ahead of its devices. */
static const char devices_sql[] = "select 1 from temp.finding_used limit 1";

/* In the order of the primary keys. */
static const char states_sql[] =
	"select u.\"window\", u.phase, h.process_id, h.state, h.ns from temp.finding_unit u"
	" cross join host_time h on h.run_id = ?1 and h.\"window\" = u.\"window\""
	" order by u.\"window\", h.process_id";

static const char ranks_sql[] = "select p.id, w.quota, w.others, w.own, w.unused from process p"
				" left join temp.finding_without w on w.process_id = p.id"
				" where p.run_id = ?1 and p.rank is not null order by p.id";

static const char feds_sql[] =
	"select process_id, phase, part from temp.finding_fed order by process_id";

static const char put_sql[] =
	"insert into temp.finding_sum values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";

static int rank_compare(const void *a, const void *b)
{
	const struct unit_rank *x = a, *y = b;

	return (x->process > y->process) - (x->process < y->process);
}

static void ranks_read(struct units *units, sqlite3_stmt *rows)
{
	while (query_row_next(rows, &units->failed)) {
		struct unit_rank *rank = ARRAY_ADD(&units->ranks);

		units->failed |= !rank;
		if (!rank)
			return;
		rank->process = sqlite3_column_int64(rows, 0);
		for (int i = 0; i < REASONS; i++)
			rank->without[i] = sqlite3_column_double(rows, 1 + i);
	}
}

static void feds_read(struct units *units, sqlite3_stmt *rows)
{
	while (query_row_next(rows, &units->failed)) {
		struct unit_fed *fed = ARRAY_ADD(&units->feds);

		if (fed)
			*fed = (struct unit_fed){ .process = sqlite3_column_int64(rows, 0),
				.phase = strdup((const char *)sqlite3_column_text(rows, 1)),
				.part = sqlite3_column_double(rows, 2) };
		units->failed |= !fed || !fed->phase;
		if (units->failed)
			return;
	}
}

static double fed_of(const struct units *units, const struct part *part)
{
	size_t low = 0, high = units->feds.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (units->feds.at[middle].process < part->process)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < units->feds.n && units->feds.at[low].process == part->process; low++)
		if (strcmp(units->feds.at[low].phase, part->phase) == 0)
			return units->feds.at[low].part;
	return 0;
}

static void state_add(struct spent *spent, const char *state, double ns)
{
	if (strcmp(state, "absent") == 0 || strcmp(state, "not_in_detail") == 0)
		return;
	spent->any = true;
	if (strcmp(state, "mpi") == 0 || strcmp(state, "gloo") == 0) {
		spent->comm += ns;
		return;
	}
	spent->outside += ns;
	if (strcmp(state, "useful") == 0)
		spent->useful += ns;
	else if (strcmp(state, "io") == 0)
		spent->io += ns;
	else if (strcmp(state, "wait") == 0)
		spent->wait += ns;
	else if (strcmp(state, "cuda") == 0)
		spent->cuda += ns;
}

/* Adds the rank of the rows just read. */
static void rank_end(struct units *units, struct part *part)
{
	const struct unit_rank key = { .process = part->process },
			       *rank = bsearch(&key, units->ranks.at, units->ranks.n, sizeof(key),
				       rank_compare);
	const struct spent spent = part->spent;
	struct unit_sum *sum = &part->sum;
	double host = spent.outside - (units->has_devices && !part->is_setup ? spent.cuda : 0);

	part->spent = (struct spent){ 0 };
	if (!rank || !spent.any)
		return;
	sum->ranks++;
	sum->useful += spent.useful;
	sum->ns += spent.outside + spent.comm;
	sum->longest = fmax(sum->longest, spent.outside + spent.comm);
	sum->outside = fmax(sum->outside, spent.outside);
	sum->host = fmax(sum->host, host);
	sum->fed = fmax(sum->fed, host - spent.wait * fed_of(units, part));
	sum->read = fmax(sum->read, host - spent.io);
	for (int i = 0; i < REASONS; i++)
		sum->without[i] = fmax(sum->without[i],
			spent.outside - (spent.useful + spent.io) * rank->without[i]);
}

static void part_end(struct units *units, struct part *part)
{
	double columns[SUM_COLUMNS];

	rank_end(units, part);
	memcpy(columns, &part->sum, sizeof(columns));
	if (part->sum.ranks > 0) {
		sqlite3_bind_text(units->put, 1, part->window, -1, SQLITE_STATIC);
		for (int i = 0; i < SUM_COLUMNS; i++)
			sqlite3_bind_double(units->put, 2 + i, columns[i]);
		query_row_put(units->put, &units->failed);
	}
	free(part->window);
	free(part->phase);
	*part = (struct part){ 0 };
}

static void part_begin(struct units *units, struct part *part, sqlite3_stmt *row)
{
	part->window = strdup((const char *)sqlite3_column_text(row, 0));
	part->phase = strdup((const char *)sqlite3_column_text(row, 1));
	units->failed |= !part->window || !part->phase;
	part->is_setup = part->phase &&
		(strcmp(part->phase, "setup") == 0 || strcmp(part->phase, "init") == 0);
}

static void states_read(struct units *units, sqlite3_stmt *rows)
{
	struct part part = { 0 };

	while (query_row_next(rows, &units->failed)) {
		const char *window = (const char *)sqlite3_column_text(rows, 0);
		int64_t process = sqlite3_column_int64(rows, 2);

		if (part.window && strcmp(part.window, window) != 0)
			part_end(units, &part);
		else if (process != part.process)
			rank_end(units, &part);
		if (!part.window)
			part_begin(units, &part, rows);
		part.process = process;
		state_add(&part.spent, (const char *)sqlite3_column_text(rows, 3),
			sqlite3_column_double(rows, 4));
	}
	part_end(units, &part);
}

static void fill(sqlite3_context *context, int n, sqlite3_value **run)
{
	sqlite3 *handle = sqlite3_context_db_handle(context);
	int64_t run_id = sqlite3_value_int64(run[0]);
	struct units units = { 0 };
	bool *failed = &units.failed;
	sqlite3_stmt *ranks = query_prepare(handle, ranks_sql, run_id, failed),
		     *feds = query_prepare(handle, feds_sql, run_id, failed),
		     *devices = query_prepare(handle, devices_sql, run_id, failed),
		     *states = query_prepare(handle, states_sql, run_id, failed);

	(void)n;
	units.put = query_prepare(handle, put_sql, run_id, failed);
	units.has_devices = query_row_next(devices, failed);
	ranks_read(&units, ranks);
	feds_read(&units, feds);
	states_read(&units, states);
	sqlite3_finalize(ranks);
	sqlite3_finalize(feds);
	sqlite3_finalize(devices);
	sqlite3_finalize(states);
	sqlite3_finalize(units.put);
	for (size_t i = 0; i < units.feds.n; i++)
		free(units.feds.at[i].phase);
	free(units.feds.at);
	free(units.ranks.at);
	if (units.failed)
		sqlite3_result_error(context, sqlite3_errmsg(handle), -1);
}

int finding_units_register(sqlite3 *handle)
{
	return sqlite3_create_function(handle, "finding_units_fill", 1,
		SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, fill, NULL, NULL);
}
