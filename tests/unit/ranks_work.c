/*
 * ranks_work.c - the work of the database's statements grows with the ranks of a run, not with
 * their square: each statement of the advisor, of stragglers' helpers, the summary, the diagnosis,
 * the page and a comparison, on generated databases of 2,048 ranks and of 8,192 with 10,240
 * children, files, GPUs and lines of Python; and each statement of the analysis of archives of 128
 * and 512 ranks, by MPI and by NCCL, which tests/bench/analyze makes. Counted is the work of
 * SQLite's virtual machine, which is the same on any machine.
 */
#include "config.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "advise/finding.h"
#include "analyze/analyze.h"
#include "compare/compare.h"
#include "db/db.h"
#include "metrics/straggler.h"
#include "report/explain.h"
#include "report/report.h"
#include "report/summary.h"
#include "ranks_make.h"

/*
 * Sorting and searching add a logarithm to linear work; a square has 16. `little`: steps, below
 * which a statement is not checked.
 */
enum { RANKS = 2048, TIMES = 4, ANALYZED = 128, MOST = 7, STATEMENTS = 4096, TEXT = 1024 };
static const long long little = 200000;

/* Steps of each statement, by the begin of its text; in memory that the analyzer's children share. */
static struct works {
	size_t n;
	struct work {
		char sql[TEXT];
		const char *part; /* that asked first */
		long long steps[2];
	} at[STATEMENTS];
} * works;
static int size; /* 0: the smaller database */
static const char *part;

static int count(unsigned what, void *user, void *statement, void *ns)
{
	sqlite3_stmt *stmt = statement;
	const char *sql = sqlite3_sql(stmt);
	uint32_t steps = (uint32_t)sqlite3_stmt_status(stmt, SQLITE_STMTSTATUS_VM_STEP, 1);
	size_t i = 0;

	(void)what, (void)user, (void)ns;
	while (sql && i < works->n && strncmp(works->at[i].sql, sql, TEXT - 1) != 0)
		i++;
	if (!sql || i == STATEMENTS)
		return 0;
	if (i == works->n) {
		snprintf(works->at[i].sql, TEXT, "%s", sql);
		works->at[i].part = part;
		works->n++;
	}
	works->at[i].steps[size] += steps;
	return 0;
}

/* Every database that the program opens from now on is counted. */
static int watched(sqlite3 *db, const char **message, const void *api)
{
	(void)message, (void)api;
	return sqlite3_trace_v2(db, SQLITE_TRACE_PROFILE, count, NULL);
}

static bool execute(sqlite3 *db, const char *sql)
{
	char *message = NULL;
	bool fine = sqlite3_exec(db, sql, NULL, NULL, &message) == SQLITE_OK;

	if (!fine)
		printf("# %s\n", message);
	sqlite3_free(message);
	return fine;
}

static bool make(const char *path, int ranks)
{
	char sql[96];
	sqlite3 *db = NULL;
	bool fine;

	snprintf(sql, sizeof(sql), "create temp table ranks as select %d as value", ranks);
	fine = sqlite3_open(path, &db) == SQLITE_OK &&
		execute(db, "pragma journal_mode = off; pragma synchronous = off; begin") &&
		execute(db, db_schema) && execute(db, sql) && execute(db, ranks_make_sql) &&
		execute(db, "commit");
	sqlite3_close(db);
	return fine;
}

static bool advise(const char *path)
{
	sqlite3 *db = NULL;
	bool fine = sqlite3_open(path, &db) == SQLITE_OK && execute(db, straggler_helpers_sql) &&
		findings_write(db, 1) == 0;

	sqlite3_close(db);
	return fine;
}

static bool summarize(const char *path)
{
	FILE *out = fopen("/dev/null", "w");
	bool fine = out && summary_print(path, out, &(struct summary_options){ .width = 100 }) == 0;

	if (out)
		fclose(out);
	return fine;
}

static bool explain(const char *path)
{
	FILE *out = fopen("/dev/null", "w");
	struct explain of_run;
	bool fine = out && explain_open(&of_run, path) == 0;

	if (fine) {
		fine = explain_print(&of_run, NULL, false, out) == 0;
		for (size_t i = 0; i < of_run.n && i < 40 && fine; i++)
			fine = explain_print(&of_run, &of_run.statements[i], false, out) == 0;
		explain_close(&of_run);
	}
	if (out)
		fclose(out);
	return fine;
}

static bool page(const char *path)
{
	char html[64], command[128];
	bool fine;

	snprintf(html, sizeof(html), "%s.page.html", path);
	fine = report_run(path, &(struct report_options){ .output = html, .gnuplot = "" }) == 0;
	snprintf(command, sizeof(command), "rm -r '%s' '%.*s'", html, (int)strlen(html) - 5, html);
	return system(command) == 0 && fine;
}

static bool compare(const char *path)
{
	struct compare of_runs = { 0 };
	bool fine = compare_open(&of_runs, path, 0, path) == 0;

	compare_close(&of_runs);
	return fine;
}

static const char *maker; /* tests/bench/analyze */

/* The statements for an archive with that many ranks, which is made for it. */
static bool analyze(const char *kind, int ranks)
{
	static const char *const remove = "rm -rf ranks_work.archive ranks_work.analyzed";
	char make[512];
	bool fine;

	snprintf(make, sizeof(make),
		"%s; mkdir ranks_work.archive && '%s' write ranks_work.archive %d %d %s", remove,
		maker, ranks * 200, ranks, kind);
	fine = system(make) == 0 &&
		analyze_run("ranks_work.archive/traces.otf2",
			&(struct analyze_options){ .database = "ranks_work.analyzed",
				.jobs = 1 }) == 0;
	return system(remove) == 0 && fine;
}

static bool analyze_mpi(const char *path)
{
	(void)path;
	return analyze("mpi", size ? ANALYZED * TIMES : ANALYZED);
}

static bool analyze_nccl(const char *path)
{
	(void)path;
	return analyze("nccl", size ? ANALYZED * TIMES : ANALYZED);
}

static const struct {
	const char *name;
	bool (*ask)(const char *path);
} parts[] = { { "advisor", advise }, { "summary", summarize }, { "diagnosis", explain },
	{ "page", page }, { "comparison", compare }, { "analysis (MPI)", analyze_mpi },
	{ "analysis (NCCL)", analyze_nccl } };
enum { PARTS = sizeof(parts) / sizeof(*parts) };

static bool measure(int ranks, bool fine[PARTS])
{
	char path[] = "ranks_work.XXXXXX";
	int fd = mkstemp(path);
	bool made = fd >= 0 && close(fd) == 0 && make(path, ranks);

	sqlite3_auto_extension((void (*)(void))watched);
	for (int i = 0; i < PARTS && made; i++) {
		part = parts[i].name;
		fine[i] &= parts[i].ask(path);
	}
	sqlite3_cancel_auto_extension((void (*)(void))watched);
	unlink(path);
	return made;
}

static void print_part(int number, const char *name, bool fine)
{
	bool linear = true;
	long long total = 0;
	size_t n = 0;

	for (size_t i = 0; i < works->n; i++) {
		const struct work *work = &works->at[i];

		if (strcmp(work->part, name) != 0)
			continue;
		n++;
		total += work->steps[1];
		if (work->steps[1] < little || work->steps[1] <= MOST * work->steps[0])
			continue;
		linear = false;
		printf("# %lld steps, %lld for %d times as many ranks: %.400s\n", work->steps[0],
			work->steps[1], TIMES, work->sql);
	}
	printf("# %s: %zu statements, %lld steps\n", name, n, total);
	printf("%sok %d - %s: the work of no statement grows as the square of the ranks\n",
		fine && linear && n > 10 ? "" : "not ", number, name);
}

int main(void)
{
	const char *top = getenv("top_builddir");
	char path[4096];
	bool fine[PARTS], made;

	snprintf(path, sizeof(path), "%s/tests/bench/analyze", top ? top : ".");
	maker = path;
	works = mmap(NULL, sizeof(*works), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		0);
	if (works == MAP_FAILED)
		return 1;
	printf("1..%d\n", PARTS);
	for (int i = 0; i < PARTS; i++)
		fine[i] = true;
	made = measure(RANKS, fine);
	size = 1;
	made &= measure(RANKS * TIMES, fine);
	for (int i = 0; i < PARTS; i++)
		print_part(i + 1, parts[i].name, made && fine[i]);
	return 0;
}
