/* cmd_stats.c - tacho stats and info: the database as tables, csv or json; each table is one line of SQL here. */
#include "config.h"

#include <getopt.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd.h"
#include "log.h"
#include "print.h"
#include "rundir.h"

enum { OVERVIEW_ROWS = 25 };		/* of calls and files, the most expensive first */

static const char help[] =
	"Tables: run pop hosts calls collectives files throughput phases steps losses\n"
	"stragglers findings checks metrics kernels copies synchronisation devices\n"
	"environment. Without TABLE: those a newcomer wants, of calls and files the 25 that\n"
	"took longest.\n\n"
	"  --format table|csv|json   (table; times are in s, ms or µs there, in ns elsewhere)\n"
	"  --metric NAME             only metrics of this name, or MODEL.NAME\n"
	"  --window WINDOW           run, phase:train, step:12, or phase for all phases\n";

/*
 * Parameters: :window (NULL = the table's default), :metric, :limit (of the overview). Columns that end
 * in _ns, _bytes, _gbps or % are shown in units of people by the format table.
 */
#define WINDOW(default_)	"(window = coalesce(:window, '" default_ "') or window like :window || ':%')"

struct table {
	const char *name, *title, *sql;
	bool first;		/* shown without being asked for */
};

static const struct table tables[] = {
	{ "run", "Run", "select label, command, duration_ns, nranks as ranks, (select count(*) from node n where "
		"n.run_id = r.id) as nodes, nlocations as locations, nevents as events, exit_status, "
		"case cut when 1 then 'cut: a process did not end by itself' else 'whole' end as state from run r", true },
	{ "pop", "Efficiencies (POP): parallel = load balance × communication, communication = serialisation × transfer",
		"select label, window, parallel_efficiency as parallel, load_balance, communication_efficiency as "
		"communication, serialisation_efficiency as serialisation, transfer_efficiency as transfer, "
		"host_parallel_efficiency as host_useful, handover_efficiency as handover, io_efficiency as io from pop "
		"where :window is null or window = :window or window like :window || ':%'", true },
	{ "phases", "Phases", "select p.name as phase, count(distinct p.process_id) as ranks, count(distinct p.instance) as "
		"instances, min(p.start_ns) as first_ns, max(p.end_ns) as last_ns, "
		"sum(p.end_ns - p.start_ns) / count(distinct p.process_id) as per_rank_ns, max(p.cut) as cut "
		"from phase p group by p.run_id, p.name order by min(p.start_ns)", true },
	{ "hosts", "Host time per rank", "select coalesce('rank ' || p.rank, p.name) as process, n.hostname as node, window, "
		"sum(case state when 'useful' then ns else 0 end) as useful_ns, sum(case state when 'io' then ns else 0 end) "
		"as io_ns, sum(case state when 'mpi' then ns else 0 end) as mpi_ns, sum(case state when 'cuda' then ns else 0 "
		"end) as cuda_ns, sum(case state when 'wait' then ns else 0 end) as wait_ns, sum(case state when 'omp_idle' "
		"then ns else 0 end) as omp_idle_ns, sum(case state when 'absent' then ns else 0 end) as absent_ns "
		"from host_time h join process p on p.id = h.process_id left join node n on n.id = p.node_id "
		"where " WINDOW("run") " group by h.run_id, h.window, p.id order by h.window, p.rank is null, p.rank, p.id", true },
	{ "calls", "Calls", "select round(\"Time %\", 1) as \"time_%\", \"Total\" as total_ns, \"Calls\" as calls, "
		"\"Avg\" as avg_ns, \"Med\" as med_ns, \"Min\" as min_ns, \"Max\" as max_ns, \"StdDev\" as stddev_ns, "
		"\"Name\" as name from call_summary order by \"Total\" desc limit :limit", true },
	{ "collectives", "Collectives", "select op, count(*) as calls, sum(bytes) as total_bytes, sum(last_ns - first_ns) as "
		"skew_ns, sum(end_ns - last_ns) as transfer_ns, avg(algbw) * 8 / 1e9 as algbw_gbps, avg(busbw) * 8 / 1e9 as "
		"busbw_gbps from collective group by run_id, op order by 4 + 5 desc", true },
	{ "files", "Files", "select path, class, count(*) as processes, sum(opens) as opens, sum(reads) as reads, "
		"sum(bytes_read) as read_bytes, sum(read_ns) as read_ns, sum(writes) as writes, sum(bytes_written) as "
		"written_bytes, sum(write_ns) as write_ns, sum(meta_ns) as meta_ns, round(100 * avg(sequential), 1) as "
		"\"sequential_%\" from io_file group by run_id, path order by sum(ns) desc, path limit :limit", true },
	{ "throughput", "Throughput per node, Gb/s", "select node, window, source, storage_read_gbps, storage_read_peak_gbps, "
		"storage_write_gbps, storage_write_peak_gbps, network_sent_gbps, network_sent_peak_gbps, "
		"network_received_gbps, network_received_peak_gbps from throughput where :window is null or "
		"window = :window or window like :window || ':%'", true },
	{ "steps", "Steps", "select n as step, count(*) as ranks, min(start_ns) as start_ns, max(end_ns) - min(start_ns) as "
		"duration_ns, max(end_ns - start_ns) - min(end_ns - start_ns) as spread_ns, sum(samples) as samples, "
		"max(cut) as cut from step group by run_id, n order by n", false },
	{ "stragglers", "Slow ranks", "select rank, since_step, case lasting when 1 then 'end' else until_step end as until_step, "
		"cause, excess_ns, 100 * share as \"excess_%\", waited_ns as others_waited_ns, confidence from straggler "
		"order by waited_ns desc", true },
	{ "findings", "Findings, seconds saved", "select rank, round(seconds, 3) as seconds, rule, message, advice, confidence, "
		"evidence from finding order by run_id, rank", false },
	{ "losses", "Lost", "select subject, reason, count, message from loss", true },
	{ "checks", "Checks that failed", "select window, name, message from checks where not ok", true },
	{ "unmatched", "Messages without their partner", "select message from unmatched order by n", true },
	{ "inside", "Calls that threads were inside of at the end", "select coalesce('rank ' || p.rank, p.name) as process, "
		"p.end as process_end, l.name as thread, l.inside, l.inside_since_ns as since_ns, l.damaged from location l left join "
		"process p on p.id = l.process_id where l.inside is not null or l.damaged is not null", true },
	{ "metrics", "Metrics", "select window, model, name, subject, value, unit, flag from metric where (:metric is null or "
		"name = :metric or model || '.' || name = :metric) and (:window is null or window = :window or "
		"window like :window || ':%')", false },
	{ "kernels", "Kernels", "select * from gpu_summary order by \"Total\" desc", true },
	{ "copies", "Copies by kind of host memory", "select op, memory, sum(copies) as copies, sum(bytes) as bytes, "
		"sum(total_ns) as total_ns, 1.0 * sum(bytes) / sum(total_ns) as \"GB/s\" from copy group by op, memory "
		"order by 5 desc", true },
	{ "synchronisation", "Calls that wait for a device", "select coalesce('rank ' || p.rank, p.name) as process, s.name, "
		"s.kind, s.calls, s.total_ns, s.max_ns, s.calls_per_step from synchronisation s join process p "
		"on p.id = s.process_id order by s.total_ns desc", true },
	{ "energy", "Energy of GPUs", "select * from gpu_energy order by node, gpu", true },
	{ "devices", "Device time", "select d.name as device, window, state, ns from device_time t join device d on d.id = "
		"t.device_id where " WINDOW("run"), true },
	{ "environment", "Environment", "select scope, key, value from environment", false },
	{ 0 }
};

/* tacho info: what is in the trace, and how far it can be trusted. */
static const struct table info_tables[] = {
	{ "run", "Run", "select label, command, datetime(start_ns / 1000000000, 'unixepoch') as started_utc, duration_ns, "
		"nranks as ranks, nevents as events, case cut when 1 then 'cut' else 'whole' end as state, tacho_version, "
		"path as archive from run", true },
	{ "processes", "Processes", "select p.name as process, n.hostname as node, p.pid, p.end as process_end, p.start_ns, "
		"p.end_ns - p.start_ns as lived_ns, count(l.id) as locations, sum(l.nevents) as events from process p left join "
		"node n on n.id = p.node_id left join location l on l.process_id = p.id group by p.id order by p.id", true },
	{ "content", "Calls recorded", "select class, count(distinct name) as names, sum(calls) as calls, sum(total_ns) as "
		"total_ns from call group by run_id, class order by 3 desc", true },
	{ "clocks", "Clocks", "select hostname as node, clock_residual_ns from node", true },
	{ "cost", "Cost of recording, by the calibrated cost of a call", "select sum(c.calls) as calls, "
		"cast(e.value as real) as per_call_ns, sum(c.calls) * cast(e.value as real) / max(r.nranks, 1) as per_rank_ns, "
		"100 * sum(c.calls) * cast(e.value as real) / max(r.nranks, 1) / r.duration_ns as \"share_%\" from run r join "
		"environment e on e.run_id = r.id and e.key = 'TACHO::CALL_COST_NS' join call c on c.run_id = r.id and "
		"c.class <> 'user' group by r.id", true },
	{ "captured", "Captured", "select 100 * m.value as \"share_%\", (select value from environment where key = "
		"'TACHO::CAPTURE_WINDOW' limit 1) as limited_to from metric m where m.model = 'quality' and "
		"m.name = 'captured'", true },
	{ "losses", "Lost", "select subject, reason, count, message from loss", true },
	{ "damaged", "Damaged", "select name as location, ref, nevents as read, damaged from location where damaged is not null",
		true },
	{ "unmatched", "Messages without their partner", "select count(*) as messages, min(message) as first from unmatched "
		"having count(*) > 0", true },
	{ "checks", "Checks", "select sum(ok) as passed, sum(not ok) as failed, group_concat(case when not ok then name || ' ('"
		" || window || ')' end, ', ') as which from checks", true },
	{ 0 }
};

static const struct table *table_find(const char *name)
{
	for (const struct table *table = tables; table->name; table++)
		if (strcmp(table->name, name) == 0)
			return table;
	return NULL;
}

struct wanted { enum print_format format; const char *window, *metric; int limit; };

static int table_print(sqlite3 *db, const struct table *table, const struct wanted *wanted, bool titled, bool first)
{
	sqlite3_stmt *statement = NULL;
	int ret = -1, at;

	if (sqlite3_prepare_v2(db, table->sql, -1, &statement, NULL) != SQLITE_OK) {
		log_error("cannot read the table %s: %s (run tacho analyze again?)", table->name, sqlite3_errmsg(db));
		return -1;
	}
	if ((at = sqlite3_bind_parameter_index(statement, ":window")) && wanted->window)
		sqlite3_bind_text(statement, at, wanted->window, -1, SQLITE_STATIC);
	if ((at = sqlite3_bind_parameter_index(statement, ":metric")) && wanted->metric)
		sqlite3_bind_text(statement, at, wanted->metric, -1, SQLITE_STATIC);
	if ((at = sqlite3_bind_parameter_index(statement, ":limit")))
		sqlite3_bind_int(statement, at, wanted->limit);
	ret = print_rows(statement, wanted->format, titled ? table->name : NULL, titled ? table->title : NULL, first);
	if (ret < 0)
		log_error("cannot read the table %s: %s", table->name, sqlite3_errmsg(db));
	sqlite3_finalize(statement);
	return ret;
}

/* The overview: tables that have something to say; json as one object with an array each. */
static int overview_print(sqlite3 *db, const struct table *all, const struct wanted *wanted)
{
	bool first = true;
	int ret = 0;

	if (wanted->format == PRINT_JSON)
		putchar('{');
	for (const struct table *table = all; table->name && ret >= 0; table++) {
		if (!table->first)
			continue;
		ret = table_print(db, table, wanted, true, first);
		first &= ret <= 0;
	}
	if (wanted->format == PRINT_JSON)
		puts("}");
	return ret < 0 ? -1 : 0;
}

/* A run's folder means its database. */
static sqlite3 *database_open(const char *run)
{
	struct stat st;
	char *path = stat(run, &st) == 0 && S_ISDIR(st.st_mode) ? path_join(run, RUNDIR_DATABASE) : strdup(run);
	sqlite3 *db = NULL;

	if (!path || !path_exists(path)) {
		log_error("%s has no database: run tacho analyze %s first", run, run);
	} else if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
		   sqlite3_exec(db, "select schema_version from (select value as schema_version from meta)", NULL, NULL,
			NULL) != SQLITE_OK) {
		log_error("%s is not a database of tacho: %s", path, db ? sqlite3_errmsg(db) : "out of memory");
		sqlite3_close(db);
		db = NULL;
	}
	free(path);
	return db;
}

static int parse_format(const char *text, enum print_format *format)
{
	static const char *const names[] = { [PRINT_TABLE] = "table", [PRINT_CSV] = "csv", [PRINT_JSON] = "json" };

	for (int i = 0; i < 3; i++)
		if (strcmp(text, names[i]) == 0) {
			*format = i;
			return 0;
		}
	return -1;
}

int cmd_stats(int argc, char **argv)
{
	static const struct option options[] = {
		{ "format", required_argument, NULL, 'f' }, { "metric", required_argument, NULL, 'm' },
		{ "window", required_argument, NULL, 'w' }, { "help", no_argument, NULL, 'h' }, { 0 }
	};
	struct wanted wanted = { PRINT_TABLE, NULL, NULL, -1 };
	const struct table *table = NULL;
	int option, ret;
	sqlite3 *db;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'm': wanted.metric = optarg; break;
		case 'w': wanted.window = optarg; break;
		case 'h': return cmd_help("stats", help);
		case 'f':
			if (parse_format(optarg, &wanted.format) == 0)
				break;
			return cmd_usage("stats", "--format is table, csv or json, not %s", optarg);
		default: return cmd_usage("stats", "unknown option %s", argv[optind - 1]);
		}
	}
	if (argc - optind < 1 || argc - optind > 2)
		return cmd_usage("stats", "a RUN or database is wanted, and at most one table");
	if (argc - optind == 2 && !(table = table_find(argv[optind + 1])))
		return cmd_usage("stats", "there is no table %s", argv[optind + 1]);
	if (!table && wanted.metric)
		table = table_find("metrics");
	if (!table && wanted.format == PRINT_TABLE)
		wanted.limit = OVERVIEW_ROWS;
	db = database_open(argv[optind]);
	if (!db)
		return EXIT_FAILED;
	ret = table ? table_print(db, table, &wanted, false, true) : overview_print(db, tables, &wanted);
	sqlite3_close(db);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

int cmd_info(int argc, char **argv)
{
	struct wanted wanted = { PRINT_TABLE, NULL, NULL, -1 };
	sqlite3 *db;
	int ret;

	if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
		return cmd_help("info", NULL);
	if (argc != 2 || argv[1][0] == '-')
		return cmd_usage("info", "a RUN or database is wanted");
	db = database_open(argv[1]);
	if (!db)
		return EXIT_FAILED;
	ret = overview_print(db, info_tables, &wanted);
	sqlite3_close(db);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}
