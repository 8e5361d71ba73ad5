/*
 * finding_unit.c - the parts of a run that end when the slowest rank is through: steps, phases
 * without steps, or the run when nothing is marked; see finding.h. Steps are many, so this is one
 * walk through host_time and device_time side by side, in the order of their keys, or through the
 * steps in memory, and what is kept is a row per phase, in which its parts are added up.
 *
 * `outside` is the time outside of MPI: what a rank does itself. Without x of it in the ranks, a
 * part would be shorter by max(outside) - max(outside - x) over the ranks: the model of most rules.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "advise/finding_unit.h"
#include "base/log.h"
#include "db/query.h"
#include "tables/step_row.h"
#include "base/containers.h"

/*
 * finding_part, of a phase, its parts added up ('': what is in none): its steps, 0 where it is a
 * part itself; ranks that had one, at most; useful time of them all, and time; the longest time of
 * one, and outside of MPI; by how much it would be shorter if busy readers kept nobody waiting, and
 * if main threads did no I/O: with devices no more than these were idle for it, as the host may run
 * ahead of them. finding_rank, of a rank in a phase, its parts added up; work: outside, less
 * waiting; above: share of the parts in which it had more outside than the average.
 * finding_lacking, of a cause: by how much all parts would be shorter if ranks had not waited for
 * cores by it in computing and I/O; in these a rank waited all the time the same.
 */
static const char tables_sql[] =
	"create temp table finding_part(phase text primary key, steps integer, ranks integer,"
	" useful integer, ns integer, longest integer, outside integer, starved real, io real)"
	" without rowid;"
	"create temp table finding_rank(phase text, rank integer, outside integer, work integer,"
	" above real, primary key (phase, rank)) without rowid;"
	"create temp table finding_lacking(cause text primary key, ns real) without rowid;";

/* Who had the cores that ranks waited for: the columns of finding_without. */
static const char *const causes[] = { "quota", "others", "own", "unused" };

#define NCAUSES (sizeof(causes) / sizeof(*causes))

static const char ranks_sql[] =
	"select p.id, p.rank, coalesce(b.busy, 0), coalesce(w.quota, 0),"
	" coalesce(w.others, 0), coalesce(w.own, 0), coalesce(w.unused, 0) from process p "
	"left join temp.finding_without w on w.process_id = p.id left join "
	"(select rank, sum(io) + sum(useful) >= 0.5 * sum(life) as busy from temp.finding_reader "
	"group by rank) b "
	"on b.rank = p.rank where p.run_id = ?1 and p.rank is not null order by p.id";

static const char host_sql[] =
	"select \"window\", process_id, state, ns from host_time where run_id = ?1 and "
	"\"window\" >= ?2 order by \"window\", process_id";

static const char device_sql[] =
	"select \"window\", device_id, state, ns from device_time where run_id = ?1 and "
	"\"window\" >= ?2 order by \"window\", device_id";

static const char steps_sql[] =
	"select n, phase_id, stands_for from step where run_id = ?1 and process_id = ?2 order by n";

/*
 * Steps that have no row, of the rank with most of them in the phase, and the ns of the steps of
 * the one whose are the longest. None where only a part is in detail: the rules are of that part.
 */
static const char rest_sql[] =
	"select r.name, max(r.steps), (select max(ns) from (select sum(a.ns) as ns from step_all a "
	"left join phase g on g.id = a.phase_id where a.run_id = ?1 and coalesce(g.name, '') = "
	"r.name group by a.process_id)) "
	"from (select coalesce(f.name, '') as name, sum(r.steps) as steps "
	"from step_rest r left join phase f on f.id = r.phase_id where r.run_id = ?1 "
	"and not (select is_part from temp.finding_run) group by 1, r.process_id) r group by "
	"r.name";

/* The ns of an average rank that are in detail, where only a part is. */
static const char detail_sql[] =
	"select 1e9 * seconds_all from temp.finding_run where run_id = ?1 and is_part";

static const char phase_sql[] = "select name from phase where id = ?";

/* Which part of their waiting ranks spent on readers; no row where hand-overs are not reported. */
static const char readers_sql[] =
	"select cast(substr(subject, 6) as integer), value from metric where run_id = ?1 and "
	"\"window\" = ?2 and model = 'host' and name = 'wait_for_readers' order by 1";

/* Steps one after the other that are of the same phase, by its place in units.phases. */
struct phase_steps {
	int64_t from, until, stands_for;
	size_t phase;
};

struct rank {
	int64_t process, rank;
	bool busy;
	double without[NCAUSES]; /* shares of computing and I/O */
	bool steps_read;
	ARRAY_OF(struct phase_steps) steps;
};

/* What a rank did in a part; of `outside` all but `mpi`, cuda is a part. */
struct share {
	int64_t useful, io, mpi, wait, cuda, outside;
	bool any;
};

/* Of a rank in a phase; for_readers: the part of its waiting that was for readers. */
struct sum {
	int64_t outside, work, above, units;
	double for_readers;
};

struct phase {
	char *name;
	int64_t steps, stood_for, ranks, useful, ns, longest, outside;
	double starved, io;
	struct sum *by_rank;
};

struct units {
	struct finding_times host, device;
	struct finding_devices *devices;
	sqlite3_stmt *steps_of_rank, *phase_name, *readers, *phase_put, *rank_put;
	ARRAY_OF(struct rank) ranks;
	ARRAY_OF(struct phase) phases;
	struct share *shares;	 /* by rank, of the present window */
	double lacking[NCAUSES]; /* ns */
	int64_t stands_for;	 /* the present unit, for so many */
	bool failed;
};

static bool is_step(const char *window)
{
	return strncmp(window, "step:", 5) == 0;
}

/* Ranks are mostly in the order of their numbers. */
static void readers_read(struct units *units, struct phase *phase)
{
	char *window = *phase->name ? sqlite3_mprintf("phase:%s", phase->name) : NULL;
	size_t at = 0;

	for (size_t i = 0; i < units->ranks.n; i++)
		phase->by_rank[i].for_readers = 1;
	units->failed |= *phase->name && !window;
	sqlite3_bind_text(units->readers, 2, window ? window : "run", -1, SQLITE_STATIC);
	while (query_row_next(units->readers, &units->failed)) {
		int64_t rank = sqlite3_column_int64(units->readers, 0);

		for (size_t i = 0; i < units->ranks.n; i++, at = (at + 1) % units->ranks.n)
			if (units->ranks.at[at].rank == rank) {
				phase->by_rank[at]
					.for_readers = sqlite3_column_double(units->readers, 1);
				break;
			}
	}
	sqlite3_reset(units->readers);
	sqlite3_free(window);
}

static size_t phase_find(struct units *units, const char *name)
{
	struct phase *phase;

	for (size_t i = units->phases.n; i > 0; i--)
		if (strcmp(units->phases.at[i - 1].name, name) == 0)
			return i - 1;
	phase = ARRAY_ADD(&units->phases);
	if (phase) {
		phase->name = strdup(name);
		phase->by_rank = calloc(units->ranks.n + 1, sizeof(*phase->by_rank));
	}
	units->failed |= !phase || !phase->name || !phase->by_rank;
	if (!units->failed)
		readers_read(units, phase);
	return units->failed ? FINDING_NO_PART : units->phases.n - 1;
}

static void ranks_add(const struct units *units, struct phase *phase, const struct share *shares,
	double mean)
{
	for (size_t i = 0; i < units->ranks.n; i++) {
		struct sum *sum = &phase->by_rank[i];

		if (!shares[i].any)
			continue;
		sum->outside += units->stands_for * shares[i].outside;
		sum->work += units->stands_for * (shares[i].outside - shares[i].wait);
		if ((double)shares[i].outside > mean)
			sum->above += units->stands_for;
		sum->units += units->stands_for;
	}
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* A rank that waits in MPI for others keeps nobody waiting when it has no core there. */
static void lacking_add(struct units *units, const struct share *shares, int64_t outside)
{
	for (size_t c = 0; c < NCAUSES; c++) {
		double left = 0;

		for (size_t i = 0; i < units->ranks.n; i++) {
			double worked = (double)(shares[i].useful + shares[i].io);

			left = fmax(left,
				(double)shares[i].outside - worked * units->ranks.at[i].without[c]);
		}
		units->lacking[c] += (double)units->stands_for * ((double)outside - left);
	}
}

/*
 * By how much the part would be shorter if busy readers kept nobody waiting, and if main threads
 * did no I/O; no more than `idle`. With devices (idle is known) time in CUDA calls is no rank's
 * own: there a host waits for its device, and so for the rank that is starved.
 */
static void input_add(const struct units *units, struct phase *phase, double idle)
{
	double outside = 0, fed = 0, without_io = 0;

	for (size_t i = 0; i < units->ranks.n; i++) {
		const struct share *share = &units->shares[i];
		double own = (double)(share->outside - (isnan(idle) ? 0 : share->cuda));

		if (!share->any)
			continue;
		outside = fmax(outside, own);
		fed = fmax(fed,
			own -
				(units->ranks.at[i].busy ? (double)share->wait *
							phase->by_rank[i].for_readers
							 : 0));
		without_io = fmax(without_io, own - (double)share->io);
	}
	phase->starved += (double)units->stands_for * fmin(outside - fed, idle);
	phase->io += (double)units->stands_for * fmin(outside - without_io, idle);
}

/*
 * `idle`: ns by which devices would be through earlier if they lacked no input; NAN: none exists.
 */
static void unit_add(struct units *units, struct phase *phase, double idle)
{
	const struct share *shares = units->shares;
	struct share sums = { 0 };
	int64_t ranks = 0, longest = 0, outside = 0;

	for (size_t i = 0; i < units->ranks.n; i++) {
		const struct share *share = &shares[i];

		if (!share->any)
			continue;
		ranks++;
		sums.useful += share->useful;
		sums.outside += share->outside;
		sums.mpi += share->mpi;
		longest = most(longest, share->outside + share->mpi);
		outside = most(outside, share->outside);
	}
	ranks_add(units, phase, shares, (double)sums.outside / (double)ranks);
	lacking_add(units, shares, outside);
	phase->ranks = most(phase->ranks, ranks);
	phase->useful += units->stands_for * sums.useful;
	phase->ns += units->stands_for * (sums.outside + sums.mpi);
	phase->longest += units->stands_for * longest;
	phase->outside += units->stands_for * outside;
	input_add(units, phase, idle);
}

static size_t phase_of_id(struct units *units, int64_t id)
{
	size_t phase;

	sqlite3_bind_int64(units->phase_name, 1, id); /* 0: of none */
	phase = phase_find(units,
		query_row_next(units->phase_name, &units->failed)
			? (const char *)sqlite3_column_text(units->phase_name, 0)
			: "");
	sqlite3_reset(units->phase_name);
	return phase;
}

static void steps_read(struct units *units, struct rank *rank)
{
	struct phase_steps *stretch = NULL;
	int64_t last = 0;

	sqlite3_bind_int64(units->steps_of_rank, 2, rank->process);
	while (query_row_next(units->steps_of_rank, &units->failed)) {
		int64_t n = sqlite3_column_int64(units->steps_of_rank, 0);
		int64_t id = sqlite3_column_int64(units->steps_of_rank, 1);
		int64_t many = sqlite3_column_int64(units->steps_of_rank, 2);

		if (stretch && id == last && n == stretch->until + 1 &&
			many == stretch->stands_for) {
			stretch->until = n;
			continue;
		}
		stretch = ARRAY_ADD(&rank->steps);
		if (stretch)
			*stretch = (struct phase_steps){ n, n, many, phase_of_id(units, id) };
		units->failed |= !stretch;
		last = id;
	}
	sqlite3_reset(units->steps_of_rank);
	rank->steps_read = true;
}

/* NULL: the rank has no such step. */
static const struct phase_steps *stretch_find(const struct rank *rank, int64_t n)
{
	size_t low = LOWER_BOUND(i, 0, rank->steps.n, rank->steps.at[i].until < n);

	return low < rank->steps.n && rank->steps.at[low].from <= n ? &rank->steps.at[low] : NULL;
}

static size_t step_count(struct units *units, size_t phase, int64_t stands_for)
{
	units->stands_for = stands_for;
	if (phase != FINDING_NO_PART) {
		units->phases.at[phase].steps++;
		units->phases.at[phase].stood_for += stands_for;
	}
	return phase;
}

/*
 * Whose part the window is: the phase of a step is that of its first rank; phases without steps are
 * parts, and the run when there are neither phases nor steps.
 */
static size_t part_of(struct units *units, const char *window, bool marked)
{
	const struct phase_steps *stretch;
	struct rank *first = NULL;
	size_t phase;

	units->stands_for = 1;
	for (size_t i = 0; i < units->ranks.n && !first; i++)
		first = units->shares[i].any ? &units->ranks.at[i] : NULL;
	if (!first)
		return FINDING_NO_PART;
	if (is_step(window)) {
		if (!first->steps_read)
			steps_read(units, first);
		stretch = stretch_find(first, strtoll(window + strlen("step:"), NULL, 10));
		return stretch ? step_count(units, stretch->phase, stretch->stands_for)
			       : FINDING_NO_PART;
	}
	if (strncmp(window, "phase:", 6) != 0)
		return marked ? FINDING_NO_PART : phase_find(units, "");
	phase = phase_find(units, window + 6);
	return phase != FINDING_NO_PART && units->phases.at[phase].steps ? FINDING_NO_PART : phase;
}

static void share_add(struct share *share, const char *state, int64_t ns)
{
	switch (state[0]) {
	case 'a':
	case 'n': return; /* absent, not in detail */
	case 'm': share->mpi += ns; break;
	case 'u': share->useful += ns; break;
	case 'i': share->io += ns; break;
	case 'w': share->wait += ns; break;
	case 'c': share->cuda += ns; break;
	default: break;
	}
	share->outside += state[0] == 'm' ? 0 : ns;
	share->any = true;
}

/* The times of ranks in a window; true: there are any. */
static bool shares_read(struct units *units, const char *window)
{
	struct finding_times *host = &units->host;
	bool any = false;
	size_t at = 0;

	memset(units->shares, 0, units->ranks.n * sizeof(*units->shares));
	for (; finding_times_in(host, window); finding_times_next(host)) {
		int64_t process = sqlite3_column_int64(host->select, 1);

		any = true;
		while (at < units->ranks.n && units->ranks.at[at].process < process)
			at++;
		if (at < units->ranks.n && units->ranks.at[at].process == process)
			share_add(&units->shares[at],
				(const char *)sqlite3_column_text(host->select, 2),
				sqlite3_column_int64(host->select, 3));
	}
	return any;
}

/* The same of a step's rows in memory. */
static void shares_take(struct units *units, const struct step_row *rows, size_t n)
{
	size_t at = 0;

	memset(units->shares, 0, units->ranks.n * sizeof(*units->shares));
	for (size_t i = 0; i < n; i++) {
		const struct step_row *row = &rows[i];
		int64_t process = (int64_t)row->process + 1;

		while (at < units->ranks.n && units->ranks.at[at].process < process)
			at++;
		if (at == units->ranks.n)
			return;
		if (units->ranks.at[at].process == process)
			units->shares[at] = (struct share){ .useful = row->useful,
				.io = row->io,
				.mpi = row->mpi,
				.wait = row->wait,
				.outside = row->outside,
				.any = row->busy };
	}
}

/* Id of the phase in which the first rank had the step. */
static int64_t phase_of_rows(const struct units *units, const struct step_row *rows, size_t n)
{
	for (size_t r = 0; r < units->ranks.n; r++)
		for (size_t i = 0; i < n && units->shares[r].any; i++)
			if (units->ranks.at[r].process == (int64_t)rows[i].process + 1)
				return rows[i].phase;
	return -1;
}

static void steps_take(struct units *units, const struct step_rows *steps)
{
	const struct step_row *rows = steps->rows.at;
	size_t phase = FINDING_NO_PART;
	int64_t last = -1;

	for (size_t first = 0, end = 0; first < steps->rows.n && !units->failed; first = end) {
		int64_t id;

		while (end < steps->rows.n && rows[end].n == rows[first].n)
			end++;
		shares_take(units, &rows[first], end - first);
		id = phase_of_rows(units, &rows[first], end - first);
		if (id >= 0 && id != last)
			phase = phase_of_id(units, id);
		last = id >= 0 ? id : last;
		if (id < 0 || phase == FINDING_NO_PART)
			continue;
		step_count(units, phase, rows[first].stands_for);
		unit_add(units, &units->phases.at[phase], NAN);
	}
}

/* Of the two tables' next windows, the one that comes first; NULL: there is none left. */
static char *window_next(struct units *units)
{
	const char *host = units->host.window, *device = units->device.window;
	const char *first = !host || (device && strcmp(device, host) < 0) ? device : host;
	char *window = first ? strdup(first) : NULL;

	units->failed |= first && !window;
	return window;
}

/*
 * Windows from one on. Steps are last in the order of the key, but are read first: phases that have
 * some are no parts.
 */
static void windows_read(struct units *units, const char *from)
{
	bool marked = false, steps = is_step(from);
	char *window;

	for (size_t i = 0; i < units->phases.n; i++)
		marked |= units->phases.at[i].steps > 0;
	finding_times_begin(&units->host, from);
	finding_times_begin(&units->device, from);
	while ((window = window_next(units)) && is_step(window) == steps) {
		bool any = shares_read(units, window);
		size_t phase = part_of(units, window, marked);
		struct phase *part = phase == FINDING_NO_PART ? NULL : &units->phases.at[phase];
		bool setup = part &&
			(strcmp(part->name, "setup") == 0 || strcmp(part->name, "init") == 0);
		double idle = finding_devices_read(units->devices, &units->device, window,
			setup ? FINDING_NO_PART : phase);

		if (part)
			unit_add(units, part, idle);
		marked |= any;
		free(window);
	}
	free(window);
}

static void scale(int64_t *sum, double by)
{
	*sum = llround((double)*sum * by);
}

/*
 * Rows represent about as many steps as there are: the sums are to be those of all, of no more time
 * than these took.
 */
static void rest_add(struct units *units, sqlite3_stmt *select)
{
	while (query_row_next(select, &units->failed)) {
		size_t number = phase_find(units, (const char *)sqlite3_column_text(select, 0));
		struct phase *phase = number == FINDING_NO_PART ? NULL : &units->phases.at[number];
		int64_t rest = sqlite3_column_int64(select, 1);
		double by;

		if (!phase || !phase->steps)
			continue;
		by = (double)(phase->steps + rest) / (double)phase->stood_for;
		if (phase->longest > 0)
			by = fmin(by, sqlite3_column_double(select, 2) / (double)phase->longest);
		phase->steps += rest;
		scale(&phase->useful, by);
		scale(&phase->ns, by);
		scale(&phase->longest, by);
		scale(&phase->outside, by);
		phase->starved *= by;
		phase->io *= by;
		for (size_t r = 0; r < units->ranks.n; r++) {
			scale(&phase->by_rank[r].outside, by);
			scale(&phase->by_rank[r].work, by);
		}
	}
}

/*
 * Where only a part of the run is in detail, ranks may have different steps in it. The parts then
 * add up to more than the detail of an average rank, of which the rules are: make them as long.
 */
static void detail_fit(struct units *units, sqlite3_stmt *select)
{
	double longest = 0, by;

	for (size_t i = 0; i < units->phases.n; i++)
		longest += (double)units->phases.at[i].longest;
	if (!query_row_next(select, &units->failed) || longest <= 0)
		return;
	by = fmin(1, sqlite3_column_double(select, 0) / longest);
	for (size_t i = 0; i < units->phases.n; i++) {
		struct phase *phase = &units->phases.at[i];

		scale(&phase->longest, by);
		scale(&phase->outside, by);
		phase->starved *= by;
		phase->io *= by;
	}
	for (size_t c = 0; c < NCAUSES; c++)
		units->lacking[c] *= by;
}

static void ranks_write(struct units *units, const struct phase *phase)
{
	for (size_t r = 0; r < units->ranks.n; r++) {
		const struct sum *sum = &phase->by_rank[r];

		if (!sum->units)
			continue;
		sqlite3_bind_text(units->rank_put, 1, phase->name, -1, SQLITE_STATIC);
		sqlite3_bind_int64(units->rank_put, 2, units->ranks.at[r].rank);
		sqlite3_bind_int64(units->rank_put, 3, sum->outside);
		sqlite3_bind_int64(units->rank_put, 4, sum->work);
		sqlite3_bind_double(units->rank_put, 5, (double)sum->above / (double)sum->units);
		query_row_put(units->rank_put, &units->failed);
	}
}

static void phases_write(struct units *units)
{
	for (size_t i = 0; i < units->phases.n && !units->failed; i++) {
		const struct phase *phase = &units->phases.at[i];

		if (!phase->ranks) /* no part is of it */
			continue;
		sqlite3_bind_text(units->phase_put, 1, phase->name, -1, SQLITE_STATIC);
		sqlite3_bind_int64(units->phase_put, 2, phase->steps);
		sqlite3_bind_int64(units->phase_put, 3, phase->ranks);
		sqlite3_bind_int64(units->phase_put, 4, phase->useful);
		sqlite3_bind_int64(units->phase_put, 5, phase->ns);
		sqlite3_bind_int64(units->phase_put, 6, phase->longest);
		sqlite3_bind_int64(units->phase_put, 7, phase->outside);
		sqlite3_bind_double(units->phase_put, 8, phase->starved);
		sqlite3_bind_double(units->phase_put, 9, phase->io);
		query_row_put(units->phase_put, &units->failed);
		ranks_write(units, phase);
		finding_devices_write(units->devices, i, phase->name);
	}
}

static void lacking_write(struct units *units, sqlite3_stmt *put)
{
	for (size_t c = 0; c < NCAUSES && !units->failed; c++) {
		sqlite3_bind_text(put, 1, causes[c], -1, SQLITE_STATIC);
		sqlite3_bind_double(put, 2, units->lacking[c]);
		query_row_put(put, &units->failed);
	}
}

static void ranks_read(struct units *units, sqlite3_stmt *select)
{
	while (query_row_next(select, &units->failed)) {
		struct rank *rank = ARRAY_ADD(&units->ranks);

		if (rank)
			*rank = (struct rank){ .process = sqlite3_column_int64(select, 0),
				.rank = sqlite3_column_int64(select, 1),
				.busy = sqlite3_column_int(select, 2) };
		for (size_t c = 0; rank && c < NCAUSES; c++)
			rank->without[c] = sqlite3_column_double(select, 3 + (int)c);
		units->failed |= !rank;
	}
	units->shares = calloc(units->ranks.n + 1, sizeof(*units->shares));
	units->failed |= !units->shares;
}

static void units_free(struct units *units)
{
	for (size_t i = 0; i < units->phases.n; i++) {
		free(units->phases.at[i].name);
		free(units->phases.at[i].by_rank);
	}
	for (size_t i = 0; i < units->ranks.n; i++)
		free(units->ranks.at[i].steps.at);
	free(units->phases.at);
	free(units->ranks.at);
	free(units->shares);
	sqlite3_finalize(units->host.select);
	sqlite3_finalize(units->device.select);
	sqlite3_finalize(units->steps_of_rank);
	sqlite3_finalize(units->phase_name);
	sqlite3_finalize(units->readers);
	sqlite3_finalize(units->phase_put);
	sqlite3_finalize(units->rank_put);
}

int finding_units_make(sqlite3 *handle, int64_t run_id, const struct step_rows *steps)
{
	struct units units = { .failed = sqlite3_exec(handle, tables_sql, NULL, NULL, NULL) !=
			SQLITE_OK };
	bool *failed = &units.failed;
	sqlite3_stmt *ranks = query_prepare(handle, ranks_sql, run_id, failed), *lacking;
	sqlite3_stmt *rest = query_prepare(handle, rest_sql, run_id, failed);
	sqlite3_stmt *detail = query_prepare(handle, detail_sql, run_id, failed);

	units.host = finding_times_open(handle, host_sql, run_id, failed);
	units.device = finding_times_open(handle, device_sql, run_id, failed);
	units.devices = finding_devices_open(handle, run_id, failed);
	units.steps_of_rank = query_prepare(handle, steps_sql, run_id, failed);
	units.phase_name = query_prepare(handle, phase_sql, 0, failed);
	units.readers = query_prepare(handle, readers_sql, run_id, failed);
	units.phase_put = query_prepare(handle,
		"insert into temp.finding_part values (?,?,?,?,?,?,?,?,?)", 0, failed);
	units.rank_put = query_prepare(handle, "insert into temp.finding_rank values (?,?,?,?,?)",
		0, failed);
	lacking = query_prepare(handle, "insert into temp.finding_lacking values (?,?)", 0, failed);
	if (!units.failed) {
		ranks_read(&units, ranks);
		if (steps)
			steps_take(&units, steps);
		else
			windows_read(&units, "step:");
		windows_read(&units, "");
		rest_add(&units, rest);
		detail_fit(&units, detail);
		phases_write(&units);
		lacking_write(&units, lacking);
	}
	units.failed |= finding_devices_close(units.devices) < 0;
	if (units.failed)
		log_error("cannot compute findings: %s", sqlite3_errmsg(handle));
	sqlite3_finalize(ranks);
	sqlite3_finalize(rest);
	sqlite3_finalize(detail);
	sqlite3_finalize(lacking);
	units_free(&units);
	return units.failed ? -1 : 0;
}
