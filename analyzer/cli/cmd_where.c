/* cmd_where.c - tacho where: the verdict on a run that seems to hang, and each rank's place. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/log.h"
#include "base/ptrace_scope.h"
#include "base/text.h"
#include "base/par.h"
#include "base/rundir.h"
#include "cli/cmd.h"
#include "cli/stats_db.h"
#include "flight/flight.h"
#include "merge/walk/walk_regions.h"
#include "merge/where/where.h"
#include "tacho/trace.h"

static struct {
	unsigned format;
	bool threads;
	int64_t least;
	int jobs;
} wanted = { .least = WHERE_LEAST };

enum { FORMAT_TABLE, FORMAT_JSON };

static const struct option option_table[] = { { "format", 0, "table|json", "output format (table)",
						      .choice = &wanted.format },
	{ "threads", 't', NULL, "show all threads with their open calls", .flag = &wanted.threads },
	{ "least", 0, "TIME", "ignore shorter waits (1s)", .time = &wanted.least },
	{ "jobs", 'j', "N", "threads (default: one per core)", .count = &wanted.jobs }, { 0 } };

static const char *const verdicts[] = { "goes on", "late rank", "deadlock", "mismatch",
	"all in one operation", "ended" };

static const struct process *process_of(const struct where *where, const struct where_rank *rank)
{
	return &where->merge->processes[rank->process];
}

/* Native stacks: libtacho.so, which reads them, and whether the kernel lets it. */
static struct {
	char *collector;
	bool is_refused;
} native;

/* The stack of a rank that lives here and waits; without frames elsewhere. To be freed. */
static void native_look(struct where_native *stack, const struct where *where,
	const struct where_rank *rank)
{
	const struct process *p = process_of(where, rank);

	*stack = (struct where_native){ 0 };
	if (native.is_refused || !p->spool || p->end != PROCESS_RUNNING ||
		!node_is_here(&where->merge->nodes[p->node]))
		return;
	if (!native.collector)
		native.collector = library_file();
	if (native.collector)
		native.is_refused = !where_native_read(stack, native.collector, where, rank);
}

static void native_print(const struct where *where, const struct where_rank *rank)
{
	struct where_native stack;
	char *text = NULL, *clean;
	size_t size;
	FILE *out;

	native_look(&stack, where, rank);
	out = stack.n ? open_memstream(&text, &size) : NULL;
	if (out) {
		where_native_print(out, &stack);
		clean = fclose(out) == 0 ? text_clean(text, size) : NULL;
		printf("%22s%s\n", "native: ", clean ? clean : "");
		free(clean);
		free(text);
	}
	where_native_free(&stack);
}

static void refused_print(void)
{
	int scope = native.is_refused ? ptrace_scope() : 0;

	if (scope)
		printf("\nNative functions are not shown, as kernel.yama.ptrace_scope is %d: as root, "
		       "or with 0 there, they are.\n",
			scope);
	else if (native.is_refused)
		puts("\nNative functions are not shown, as the kernel forbids looking at the "
		     "processes: root, or the capability SYS_PTRACE, may.");
}

static void rank_print(const struct where *where, const struct where_rank *rank)
{
	const struct process *p = process_of(where, rank);
	/* it is not known for a rank without a spool */
	const char *host = p->spool ? where->merge->nodes[p->node].hostname : "";
	char *node = text_clean(host, strlen(host)), *doing = where_doing(where, rank);
	char *clean = doing ? text_clean(doing, strlen(doing)) : NULL;

	printf("%6d  %-12s  %s\n", rank->rank, node ? node : "", clean ? clean : "");
	free(clean);
	free(doing);
	free(node);
	native_print(where, rank);
}

static void thread_print(const struct where_rank *rank, const struct where_thread *thread)
{
	printf("        thread %" PRIu32 " (%.32s)", thread->location->thread->head.number,
		thread->location->thread->head.name);
	for (uint32_t i = 0; i < thread->ncalls; i++)
		printf("%s %s for %.3f s", i ? "," : ": in",
			region_infos[thread->calls[i].region].name,
			(double)(rank->now - thread->calls[i].since) / 1e9);
	if (!thread->ncalls)
		printf(": in no call for %.3f s", (double)(rank->now - thread->last) / 1e9);
	putchar('\n');
}

/* Largest and smallest number of collectives begun by a member; false if none has begun one. */
static bool comm_extent(const struct where *where, uint32_t comm, uint32_t *least, uint32_t *most)
{
	*least = UINT32_MAX;
	*most = 0;
	for (uint32_t i = 0; i < where->merge->comms[comm].size; i++) {
		uint32_t number = where->merge->comms[comm].ranks[i], place, n;

		if (number >= where->merge->nmpi)
			continue;
		place = where->place[where->merge->mpi_process[number]];
		if (place == NONE)
			continue;
		n = where_begun(where, &where->ranks[place], comm);
		*least = n < *least ? n : *least;
		*most = n > *most ? n : *most;
	}
	return *most > 0 && *least != UINT32_MAX;
}

static void comms_print(const struct where *where)
{
	bool any = false;
	char text[64];

	for (uint32_t c = 0; c < where->merge->ncomms; c++) {
		uint32_t least, most;

		if (where->merge->comms[c].size < 2 || !comm_extent(where, c, &least, &most))
			continue;
		if (!any)
			printf("\n%-24s  %6s  %s\n", "communicator", "ranks", "collectives begun");
		any = true;
		printf("%-24s  %6" PRIu32 "  ", where_comm_name(where, c, text, sizeof(text)),
			where->merge->comms[c].size);
		if (least == most)
			printf("%" PRIu32 " by all\n", most);
		else
			printf("%" PRIu32 " to %" PRIu32 "\n", least, most);
	}
}

/* Whether a run was cut off: nothing of it lives, which is known of this machine only. */
static bool is_dead(const struct merge *m)
{
	bool killed = false;

	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];

		if (p->end == PROCESS_RUNNING || (p->spool && !node_is_here(&m->nodes[p->node])))
			return false;
		killed |= p->spool && !p->child && p->end == PROCESS_KILLED;
	}
	return killed;
}

static void print_table(const struct where *where, const char *text)
{
	char *clean = text_clean(text, strlen(text));

	if (is_dead(where->merge))
		printf("This run is dead: all its ranks were killed or have ended. What follows is of "
		       "the last sign of life, at %.1f s.\n",
			(double)where->end / 1e9);
	printf("%s\n\n%6s  %-12s  %s\n", clean ? clean : "", "rank", "node", "what it does");
	for (uint32_t i = 0; i < where->nranks; i++) {
		rank_print(where, &where->ranks[i]);
		for (uint32_t k = 0; wanted.threads && k < where->ranks[i].nthreads; k++)
			thread_print(&where->ranks[i], &where->ranks[i].threads[k]);
	}
	comms_print(where);
	refused_print();
	free(clean);
}

static void native_json(struct json *json, const struct where *where, const struct where_rank *rank)
{
	struct where_native stack;

	native_look(&stack, where, rank);
	json_array(json, "native", JSON_INLINE);
	for (uint32_t i = 0; i < stack.n; i++) {
		json_object(json, NULL, JSON_INLINE);
		json_text(json, "function", stack.frames[i].function);
		json_text(json, "file", stack.frames[i].file);
		json_end(json);
	}
	json_end(json);
	where_native_free(&stack);
}

static void rank_json(struct json *json, const struct where *where, const struct where_rank *rank)
{
	const struct process *p = process_of(where, rank);
	char *doing = where_doing(where, rank), comm[64];

	json_object(json, NULL, JSON_INLINE);
	json_integer(json, "rank", rank->rank);
	json_text(json, "node", p->spool ? where->merge->nodes[p->node].hostname : NULL);
	json_text(json, "does", doing ? doing : "");
	json_text(json, "call", rank->call ? region_infos[rank->call->region].name : NULL);
	json_integer(json, "since_ns", rank->since);
	json_integer(json, "now_ns", rank->now);
	if (rank->has_step)
		json_integer(json, "step", (int64_t)rank->step);
	if (rank->wait == WHERE_COLLECTIVE || rank->wait == WHERE_REQUEST) {
		json_text(json, "communicator",
			where_comm_name(where, rank->comm, comm, sizeof(comm)));
		json_text(json, "operation", region_infos[rank->region].name);
		json_integer(json, "number", rank->number);
	}
	json_array(json, "waits_for", JSON_INLINE);
	for (size_t i = 0; i < rank->waits_for.n; i++)
		json_integer(json, NULL, where->ranks[rank->waits_for.at[i]].rank);
	json_end(json);
	native_json(json, where, rank);
	json_end(json);
	free(doing);
}

static void print_json(const struct where *where, const char *text, enum where_verdict verdict)
{
	struct json json = { .out = stdout };

	json_object(&json, NULL, JSON_LINES);
	json_text(&json, "verdict", verdicts[verdict]);
	json_text(&json, "text", text);
	json_array(&json, "ranks", JSON_LINES);
	for (uint32_t i = 0; i < where->nranks; i++)
		rank_json(&json, where, &where->ranks[i]);
	json_end(&json);
	json_end(&json);
}

static int where_print(const struct merge *m)
{
	struct where where;
	enum where_verdict verdict;
	char *text = NULL;

	if (where_read(&where, m, par_jobs(wanted.jobs)) == 0)
		text = where_text(&where, wanted.least, &verdict);
	if (text && wanted.format == FORMAT_JSON)
		print_json(&where, text, verdict);
	else if (text)
		print_table(&where, text);
	where_free(&where);
	free(native.collector);
	native.collector = NULL;
	free(text);
	return text ? 0 : -1;
}

/* A run that is merged has no spools as a rule, but its database has the verdict. */
static int where_kept(const char *run)
{
	static const char sql[] = "select value from environment where run_id = ?1 and scope = '' "
				  "and key = '" PROPERTY_ARCHIVE_HANG "'";
	struct json json = { .out = stdout };
	struct report_db db;
	char *value, id[32];
	const char *text;
	int status;

	if (stats_db_open(&db, run) < 0)
		return -1;
	snprintf(id, sizeof(id), "%lld", db.run);
	value = report_db_ask(&db, sql, id, NULL, &status);
	text = value ? value : "No rank was waiting for another one when the run ended.";
	if (wanted.format == FORMAT_TABLE) {
		if (value)
			puts("This run has ended. This was its state at the end.");
		puts(text);
	} else {
		json_object(&json, NULL, JSON_LINES);
		json_text(&json, "text", text);
		json_end(&json);
	}
	free(value);
	report_db_close(&db);
	return 0;
}

static int where_run(int argc, char **argv)
{
	char *spool, *database;
	bool kept;
	int ret;

	if (flight_is_dump(argv[0]))
		return flight_where(argv, (size_t)argc, wanted.format == FORMAT_JSON, stdout) < 0
			? EXIT_FAILED
			: EXIT_OK;
	if (argc > 1) {
		log_error("%s is asked alone: only dumps of the Flight Recorder belong together",
			argv[0]);
		return EXIT_FAILED;
	}
	spool = path_join(argv[0], RUNDIR_SPOOL);
	database = run_database(argv[0]);
	kept = spool && database && !path_exists(spool) && path_exists(database);
	ret = kept ? where_kept(argv[0]) : merge_visit(argv[0], wanted.jobs, where_print);
	free(spool);
	free(database);
	return ret < 0 ? EXIT_FAILED : EXIT_OK;
}

const struct command command_where = {
	.name = "where",
	.summary = "Show the current call of each rank and which rank the others wait for",
	.arguments = "RUN|DUMP...",
	.least = 1,
	.notes =
		"The run may still run, hang or have been killed. The command reads its spools, and\n"
		"the native stacks of ranks that wait on this machine. For a merged run it prints\n"
		"the verdict from the database. DUMP is a dump of PyTorch's Flight Recorder (pickle\n"
		"or JSON: give those of all ranks, or their folder) or the output of ncclras.\n",
	.options = option_table,
	.run = where_run,
};
