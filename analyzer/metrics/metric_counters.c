/*
 * metric_counters.c - model counters: rates of storage and network from the nodes' counters; per
 * rank, the I/O in /proc that the intercepted calls do not explain; see metric.h.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "base/log.h"
#include "metrics/metric.h"

#define OWN_SHARE 0.05 /* reports tacho's records if they are this share of a node's writes */
#define OWN_LEAST 1e6  /* bytes that it wrote */

/*
 * Whether another node of the archive is the same machine (namespaces, containers): its disks are
 * shared.
 */
static bool machine_is_shared(const struct engine *engine, uint32_t node)
{
	const char *own = NULL;

	for (size_t i = 0; i < engine->tables.model.processes.n && !own; i++)
		if (engine->tables.model.processes.at[i].node == node)
			own = property_find(&engine->tables.model.processes.at[i].group->properties,
				PROPERTY_ENV_PREFIX "boot_id");
	for (size_t i = 0; own && i < engine->tables.model.processes.n; i++) {
		const struct process *process = &engine->tables.model.processes.at[i];
		const char *other = property_find(&process->group->properties,
			PROPERTY_ENV_PREFIX "boot_id");

		if (process->node != node && other && strcmp(own, other) == 0)
			return true;
	}
	return false;
}

/* Bytes that the library wrote on a node, as far as its spools are on storage. */
static double own_stored(const struct engine *engine, uint32_t node)
{
	double bytes = 0;

	for (size_t i = 0; i < engine->tables.counters.series.n; i++) {
		const struct counter_series *series = &engine->tables.counters.series.at[i];

		if (series->node == node && strcmp(series->member->name, "proc.own_stored") == 0)
			bytes += series->last;
	}
	return bytes;
}

/*
 * When and to which disk the kernel wrote the library's own records is not known: they stay in the
 * rate of the node.
 */
static const char *own_note(const struct engine *engine, uint32_t node)
{
	static char note[96];
	double own = own_stored(engine, node);
	double all = engine->tables.counters.rates[node].total[RATE_STORAGE_WRITE];

	if (all < OWN_LEAST || own < OWN_SHARE * all)
		return NULL;
	own = fmin(own, all) / 1e6;
	snprintf(note, sizeof(note), "up to %.*f MB of the bytes written are tacho's own records",
		own < 9.95, own);
	return note;
}

static struct rate_note counters_note(const struct engine *engine, uint32_t node, int kind)
{
	const struct counter_node *seen = &engine->tables.counters.nodes[node];

	if (!seen->seen[kind])
		return (struct rate_note){ true,
			"no counter of this kind was sampled on the node" };
	if (kind < RATE_NETWORK_SENT && seen->disks && machine_is_shared(engine, node))
		return (struct rate_note){ false,
			"disks of the machine, which other nodes of the run share" };
	if (kind == RATE_STORAGE_WRITE)
		return (struct rate_note){ false, own_note(engine, node) };
	return (struct rate_note){ false, NULL };
}

/*
 * The rank that a process works for: its own rank, or the rank of its nearest ancestor that has
 * one.
 */
static int64_t rank_of(const struct model *model, uint32_t process)
{
	for (size_t depth = 0; process != MODEL_NONE && depth <= model->processes.n; depth++) {
		if (model->processes.at[process].rank >= 0)
			return model->processes.at[process].rank;
		process = model->processes.at[process].parent;
	}
	return -1;
}

/*
 * Whether a process that counts as a rank's child began before it: it is what started the ranks
 * (torchrun's agent, which asks CUDA for devices). Their I/O is added to its own as it waits for them.
 */
static bool has_started_ranks(const struct engine *engine, uint32_t process)
{
	const struct model *model = &engine->tables.model;
	const struct process *at = process == MODEL_NONE ? NULL : &model->processes.at[process];
	const struct process *above = !at || at->rank >= 0 || at->parent == MODEL_NONE
		? NULL
		: &model->processes.at[at->parent];

	return above && at->main != MODEL_NONE && above->main != MODEL_NONE &&
		engine->tracks[at->main].first < engine->tracks[above->main].first;
}

/*
 * Counters of processes, and their sums per rank. What the library itself
 * wrote is taken off.
 */
static const struct {
	const char *counter;
	enum metric metric;
} of_ranks[] = {
	{ "proc.rchar", METRIC_counters_read_call_bytes },
	{ "proc.wchar", METRIC_counters_write_call_bytes },
	{ "proc.read_bytes", METRIC_counters_storage_read_bytes },
	{ "proc.write_bytes", METRIC_counters_storage_write_bytes },
	{ "proc.own_written", METRIC_counters_write_call_bytes },
	{ "proc.own_stored", METRIC_counters_storage_write_bytes },
	{ "proc.majflt", METRIC_counters_major_faults },
	{ "proc.cpu", METRIC_counters_cpu },
	{ "proc.core_ran", METRIC_counters_core_ran },
	{ "proc.core_waited", METRIC_counters_core_waited },
	{ "proc.stopped", METRIC_counters_stopped },
	{ "proc.throttled", METRIC_counters_throttled },
};

enum { OF_RANKS = sizeof(of_ranks) / sizeof(*of_ranks) };

/* The counter series of a process, and how much of each count belongs to its children. */
struct process_series {
	struct counter_series *of[OF_RANKS];
	bool in_parent[OF_RANKS];
};

static bool is_io(size_t counter)
{
	return strcmp(metric_definitions[of_ranks[counter].metric].unit, "bytes") == 0;
}

static bool is_own(size_t counter)
{
	return strncmp(of_ranks[counter].counter, "proc.own_", strlen("proc.own_")) == 0;
}

/* Bytes that the process, not the library in it, counted itself or took over from children so far. */
static double program_gained(const struct process_series *process, size_t counter)
{
	double gained = process->of[counter]->gained - process->of[counter]->children;

	for (size_t k = 0; k < OF_RANKS; k++)
		if (is_own(k) && of_ranks[k].metric == of_ranks[counter].metric && process->of[k])
			gained -= process->of[k]->gained;
	return gained;
}

/*
 * True if the parent's count includes the child's. Linux adds only the I/O counters, and adds them
 * for the whole life of a child to the process that waits for its end. The parent has the count if
 * it outlived the child and moved as many bytes, including the bytes of the child's library.
 * Without a waiting process no count includes the child's.
 */
static bool is_in_parent(struct process_series *by_process, const struct process *process,
	const struct counter_series *series, size_t counter)
{
	struct process_series *parent = process->rank >= 0 || process->parent == MODEL_NONE
		? NULL
		: &by_process[process->parent];

	if (!parent || !parent->of[counter] || is_own(counter) || !is_io(counter) ||
		parent->of[counter]->last_t <= series->last_t ||
		program_gained(parent, counter) < series->last)
		return false;
	parent->of[counter]->children += series->last;
	return true;
}

/* Where its count is, its library's records are as well. */
static bool owner_is_in_parent(const struct process_series *process, size_t counter)
{
	for (size_t k = 0; k < OF_RANKS; k++)
		if (!is_own(k) && of_ranks[k].metric == of_ranks[counter].metric && process->of[k])
			return process->in_parent[k];
	return false;
}

/* What is counted from the process's start on, though the first row may come with the first event. */
static bool begins_at_zero(size_t counter)
{
	return of_ranks[counter].metric == METRIC_counters_stopped ||
		of_ranks[counter].metric == METRIC_counters_throttled;
}

/* What a process adds to the figure of its rank. What a child ran before its first sample is the rank's. */
static double growth_of(const struct process_series *process, const struct counter_series *series,
	size_t counter, bool is_child)
{
	if (is_own(counter))
		return owner_is_in_parent(process, counter) ? -series->last : -series->gained;
	if (process->in_parent[counter])
		return 0;
	return (strcmp(of_ranks[counter].counter, "proc.cpu") == 0 && is_child) ||
			begins_at_zero(counter)
		? series->first + series->gained
		: series->gained;
}

static void rank_counter_put(struct engine *engine, size_t counter, int64_t rank, double value)
{
	db_put(&engine->tables.db,
		"insert into metric(run_id, window, model, name, subject, value, unit) "
		"values (1, 'run', 'counters', ?, 'rank:' || ?, ?, ?) "
		"on conflict do update set value = value + excluded.value",
		"sids", metric_definitions[of_ranks[counter].metric].name, rank, value,
		metric_definitions[of_ranks[counter].metric].unit);
}

/*
 * True for counters that exist only for a process's first thread, or that include its children
 * anyway: a rank takes them from its own process only.
 */
static bool is_of_rank_alone(size_t counter)
{
	return begins_at_zero(counter) ||
		strncmp(of_ranks[counter].counter, "proc.core_", strlen("proc.core_")) == 0;
}

static int counter_of(const struct counter_series *series)
{
	for (int k = 0; k < OF_RANKS && series->process != MODEL_NONE; k++)
		if (strcmp(series->member->name, of_ranks[k].counter) == 0)
			return k;
	return -1;
}

static void series_find(struct engine *engine, struct process_series *by_process)
{
	struct counters *counters = &engine->tables.counters;

	for (size_t i = 0; i < counters->series.n; i++) {
		struct counter_series *series = &counters->series.at[i];
		int k = counter_of(series);

		if (k >= 0)
			by_process[series->process].of[k] = series;
	}
	for (size_t i = 0; i < counters->series.n; i++) {
		const struct counter_series *series = &counters->series.at[i];
		int k = counter_of(series);

		if (k >= 0)
			by_process[series->process].in_parent[k] = is_in_parent(by_process,
				&engine->tables.model.processes.at[series->process], series,
				(size_t)k);
	}
}

static void rank_counters_write(struct engine *engine)
{
	struct process_series *by_process = calloc(engine->tables.model.processes.n + 1,
		sizeof(*by_process));
	struct counters *counters = &engine->tables.counters;

	if (!by_process) {
		log_error("out of memory for the counters of processes");
		engine->tables.failed = true;
		return;
	}
	series_find(engine, by_process);
	for (size_t i = 0; i < counters->series.n; i++) {
		const struct counter_series *series = &counters->series.at[i];
		int k = counter_of(series);
		int64_t own_rank = k < 0 ? -1
					 : engine->tables.model.processes.at[series->process].rank;
		int64_t rank = k < 0 || is_of_rank_alone((size_t)k)
			? own_rank
			: rank_of(&engine->tables.model, series->process);

		if (rank >= 0 && !by_process[series->process].in_parent[k] &&
			!(is_io((size_t)k) && has_started_ranks(engine, series->process)))
			rank_counter_put(engine, (size_t)k, rank,
				growth_of(&by_process[series->process], series, (size_t)k,
					own_rank < 0));
	}
	free(by_process);
}

/* What the intercepted calls of a rank and its children moved is no bypass. */
static void calls_take_off(struct engine *engine, const char *unseen, bool written)
{
	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		const struct track *track = &engine->tracks[i];
		uint64_t bytes = written ? track->proc_written : track->proc_read;

		if (bytes && !has_started_ranks(engine, track->process))
			db_put(&engine->tables.db,
				"update metric set value = value - ? where run_id = 1 and "
				"window = 'run' and model = 'counters' and name = ? and "
				"subject = 'rank:' || ?",
				"isi", (int64_t)bytes, unseen,
				rank_of(&engine->tables.model, track->process));
	}
}

/*
 * The files of calls without detail are unknown, and so are the library's writes in children that
 * have only totals.
 */
static void summed_leave_out(struct engine *engine, const char *unseen)
{
	for (size_t i = 0; i < engine->tables.model.locations.n; i++) {
		const struct track *track = &engine->tracks[i];

		if (track->spent[HOST_SUMMED])
			db_put(&engine->tables.db,
				"update metric set value = NULL, flag = 'only totals are known of "
				"a part of the run' where run_id = 1 and window = 'run' and "
				"model = 'counters' and name = ? and subject = 'rank:' || ?",
				"si", unseen, rank_of(&engine->tables.model, track->process));
	}
}

/*
 * Bytes that the kernel moved for a rank's read and write calls, minus the bytes of the intercepted
 * calls: calls that bypass the wrappers. Mapped files do not appear here, but in storage_read_bytes
 * and major_faults.
 */
static void bypassing_write(struct engine *engine)
{
	static const struct {
		enum metric counted, unseen;
		bool written;
	} pairs[] = {
		{ METRIC_counters_read_call_bytes, METRIC_counters_unseen_read_bytes, false },
		{ METRIC_counters_write_call_bytes, METRIC_counters_unseen_write_bytes, true },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		const char *unseen = metric_definitions[pairs[i].unseen].name;

		db_put(&engine->tables.db,
			"insert into metric(run_id, window, model, name, subject, value, unit) "
			"select run_id, window, model, ?, subject, value, unit from metric where run_id = 1 and window = 'run' and "
			"model = 'counters' and name = ?",
			"ss", unseen, metric_definitions[pairs[i].counted].name);
		calls_take_off(engine, unseen, pairs[i].written);
		db_put(&engine->tables.db,
			"update metric set value = NULL, flag = 'the calls moved more than was "
			"sampled: before the first sample, after the last, or in a stream''s "
			"buffer' where run_id = 1 and window = 'run' and model = 'counters' and "
			"name = ? and value < 0",
			"s", unseen);
		summed_leave_out(engine, unseen);
	}
}

/* The most that each rank held of its devices, as the process itself kept it: no reading has to meet it. */
static void held_write(struct engine *engine)
{
	db_put(&engine->tables.db,
		"insert into metric (run_id, \"window\", model, name, subject, value, unit, flag) "
		"select 1, 'run', 'device', 'memory_held_peak', 'gpu:' || p.rank || ':' || "
		"cast(substr(s.name, 10) as integer), max(s.value) filter (where s.name glob "
		"'*.held_most'), 'bytes', 'at least: ' || cast(max(s.value) filter (where s.name glob "
		"'*.held_missed') as integer) || ' allocations by other calls (cuMemCreate, "
		"cudaMallocPitch) are not in it' from sample s join process p on p.id = s.process_id "
		"where s.run_id = 1 and p.rank is not null and s.name glob 'proc.gpu.*.held*' "
		"group by p.rank, cast(substr(s.name, 10) as integer)",
		"");
}

void metric_counters_write(struct engine *engine)
{
	static const enum metric metrics[RATE_COUNT][2] = {
		[RATE_STORAGE_READ] = { METRIC_counters_storage_read,
			METRIC_counters_storage_read_peak },
		[RATE_STORAGE_WRITE] = { METRIC_counters_storage_write,
			METRIC_counters_storage_write_peak },
		[RATE_NETWORK_SENT] = { METRIC_counters_network_sent,
			METRIC_counters_network_sent_peak },
		[RATE_NETWORK_RECEIVED] = { METRIC_counters_network_received,
			METRIC_counters_network_received_peak },
	};
	static const struct rate_model by_counters = { "counter", metrics, counters_note };
	bool any = false;

	for (size_t i = 0; i < engine->tables.counters.series.n && !any; i++)
		any = engine->tables.counters.series.at[i].process == MODEL_NONE;
	if (any)
		rate_model_write(engine, &by_counters, engine->tables.counters.rates);
	rank_counters_write(engine);
	held_write(engine);
	bypassing_write(engine);
}
