/*
 * merge_attempts.c - how often the program of a rank was started: what launchers say of it
 * (torchrun, Slurm), else what is seen, as where a script starts a rank anew until it ends well.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/containers.h"
#include "merge/merge_model.h"

static const char *property_of(const struct process *p, const char *key)
{
	for (uint32_t i = 0; i < p->spool->properties.n; i++)
		if (strcmp(p->spool->properties.at[i].key, key) == 0)
			return p->spool->properties.at[i].value;
	return NULL;
}

static bool is_shell(const struct process *p)
{
	static const char *const shells[] = { "sh", "bash", "dash", "ksh", "zsh", "busybox" };
	const char *exe = property_of(p, "process.exe"), *name = exe ? strrchr(exe, '/') : NULL;

	for (size_t i = 0; name && i < sizeof(shells) / sizeof(*shells); i++)
		if (strcmp(name + 1, shells[i]) == 0)
			return true;
	return false;
}

static const struct process *parent_of(const struct merge *m, const struct process *p)
{
	for (uint32_t i = 0; *p->spool->parent && i < m->nprocesses; i++)
		if (strcmp(m->processes[i].spool->folder, p->spool->parent) == 0)
			return &m->processes[i];
	return NULL;
}

/*
 * Whether it is what was started for its rank, and nothing that this started: a member of a job, or
 * nobody's but a shell's.
 */
static bool is_program(const struct merge *m, const struct process *p)
{
	const struct process *parent;

	if (p->rank < 0 || is_shell(p))
		return false;
	if (p->in_world)
		return !m->worlds[p->world].spawned;
	if (p->spool->def.is_child)
		return false;
	for (parent = p; *parent->spool->parent;) {
		parent = parent_of(m, parent);
		if (!parent || !is_shell(parent))
			return false;
	}
	return true;
}

/* Whether one began when the other had failed, by the same command on the same node. */
static bool follows(const struct process *p, const struct process *before)
{
	const char *command = property_of(p, "process.command");
	const char *same = property_of(before, "process.command");
	const struct spool_process *spool = before->spool;

	return (!spool->ended || spool->end.status) && command && same &&
		strcmp(command, same) == 0 && strcmp(p->spool->hostname, spool->hostname) == 0 &&
		strcmp(p->spool->boot_id, spool->boot_id) == 0 &&
		p->spool->def.start.ticks >= (spool->ended ? spool->end.ticks : spool->heartbeat);
}

/* Chains of a rank's processes; they are in order of start. 0, or -1 without memory. */
static int attempts_see(struct merge *m)
{
	struct idmap last = { 0 }; /* rank → the latest of its programs */
	int ret = 0;

	for (uint32_t i = 0; i < m->nprocesses && ret == 0; i++) {
		struct process *p = &m->processes[i], *before;
		uint32_t at;

		if (!is_program(m, p))
			continue;
		at = idmap_find(&last, (uint64_t)p->rank);
		before = at == IDMAP_NONE ? NULL : &m->processes[at];
		if (before && follows(p, before)) {
			before->attempt += before->attempt == 0;
			p->attempt = before->attempt + 1;
		}
		ret = idmap_set(&last, (uint64_t)p->rank, i);
	}
	idmap_free(&last);
	return ret;
}

/* Ranks of one job may have been started a different number of times until they met. */
static void worlds_agree(struct merge *m)
{
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const struct process *p = &m->processes[i];

		if (p->in_world && p->attempt > m->worlds[p->world].attempt)
			m->worlds[p->world].attempt = p->attempt;
	}
	for (uint32_t i = 0; i < m->nprocesses; i++)
		if (m->processes[i].in_world)
			m->processes[i].attempt = m->worlds[m->processes[i].world].attempt;
}

/* The world that a process, or who started it, is a rank of; NONE. */
static uint32_t world_around(const struct merge *m, const struct process *p)
{
	while (p && !p->in_world)
		p = parent_of(m, p);
	return p ? p->world : NONE;
}

/*
 * Several mpiruns in one script: no figure is of two of them. They are numbered as attempts are, where
 * nothing was started anew.
 */
static void jobs_number(struct merge *m)
{
	int n = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++)
		if (m->processes[i].attempt > 1)
			return;
	for (uint32_t w = 0; w < m->nworlds; w++)
		n += !m->worlds[w].spawned;
	if (n < 2)
		return;
	m->njobs = (uint32_t)n;
	n = 0;
	for (uint32_t w = 0; w < m->nworlds; w++) {
		m->worlds[w].is_job = !m->worlds[w].spawned;
		m->worlds[w].attempt = m->worlds[w].is_job ? ++n : 0;
	}
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		uint32_t world = world_around(m, &m->processes[i]);

		m->processes[i].attempt = world == NONE ? 0 : m->worlds[world].attempt;
	}
}

int merge_attempts(struct merge *m)
{
	bool are_told = false;

	for (uint32_t i = 0; i < m->nprocesses; i++) {
		const char *told = property_of(&m->processes[i], "process.attempt");

		m->processes[i].attempt = told ? atoi(told) : 0;
		are_told |= m->processes[i].attempt > 0;
	}
	if (!are_told && attempts_see(m) < 0)
		return -1;
	worlds_agree(m);
	jobs_number(m);
	return 0;
}

/* The last attempt of which no process failed; 0: there is none. */
static int attempt_that_ended_well(const struct merge *m)
{
	int best = 0;

	for (uint32_t i = 0; i < m->nprocesses; i++) {
		int attempt = m->processes[i].attempt;
		bool failed = attempt <= best;

		for (uint32_t k = 0; k < m->nprocesses && !failed; k++)
			failed = m->processes[k].attempt == attempt &&
				(!m->processes[k].spool->ended ||
					m->processes[k].spool->end.status);
		if (!failed)
			best = attempt;
	}
	return best;
}

bool attempt_choose(struct merge *m)
{
	int chosen = m->options->attempt ? m->options->attempt : attempt_that_ended_well(m);
	bool is_there = false;

	for (uint32_t i = 0; i < m->nprocesses && chosen; i++) {
		struct process *p = &m->processes[i];

		p->is_other_attempt = p->attempt && p->attempt != chosen;
		is_there |= p->attempt == chosen;
	}
	return is_there || !m->options->attempt;
}
