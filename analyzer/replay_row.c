/*
 * replay_row.c - rows of the table collective on their way into the database: gathered, and many
 * of them written by one statement; see replay.h.
 */
#include "config.h"

#include <stdlib.h>

#include "analysis.h"
#include "shard.h"

enum {
	ROWS_MOST = 1 << 12,		/* 400 KB, and less than a ring holds */
	KEPT_MOST = 1 << 17,		/* for findings, which ask for each: 12 MB */
};

struct scan { const struct replay *replay; size_t next; };

static bool scan_next(void *user, union db_value *values)
{
	struct scan *scan = user;
	const struct collective_line *line;

	if (scan->next == scan->replay->lines.n)
		return false;
	line = &scan->replay->lines.at[scan->next++];
	values[0].i = line->comm;
	values[1].i = line->number;
	values[2].s = collective_op(line->op)->name;
	values[3].i = line->bytes;
	values[4].i = line->first;
	values[5].i = line->latest;
	values[6].i = line->end;
	values[7].i = line->rank;
	values[8].d = line->algorithm;
	values[9].d = line->bus;
	values[10].d = line->raw;
	return true;
}

static void lines_send(struct analysis *analysis)
{
	struct replay *replay = &analysis->replay;

	pack_add(&analysis->shard.pack, replay->lines.at,
		replay->lines.n * sizeof(*replay->lines.at));
	pack_send(analysis, NOTE_COLLECTIVES);
	replay->lines.n = 0;
}

/* A damaged archive may tell of one twice. */
static void lines_write(struct analysis *analysis)
{
	struct replay *replay = &analysis->replay;
	struct scan scan = { replay, replay->nwritten };
	size_t n = replay->lines.n - replay->nwritten;

	db_put_rows(&analysis->db,
		"insert or ignore into collective select 1, 'mpi', c0, c1, c2, c3, c4, c5, c6, c7, "
		"c8, c9, c10, NULL from rows",
		&(struct db_rows){ "iisiiiiiddd", scan_next, &scan });
	replay->nwritten = replay->lines.n;
	replay->lines_partly |= (size_t)sqlite3_changes(analysis->db.handle) != n;
	if (replay->lines.n >= KEPT_MOST) {
		replay->lines_partly = true;
		replay->lines.n = replay->nwritten = 0;
	}
}

void collective_lines_flush(struct analysis *analysis)
{
	if (analysis->replay.lines.n == analysis->replay.nwritten)
		return;
	if (analysis->shard.self)
		lines_send(analysis);
	else
		lines_write(analysis);
}

void collective_line_add(struct analysis *analysis, const struct collective_line *line)
{
	struct replay *replay = &analysis->replay;
	struct collective_line *at = ARRAY_ADD(&replay->lines);

	if (at)
		*at = *line;
	else
		analysis->failed = true;
	if (replay->lines.n - replay->nwritten >= ROWS_MOST)
		collective_lines_flush(analysis);
}

void collective_lines_take(struct analysis *analysis, const struct note *note)
{
	const char *at = note->data;

	for (size_t n = note->head.size / sizeof(struct collective_line); n; n--) {
		struct collective_line line;

		unpack(&at, &line, sizeof(line));
		if (collective_op(line.op))
			collective_line_add(analysis, &line);
	}
}

static int compare_lines(const void *a, const void *b)
{
	const struct collective_line *x = a, *y = b;

	return x->comm != y->comm ? (x->comm > y->comm) - (x->comm < y->comm) :
		(x->number > y->number) - (x->number < y->number);
}

bool collective_lines_sort(struct analysis *analysis)
{
	const struct replay *replay = &analysis->replay;

	if (replay->lines_partly)
		return false;
	for (size_t i = 1; i < replay->lines.n; i++)
		if (compare_lines(&replay->lines.at[i - 1], &replay->lines.at[i]) > 0) {
			qsort(replay->lines.at, replay->lines.n, sizeof(*replay->lines.at),
				compare_lines);
			break;
		}
	return true;
}
