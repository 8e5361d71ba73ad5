/*
 * finding_collective.c - what rules ask of all collectives, which may be millions: one walk through
 * them in the order of their key; see finding_unit.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "advise/finding.h"
#include "advise/finding_unit.h"
#include "base/log.h"
#include "db/query.h"
#include "base/containers.h"

/* Up to it a collective takes its latency, and beyond it what moving its data takes. */
#define SMALL_BYTES 65536

/* One of NCCL that begins so soon after another is launched right after it. */
#define BEHIND_NS 50000

/*
 * finding_collective, of an operation on a communicator: calls, and ns from when the last had come
 * to the end; of small ones calls, bytes and ns, those of NCCL without what was under the one
 * before, and the lower quartile. Of small ones of NCCL right after another: ns in which ranks
 * waited for each other though they had just met, and the gaps before.
 * finding_allreduce, of a size of MPI's large ones: calls, the lower quartile and the lowest tenth
 * of their ns.
 */
static const char tables_sql[] =
	"create temp table finding_collective(kind text, comm_id integer, op text, calls integer,"
	" ns integer, small integer, small_bytes integer, small_ns integer,"
	" small_quarter_ns integer, waited_ns integer, gap_ns integer,"
	" primary key (kind, comm_id, op)) without rowid;"
	"create temp table finding_allreduce(bytes integer primary key, calls integer,"
	" quarter_ns integer, tenth_ns integer);";

static const char collectives_sql[] =
	"select kind, comm_id, op, bytes, first_ns, last_ns, end_ns, last_rank from collective "
	"where run_id = ?1 order by kind, comm_id, seq";

/* Those without a row, whose waiting is as that of those with one. */
static const char rest_sql[] =
	"insert into temp.finding_collective select kind, comm_id, op, sum(calls), "
	"sum(transfer_ns), "
	"total(case when bytes <= 65536 then calls end), total(case when bytes <= 65536 then "
	"total_bytes end), total(case when bytes <= 65536 then transfer_ns end), null, 0, 0 "
	"from collective_rest where run_id = ?1 group by kind, comm_id, op "
	"on conflict(kind, comm_id, op) do update set calls = calls + excluded.calls, "
	"ns = ns + excluded.ns, small = small + excluded.small, "
	"small_bytes = small_bytes + excluded.small_bytes, "
	"small_ns = small_ns + excluded.small_ns, "
	"waited_ns = waited_ns * (calls + excluded.calls) / calls, "
	"gap_ns = gap_ns * (calls + excluded.calls) / calls";

struct values {
	ARRAY_OF(int64_t) all;
};

/* An operation on the communicator at hand. */
struct group {
	char *op;
	int64_t calls, ns, bytes, small_ns, waited, gap;
	struct values small;
};

struct size {
	int64_t bytes;
	struct values ns;
};

struct walk {
	struct finding_last *last;
	sqlite3 *handle;
	sqlite3_stmt *group_put, *size_put;
	char *kind; /* of the communicator at hand, NULL: none yet */
	int64_t comm;
	ARRAY_OF(struct group) groups;
	size_t ngroups; /* of the communicator at hand; others keep memory */
	ARRAY_OF(struct size) sizes;
	struct idmap size_of_bytes;
	int64_t before; /* when NCCL's last on it ended */
	bool has_before;
	bool failed;
};

static void value_add(struct walk *walk, struct values *values, int64_t value)
{
	int64_t *at = ARRAY_ADD(&values->all);

	if (at)
		*at = value;
	walk->failed |= !at;
}

/* The value that is `nth` from 0 in ascending order: halves are left aside instead of sorted. */
static int64_t nth_least(int64_t *at, size_t n, size_t nth)
{
	uint64_t random = n;

	while (n > 1) {
		int64_t pivot = at[(random = hash_mix(random, n)) % n];
		size_t less = 0, more = n;

		for (size_t i = 0; i < more;) {
			int64_t value = at[i];

			if (value < pivot) {
				at[i++] = at[less];
				at[less++] = value;
			} else if (value > pivot) {
				at[i] = at[--more];
				at[more] = value;
			} else {
				i++;
			}
		}
		if (nth >= less && nth < more)
			return pivot;
		n = nth < less ? less : n - more;
		at += nth < less ? 0 : more;
		nth -= nth < less ? 0 : more;
	}
	return at[0];
}

/* Of the least of all values, one in `parts` of them and at least one, the largest. */
static int64_t least_part(struct values *values, size_t parts)
{
	return nth_least(values->all.at, values->all.n, (values->all.n + parts - 1) / parts - 1);
}

static struct group *group_find(struct walk *walk, const char *op)
{
	struct group *group;

	for (size_t i = 0; i < walk->ngroups; i++)
		if (strcmp(walk->groups.at[i].op, op) == 0)
			return &walk->groups.at[i];
	group = walk->ngroups < walk->groups.n ? &walk->groups.at[walk->ngroups]
					       : ARRAY_ADD(&walk->groups);
	if (!group || !(group->op = strdup(op))) {
		walk->failed = true;
		return NULL;
	}
	walk->ngroups++;
	return group;
}

static void size_add(struct walk *walk, int64_t bytes, int64_t ns)
{
	uint32_t i = idmap_find(&walk->size_of_bytes, (uint64_t)bytes);

	if (i == IDMAP_NONE) {
		struct size *size = ARRAY_ADD(&walk->sizes);

		i = (uint32_t)walk->sizes.n - 1;
		if (!size || idmap_set(&walk->size_of_bytes, (uint64_t)bytes, i) < 0) {
			walk->failed = true;
			return;
		}
		size->bytes = bytes;
	}
	value_add(walk, &walk->sizes.at[i].ns, ns);
}

static int64_t positive(int64_t ns)
{
	return ns > 0 ? ns : 0;
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static void small_add(struct walk *walk, struct group *group, const struct finding_collective *c,
	bool nccl)
{
	int64_t before = walk->before;

	group->bytes += c->bytes;
	value_add(walk, &group->small, c->end - c->last);
	group->small_ns += nccl ? positive(c->end - later(c->last, before)) : c->end - c->last;
	if (!nccl || !walk->has_before || c->first >= before + BEHIND_NS)
		return;
	group->waited += positive(c->last - later(c->first, before));
	group->gap += positive(c->first - before);
}

static void collective_add(struct walk *walk, const struct finding_collective *c)
{
	bool nccl = strcmp(walk->kind, "nccl") == 0;
	struct group *group = group_find(walk, c->op);

	if (!group)
		return;
	group->calls++;
	group->ns += c->end - c->last;
	if (c->sized && c->bytes <= SMALL_BYTES)
		small_add(walk, group, c, nccl);
	else if (c->sized && !nccl && strcmp(c->op, "allreduce") == 0)
		size_add(walk, c->bytes, c->end - c->last);
	/* operations of a group are one kernel: they end together */
	if (nccl && strcmp(c->op, "send") != 0 && strcmp(c->op, "recv") != 0) {
		walk->before = c->end;
		walk->has_before = true;
	}
}

static void group_write(struct walk *walk, struct group *group)
{
	sqlite3_stmt *put = walk->group_put;
	bool any = group->small.all.n > 0;

	sqlite3_bind_text(put, 1, walk->kind, -1, SQLITE_STATIC);
	sqlite3_bind_int64(put, 2, walk->comm);
	sqlite3_bind_text(put, 3, group->op, -1, SQLITE_STATIC);
	sqlite3_bind_int64(put, 4, group->calls);
	sqlite3_bind_int64(put, 5, group->ns);
	sqlite3_bind_int64(put, 6, (int64_t)group->small.all.n);
	sqlite3_bind_int64(put, 7, group->bytes);
	sqlite3_bind_int64(put, 8, group->small_ns);
	if (any)
		sqlite3_bind_int64(put, 9, least_part(&group->small, 4));
	else
		sqlite3_bind_null(put, 9);
	sqlite3_bind_int64(put, 10, group->waited);
	sqlite3_bind_int64(put, 11, group->gap);
	query_row_put(put, &walk->failed);
}

/* The communicator is through. */
static void comm_end(struct walk *walk)
{
	for (size_t i = 0; i < walk->ngroups; i++) {
		struct group *group = &walk->groups.at[i];

		if (!walk->failed)
			group_write(walk, group);
		free(group->op);
		group->small.all.n = 0;
		*group = (struct group){ .small = group->small };
	}
	free(walk->kind);
	walk->kind = NULL;
	walk->ngroups = 0;
	walk->before = 0;
	walk->has_before = false;
}

static void collective_take(struct walk *walk, const struct finding_collective *c)
{
	if (!walk->kind || c->comm != walk->comm || strcmp(c->kind, walk->kind) != 0) {
		comm_end(walk);
		walk->kind = strdup(c->kind);
		walk->comm = c->comm;
		walk->failed |= !walk->kind;
	}
	if (!walk->failed)
		collective_add(walk, c);
	if (!walk->failed)
		finding_last_add(walk->last, c->rank, c->first, c->last);
}

static void collectives_read(struct walk *walk, int64_t run_id)
{
	sqlite3_stmt *row = query_prepare(walk->handle, collectives_sql, run_id, &walk->failed);

	while (query_row_next(row, &walk->failed))
		collective_take(walk,
			&(struct finding_collective){
				.kind = (const char *)sqlite3_column_text(row, 0),
				.comm = sqlite3_column_int64(row, 1),
				.op = (const char *)sqlite3_column_text(row, 2),
				.sized = sqlite3_column_type(row, 3) != SQLITE_NULL,
				.bytes = sqlite3_column_int64(row, 3),
				.first = sqlite3_column_int64(row, 4),
				.last = sqlite3_column_int64(row, 5),
				.end = sqlite3_column_int64(row, 6),
				.rank = sqlite3_column_type(row, 7) == SQLITE_NULL
					? -1
					: sqlite3_column_int64(row, 7) });
	sqlite3_finalize(row);
}

static void collectives_walk(struct walk *walk, int64_t run_id, const struct finding_rows *rows)
{
	struct finding_collective row;

	if (!rows->collective)
		collectives_read(walk, run_id);
	for (size_t i = 0; rows->collective && i < rows->n && !walk->failed; i++) {
		rows->collective(rows->user, i, &row);
		collective_take(walk, &row);
	}
	comm_end(walk);
}

static void sizes_write(struct walk *walk)
{
	for (size_t i = 0; i < walk->sizes.n && !walk->failed; i++) {
		struct size *size = &walk->sizes.at[i];

		sqlite3_bind_int64(walk->size_put, 1, size->bytes);
		sqlite3_bind_int64(walk->size_put, 2, (int64_t)size->ns.all.n);
		sqlite3_bind_int64(walk->size_put, 3, least_part(&size->ns, 4));
		sqlite3_bind_int64(walk->size_put, 4, least_part(&size->ns, 10));
		query_row_put(walk->size_put, &walk->failed);
	}
}

static void walk_free(struct walk *walk)
{
	for (size_t i = 0; i < walk->groups.n; i++)
		free(walk->groups.at[i].small.all.at);
	for (size_t i = 0; i < walk->sizes.n; i++)
		free(walk->sizes.at[i].ns.all.at);
	free(walk->groups.at);
	free(walk->sizes.at);
	idmap_free(&walk->size_of_bytes);
	sqlite3_finalize(walk->group_put);
	sqlite3_finalize(walk->size_put);
}

int finding_collectives_make(sqlite3 *handle, int64_t run_id, const struct finding_rows *rows)
{
	struct walk walk = { .handle = handle,
		.failed = sqlite3_exec(handle, tables_sql, NULL, NULL, NULL) != SQLITE_OK };
	sqlite3_stmt *rest;

	walk.last = finding_last_open(handle, &walk.failed);
	walk.group_put = query_prepare(handle,
		"insert into temp.finding_collective values (?,?,?,?,?,?,?,?,?,?,?)", 0,
		&walk.failed);
	walk.size_put = query_prepare(handle, "insert into temp.finding_allreduce values (?,?,?,?)",
		0, &walk.failed);
	rest = query_prepare(handle, rest_sql, run_id, &walk.failed);
	if (!walk.failed) {
		collectives_walk(&walk, run_id, rows);
		sizes_write(&walk);
		query_row_put(rest, &walk.failed);
	}
	sqlite3_finalize(rest);
	walk.failed |= finding_last_close(walk.last) < 0;
	if (walk.failed)
		log_error("cannot compute findings: %s", sqlite3_errmsg(handle));
	walk_free(&walk);
	return walk.failed ? -1 : 0;
}
