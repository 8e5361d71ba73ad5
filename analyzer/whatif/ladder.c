/* ladder.c - see ladder.h. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "db/query.h"
#include "whatif/ladder.h"

#define LEAST_SHARE  0.01 /* of the time, see least_of(): what saves less is not in the ladder */
#define HAS_SHARE    0.01 /* of a rank's own time in a step: it has the part there */
#define PLACE_SHARE  0.5  /* of a rank's time in a part: the place has most of it */
#define PLACE_MOST   1.5  /* of it: samples are of the whole run, and sampled */
#define SIGNED_LEAST 0.5 /* of a rank's excess that its deficits may not cancel: noise cancels it */

/*
 * Where each rank was in a part, longest first: lines of the children that load its data, with their share
 * of that time (kind -1), lines of Python of its main thread (kind 0), then calls (kind 1), for programs
 * in other languages. NULL where it waited for its own threads: the sums
 * of a step do not show what these did. Time in recv and read is I/O of a file or a wait at a socket: the
 * line may be the place of either.
 */
static const char places_sql[] =
	"with slept as (select distinct p.rank, substr(m.subject, length('rank:' || p.rank || ':') + 1)"
	" as name, m.value as ns from process p join metric m on m.run_id = p.run_id"
	" and m.\"window\" = 'run' and m.model = 'host' and m.name = 'slept_in'"
	" and m.subject glob 'rank:' || p.rank || ':*' where p.run_id = ?1 and p.rank is not null),"
	" line as (select p.rank, case when s.state = 'io' then 'io' when exists (select 1 from slept t"
	" where t.name = s.call or t.name glob s.call || ' (*') then 'sleep' else 'wait' end as part,"
	" case when s.call glob 'pthread_*' or s.call glob 'sem_*' then null else"
	" case o.function when '<module>' then '' else o.function || '() at ' end"
	" || replace(o.file, rtrim(o.file, replace(o.file, '/', '')), '') || ':'"
	" || coalesce(o.line, '?') end as place, sum(s.ns) as ns"
	" from python_sample s join process p on p.id = s.process_id"
	" join location l on l.id = s.location_id join python_frame f on f.id = s.frame_id"
	" join python_frame o on o.id = coalesce(f.own_id, f.id)"
	" where s.run_id = ?1 and p.rank is not null and l.is_main and (s.state in ('wait', 'io')"
	" or s.state in ('loading', 'forward', 'backward', 'optimizer', 'checkpoint', 'computing')"
	" and s.call in (select name from call where run_id = ?1 and class = 'wait'))"
	" group by 1, 2, 3), child as (select rank, case function when '<module>' then '' else function || '() at '"
	" end || replace(file, rtrim(file, replace(file, '/', '')), '') || ':' || coalesce(line, '?')"
	" as place, sum(ns) as ns from python_line where run_id = ?1 and rank is not null"
	" and thread = 'child' and state = 'loading' group by 1, 2)"
	" select rank, part, 0 as kind, place, ns from line"
	" union all select rank, 'readers', -1, place, 1.0 * ns / sum(ns) over (partition by rank)"
	" from child"
	" union all select rank, 'wait', 0, place, ns from line where part = 'io'"
	" union all select rank, 'sleep', 1, name, ns from slept"
	" union all select p.rank, c.class, 1, case when c.name glob 'pthread_*'"
	" or c.name glob 'sem_*' then null else c.name end, c.total_ns - c.helper_ns"
	" from call c join process p on p.id = c.process_id"
	" where c.run_id = ?1 and p.rank is not null and c.class in ('wait', 'io')"
	" and not exists (select 1 from slept t where t.rank = p.rank and t.name = c.name)"
	" order by 1, 2, 3, 5 desc";

/* What is known of each rank and part. */
struct whole {
	double ns, signed_ns; /* COMPUTE: less in steps in which it is below the others */
	char *place;
	bool placed; /* whatever the place is */
};

static int part_find(const char *name)
{
	for (int part = 0; part < OWN_PART_COUNT; part++)
		if (strcmp(own_part_names[part], name) == 0)
			return part;
	return -1;
}

static int rank_find(const struct step_model *model, int64_t rank)
{
	for (size_t i = 0; i < model->ranks.n; i++)
		if (model->ranks.at[i] == rank)
			return (int)i;
	return -1;
}

static struct whole *whole_of(struct whole *wholes, int rank, int part)
{
	return &wholes[rank * OWN_PART_COUNT + part];
}

static void wholes_sum(const struct step_model *model, struct whole *wholes)
{
	for (size_t i = 0; i < model->outside.n; i++)
		whole_of(wholes, (int)model->outside.at[i].rank, OWN_SLEEP_OUTSIDE)
			->ns = model->outside.at[i].part[OWN_SLEEP_OUTSIDE];
	for (size_t i = 0; i < model->steps.n; i++) {
		const struct step_own *step = &model->steps.at[i];

		for (int part = 0; part < OWN_SLEEP_OUTSIDE; part++)
			whole_of(wholes, (int)step->rank, part)->ns += step->part[part] *
				step->stands_for;
		whole_of(wholes, (int)step->rank, OWN_COMPUTE)->signed_ns += step->compute *
			step->stands_for;
	}
}

static bool place_set(struct whole *whole, const char *place)
{
	whole->placed = true;
	whole->place = place ? strdup(place) : NULL;
	return whole->place || !place;
}

/*
 * Whether the row has most of the rank's time in the part. Rows are of the whole run: a line that has
 * more is, for the most part, outside of steps. `less`: ns of the row that another part has.
 */
static bool is_place(const struct whole *whole, sqlite3_stmt *row, double less)
{
	double ns = sqlite3_column_double(row, 4) - less;
	bool is_line = !sqlite3_column_int(row, 2);

	if (sqlite3_column_int(row, 2) < 0)
		return ns >= PLACE_SHARE; /* of what the children do */
	return ns >= PLACE_SHARE * whole->ns && (!is_line || ns <= PLACE_MOST * whole->ns);
}

static bool place_try(struct whole *whole, sqlite3_stmt *row, double less)
{
	return whole->placed || !is_place(whole, row, less) ||
		place_set(whole, (const char *)sqlite3_column_text(row, 3));
}

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* What steps have of the row's sleep: all of theirs, where it is their place. */
static double in_steps(const struct whole *steps, sqlite3_stmt *row)
{
	return steps->placed && same(steps->place, (const char *)sqlite3_column_text(row, 3))
		? steps->ns
		: 0;
}

/* The first row of a rank and part that is its place. */
static bool places_read(const struct step_model *model, sqlite3 *handle, int64_t run_id,
	struct whole *wholes)
{
	bool failed = false;
	sqlite3_stmt *select = query_prepare(handle, places_sql, run_id, &failed);

	while (query_row_next(select, &failed)) {
		int rank = rank_find(model, sqlite3_column_int64(select, 0)),
		    part = part_find((const char *)sqlite3_column_text(select, 1));

		if (rank < 0 || part < 0)
			continue;
		failed |= !place_try(whole_of(wholes, rank, part), select, 0);
		if (part == OWN_SLEEP)
			failed |= !place_try(whole_of(wholes, rank, OWN_SLEEP_OUTSIDE), select,
				in_steps(whole_of(wholes, rank, OWN_SLEEP), select));
		if (part == OWN_WAIT) /* a wait for readers is at the line of the wait */
			failed |= !place_try(whole_of(wholes, rank, OWN_READERS), select, 0);
	}
	sqlite3_finalize(select);
	return !failed;
}

/* --- causes --- */

/* Ranks that compute more are a cause each; other parts are one of all ranks at the same place. */
static struct cause *cause_of(struct ladder *ladder, enum own_part part, const char *place)
{
	struct cause *cause;

	for (size_t i = 0; part != OWN_COMPUTE && i < ladder->causes.n; i++)
		if (ladder->causes.at[i].part == part && same(ladder->causes.at[i].place, place))
			return &ladder->causes.at[i];
	cause = ARRAY_ADD(&ladder->causes);
	if (!cause)
		return NULL;
	cause->part = part;
	cause->place = place ? strdup(place) : NULL;
	cause->has = calloc(ladder->model.ranks.n, 1);
	return cause->has && (cause->place || !place) ? cause : NULL;
}

/* Chance gives each rank as much too little as too much computing. */
static bool is_noise(enum own_part part, const struct whole *whole)
{
	return part == OWN_COMPUTE && whole->signed_ns < SIGNED_LEAST * whole->ns;
}

/* Seconds that a cause has to save: a share of the steps, outside of them of the run. */
static double least_of(const struct ladder *ladder, const struct step_left *left,
	enum own_part part)
{
	double all_s = step_model_time(&ladder->model, left);

	if (part == OWN_SLEEP_OUTSIDE)
		all_s += step_model_time_of(&ladder->model, left, part);
	return LEAST_SHARE * all_s;
}

static bool causes_collect(struct ladder *ladder, struct whole *wholes,
	const struct step_left *left)
{
	for (int rank = 0; rank < (int)ladder->model.ranks.n; rank++)
		for (int part = 0; part < OWN_PART_COUNT; part++) {
			struct whole *whole = whole_of(wholes, rank, part);
			struct cause *cause;

			if (!whole->ns || whole->ns < 1e9 * least_of(ladder, left, part) ||
				is_noise(part, whole))
				continue;
			cause = cause_of(ladder, part, whole->place);
			if (!cause)
				return false;
			cause->has[rank] = 1;
			cause->nranks++;
			cause->own_s += whole->ns / 1e9;
		}
	for (size_t i = 0; i < ladder->causes.n; i++)
		ladder->causes.at[i].own_s /= (double)ladder->causes.at[i].nranks;
	return true;
}

/* In which steps its ranks have it. */
static void cause_steps(const struct step_model *model, struct cause *cause)
{
	int64_t counted = -1;

	cause->first = -1;
	for (size_t i = 0; i < model->steps.n; i++) {
		const struct step_own *step = &model->steps.at[i];

		if (!cause->has[step->rank] || step->n == counted ||
			step->part[cause->part] <= HAS_SHARE * step->own)
			continue;
		counted = step->n;
		cause->steps += step->stands_for;
		cause->first = cause->first < 0 ? step->n : cause->first;
		cause->last = step->n;
	}
}

static char *ranks_text(const struct ladder *ladder, const struct cause *cause)
{
	const int64_t *ranks = ladder->model.ranks.at;
	size_t n = ladder->model.ranks.n, length = 0;
	char *text = malloc(n * 42 + 1);

	for (size_t i = 0, end; text && i < n; i = end) {
		for (end = i + 1; cause->has[i] && end < n && cause->has[end]; end++)
			;
		if (!cause->has[i])
			continue;
		length += (size_t)sprintf(text + length, "%s%lld", length ? "," : "",
			(long long)ranks[i]);
		if (end > i + 1)
			length += (size_t)sprintf(text + length, "%c%lld", end > i + 2 ? '-' : ',',
				(long long)ranks[end - 1]);
	}
	return text;
}

/* --- the ladder --- */

static void take_out(const struct ladder *ladder, const struct cause *cause, struct step_left *left)
{
	for (size_t i = 0; i < ladder->model.ranks.n; i++)
		if (cause->has[i])
			left[i].part[cause->part] = 0;
}

const struct cause *ladder_next(const struct ladder *ladder, struct step_left *left,
	double *after_s)
{
	const struct cause *found = NULL;
	double most_s = 0;

	for (size_t i = 0; i < ladder->causes.n; i++) {
		const struct cause *cause = &ladder->causes.at[i];
		double without_s = step_model_without(&ladder->model, left, cause->part,
			       cause->has),
		       saves_s = step_model_time_of(&ladder->model, left, cause->part) - without_s;

		if (saves_s > most_s && saves_s >= least_of(ladder, left, cause->part)) {
			most_s = saves_s;
			*after_s = without_s;
			found = cause;
		}
	}
	return found;
}

static void climb(struct ladder *ladder, struct step_left *left)
{
	const struct cause *next;
	double after_s;

	while ((next = ladder_next(ladder, left, &after_s))) {
		struct cause cause = *next, *to = &ladder->causes.at[ladder->n++];

		cause.before_s = step_model_time_of(&ladder->model, left, cause.part);
		cause.after_s = after_s;
		ladder->causes.at[next - ladder->causes.at] = *to;
		*to = cause;
		take_out(ladder, &cause, left);
	}
	ladder->ideal_s = step_model_time(&ladder->model, left);
}

struct step_left *ladder_all_left(const struct ladder *ladder)
{
	struct step_left *left = calloc(ladder->model.ranks.n, sizeof(*left));

	for (size_t i = 0; left && i < ladder->model.ranks.n; i++)
		for (int part = 0; part < OWN_PART_COUNT; part++)
			left[i].part[part] = 1;
	if (!left)
		log_error("out of memory for %zu ranks", ladder->model.ranks.n);
	return left;
}

static bool made(struct ladder *ladder, sqlite3 *handle, int64_t run_id, struct whole *wholes,
	struct step_left *left)
{
	wholes_sum(&ladder->model, wholes);
	if (!places_read(&ladder->model, handle, run_id, wholes) ||
		!causes_collect(ladder, wholes, left))
		return false;
	climb(ladder, left);
	for (size_t i = 0; i < ladder->causes.n; i++) {
		struct cause *cause = &ladder->causes.at[i];

		cause_steps(&ladder->model, cause);
		cause->rank_list = ranks_text(ladder, cause);
		if (!cause->rank_list)
			return false;
	}
	return true;
}

int ladder_make(struct ladder *ladder, sqlite3 *handle, int64_t run_id)
{
	struct step_left *left = NULL;
	struct whole *wholes = NULL;
	int ret = -1;

	*ladder = (struct ladder){ 0 };
	if (step_model_read(&ladder->model, handle, run_id) < 0)
		return -1;
	if (!ladder->model.steps.n && !ladder->model.outside.n)
		return 0;
	left = ladder_all_left(ladder);
	wholes = calloc(ladder->model.ranks.n * OWN_PART_COUNT, sizeof(*wholes));
	if (left && wholes && made(ladder, handle, run_id, wholes, left))
		ret = 0;
	else
		log_error("cannot find the causes: %s", sqlite3_errmsg(handle));
	for (size_t i = 0; wholes && i < ladder->model.ranks.n * OWN_PART_COUNT; i++)
		free(wholes[i].place);
	free(wholes);
	free(left);
	return ret;
}

void ladder_free(struct ladder *ladder)
{
	for (size_t i = 0; i < ladder->causes.n; i++) {
		free(ladder->causes.at[i].place);
		free(ladder->causes.at[i].rank_list);
		free(ladder->causes.at[i].has);
	}
	free(ladder->causes.at);
	step_model_free(&ladder->model);
}

/* --- questions --- */

/* What a question names; part and rank -1, place NULL: any. */
struct wanted {
	int part, rank;
	const char *place;
};

static int word_read(const struct ladder *ladder, char *word, struct wanted *wanted)
{
	char *value = strchr(word, '='), *end;

	if (value)
		*value++ = '\0';
	if (value && strcmp(word, "rank") == 0) {
		wanted->rank = rank_find(&ladder->model, strtoll(value, &end, 10));
		if (wanted->rank >= 0 && end != value && !*end)
			return 0;
		log_error("rank=%s: the run has no such rank", value);
	} else if (value && strcmp(word, "part") == 0) {
		wanted->part = part_find(value);
		if (wanted->part >= 0)
			return 0;
		log_error(
			"part=%s: a part is sleep, readers, wait, io, omp_idle, compute or sleep_outside",
			value);
	} else if (value && *value && strcmp(word, "line") == 0) {
		wanted->place = value;
		return 0;
	} else
		log_error("%s: expected rank=N, part=NAME or line=TEXT", word);
	return -1;
}

static int fitting(const struct ladder *ladder, const struct wanted *wanted, struct step_left *left)
{
	int n = 0;

	for (size_t i = 0; i < ladder->causes.n; i++) {
		const struct cause *cause = &ladder->causes.at[i];

		if ((wanted->part >= 0 && cause->part != (enum own_part)wanted->part) ||
			(wanted->place &&
				(!cause->place || !strstr(cause->place, wanted->place))) ||
			(wanted->rank >= 0 && !cause->has[wanted->rank]))
			continue;
		n++;
		for (size_t r = 0; r < ladder->model.ranks.n; r++)
			if (cause->has[r] && (wanted->rank < 0 || (size_t)wanted->rank == r))
				left[r].part[cause->part] = 0;
	}
	return n;
}

int ladder_without(const struct ladder *ladder, const char *what, struct step_left *left)
{
	struct wanted wanted = { -1, -1, NULL };
	char *copy = strdup(what), *rest = NULL;
	int ret = copy ? 0 : -1;

	for (char *word = copy ? strtok_r(copy, " ", &rest) : NULL; word && ret == 0;
		word = strtok_r(NULL, " ", &rest))
		ret = word_read(ladder, word, &wanted);
	if (ret == 0)
		ret = fitting(ladder, &wanted, left);
	free(copy);
	return ret;
}
