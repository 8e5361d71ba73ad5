/*
 * nsys_read.c - reads a process from an SQLite export of Nsight Systems: each row becomes the event
 * that torch.profiler would have written for it. Tables and columns depend on the version and on
 * the traced APIs: missing ones are skipped.
 */
#include "config.h"

#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "kineto/kineto_event.h"
#include "kineto/nsys.h"
#include "tacho/nvtx_names.h"

/* The input columns; each column of a table has the number of its meaning. */
enum column {
	START,
	END,
	THREAD, /* serialised: machine, process, thread */
	PROCESS,
	DEVICE,
	STREAM,
	CORRELATION,
	BYTES,
	KIND,
	SOURCE,
	TARGET,
	EVENT,
	TEXT,
	NAME, /* of StringIds */
	COLUMNS
};

struct table {
	const char *name;
	enum kineto_class class;
	const char *columns[COLUMNS], *where;
	void (*complete)(sqlite3_stmt *row, struct kineto_raw *raw);
};

/* Serialised ids: mask of all but the thread; largest number of a part. */
#define PROCESS_MASK UINT64_C(0xffffffffff000000)
#define ID_MOST	     UINT64_C(0xffffff)

static bool ends(const char *path, const char *suffix)
{
	size_t length = strlen(path), n = strlen(suffix);

	return length > n && strcmp(path + length - n, suffix) == 0;
}

bool nsys_is_export(const char *path)
{
	return ends(path, ".sqlite");
}

bool nsys_is_report(const char *path)
{
	return ends(path, ".nsys-rep");
}

static int64_t number(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_INTEGER
		? sqlite3_column_int64(row, column)
		: NO_NUMBER;
}

static const char *text(sqlite3_stmt *row, int column)
{
	const char *value = (const char *)sqlite3_column_text(row, column);

	return value ? value : "";
}

/* Removes the suffixes of API versions: "cudaMemcpyAsync_v3020", "cudaLaunchKernel_ptsz_v7000". */
static void call_complete(sqlite3_stmt *row, struct kineto_raw *raw)
{
	char *version = strrchr(raw->name, '_');

	(void)row;
	if (version && version[1] == 'v' &&
		strspn(version + 2, "0123456789") == strlen(version + 2))
		*version = '\0';
}

static const char *memory_name(int64_t kind)
{
	static const char *const names[] = { "Pageable", "Pinned", "Device", "Array", "Managed",
		"Device", "Managed" };

	return kind >= 0 && kind < (int64_t)(sizeof(names) / sizeof(*names)) ? names[kind]
									     : "Unknown";
}

/* As torch.profiler calls copies: by direction and kinds of memory. */
static void copy_complete(sqlite3_stmt *row, struct kineto_raw *raw)
{
	static const char *const names[] = { "unknown", "HtoD", "DtoH", "HtoA", "AtoH", "AtoA",
		"AtoD", "DtoA", "DtoD", "HtoH", "PtoP", "HtoD", "DtoH", "DtoD" };
	int64_t kind = number(row, KIND);

	if (kind < 0 || kind >= (int64_t)(sizeof(names) / sizeof(*names)))
		kind = 0;
	snprintf(raw->name, sizeof(raw->name), "Memcpy %s (%s -> %s)", names[kind],
		memory_name(number(row, SOURCE)), memory_name(number(row, TARGET)));
}

static void set_complete(sqlite3_stmt *row, struct kineto_raw *raw)
{
	snprintf(raw->name, sizeof(raw->name), "Memset (%s)", memory_name(number(row, TARGET)));
}

/* A graph that was traced as a whole. */
static void graph_complete(sqlite3_stmt *row, struct kineto_raw *raw)
{
	snprintf(raw->name, sizeof(raw->name), "CUDA graph %" PRId64, number(row, KIND));
}

/* What a call waits for, or the event that a call records: the call has the same correlation. */
static void sync_complete(sqlite3_stmt *row, struct kineto_raw *raw)
{
	snprintf(raw->name, sizeof(raw->name), "sync");
	raw->recorded_event = number(row, EVENT);
	raw->start = raw->length = 0;
	if (raw->stream < 0) /* all of the context */
		raw->stream = UINT32_MAX;
}

static void range_complete(sqlite3_stmt *row, struct kineto_raw *raw)
{
	(void)row;
	nvtx_name_cut(raw->name);
}

#define TIMES	   [START] = "start", [END] = "end"
#define ON_THREAD  TIMES, [THREAD] = "globalTid"
#define ON_PROCESS [PROCESS] = "globalPid", [CORRELATION] = "correlationId", [DEVICE] = "deviceId"
#define ON_STREAM  TIMES, ON_PROCESS, [STREAM] = "streamId"
#define MPI(name)                                                                                  \
	{                                                                                          \
		name, KINETO_MPI,                                                                  \
		{                                                                                  \
			ON_THREAD, [NAME] = "textId"                                               \
		}                                                                                  \
		, NULL, NULL                                                                       \
	}

static const struct table tables[] = {
	{ "CUPTI_ACTIVITY_KIND_RUNTIME", KINETO_CALL,
		{ ON_THREAD, [CORRELATION] = "correlationId", [NAME] = "nameId" }, NULL,
		call_complete },
	{ "CUPTI_ACTIVITY_KIND_KERNEL", KINETO_KERNEL, { ON_STREAM, [NAME] = "demangledName" },
		NULL, NULL },
	{ "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", KINETO_KERNEL, { ON_STREAM, [KIND] = "graphId" }, NULL,
		graph_complete },
	{ "CUPTI_ACTIVITY_KIND_MEMCPY", KINETO_COPY,
		{ ON_STREAM, [BYTES] = "bytes", [KIND] = "copyKind", [SOURCE] = "srcKind",
			[TARGET] = "dstKind" },
		NULL, copy_complete },
	{ "CUPTI_ACTIVITY_KIND_MEMSET", KINETO_COPY,
		{ ON_STREAM, [BYTES] = "bytes", [TARGET] = "memKind" }, NULL, set_complete },
	{ "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", KINETO_SYNC, { ON_STREAM, [EVENT] = "eventId" },
		NULL, sync_complete },
	{ "CUPTI_ACTIVITY_KIND_CUDA_EVENT", KINETO_SYNC,
		{ ON_PROCESS, [STREAM] = "streamId", [EVENT] = "eventId" }, NULL, sync_complete },
	MPI("MPI_P2P_EVENTS"),
	MPI("MPI_COLLECTIVES_EVENTS"),
	MPI("MPI_START_WAIT_EVENTS"),
	MPI("MPI_OTHER_EVENTS"),
	{ "CUDNN_EVENTS", KINETO_OP, { ON_THREAD, [NAME] = "nameId" }, NULL, NULL },
	{ "CUBLAS_EVENTS", KINETO_OP, { ON_THREAD, [NAME] = "nameId" }, NULL, NULL },
	{ "NVTX_EVENTS", KINETO_ANNOTATION, { ON_THREAD, [TEXT] = "text", [NAME] = "textId" },
		"t.eventType in (59, 60) and t.\"end\" is not null", range_complete },
	{ "OSRT_API", KINETO_SYSTEM, { ON_THREAD, [NAME] = "nameId" }, NULL, NULL },
};

enum { TABLES = sizeof(tables) / sizeof(*tables) };

static int wrong(struct kineto_rank *rank, sqlite3 *db)
{
	kineto_wrong(rank, "%s is no SQLite export of Nsight Systems, or damaged: %s", rank->path,
		db ? sqlite3_errmsg(db) : "out of memory");
	return -1;
}

/* Views and functions of a file that is not ours are none of our business. */
static sqlite3 *export_open(struct kineto_rank *rank)
{
	sqlite3 *db = NULL;

	if (sqlite3_open_v2(rank->path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK &&
		sqlite3_exec(db, "pragma trusted_schema = off; select * from sqlite_master", NULL,
			NULL, NULL) == SQLITE_OK)
		return db;
	wrong(rank, db);
	sqlite3_close(db);
	return NULL;
}

static bool has_column(sqlite3 *db, const char *table, const char *column)
{
	static const char sql[] = "select 1 from sqlite_master m join pragma_table_info(m.name) c "
				  "where m.type = 'table' and m.name = ? and c.name = ?";
	sqlite3_stmt *statement = NULL;
	bool has = false;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK &&
		sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC) == SQLITE_OK &&
		sqlite3_bind_text(statement, 2, column, -1, SQLITE_STATIC) == SQLITE_OK)
		has = sqlite3_step(statement) == SQLITE_ROW;
	sqlite3_finalize(statement);
	return has;
}

/* All rows of one statement to `take`, which returns 0, or -1 (reported). */
static int rows_take(sqlite3 *db, struct kineto_rank *rank, const char *sql,
	int (*take)(sqlite3_stmt *row, void *context), void *context)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(db, sql, -1, &statement, NULL), ret = 0;

	if (code == SQLITE_OK && sqlite3_bind_parameter_count(statement))
		code = sqlite3_bind_int64(statement, 1, (int64_t)rank->process);
	while (code == SQLITE_OK && ret == 0 && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		ret = take(statement, context);
		code = SQLITE_OK;
	}
	if (code != SQLITE_OK && code != SQLITE_DONE)
		ret = wrong(rank, db);
	sqlite3_finalize(statement);
	return ret;
}

static int process_take(sqlite3_stmt *row, void *context)
{
	nsys_processes_type *processes = context;
	uint64_t *at = ARRAY_ADD(processes);

	if (!at)
		return -1;
	*at = (uint64_t)sqlite3_column_int64(row, 0);
	return 0;
}

/* Those in any table of `classes`. */
static int processes_of(sqlite3 *db, struct kineto_rank *file, unsigned classes,
	nsys_processes_type *processes)
{
	char sql[4096] = "select distinct p from (select 0 p where 0";
	size_t n = strlen(sql);

	for (size_t i = 0; i < TABLES; i++) {
		const struct table *table = &tables[i];

		if (classes & 1u << table->class && table->columns[THREAD] &&
			has_column(db, table->name, table->columns[THREAD]) && n < sizeof(sql) / 2)
			n += (size_t)snprintf(sql + n, sizeof(sql) - n,
				" union all select globalTid & %" PRId64 " from %s",
				(int64_t)PROCESS_MASK, table->name);
	}
	snprintf(sql + n, sizeof(sql) - n, ") order by p");
	return rows_take(db, file, sql, process_take, processes);
}

/*
 * Ranks are processes that use a GPU or MPI; in a file without any, processes with ranges; else
 * all.
 */
int nsys_processes(const char *path, nsys_processes_type *processes)
{
	static const unsigned classes[] = { 1u << KINETO_CALL | 1u << KINETO_MPI,
		1u << KINETO_ANNOTATION, 1u << KINETO_SYSTEM };
	struct kineto_rank file = { .path = path };
	sqlite3 *db = export_open(&file);
	size_t before = processes->n;
	int ret = db ? 0 : -1;

	for (size_t i = 0; ret == 0 && i < sizeof(classes) / sizeof(*classes); i++)
		if (processes->n == before)
			ret = processes_of(db, &file, classes[i], processes);
	if (ret == 0 && processes->n == before)
		kineto_wrong(&file,
			"%s is no SQLite export of Nsight Systems: it has no table of calls "
			"of CUDA, MPI, NVTX or the system",
			path);
	if (file.wrong) {
		log_error("%s", file.wrong);
		ret = -1;
	}
	free(file.wrong);
	sqlite3_close(db);
	return ret;
}

/* One table and process: what selects the columns in the order of the enumeration. False: it lacks times. */
static bool table_select(sqlite3 *db, const struct table *table, char *sql, size_t size)
{
	const char *const *columns = table->columns;
	bool has_names = columns[NAME] && has_column(db, "StringIds", "value") &&
		has_column(db, table->name, columns[NAME]);
	size_t n = (size_t)snprintf(sql, size, "select ");

	if (columns[START] &&
		(!has_column(db, table->name, columns[START]) ||
			!has_column(db, table->name, columns[END])))
		return false;
	for (int i = 0; i < NAME; i++)
		n += (size_t)snprintf(sql + n, size - n,
			columns[i] && has_column(db, table->name, columns[i]) ? "t.\"%s\", "
									      : "null, ",
			columns[i]);
	n += (size_t)snprintf(sql + n, size - n, "%s from %s t%s%s", has_names ? "s.value" : "null",
		table->name, has_names ? " left join StringIds s on s.id = t." : "",
		has_names ? columns[NAME] : "");
	if (columns[THREAD])
		n += (size_t)snprintf(sql + n, size - n, " where t.globalTid & %" PRId64 " = ?1",
			(int64_t)PROCESS_MASK);
	else if (has_column(db, table->name, columns[PROCESS]))
		n += (size_t)snprintf(sql + n, size - n, " where t.globalPid = ?1");
	if (table->where)
		snprintf(sql + n, size - n, " and %s order by t.start", table->where);
	return true;
}

struct nsys_reading {
	struct kineto_rank *rank;
	const struct table *table;
	struct kineto_raw raw;
};

static int row_take(sqlite3_stmt *row, void *context)
{
	struct nsys_reading *reading = context;
	const struct table *table = reading->table;
	struct kineto_raw *raw = &reading->raw;
	int64_t thread = number(row, THREAD), end = number(row, END);

	kineto_raw_clear(raw);
	raw->class = table->class;
	raw->is_complete = true;
	raw->pid = table->columns[THREAD] ? reading->rank->pid : NO_NUMBER;
	raw->tid = thread == NO_NUMBER ? NO_NUMBER : (int64_t)((uint64_t)thread & ID_MOST);
	raw->start = number(row, START);
	if (__builtin_sub_overflow(end, raw->start, &raw->length))
		raw->length = NO_NUMBER;
	raw->device = number(row, DEVICE);
	raw->stream = number(row, STREAM);
	raw->correlation = number(row, CORRELATION);
	raw->bytes = number(row, BYTES);
	snprintf(raw->name, sizeof(raw->name), "%s",
		*text(row, TEXT) ? text(row, TEXT) : text(row, NAME));
	if (table->complete)
		table->complete(row, raw);
	if (kineto_take(reading->rank, raw) == 0)
		return 0;
	log_error("%s: out of memory", reading->rank->path);
	return -1;
}

static int events_read(struct kineto_rank *rank, sqlite3 *db)
{
	struct nsys_reading reading = { .rank = rank };
	char sql[2048];

	for (size_t i = 0; i < TABLES; i++) {
		reading.table = &tables[i];
		if (!has_column(db, tables[i].name,
			    tables[i].columns[START] ? "start" : "streamId"))
			continue;
		if (!table_select(db, &tables[i], sql, sizeof(sql))) {
			kineto_wrong(rank,
				"%s is no SQLite export of Nsight Systems: its table %s lacks the "
				"column end",
				rank->path, tables[i].name);
			return -1;
		}
		if (rows_take(db, rank, sql, row_take, &reading) < 0)
			return -1;
	}
	return 0;
}

static int device_take(sqlite3_stmt *row, void *context)
{
	struct kineto_rank *rank = context;
	struct kineto_device *device = ARRAY_ADD(&rank->devices);

	if (!device)
		return -1;
	*device = (struct kineto_device){ number(row, 0), strdup(text(row, 1)),
		strdup(text(row, 2)) };
	return device->name && device->uuid ? 0 : -1;
}

static int rank_take(sqlite3_stmt *row, void *context)
{
	int64_t value = number(row, 0);

	if (value >= 0 && value < INT32_MAX)
		((struct kineto_rank *)context)->rank = value;
	return 0;
}

/* Times are from the start of the session, in UTC as the host had it. */
static int start_take(sqlite3_stmt *row, void *context)
{
	struct kineto_rank *rank = context;
	int64_t value = number(row, 0);

	rank->has_utc = value > 0 && value < INT64_MAX / 3;
	rank->base = rank->has_utc ? value : 0;
	return 0;
}

static int host_take(sqlite3_stmt *row, void *context)
{
	struct kineto_rank *rank = context;

	if (!rank->host && *text(row, 0))
		rank->host = strdup(text(row, 0));
	return 0;
}

/* Whether its tables have the columns; views are kept out by the caller. */
static bool can_ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	bool can = sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK;

	sqlite3_finalize(statement);
	return can;
}

/* Facts about the process, each where its table has these columns. */
static int facts_read(struct kineto_rank *rank, sqlite3 *db)
{
	static const struct {
		const char *table, *column, *other, *sql; /* other: a second table; NULL: none */
		int (*take)(sqlite3_stmt *row, void *context);
	} facts[] = {
		{ "TARGET_INFO_SESSION_START_TIME", "utcEpochNs", NULL,
			"select utcEpochNs from TARGET_INFO_SESSION_START_TIME limit 1",
			start_take },
		{ "TARGET_INFO_SYSTEM_ENV", "value", NULL,
			"select value from TARGET_INFO_SYSTEM_ENV where name = 'Hostname'",
			host_take },
		{ "MPI_RANKS", "globalTid", NULL,
			"select rank from MPI_RANKS where globalTid & -16777216 = ?1", rank_take },
		{ "TARGET_INFO_CUDA_DEVICE", "gpuId", "TARGET_INFO_GPU",
			"select d.cudaId, g.name, d.uuid from TARGET_INFO_CUDA_DEVICE d "
			"join TARGET_INFO_GPU g on g.id = d.gpuId where d.pid = ?1 >> 24 & 16777215",
			device_take },
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		if (has_column(db, facts[i].table, facts[i].column) &&
			(!facts[i].other || has_column(db, facts[i].other, "name")) &&
			can_ask(db, facts[i].sql) &&
			rows_take(db, rank, facts[i].sql, facts[i].take, rank) < 0)
			return -1;
	return 0;
}

int nsys_read(struct kineto_rank *rank)
{
	sqlite3 *db = export_open(rank);
	int ret;

	rank->pid = (int64_t)(rank->process >> 24 & ID_MOST);
	ret = db && facts_read(rank, db) == 0 ? events_read(rank, db) : -1;

	sqlite3_close(db);
	if (ret == 0 && rank->is_alone)
		kineto_rank_of_name(rank);
	if (ret == 0 && rank->nused && rank->nbroken)
		log_warn("%s: %" PRIu64 " of %" PRIu64 " rows of process %" PRId64 " lack a name, "
			 "time, thread or stream: they are left out",
			rank->path, rank->nbroken, rank->nused + rank->nbroken, rank->pid);
	if (ret == 0 && !rank->nused) {
		kineto_wrong(rank, "%s: process %" PRId64 " has no event that can be read",
			rank->path, rank->pid);
		return -1;
	}
	return ret;
}
