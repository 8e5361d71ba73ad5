/*
 * golden.c - worked cases through the real path: a case's text becomes an OTF2
 * archive by tacho's conventions, `tacho analyze` its database, and every
 * figure that the case expects is compared. The format: tests/golden/README.md.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <otf2/otf2.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "golden.h"

static OTF2_FlushType pre_flush(void *user, OTF2_FileType type, OTF2_LocationRef location,
	void *caller, bool final)
{
	(void)user, (void)type, (void)location, (void)caller, (void) final;
	return OTF2_FLUSH;
}

static const OTF2_FlushCallbacks flush = { .otf2_pre_flush = pre_flush };

static int case_write(struct writer *w, const char *path, const char *dir)
{
	FILE *file = fopen(path, "r");
	char line[MAX_LINE];

	if (!file)
		return -1;
	w->first = UINT64_MAX;
	w->archive = OTF2_Archive_Open(dir, "traces", OTF2_FILEMODE_WRITE, 1 << 18, 1 << 18,
		OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
	OTF2_Archive_SetFlushCallbacks(w->archive, &flush, NULL);
	OTF2_Archive_SetSerialCollectiveCallbacks(w->archive);
	OTF2_Archive_OpenEvtFiles(w->archive);
	golden_string(w, "");
	while (fgets(line, sizeof(line), file))
		golden_line(w, line);
	golden_rank_end(w);
	fclose(file);
	OTF2_Archive_CloseEvtFiles(w->archive);
	golden_local_definitions(w);
	w->defs = OTF2_Archive_GetGlobalDefWriter(w->archive);
	golden_definitions(w);
	OTF2_Archive_CloseGlobalDefWriter(w->archive, w->defs);
	return OTF2_Archive_Close(w->archive) == OTF2_SUCCESS ? 0 : -1;
}

/* The one value of a query; NaN for NULL, -1e300 when there is no row. */
static double query(sqlite3 *db, const char *sql, const char *a, const char *b, const char *c)
{
	sqlite3_stmt *statement = NULL;
	double value = -1e300;
	const char *args[] = { a, b, c };

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK) {
		for (int i = 0; i < 3; i++)
			if (args[i])
				sqlite3_bind_text(statement, i + 1, args[i], -1, SQLITE_STATIC);
		if (sqlite3_step(statement) == SQLITE_ROW)
			value = sqlite3_column_type(statement, 0) == SQLITE_NULL
				? NAN
				: sqlite3_column_double(statement, 0);
	}
	sqlite3_finalize(statement);
	return value;
}

static double found(sqlite3 *db, const struct expectation *e)
{
	char rank[64];
	const char *state = strchr(e->name, ':');

	if (strcmp(e->model, "states") == 0) { /* RANK:DEVICE:STATE */
		char device[64];

		state = strchr(state + 1, ':');
		snprintf(device, sizeof(device), "%.*s", (int)(state - e->name), e->name);
		return query(db,
			"select coalesce(sum(ns), 0) from device_time t join process_device d "
			"using (device_id) "
			"join process p on p.id = d.process_id where window = ? and p.rank || ':' "
			"|| ordinal = ? and state = ?",
			e->window, device, state + 1);
	}
	if (strcmp(e->model, "time") != 0)
		return query(db,
			"select value from metric where window = ? and model = ? and name = ? and "
			"subject = ''",
			e->window, e->model, e->name);
	snprintf(rank, sizeof(rank), "%.*s", (int)(state - e->name), e->name);
	return query(db,
		"select coalesce(sum(ns), 0) from host_time h join process p on p.id = "
		"h.process_id "
		"where window = ? and p.rank = ? and state = ?",
		e->window, rank, state + 1);
}

static bool equal(double a, double b)
{
	return isnan(a) && isnan(b) ? true : fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

/* Expected values are given to 9 places in some cases: compared to as many. */
static int compare(const struct writer *w, const char *database)
{
	sqlite3 *db = NULL;
	int wrong = 0;

	if (sqlite3_open_v2(database, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
		return -1;
	if (w->elapsed &&
		!equal(query(db, "select duration_ns from run", NULL, NULL, NULL), w->elapsed)) {
		printf("# elapsed is %.17g, %" PRIu64 " expected\n",
			query(db, "select duration_ns from run", NULL, NULL, NULL), w->elapsed);
		wrong++;
	}
	if (query(db, "select count(*) from checks where not ok", NULL, NULL, NULL) !=
		w->nfailing) {
		printf("# checks fail that should not, or the other way round\n");
		wrong++;
	}
	for (int i = 0; i < w->nexpected; i++) {
		double value = found(db, &w->expected[i]);

		if (equal(value, w->expected[i].value))
			continue;
		printf("# %s %s.%s is %.12g, %.12g expected\n", w->expected[i].window,
			w->expected[i].model, w->expected[i].name, value, w->expected[i].value);
		wrong++;
	}
	for (int i = 0; i < w->nqueries; i++) {
		double value = query(db, w->queries[i].sql, NULL, NULL, NULL);

		if (equal(value, w->queries[i].value))
			continue;
		printf("# %.12g, %.12g expected: %s", value, w->queries[i].value,
			w->queries[i].sql);
		wrong++;
	}
	sqlite3_close(db);
	return wrong;
}

static int case_run(const char *tacho, const char *path, const char *dir)
{
	struct writer writer = { 0 };
	char command[4096], database[2048];
	int wrong = case_write(&writer, path, dir);

	snprintf(database, sizeof(database), "%s/case.db", dir);
	snprintf(command, sizeof(command),
		"timeout 30 '%s' analyze --launch-latency %ldns%s --db '%s' '%s/traces.otf2' >&2",
		tacho, writer.latency, writer.options, database, dir);
	unlink(database);
	if (wrong == 0)
		wrong = system(command) == 0 ? compare(&writer, database) : -1;
	for (int i = 0; i < writer.nnames; i++)
		free(writer.names[i]);
	for (int i = 0; i < writer.nqueries; i++)
		free(writer.queries[i].sql);
	return wrong;
}

/* golden TACHO FOLDER write CASE | golden TACHO FOLDER CASE...: FOLDER takes a folder per case. */
int main(int argc, char **argv)
{
	char dir[1024];

	if (argc == 5 && strcmp(argv[3], "write") == 0) {
		struct writer writer = { 0 };

		return case_write(&writer, argv[4], argv[2]) < 0;
	}
	if (argc < 4)
		return 2;
	printf("1..%d\n", argc - 3);
	for (int i = 3; i < argc; i++) {
		const char *name = strrchr(argv[i], '/') ? strrchr(argv[i], '/') + 1 : argv[i];
		int wrong;

		snprintf(dir, sizeof(dir), "%s/%d", argv[2], i);
		wrong = case_run(argv[1], argv[i], dir);
		printf("%sok %d - %s gives every figure that is expected\n", wrong ? "not " : "",
			i - 2, name);
		fflush(stdout);
	}
	return 0;
}
