/* write_props.c - see otf2_out_props.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/median.h"
#include "base/par.h"
#include "merge/gpu/gpu.h"
#include "merge/walk/walk_regions.h"
#include "merge/where/where.h"
#include "merge/write_props.h"
#include "base/rundir.h"
#include "tacho/trace.h"
#include "merge/topology.h"

static const char *const loss_names[LOSS_COUNT] = {
#define LOSS(id, name, kind, text) [LOSS_##id] = name,
	SPOOL_LOSSES(LOSS)
#undef LOSS
};

static const char *const end_names[] = {
	[PROCESS_FINISHED] = END_FINISHED,
	[PROCESS_KILLED] = END_KILLED,
	[PROCESS_RUNNING] = END_RUNNING,
};

static void node_text(struct strings *s, uint32_t node, const char *key, const char *text)
{
	OTF2_AttributeValue value = { .stringRef = string_ref(s, text) };

	s->error |= OTF2_GlobalDefWriter_WriteSystemTreeNodeProperty(s->out, node + 1,
		string_ref(s, key), OTF2_TYPE_STRING, value);
}

static void process_text(struct strings *s, uint32_t process, const char *key, const char *text)
{
	OTF2_AttributeValue value = { .stringRef = string_ref(s, text) };

	s->error |= OTF2_GlobalDefWriter_WriteLocationGroupProperty(s->out, process,
		string_ref(s, key), OTF2_TYPE_STRING, value);
}

static void process_number(struct strings *s, uint32_t process, const char *key, uint64_t number)
{
	OTF2_AttributeValue value = { .uint64 = number };

	s->error |= OTF2_GlobalDefWriter_WriteLocationGroupProperty(s->out, process,
		string_ref(s, key), OTF2_TYPE_UINT64, value);
}

static void location_text(struct strings *s, uint64_t location, const char *key, const char *text)
{
	OTF2_AttributeValue value = { .stringRef = string_ref(s, text) };

	s->error |= OTF2_GlobalDefWriter_WriteLocationProperty(s->out, location, string_ref(s, key),
		OTF2_TYPE_STRING, value);
}

static void location_number(struct strings *s, uint64_t location, const char *key, uint64_t number)
{
	OTF2_AttributeValue value = { .uint64 = number };

	s->error |= OTF2_GlobalDefWriter_WriteLocationProperty(s->out, location, string_ref(s, key),
		OTF2_TYPE_UINT64, value);
}

/* env.<rest> when `key` begins with `prefix`, else NULL. */
static const char *env_key(const char *key, const char *prefix, char *buffer, size_t size)
{
	size_t n = strlen(prefix);

	if (strncmp(key, prefix, n) != 0 || !key[n])
		return NULL;
	snprintf(buffer, size, PROPERTY_ENV_PREFIX "%s", key + n);
	return buffer;
}

/* Whether an earlier property of these has the same key: a key is written once. */
static bool is_repeated(const struct spool_process *s, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (strcmp(s->properties.at[k].key, s->properties.at[i].key) == 0)
			return true;
	return false;
}

static bool has_node_property(const struct spool_process *s, const char *key)
{
	return spool_property(s, key) != NULL;
}

/* Of the machine that merges, when it was one of the run's. */
static void topology_of_node(struct merge *m, struct strings *s, uint32_t node)
{
	char *topology = node_is_here(&m->nodes[node]) ? topology_text() : NULL;

	if (topology && *topology)
		node_text(s, node, PROPERTY_ENV_PREFIX "topology", topology);
	free(topology);
}

void props_of_node(struct merge *m, struct strings *s, uint32_t node)
{
	char buffer[256];

	if (m->nodes[node].clock_residual_ns >= 0) {
		snprintf(buffer, sizeof(buffer), "%" PRId64, m->nodes[node].clock_residual_ns);
		node_text(s, node, PROPERTY_CLOCK_RESIDUAL, buffer);
	}
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];

		for (uint32_t k = 0; p->spool && p->node == node && k < p->spool->properties.n;
			k++) {
			const struct spool_property *property = &p->spool->properties.at[k];
			const char *key = env_key(property->key, "node.", buffer, sizeof(buffer));
			bool repeated = !key || is_repeated(p->spool, k);

			for (uint32_t before = 0; before < i && !repeated; before++)
				repeated = m->processes[before].spool &&
					m->processes[before].node == node &&
					has_node_property(m->processes[before].spool,
						property->key);
			if (!repeated)
				node_text(s, node, key, property->value);
		}
	}
	topology_of_node(m, s, node);
}

/* What CUPTI itself cost the process, in ns. */
static void props_of_gpu(struct merge *m, struct strings *s, uint32_t process)
{
	const struct process *p = &m->processes[process];
	uint64_t start = p->spool->def.start.ticks;
	const struct clock *clock = &m->nodes[p->node].clock;
	char text[24];
	int hint = 0;

	if (p->gpu && p->spool->launches)
		process_number(s, process, PROPERTY_GPU_LAUNCHES, p->spool->launches);
	if (!p->gpu || !p->gpu->totals.overhead_ticks)
		return;
	snprintf(text, sizeof(text), "%" PRId64,
		clock_ns(clock, start + p->gpu->totals.overhead_ticks, &hint) -
			clock_ns(clock, start, &hint));
	process_text(s, process, PROPERTY_GPU_OVERHEAD, text);
}

/* How many of its children have ended, and are in totals of all of them. */
static void props_of_ended(struct merge *m, struct strings *s, uint32_t process)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];

		for (uint32_t k = 0; p->child && p->parent == process && k < p->nlocations; k++)
			if (p->locations[k].thread && p->locations[k].thread->sums)
				n += p->locations[k].thread->sums->children;
	}
	if (n)
		process_number(s, process, PROPERTY_ENDED_CHILDREN, n);
}

static bool marks_steps(const struct process *p)
{
	for (uint32_t i = 0; i < p->nlocations; i++)
		if (p->locations[i].scan.has_steps)
			return true;
	return false;
}

static void props_of_steps(struct merge *m, struct strings *s, uint32_t process)
{
	const struct process *p = &m->processes[process];

	if (p->child || p->rank < 0 || marks_steps(p))
		return;
	for (uint32_t i = 0; i < m->nprocesses; i++)
		if (!m->processes[i].child && m->processes[i].rank >= 0 &&
			marks_steps(&m->processes[i])) {
			process_text(s, process, PROPERTY_UNMARKED, "1");
			return;
		}
}

/* What a wait said of a process that a signal killed, whichever process waited; NULL: nothing. */
static const struct spool_def_child_end *child_end_of(const struct merge *m,
	const struct process *p)
{
	for (uint32_t i = 0; p->spool && p->end == PROCESS_KILLED && i < m->nprocesses; i++) {
		const struct process *by = &m->processes[i];

		for (uint32_t k = 0;
			by->spool && by->node == p->node && k < by->spool->child_ends.n; k++) {
			const struct spool_def_child_end *end = &by->spool->child_ends.at[k];

			if (end->pid == p->spool->def.pid &&
				end->ticks >= p->spool->def.start.ticks)
				return end;
		}
	}
	return NULL;
}

static void props_of_signal(struct merge *m, struct strings *s, uint32_t process)
{
	const struct process *p = &m->processes[process];
	const struct spool_def_child_end *end = child_end_of(m, p);

	if (!end && p->spool && p->end == PROCESS_KILLED && p->spool->killed_by)
		process_number(s, process, PROPERTY_SIGNAL, p->spool->killed_by);
	if (!end)
		return;
	process_number(s, process, PROPERTY_SIGNAL, (uint32_t)end->signal);
	if (!end->shm_bytes)
		return;
	process_number(s, process, PROPERTY_SHM_BYTES, end->shm_bytes);
	process_number(s, process, PROPERTY_SHM_USED, end->shm_used);
}

/* The same of its threads. */
static void props_of_ended_threads(struct merge *m, struct strings *s, uint32_t process)
{
	const struct process *p = &m->processes[process];

	for (uint32_t k = 0; k < p->nlocations; k++)
		if (p->locations[k].thread && p->locations[k].thread->sums &&
			p->locations[k].thread->sums->threads)
			process_number(s, process, PROPERTY_ENDED_THREADS,
				p->locations[k].thread->sums->threads);
}

/* Whether the property is one of a communicator, whose number is the archive's then. */
static bool neighbours_text(const struct process *p, struct strings *s, uint32_t process,
	const struct spool_property *property)
{
	char key[64];
	unsigned id;

	if (sscanf(property->key, "process.neighbours.%u", &id) != 1)
		return false;
	if (id && id < p->spool->comms.n && p->spool->comms.at[id].ranks &&
		p->spool->comms.at[id].global != NONE) {
		snprintf(key, sizeof(key), PROPERTY_NEIGHBOURS "%" PRIu32,
			p->spool->comms.at[id].global);
		process_text(s, process, key, property->value);
	}
	return true;
}

void props_of_process(struct merge *m, struct strings *s, uint32_t process)
{
	const struct process *p = &m->processes[process];
	uint32_t status = p->spool ? p->spool->end.status & 0xff : 0;
	char buffer[256];

	if (p->rank >= 0 || !p->child)
		process_number(s, process, PROPERTY_RANK, p->rank < 0 ? 0 : p->rank);
	process_text(s, process, PROPERTY_END, p->spool ? end_names[p->end] : END_KILLED);
	if (process_exit_status(p) >= 0 || (p->spool && p->spool->ended && status))
		process_number(s, process, PROPERTY_EXIT_STATUS, status);
	if (p->child && p->parent != NONE)
		process_text(s, process, PROPERTY_PARENT, m->processes[p->parent].name);
	if (p->attempt > 0) /* or its job */
		process_number(s, process, PROPERTY_ATTEMPT, p->attempt);
	if (!p->spool)
		return;
	process_number(s, process, PROPERTY_PID, p->spool->def.pid);
	props_of_signal(m, s, process);
	props_of_gpu(m, s, process);
	props_of_steps(m, s, process);
	props_of_ended(m, s, process);
	props_of_ended_threads(m, s, process);
	for (uint32_t k = 0; k < p->spool->properties.n; k++) {
		const struct spool_property *property = &p->spool->properties.at[k];
		const char *key = env_key(property->key, "process.", buffer, sizeof(buffer));

		if (!key || is_repeated(p->spool, k) || neighbours_text(p, s, process, property) ||
			strcmp(property->key, "process.attempt") == 0)
			continue;
		if (strcmp(property->key, "process.affinity") == 0)
			key = PROPERTY_AFFINITY;
		process_text(s, process, key, property->value);
	}
}

/*
 * Losses of the thread; those of the process that belong to no thread are reported by its main one.
 */
static uint64_t loss_of(const struct location *l, int reason)
{
	uint64_t lost = l->thread ? l->thread->lost[reason] : 0;

	if (reason == LOSS_TORN)
		lost += l->scan.torn;
	if (reason == LOSS_MISSING && !l->process->spool)
		lost++;
	if (l->is_main && l->process->spool)
		lost += l->process->spool->lost[reason];
	if (l->is_main && l->process->gpu)
		lost += gpu_loss(l->process, reason);
	return lost;
}

void props_of_location(struct merge *m, struct strings *s, const struct location *l,
	uint64_t number)
{
	char key[64];

	if (l->is_main)
		location_text(s, number, PROPERTY_MAIN, "1");
	if (l->result.inside) {
		location_text(s, number, PROPERTY_INSIDE, region_infos[l->result.inside].name);
		location_number(s, number, PROPERTY_INSIDE_SINCE, l->result.inside_since);
	}
	for (int reason = 0; reason < LOSS_COUNT; reason++) {
		uint64_t lost = loss_of(l, reason);

		if (!lost)
			continue;
		snprintf(key, sizeof(key), PROPERTY_LOST_PREFIX "%s", loss_names[reason]);
		location_number(s, number, key, lost);
		m->nlost += lost;
	}
}

static bool has_end(const struct merge *m, enum process_end end)
{
	for (uint32_t i = 0; i < m->nprocesses; i++)
		if (m->processes[i].end == end)
			return true;
	return false;
}

#define HANG_LEAST 10000000000 /* ns: shorter waits for a rank that was killed are no hang */

/* Whether a rank was killed that others lived on after. */
static bool rank_was_killed(const struct merge *m)
{
	for (uint32_t i = 0; i < m->nprocesses; i++)
		if (m->processes[i].rank >= 0 && m->processes[i].spool &&
			m->processes[i].end == PROCESS_KILLED && m->processes[i].spool->killed_by)
			return true;
	return false;
}

/*
 * Which ranks waited for which when the run was cut off, or while it goes on: what `tacho where` finds,
 * its sentences and its facts. 0, or -1 (reported).
 */
static int hang_write(const struct otf2_out *out, const struct merge *m)
{
	enum where_verdict verdict;
	struct where where;
	char *text = NULL, ns[32];
	OTF2_ErrorCode error = OTF2_SUCCESS;

	if (where_read(&where, m, par_jobs(m->options->jobs)) == 0)
		text = where_text(&where, WHERE_LEAST, &verdict);
	if (text && where.hang.kind && (where.hang.ns >= HANG_LEAST || !rank_was_killed(m))) {
		const struct {
			const char *key, *value;
		} facts[] = { { PROPERTY_ARCHIVE_HANG, text }, { PROPERTY_ARCHIVE_HANG_NS, ns },
			{ PROPERTY_ARCHIVE_HANG_KIND, where.hang.kind },
			{ PROPERTY_ARCHIVE_HANG_RANKS, where.hang.ranks },
			{ PROPERTY_ARCHIVE_HANG_FOR, where.hang.waited_for },
			{ PROPERTY_ARCHIVE_HANG_CALL, where.hang.call } };

		snprintf(ns, sizeof(ns), "%" PRId64, where.hang.ns);
		for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
			if (facts[i].value)
				error |= OTF2_Archive_SetProperty(out->archive, facts[i].key,
					facts[i].value, true);
	}
	where_free(&where);
	free(text);
	return text && !error ? 0 : -1;
}

/* Keys of run.properties that become properties of the archive. */
static const struct {
	const char *key, *property;
} run_keys[] = {
	{ "command", PROPERTY_ARCHIVE_COMMAND },
	{ "label", PROPERTY_ARCHIVE_LABEL },
	{ "commit", PROPERTY_ARCHIVE_COMMIT },
	{ "branch", PROPERTY_ARCHIVE_BRANCH },
	{ "exit_status", PROPERTY_ARCHIVE_STATUS },
	{ "flops_per_sample", PROPERTY_ARCHIVE_SAMPLE_FLOPS },
	{ "flops_per_step", PROPERTY_ARCHIVE_STEP_FLOPS },
	{ "peak_flops", PROPERTY_ARCHIVE_PEAK_FLOPS },
	{ "target", PROPERTY_ARCHIVE_TARGET },
	{ "attached", PROPERTY_ARCHIVE_ATTACHED },
};

/* Cost of one recorded call: the (upper) median of what the processes measured, 0 when none did. */
static double call_cost(const struct merge *m)
{
	double *costs = calloc(m->nprocesses + 1, sizeof(*costs)), median = 0;
	size_t n = 0;

	for (uint32_t i = 0; costs && i < m->nprocesses; i++) {
		const char *text = m->processes[i].spool
			? spool_property(m->processes[i].spool, "process.call_cost_ns")
			: NULL;

		if (text)
			costs[n++] = strtod(text, NULL);
	}
	if (n)
		median = nth_least(costs, n, n / 2);
	free(costs);
	return median;
}

/* What limited the capture, as the first process says. */
static const char *capture_limits(const struct merge *m)
{
	const char *text = NULL;

	for (uint32_t i = 0; i < m->nprocesses && !text; i++)
		if (m->processes[i].spool)
			text = spool_property(m->processes[i].spool, "process.capture");
	return text;
}

int props_of_archive(struct merge *m, struct otf2_out *out, const char *unmatched)
{
	OTF2_ErrorCode error = OTF2_SUCCESS;
	char text[32], *notes;

	error |= OTF2_Archive_SetCreator(out->archive, PACKAGE_STRING);
	error |= OTF2_Archive_SetProperty(out->archive, PROPERTY_ARCHIVE_VERSION, PACKAGE_VERSION,
		true);
	snprintf(text, sizeof(text), "%" PRId64, m->start_ns);
	error |= OTF2_Archive_SetProperty(out->archive, PROPERTY_ARCHIVE_START, text, true);
	if (m->summed) {
		snprintf(text, sizeof(text), "%" PRIu64, m->summed);
		error |= OTF2_Archive_SetProperty(out->archive, PROPERTY_ARCHIVE_TOTALS, text,
			true);
	}
	for (size_t i = 0; i < sizeof(run_keys) / sizeof(*run_keys); i++) {
		char *value = run_property(m->run, run_keys[i].key);

		if (value && *value)
			error |= OTF2_Archive_SetProperty(out->archive, run_keys[i].property, value,
				true);
		free(value);
	}
	if (call_cost(m) > 0) {
		snprintf(text, sizeof(text), "%.1f", call_cost(m));
		error |= OTF2_Archive_SetProperty(out->archive, PROPERTY_ARCHIVE_CALL_COST, text,
			true);
	}
	if (capture_limits(m))
		error |= OTF2_Archive_SetProperty(out->archive, PROPERTY_ARCHIVE_WINDOW,
			capture_limits(m), true);
	notes = notes_text(m);
	if (notes && *notes)
		error |= OTF2_Archive_SetProperty(out->archive, PROPERTY_ARCHIVE_NOTES, notes,
			true);
	free(notes);
	if (m->njobs) {
		char jobs[16];

		snprintf(jobs, sizeof(jobs), "%" PRIu32, m->njobs);
		error |= OTF2_Archive_SetProperty(out->archive, PROPERTY_ARCHIVE_JOBS, jobs, true);
	}
	if (m->options->snapshot && has_end(m, PROCESS_RUNNING))
		error |= OTF2_Archive_SetProperty(out->archive, PROPERTY_ARCHIVE_SNAPSHOT, "1",
			true);
	if (has_end(m, PROCESS_KILLED))
		error |= OTF2_Archive_SetProperty(out->archive, PROPERTY_ARCHIVE_CUT, "1", true);
	if ((has_end(m, PROCESS_KILLED) || has_end(m, PROCESS_RUNNING)) && hang_write(out, m) < 0)
		return -1;
	if (unmatched)
		error |= OTF2_Archive_SetProperty(out->archive, PROPERTY_ARCHIVE_UNMATCHED,
			unmatched, true);
	return error ? -1 : 0;
}
