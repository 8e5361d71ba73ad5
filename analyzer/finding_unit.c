/*
 * finding_unit.c - the parts of a run that end when the slowest rank is through: steps, phases
 * without steps, or the run when nothing is marked; see finding.h. Steps are many, so this is one
 * walk through host_time in the order of its key, and what is kept is a row per part.
 *
 * `outside` is the time outside of MPI: what a rank does itself. Without x of it in the ranks, a
 * part would be shorter by max(outside) - max(outside - x) over the ranks: the model of most rules.
 */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "finding_unit.h"
#include "log.h"
#include "table.h"

/*
 * finding_unit, of a part: ranks that had it; useful time of them all, and time; the longest time
 * of one, and outside of MPI; by how much it would be shorter if busy readers kept nobody waiting,
 * and if main threads did no I/O. finding_rank, of a rank in a phase, its parts added up; work:
 * outside, less waiting; above: share of the parts in which it had more outside than the average.
 * finding_lacking, of a cause: by how much all parts would be shorter if ranks had not waited for
 * cores by it; a rank waited all the time the same.
 */
static const char tables_sql[] =
	"create temp table finding_unit(unit text primary key, phase text, ranks integer,"
	" useful integer, ns integer, longest integer, outside integer, starved integer,"
	" io integer) without rowid;"
	"create temp table finding_rank(phase text, rank integer, outside integer, work integer,"
	" above real, primary key (phase, rank)) without rowid;"
	"create temp table finding_lacking(cause text primary key, ns real) without rowid;";

/* Who had the cores that ranks waited for: the columns of finding_without. */
static const char *const causes[] = { "others", "own", "unused" };

#define NCAUSES	(sizeof(causes) / sizeof(*causes))

static const char ranks_sql[] =
	"select p.id, p.rank, coalesce(b.busy, 0), coalesce(w.others, 0), coalesce(w.own, 0),"
	" coalesce(w.unused, 0) from process p "
	"left join temp.finding_without w on w.process_id = p.id left join "
	"(select rank, sum(io) + sum(useful) >= 0.5 * sum(life) as busy from temp.finding_reader "
	"group by rank) b "
	"on b.rank = p.rank where p.run_id = ?1 and p.rank is not null order by p.id";

static const char times_sql[] =
	"select \"window\", process_id, state, ns from host_time where run_id = ?1 order by "
	"\"window\", process_id";

static const char phase_sql[] =
	"select coalesce(f.name, '') from step s left join phase f on f.id = s.phase_id "
	"where s.run_id = ?1 and s.process_id = ?2 and s.n = ?3";

struct rank { int64_t process, rank; bool busy; double without[NCAUSES]; /* shares of its time */ };

/* What a rank did in a part. */
struct share { int64_t useful, io, mpi, wait, outside; bool any; };

struct held { char *name; struct share *shares; };	/* a phase or the run: whether it is a part shows in the end */

struct sum { int64_t outside, work, above, units; };

struct phase { char *name; bool has_steps; struct sum *ranks; };

struct units {
	sqlite3_stmt *phase_of_step, *unit_put, *rank_put;
	ARRAY_OF(struct rank) ranks;
	ARRAY_OF(struct phase) phases;
	ARRAY_OF(struct held) held;
	struct share *shares;		/* by rank, of the present window */
	double lacking[NCAUSES];	/* ns */
	char *window;
	bool failed;
};

static struct phase *phase_find(struct units *units, const char *name)
{
	struct phase *phase;

	for (size_t i = units->phases.n; i > 0; i--)
		if (strcmp(units->phases.at[i - 1].name, name) == 0)
			return &units->phases.at[i - 1];
	phase = ARRAY_ADD(&units->phases);
	if (!phase)
		return NULL;
	phase->name = strdup(name);
	phase->ranks = calloc(units->ranks.n + 1, sizeof(*phase->ranks));
	return phase->name && phase->ranks ? phase : NULL;
}

static void ranks_add(const struct units *units, struct phase *phase, const struct share *shares,
		double mean)
{
	for (size_t i = 0; i < units->ranks.n; i++) {
		struct sum *sum = &phase->ranks[i];

		if (!shares[i].any)
			continue;
		sum->outside += shares[i].outside;
		sum->work += shares[i].outside - shares[i].wait;
		sum->above += (double)shares[i].outside > mean;
		sum->units++;
	}
}

static int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* What is left of the longest time is that of moving data, in which any rank may lack its core. */
static void lacking_add(struct units *units, const struct share *shares, int64_t outside,
		int64_t rest)
{
	for (size_t c = 0; c < NCAUSES; c++) {
		double left = 0, sum = 0;
		size_t n = 0;

		for (size_t i = 0; i < units->ranks.n; i++) {
			double without = units->ranks.at[i].without[c];

			left = fmax(left, (double)shares[i].outside * (1 - without));
			sum += shares[i].any ? without : 0;
			n += shares[i].any;
		}
		units->lacking[c] += (double)outside - left + (double)rest * sum / (double)n;
	}
}

static void unit_add(struct units *units, const char *name, struct phase *phase,
		const struct share *shares)
{
	struct share sums = { 0 };
	int64_t ranks = 0, longest = 0, outside = 0, fed = 0, without_io = 0;

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
		fed = most(fed, share->outside - (units->ranks.at[i].busy ? share->wait : 0));
		without_io = most(without_io, share->outside - share->io);
	}
	if (!ranks)
		return;
	ranks_add(units, phase, shares, (double)sums.outside / (double)ranks);
	lacking_add(units, shares, outside, longest - outside);
	sqlite3_bind_text(units->unit_put, 1, name, -1, SQLITE_STATIC);
	sqlite3_bind_text(units->unit_put, 2, phase->name, -1, SQLITE_STATIC);
	sqlite3_bind_int64(units->unit_put, 3, ranks);
	sqlite3_bind_int64(units->unit_put, 4, sums.useful);
	sqlite3_bind_int64(units->unit_put, 5, sums.outside + sums.mpi);
	sqlite3_bind_int64(units->unit_put, 6, longest);
	sqlite3_bind_int64(units->unit_put, 7, outside);
	sqlite3_bind_int64(units->unit_put, 8, outside - fed);
	sqlite3_bind_int64(units->unit_put, 9, outside - without_io);
	finding_row_put(units->unit_put, &units->failed);
}

/* The phase of a step is that of its first rank; NULL: no rank had it. */
static struct phase *step_phase(struct units *units)
{
	struct phase *phase = NULL;
	size_t first = 0;

	while (first < units->ranks.n && !units->shares[first].any)
		first++;
	if (first == units->ranks.n)
		return NULL;
	sqlite3_bind_int64(units->phase_of_step, 2, units->ranks.at[first].process);
	sqlite3_bind_int64(units->phase_of_step, 3,
		strtoll(units->window + strlen("step:"), NULL, 10));
	if (sqlite3_step(units->phase_of_step) == SQLITE_ROW) {
		phase = phase_find(units,
			(const char *)sqlite3_column_text(units->phase_of_step, 0));
		units->failed |= !phase;
	}
	sqlite3_reset(units->phase_of_step);
	if (phase)
		phase->has_steps = true;
	return phase;
}

static void window_end(struct units *units)
{
	struct held *held;
	struct phase *phase;

	if (!units->window || units->failed)
		return;
	if (strncmp(units->window, "step:", 5) == 0) {
		phase = step_phase(units);
		if (phase)
			unit_add(units, units->window, phase, units->shares);
		memset(units->shares, 0, units->ranks.n * sizeof(*units->shares));
		free(units->window);
	} else if ((held = ARRAY_ADD(&units->held))) {
		*held = (struct held){ units->window, units->shares };
		units->shares = calloc(units->ranks.n + 1, sizeof(*units->shares));
		units->failed |= !units->shares;
	} else {
		units->failed = true;
		return;
	}
	units->window = NULL;
}

static void share_add(struct share *share, const char *state, int64_t ns)
{
	switch (state[0]) {
	case 'a': return;			/* absent */
	case 'm': share->mpi += ns; break;
	case 'u': share->useful += ns; break;
	case 'i': share->io += ns; break;
	case 'w': share->wait += ns; break;
	default: break;
	}
	share->outside += state[0] == 'm' ? 0 : ns;
	share->any = true;
}

static void times_read(struct units *units, sqlite3_stmt *select)
{
	size_t at = 0;

	while (finding_row_next(select, &units->failed)) {
		const char *window = (const char *)sqlite3_column_text(select, 0);
		int64_t process = sqlite3_column_int64(select, 1);

		if (!units->window || strcmp(window, units->window) != 0) {
			window_end(units);
			free(units->window);	/* after a failure */
			units->window = strdup(window);
			units->failed |= !units->window;
			at = 0;
		}
		while (at < units->ranks.n && units->ranks.at[at].process < process)
			at++;
		if (at < units->ranks.n && units->ranks.at[at].process == process && !units->failed)
			share_add(&units->shares[at], (const char *)sqlite3_column_text(select, 2),
				sqlite3_column_int64(select, 3));
	}
	window_end(units);
}

/* Phases without steps are parts; the run is when there are neither phases nor steps. */
static void held_write(struct units *units)
{
	bool steps = units->phases.n > 0, marked = steps || units->held.n > 1;

	for (size_t i = 0; i < units->held.n && !units->failed; i++) {
		const char *name = units->held.at[i].name;
		bool is_phase = strncmp(name, "phase:", 6) == 0;
		struct phase *phase = !is_phase && marked ? NULL :
			phase_find(units, is_phase ? name + 6 : "");

		if (phase && !phase->has_steps)
			unit_add(units, name, phase, units->held.at[i].shares);
	}
}

static void phases_write(struct units *units)
{
	for (size_t i = 0; i < units->phases.n; i++)
		for (size_t r = 0; r < units->ranks.n; r++) {
			const struct sum *sum = &units->phases.at[i].ranks[r];

			if (!sum->units)
				continue;
			sqlite3_bind_text(units->rank_put, 1, units->phases.at[i].name, -1,
				SQLITE_STATIC);
			sqlite3_bind_int64(units->rank_put, 2, units->ranks.at[r].rank);
			sqlite3_bind_int64(units->rank_put, 3, sum->outside);
			sqlite3_bind_int64(units->rank_put, 4, sum->work);
			sqlite3_bind_double(units->rank_put, 5,
				(double)sum->above / (double)sum->units);
			finding_row_put(units->rank_put, &units->failed);
		}
}

static void lacking_write(struct units *units, sqlite3_stmt *put)
{
	for (size_t c = 0; c < NCAUSES && !units->failed; c++) {
		sqlite3_bind_text(put, 1, causes[c], -1, SQLITE_STATIC);
		sqlite3_bind_double(put, 2, units->lacking[c]);
		finding_row_put(put, &units->failed);
	}
}

static void ranks_read(struct units *units, sqlite3_stmt *select)
{
	while (finding_row_next(select, &units->failed)) {
		struct rank *rank = ARRAY_ADD(&units->ranks);

		if (rank)
			*rank = (struct rank){ sqlite3_column_int64(select, 0),
				sqlite3_column_int64(select, 1), sqlite3_column_int(select, 2),
				{ 0 } };
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
		free(units->phases.at[i].ranks);
	}
	for (size_t i = 0; i < units->held.n; i++) {
		free(units->held.at[i].name);
		free(units->held.at[i].shares);
	}
	free(units->phases.at);
	free(units->held.at);
	free(units->ranks.at);
	free(units->shares);
	free(units->window);
	sqlite3_finalize(units->phase_of_step);
	sqlite3_finalize(units->unit_put);
	sqlite3_finalize(units->rank_put);
}

int finding_units_make(sqlite3 *handle, int64_t run_id)
{
	struct units units =
		{ .failed = sqlite3_exec(handle, tables_sql, NULL, NULL, NULL) != SQLITE_OK };
	bool *failed = &units.failed;
	sqlite3_stmt *ranks = finding_prepare(handle, ranks_sql, run_id, failed);
	sqlite3_stmt *times = finding_prepare(handle, times_sql, run_id, failed);
	sqlite3_stmt *lacking = NULL;

	units.phase_of_step = finding_prepare(handle, phase_sql, run_id, failed);
	units.unit_put = finding_prepare(handle,
		"insert into temp.finding_unit values (?,?,?,?,?,?,?,?,?)", 0, failed);
	units.rank_put = finding_prepare(handle, "insert into temp.finding_rank values (?,?,?,?,?)",
		0, failed);
	lacking = finding_prepare(handle, "insert into temp.finding_lacking values (?,?)", 0,
		failed);
	if (!units.failed) {
		ranks_read(&units, ranks);
		times_read(&units, times);
		held_write(&units);
		phases_write(&units);
		lacking_write(&units, lacking);
	}
	if (units.failed)
		log_error("cannot look for findings: %s", sqlite3_errmsg(handle));
	sqlite3_finalize(ranks);
	sqlite3_finalize(times);
	sqlite3_finalize(lacking);
	units_free(&units);
	return units.failed ? -1 : 0;
}
