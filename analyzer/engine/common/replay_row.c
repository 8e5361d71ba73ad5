/*
 * replay_row.c - rows of the table collective on their way into the database: gathered, and many
 * of them written by one statement; see ../mpi/replay.h.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "tables/collective.def"

enum { ROWS_MOST = 1 << 12 }; /* 400 to 660 KB, and less than a ring holds */

const char *replay_text(struct engine *engine, const char *text)
{
	struct replay *replay = &engine->replay;
	char **at;

	/* the same few, mostly */
	for (size_t i = replay->texts.n; i > 0 && replay->texts.n - i < 64; i--)
		if (strcmp(replay->texts.at[i - 1], text) == 0)
			return replay->texts.at[i - 1];
	at = ARRAY_ADD(&replay->texts);
	if (at && (*at = strdup(text)))
		return *at;
	replay->texts.n -= at != NULL;
	engine->tables.failed = true;
	return NULL;
}

static const struct db_table table = DB_TABLE(collective, "insert or ignore", COLLECTIVE_COLUMNS);

struct channel_scan {
	const struct replay *replay;
	size_t next;
};

static bool scan_next(void *user, union db_value *values)
{
	struct channel_scan *scan = user;
	const struct collective_line *line;

	if (scan->next == scan->replay->lines.n)
		return false;
	line = &scan->replay->lines.at[scan->next++];
	DB_SET(values, COLLECTIVE_COLUMNS);
	return true;
}

static void lines_send(struct engine *engine)
{
	struct replay *replay = &engine->replay;

	for (size_t i = 0; i < replay->lines.n; i++) {
		const struct collective_line *line = &replay->lines.at[i];
		const char *variant = line->variant ? line->variant : "";

		pack_add(&engine->peers.pack, line, sizeof(*line));
		pack_add(&engine->peers.pack, variant, strlen(variant) + 1);
	}
	engine->peers.calls->send(engine, NOTE_COLLECTIVES);
	replay->lines.n = 0;
}

/* A damaged archive may report one twice. */
static void lines_write(struct engine *engine)
{
	struct channel_scan scan = { &engine->replay, 0 };

	db_put_rows(&engine->tables.db, &table, scan_next, &scan);
	engine->replay.lines.n = 0;
}

void collective_lines_flush(struct engine *engine)
{
	if (!engine->replay.lines.n)
		return;
	if (engine->peers.self)
		lines_send(engine);
	else
		lines_write(engine);
}

static void line_put(struct engine *engine, const struct collective_line *line)
{
	struct replay *replay = &engine->replay;
	struct collective_line *at = ARRAY_ADD(&replay->lines);

	if (at)
		*at = *line;
	else
		engine->tables.failed = true;
	if (replay->lines.n >= ROWS_MOST)
		collective_lines_flush(engine);
}

void collective_line_add(struct engine *engine, const struct collective_line *line)
{
	if (engine->peers.self || collective_has_row(engine, line))
		line_put(engine, line);
}

void collective_lines_end(struct engine *engine)
{
	struct collective_rests *rests = &engine->collective_rests;

	for (size_t i = 0; i < rests->longest.n; i++)
		line_put(engine, &rests->longest.at[i]);
	collective_lines_flush(engine);
	collective_rests_write(engine);
}

void collective_lines_take(struct engine *engine, const struct note *note)
{
	const char *at = note->data;

	while (at < note->data + note->head.size) {
		struct collective_line line;

		unpack(&at, &line, sizeof(line));
		line.variant = *at ? replay_text(engine, at) : NULL;
		at += strlen(at) + 1;
		if (collective_line_op(&line))
			collective_line_add(engine, &line);
	}
}
