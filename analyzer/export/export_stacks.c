/*
 * export_stacks.c - Python stacks of a run for the tools of others: folded, a line a stack for flame graphs,
 * and as speedscope's JSON with a profile for each rank and one for all.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "export/export.h"
#include "export/export_file.h"
#include "report/report_db.h"

enum { STACK_MOST = 512 };

struct stack_frame {
	int64_t id, caller; /* caller: -1: the outermost */
	char *name;	    /* "train (train.py:12)" */
};

struct stack {
	int64_t rank, ns;
	size_t n;
	uint32_t *frames; /* numbers in frames, outermost first */
	char *call;	  /* the recorded call that it was in; NULL: none */
};

struct stacks {
	ARRAY_OF(struct stack_frame) frames; /* in order of their ids */
	ARRAY_OF(struct stack) all;	     /* in order of their ranks */
	bool failed;
};

static char *column_clean(sqlite3_stmt *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(row, column);

	return text ? text_clean(text, strlen(text)) : NULL;
}

/* No ";" in a name: it parts frames in the folded format. */
static char *frame_name(sqlite3_stmt *row)
{
	char *function = column_clean(row, 2), *file = column_clean(row, 3), *name = NULL;
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (asprintf(&name, sqlite3_column_type(row, 4) == SQLITE_NULL ? "%s (%s)" : "%s (%s:%lld)",
		    function ? function : "?",
		    slash	   ? slash + 1
			    : file ? file
				   : "?",
		    sqlite3_column_int64(row, 4)) < 0)
		name = NULL;
	for (char *at = name; at && (at = strchr(at, ';'));)
		*at = ',';
	free(function);
	free(file);
	return name;
}

static uint32_t frame_find(const struct stacks *stacks, int64_t id)
{
	size_t at = LOWER_BOUND(i, 0, stacks->frames.n, stacks->frames.at[i].id < id);

	return at < stacks->frames.n && stacks->frames.at[at].id == id ? (uint32_t)at : UINT32_MAX;
}

static void frame_take(struct stacks *stacks, sqlite3_stmt *row)
{
	struct stack_frame *frame = ARRAY_ADD(&stacks->frames);

	if (!frame) {
		stacks->failed = true;
		return;
	}
	*frame = (struct stack_frame){ sqlite3_column_int64(row, 0),
		sqlite3_column_type(row, 1) == SQLITE_NULL ? -1 : sqlite3_column_int64(row, 1),
		frame_name(row) };
	stacks->failed |= !frame->name;
}

static void stack_take(struct stacks *stacks, sqlite3_stmt *row)
{
	struct stack *stack = ARRAY_ADD(&stacks->all);
	uint32_t reversed[STACK_MOST];
	size_t n = 0;

	if (!stack) {
		stacks->failed = true;
		return;
	}
	*stack = (struct stack){ .rank = sqlite3_column_int64(row, 0),
		.ns = sqlite3_column_int64(row, 3),
		.call = column_clean(row, 2) };
	for (int64_t id = sqlite3_column_int64(row, 1); id >= 0 && n < STACK_MOST;) {
		uint32_t at = frame_find(stacks, id);

		if (at == UINT32_MAX)
			break;
		reversed[n++] = at;
		id = stacks->frames.at[at].caller;
	}
	stack->frames = calloc(n + 1, sizeof(*stack->frames));
	stack->n = stack->frames ? n : 0;
	stacks->failed |= !stack->frames;
	for (size_t i = 0; i < stack->n; i++)
		stack->frames[i] = reversed[n - 1 - i];
}

static void rows_take(struct stacks *stacks, struct report_db *db, const char *sql,
	void (*take)(struct stacks *stacks, sqlite3_stmt *row))
{
	sqlite3_stmt *statement = NULL;

	if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK) {
		stacks->failed = true;
		return;
	}
	sqlite3_bind_int64(statement, 1, db->run);
	while (!stacks->failed && sqlite3_step(statement) == SQLITE_ROW)
		take(stacks, statement);
	sqlite3_finalize(statement);
}

/* Children of a rank, data-loader workers, are the rank's. */
static int stacks_read(struct stacks *stacks, const char *database)
{
	static const char frames[] = "select id, caller_id, function, file, line from python_frame "
				     "where run_id = ?1 order by id";
	static const char samples[] =
		"select coalesce(p.rank, (select r.rank from process r where r.id = p.parent_id), -1) as k, "
		"s.frame_id, s.call, sum(s.ns) from python_sample s join process p on p.id = s.process_id "
		"where s.run_id = ?1 and s.frame_id is not null group by k, s.frame_id, s.call "
		"having sum(s.ns) > 0 order by k, s.frame_id, s.call";
	struct report_db db;

	if (report_db_open(&db, database) < 0)
		return -1;
	rows_take(stacks, &db, frames, frame_take);
	rows_take(stacks, &db, samples, stack_take);
	report_db_close(&db);
	if (stacks->failed)
		log_error("cannot read the stacks of %s", database);
	else if (!stacks->all.n)
		log_error("%s has no stacks of Python: record a Python program without --no-python",
			database);
	return stacks->failed || !stacks->all.n ? -1 : 0;
}

static void stacks_free(struct stacks *stacks)
{
	for (size_t i = 0; i < stacks->frames.n; i++)
		free(stacks->frames.at[i].name);
	for (size_t i = 0; i < stacks->all.n; i++) {
		free(stacks->all.at[i].frames);
		free(stacks->all.at[i].call);
	}
	free(stacks->frames.at);
	free(stacks->all.at);
}

/* "rank 0;<module> (train.py:3);main (train.py:9);read 1234", the number in µs. */
static void folded_put(const struct stacks *stacks, FILE *out)
{
	for (size_t i = 0; i < stacks->all.n; i++) {
		const struct stack *stack = &stacks->all.at[i];

		fprintf(out, "rank %" PRId64, stack->rank);
		for (size_t k = 0; k < stack->n; k++)
			fprintf(out, ";%s", stacks->frames.at[stack->frames[k]].name);
		if (stack->call)
			fprintf(out, ";%s", stack->call);
		fprintf(out, " %" PRId64 "\n", (stack->ns + 500) / 1000);
	}
}

/* The stacks of a rank, -2: of all; each has its time as weight. */
static void profile_put(const struct stacks *stacks, struct json *json, int64_t rank)
{
	int64_t total = 0;
	char name[48] = "all ranks";

	if (rank != -2)
		snprintf(name, sizeof(name), "rank %" PRId64, rank);
	json_object(json, NULL, JSON_LINES);
	json_text(json, "type", "sampled");
	json_text(json, "name", name);
	json_text(json, "unit", "nanoseconds");
	json_integer(json, "startValue", 0);
	json_array(json, "samples", JSON_LINES);
	for (size_t i = 0; i < stacks->all.n; i++) {
		const struct stack *stack = &stacks->all.at[i];

		if (rank != -2 && stack->rank != rank)
			continue;
		total += stack->ns;
		json_array(json, NULL, JSON_INLINE);
		for (size_t k = 0; k < stack->n; k++)
			json_integer(json, NULL, stack->frames[k]);
		json_end(json);
	}
	json_end(json);
	json_array(json, "weights", JSON_INLINE);
	for (size_t i = 0; i < stacks->all.n; i++)
		if (rank == -2 || stacks->all.at[i].rank == rank)
			json_integer(json, NULL, stacks->all.at[i].ns);
	json_end(json);
	json_integer(json, "endValue", total);
	json_end(json);
}

static void speedscope_put(const struct stacks *stacks, FILE *out)
{
	struct json json = { .out = out };

	json_object(&json, NULL, JSON_LINES);
	json_text(&json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_text(&json, "exporter", "tacho");
	json_object(&json, "shared", JSON_LINES);
	json_array(&json, "frames", JSON_LINES);
	for (size_t i = 0; i < stacks->frames.n; i++) {
		json_object(&json, NULL, JSON_INLINE);
		json_text(&json, "name", stacks->frames.at[i].name);
		json_end(&json);
	}
	json_end(&json);
	json_end(&json);
	json_array(&json, "profiles", JSON_LINES);
	profile_put(stacks, &json, -2);
	for (size_t i = 0; i < stacks->all.n; i++)
		if (!i || stacks->all.at[i].rank != stacks->all.at[i - 1].rank)
			profile_put(stacks, &json, stacks->all.at[i].rank);
	json_end(&json);
	json_end(&json);
}

int export_stacks(const char *database, const char *output, bool folded)
{
	struct stacks stacks = { 0 };
	struct export_file file;
	void (*put)(const struct stacks *stacks, FILE *out) = folded ? folded_put : speedscope_put;
	int ret = stacks_read(&stacks, database);

	if (ret == 0 && strcmp(output, "-") == 0) {
		put(&stacks, stdout);
		ret = fflush(stdout) == 0 ? 0 : -1;
		if (ret < 0)
			log_error("cannot write to stdout: %s", strerror(errno));
	} else if (ret == 0) {
		ret = export_file_open(&file, output);
		if (ret == 0) {
			put(&stacks, file.out);
			if (export_file_close(&file) < 0 || export_file_place(&file) < 0)
				ret = -1;
		}
		export_file_free(&file);
	}
	stacks_free(&stacks);
	return ret;
}
