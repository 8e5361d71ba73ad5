/* explain.c - see explain.h. Texts are data: explain_NAME.sql, verdict.sql in reports/. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "report/explain.h"

#define ROWS_FEW  3 /* of the evidence in a diagnosis */
#define ROWS_MOST 20
#define TITLE	  200 /* bytes */
#define KEYS_ROOM 320 /* bytes of the keys at its end */
#define FRAME	  160 /* bytes of the text around these */
#define CELLS	  12  /* of a row */

/* The queries after the verdict, in the order of output. */
static const char *const queries[] = { "explain_findings", "explain_ladder", "explain_account",
	"explain_time", "explain_efficiency", "explain_trust", "explain_ranks", "explain_parts",
	"explain_network", "explain_storage", "explain_late" };

static int statement_add(struct explain *e, const struct statement *statement)
{
	struct statement *grown = realloc(e->statements, (e->n + 1) * sizeof(*grown));

	if (!grown || !statement->key || !statement->said) {
		log_error("out of memory");
		return -1;
	}
	e->statements = grown;
	e->statements[e->n++] = *statement;
	return 0;
}

static char *copy_of(const struct result *result, size_t row, const char *title)
{
	int column = result_column(result, title);
	const char *text = column < 0 ? NULL : result_cell(result, row, column)->text;

	return text ? strdup(text) : NULL;
}

static int result_take(struct explain *e, const struct result *result, size_t row)
{
	const struct result_cell *seconds = result_cell(result, row,
		result_column(result, "Seconds"));
	const struct result_cell *level = result_cell(result, row, result_column(result, "Level"));

	return statement_add(e,
		&(struct statement){ .key = copy_of(result, row, "Key"),
			.said = copy_of(result, row, "Sentence"),
			.seconds = seconds->null ? NAN : seconds->number,
			.query = copy_of(result, row, "Query"),
			.deeper = level->number > 1 });
}

static int query_take(struct explain *e, const char *name)
{
	struct result result;
	int ret = 0;

	if (report_db_query(&e->db, name, &result) < 0)
		return -1;
	for (size_t row = 0; row < result.nrows && ret == 0; row++)
		if (!result_cell(&result, row, result_column(&result, "Key"))->null &&
			!result_cell(&result, row, result_column(&result, "Sentence"))->null)
			ret = result_take(e, &result, row);
	result_free(&result);
	return ret;
}

/* What proves the verdict, beside the findings and time.ranks. */
static char *verdict_query(const struct explain *e)
{
	char *query;

	return asprintf(&query,
		       "select t.ns / 1e9 as s, m.value / 1e9 as trained_s, cut, exit_status from "
		       "run join run_time t on t.run_id = id left join metric m on m.run_id = id and \"window\" = 'run' and model = 'host' "
		       "and name = 'trained' where id = %lld",
		       e->db.run) < 0
		? NULL
		: query;
}

/* Lines of the verdict: their names are the keys. */
static int verdict_take(struct explain *e)
{
	struct result result;
	int ret = 0;

	if (report_db_query(&e->db, "verdict", &result) < 0)
		return -1;
	for (size_t row = 0; row < result.nrows && ret == 0; row++)
		if (!result_cell(&result, row, result_column(&result, "Sentence"))->null)
			ret = statement_add(e,
				&(struct statement){ .key = copy_of(&result, row, "Line"),
					.said = copy_of(&result, row, "Sentence"),
					.seconds = NAN,
					.query = row == 0 ? verdict_query(e) : NULL });
	result_free(&result);
	return ret;
}

/* Appends to the statement `trust` the number of notes on quality that are separate statements. */
static int notes_count(struct explain *e, size_t notes)
{
	char *text = NULL;

	for (size_t i = 0; notes && i < e->n; i++)
		if (strcmp(e->statements[i].key, "trust") == 0) {
			if (asprintf(&text, "%s; and %zu note%s, from quality.1 on",
				    e->statements[i].said, notes, notes == 1 ? "" : "s") < 0)
				return -1;
			free(e->statements[i].said);
			e->statements[i].said = text;
		}
	return 0;
}

/* What the line `quality` of the summary has, but for good news. */
static int quality_take(struct explain *e)
{
	struct result result;
	size_t notes = 0;
	int ret = 0;

	if (report_db_query(&e->db, "quality", &result) < 0)
		return -1;
	for (size_t row = 0; row < result.nrows && ret == 0; row++) {
		char *level = copy_of(&result, row, "Level"), *key = NULL;

		if (level && strcmp(level, "good") != 0 &&
			!result_cell(&result, row, result_column(&result, "Sentence"))->null)
			ret = asprintf(&key, "quality.%zu", ++notes) < 0
				? -1
				: statement_add(e,
					  &(struct statement){ .key = key,
						  .said = copy_of(&result, row, "Sentence"),
						  .seconds = NAN,
						  .deeper = strcmp(level, "bad") != 0 });
		free(level);
	}
	result_free(&result);
	return ret < 0 ? -1 : notes_count(e, notes);
}

static int title_take(struct explain *e)
{
	struct result head;
	double ranks, seconds;
	const char *label;
	int ret;

	if (report_db_query(&e->db, "head", &head) < 0)
		return -1;
	label = result_text(&head, "Run");
	ranks = result_number(&head, "Ranks");
	seconds = result_number(&head, "Duration") / 1e9;
	ret = asprintf(&e->title, "%.*s: %.0f rank%s, %.2f s", TITLE, label ? label : "run", ranks,
		ranks == 1 ? "" : "s", seconds);
	if (ret < 0)
		e->title = NULL;
	result_free(&head);
	return ret < 0 ? -1 : 0;
}

int explain_open(struct explain *e, const char *path)
{
	*e = (struct explain){ 0 };
	if (report_db_open(&e->db, path) < 0)
		return -1;
	report_db_warn_several(&e->db);
	if (title_take(e) < 0 || verdict_take(e) < 0)
		goto fail;
	for (size_t i = 0; i < sizeof(queries) / sizeof(*queries); i++)
		if (query_take(e, queries[i]) < 0)
			goto fail;
	if (quality_take(e) < 0)
		goto fail;
	return 0;
fail:
	explain_close(e);
	return -1;
}

void explain_close(struct explain *e)
{
	for (size_t i = 0; i < e->n; i++) {
		free(e->statements[i].key);
		free(e->statements[i].said);
		free(e->statements[i].query);
	}
	free(e->statements);
	free(e->title);
	report_db_close(&e->db);
	*e = (struct explain){ 0 };
}

const struct statement *explain_find(const struct explain *e, const char *key)
{
	for (size_t i = 0; i < e->n; i++)
		if (strcmp(e->statements[i].key, key) == 0)
			return &e->statements[i];
	return NULL;
}

/* Wide rows leave out empty values. */
static void empty_leave(struct result *row)
{
	for (int i = 0; row->ncols > CELLS && i < row->ncols; i++)
		row->cells[i].left_out = row->cells[i].null ||
			(row->cells[i].is_number && row->cells[i].number == 0);
}

/* A row as "  - state mpi, s 4.16". */
static void row_markdown(FILE *out, const struct result *row)
{
	const char *between = "    - ";

	for (int i = 0; i < row->ncols; i++) {
		const struct result_cell *cell = &row->cells[i];
		char *clean;

		if (cell->left_out)
			continue;
		fprintf(out, "%s%s ", between, row->columns[i].title);
		between = ", ";
		if (cell->is_real)
			fprintf(out, "%.6g", cell->number);
		else if (cell->is_number)
			fprintf(out, "%" PRId64, cell->whole);
		else if (!cell->text)
			fputs("null", out);
		else if ((clean = text_clean(cell->text, cell->size))) {
			fputs(clean, out);
			free(clean);
		}
	}
	putc('\n', out);
}

/* The query that proves a statement; NULL: it has none, or (*code) it does not read alone. */
static sqlite3_stmt *evidence_open(struct explain *e, const struct statement *s, int *code)
{
	sqlite3_stmt *rows = NULL;

	*code = s->query ? sqlite3_prepare_v2(e->db.handle, s->query, -1, &rows, NULL) : SQLITE_OK;
	if (rows && (!sqlite3_stmt_readonly(rows) || !sqlite3_column_count(rows))) {
		sqlite3_finalize(rows);
		rows = NULL;
		*code = SQLITE_AUTH;
	}
	return rows;
}

static void statement_begin(const struct statement *s, FILE *out, struct json *json)
{
	if (json) {
		json_object(json, NULL, JSON_INLINE);
		json_text(json, "key", s->key);
		json_text(json, "text", s->said);
		json_number(json, "seconds", s->seconds);
		json_text(json, "query", s->query ? s->query : "");
		json_array(json, "rows", JSON_INLINE);
	} else {
		fprintf(out, "- **%s**: %s\n", s->key, s->said);
		if (s->query)
			fprintf(out, "    `%s`\n", s->query);
	}
}

/* A statement and so many rows of its evidence, to `json` where it is not NULL. */
static int statement_put(struct explain *e, const struct statement *s, int most, FILE *out,
	struct json *json)
{
	int code;
	sqlite3_stmt *rows = evidence_open(e, s, &code);
	struct result row = { 0 };

	statement_begin(s, out, json);
	if (rows && result_begin(&row, rows) < 0)
		code = SQLITE_NOMEM;
	while (rows && code != SQLITE_NOMEM && most-- > 0 &&
		(code = result_next(&row, rows)) == SQLITE_ROW) {
		empty_leave(&row);
		if (json)
			result_json_row(json, NULL, &row, 0);
		else
			row_markdown(out, &row);
	}
	result_free(&row);
	if (json) {
		json_end(json);
		json_end(json);
	}
	sqlite3_finalize(rows);
	if (code == SQLITE_ROW || code == SQLITE_DONE || code == SQLITE_OK)
		return 0;
	log_error("%s: evidence of %s: %s", e->db.path, s->key, sqlite3_errstr(code));
	return -1;
}

/* The statement as text, with as many rows as fit into `room` bytes; "" where it does not fit. */
static char *statement_text(struct explain *e, const struct statement *s, int most, size_t room,
	bool is_json)
{
	for (int n = most;; n--) {
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);
		struct json json = { .out = out, .dense = true };
		int ret = out ? statement_put(e, s, n, out, is_json ? &json : NULL) : -1;

		if (out)
			fclose(out);
		if (ret == 0 && size <= room)
			return text;
		free(text);
		if (ret < 0)
			return NULL;
		if (n == 0)
			return strdup("");
	}
}

/* Prints the keys of the remaining statements in up to `room` bytes. */
static void keys_put(const struct explain *e, const bool *is_said, size_t room, FILE *out,
	struct json *json)
{
	size_t left = 0;

	for (size_t i = 0; i < e->n; i++) {
		size_t size = strlen(e->statements[i].key) + 4;

		if (is_said[i])
			continue;
		if (size > room) {
			left++;
			continue;
		}
		room -= size;
		if (json)
			json_text(json, NULL, e->statements[i].key);
		else
			fprintf(out, " %s", e->statements[i].key);
	}
	if (!json && left)
		fprintf(out, " and %zu more", left);
}

/* True if a later statement repeats this one with its evidence, as for lines of the verdict. */
static bool is_repeated(const struct explain *e, size_t i)
{
	for (size_t j = i + 1; j < e->n; j++)
		if (strstr(e->statements[j].said, e->statements[i].said))
			return true;
	return false;
}

/*
 * Prints the statements that are not `deeper`, in up to `room` bytes. is_said[i]: statement i was
 * printed.
 */
static int statements_put(struct explain *e, size_t room, bool *is_said, FILE *out,
	struct json *json)
{
	for (size_t i = 0; i < e->n; i++) {
		char *text;

		if (e->statements[i].deeper || is_repeated(e, i))
			continue;
		text = statement_text(e, &e->statements[i], ROWS_FEW, room, json != NULL);
		if (!text)
			return -1;
		is_said[i] = *text != '\0';
		room -= strlen(text);
		if (json && is_said[i])
			json_raw(json, NULL, text);
		else
			fputs(text, out);
		free(text);
	}
	return 0;
}

static int diagnosis_json(struct explain *e, size_t room, bool *is_said, FILE *out)
{
	struct json json = { .out = out };
	int ret;

	json_object(&json, NULL, JSON_LINES);
	json_text(&json, "run", e->title);
	json_array(&json, "statements", JSON_LINES);
	ret = statements_put(e, room, is_said, out, &json);
	json_end(&json);
	json_array(&json, "more", JSON_INLINE);
	keys_put(e, is_said, KEYS_ROOM, out, &json);
	json_end(&json);
	json_end(&json);
	return ret;
}

static int diagnosis_markdown(struct explain *e, size_t room, bool *is_said, FILE *out)
{
	int ret;

	fprintf(out, "# %s\n\n", e->title);
	ret = statements_put(e, room, is_said, out, NULL);
	fputs("\nMore: tacho explain RUN KEY, with KEY one of", out);
	keys_put(e, is_said, KEYS_ROOM, out, NULL);
	putc('\n', out);
	return ret;
}

static int diagnosis_put(struct explain *e, bool is_json, FILE *out)
{
	size_t frame = strlen(e->title) + KEYS_ROOM + FRAME;
	bool *is_said = calloc(e->n + 1, sizeof(*is_said));
	int ret = -1;

	if (is_said && frame < EXPLAIN_MOST)
		ret = (is_json ? diagnosis_json : diagnosis_markdown)(e, EXPLAIN_MOST - frame,
			is_said, out);
	free(is_said);
	return ret;
}

int explain_print(struct explain *e, const struct statement *statement, bool is_json, FILE *out)
{
	struct json json = { .out = out };

	return statement ? statement_put(e, statement, ROWS_MOST, out, is_json ? &json : NULL)
			 : diagnosis_put(e, is_json, out);
}
