/* merge_metrics.c - see merge_metrics.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "merge/merge_metrics.h"

#define MAX_MEMBERS UINT8_MAX /* of a class, by OTF2 */

struct metric_member {
	const char *name, *unit, *description;
	uint32_t mode;
};

struct class
{
	uint32_t first, n; /* its members: pool[first…] */
};

struct metric_instance {
	uint32_t class, process;
	uint32_t scope; /* enum spool_metric_scope */
};

/* Classes and instances share one space of numbers: instances come after the classes. */
struct metrics {
	struct metric_member *members;
	uint32_t nmembers, members_size;
	uint32_t *pool; /* member numbers */
	uint32_t npool, pool_size;
	struct class *classes;
	uint32_t nclasses, classes_size;
	struct metric_instance *instances;
	uint32_t ninstances, instances_size;
};

#define ROOM(list, n, size) spool_table_reserve((void **)&(list), &(size), n, sizeof(*(list)))

/* Number of a member, made if it is new; NONE without memory. */
static uint32_t member_get(struct metrics *x, const struct spool_metric *metric)
{
	struct metric_member want = { metric->name, metric->unit, metric->description,
		metric->def.mode };

	for (uint32_t i = 0; i < x->nmembers; i++)
		if (x->members[i].mode == want.mode && !strcmp(x->members[i].name, want.name) &&
			!strcmp(x->members[i].unit, want.unit) &&
			!strcmp(x->members[i].description, want.description))
			return i;
	if (!ROOM(x->members, x->nmembers, x->members_size))
		return NONE;
	x->members[x->nmembers] = want;
	return x->nmembers++;
}

/* Number of the class whose members are at the end of the pool, which it takes over or drops. */
static uint32_t class_get(struct metrics *x, uint32_t n)
{
	const uint32_t *want = x->pool + x->npool;

	for (uint32_t i = 0; i < x->nclasses; i++)
		if (x->classes[i].n == n &&
			!memcmp(x->pool + x->classes[i].first, want, n * sizeof(*want)))
			return i;
	if (!ROOM(x->classes, x->nclasses, x->classes_size))
		return NONE;
	x->classes[x->nclasses] = (struct class){ x->npool, n };
	x->npool += n;
	return x->nclasses++;
}

/* Whether the set that begins at id is complete: each of its metrics was defined, as part of it. */
static bool set_is_complete(const struct spool_process *p, uint32_t id)
{
	const struct spool_metric *first = &p->metrics.at[id];

	if (!first->name || first->def.first != id || !first->def.set ||
		first->def.set > MAX_MEMBERS || first->def.set > p->metrics.n - id)
		return false;
	for (uint32_t i = 1; i < first->def.set; i++)
		if (!first[i].name || first[i].def.first != id)
			return false;
	return true;
}

static int set_add(struct metrics *x, uint32_t process, struct spool_metric *first)
{
	uint32_t class;

	for (uint32_t i = 0; i < first->def.set; i++) {
		uint32_t member = member_get(x, &first[i]);

		if (member == NONE || !ROOM(x->pool, x->npool + i, x->pool_size))
			return -1;
		x->pool[x->npool + i] = member;
	}
	class = class_get(x, first->def.set);
	if (class == NONE || !ROOM(x->instances, x->ninstances, x->instances_size))
		return -1;
	x->instances[x->ninstances] = (struct metric_instance){ class, process, first->def.scope };
	first->instance = ++x->ninstances;
	return 0;
}

int merge_metrics(struct merge *m)
{
	struct metrics *x = calloc(1, sizeof(*x));

	m->metrics = x;
	if (!x) {
		log_error("out of memory");
		return -1;
	}
	for (uint32_t i = 0; i < m->nprocesses; i++) {
		struct spool_process *p = m->processes[i].spool;

		for (uint32_t id = 1; p && id < p->metrics.n; id++)
			if (set_is_complete(p, id) && set_add(x, i, &p->metrics.at[id]) < 0)
				return -1;
	}
	return 0;
}

void merge_metrics_free(struct merge *m)
{
	struct metrics *x = m->metrics;

	if (!x)
		return;
	free(x->members);
	free(x->pool);
	free(x->classes);
	free(x->instances);
	free(x);
	m->metrics = NULL;
}

/* The location of a process's sampler; -1 when its spool is missing. */
static int64_t sampler_location(const struct process *p)
{
	for (uint32_t k = 0; k < p->nlocations; k++)
		if (location_is_sampler(&p->locations[k]))
			return (int64_t)(p->first_location + k);
	return -1;
}

static void instance_define(struct merge *m, struct strings *s, uint32_t number)
{
	const struct metric_instance *instance = &m->metrics->instances[number];
	const struct process *p = &m->processes[instance->process];
	int64_t location = sampler_location(p);
	bool of_node = instance->scope == METRIC_OF_NODE;

	if (location < 0)
		return;
	s->error |= OTF2_GlobalDefWriter_WriteMetricInstance(s->out, m->metrics->nclasses + number,
		instance->class, (uint64_t)location,
		of_node ? OTF2_SCOPE_SYSTEM_TREE_NODE : OTF2_SCOPE_LOCATION_GROUP,
		of_node ? p->node + 1 : instance->process);
}

void metrics_define(struct merge *m, struct strings *s)
{
	const struct metrics *x = m->metrics;

	for (uint32_t i = 0; i < x->nmembers; i++) {
		const struct metric_member *member = &x->members[i];

		s->error |= OTF2_GlobalDefWriter_WriteMetricMember(s->out, i,
			string_ref(s, member->name), string_ref(s, member->description),
			OTF2_METRIC_TYPE_OTHER,
			member->mode == METRIC_GAUGE ? OTF2_METRIC_ABSOLUTE_POINT
						     : OTF2_METRIC_ACCUMULATED_POINT,
			OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 0, string_ref(s, member->unit));
	}
	for (uint32_t i = 0; i < x->nclasses; i++)
		s->error |= OTF2_GlobalDefWriter_WriteMetricClass(s->out, i,
			(uint8_t)x->classes[i].n, x->pool + x->classes[i].first,
			OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_ABSTRACT);
	for (uint32_t i = 0; i < x->ninstances; i++)
		instance_define(m, s, i);
}

void metrics_write(struct writer *w, const struct entry *e)
{
	const struct spool_process *p = w->process->spool;
	uint32_t id = spool_a(e->rec[0]), n = spool_words(e->rec[2]) - 3;
	const struct spool_metric *first = id && id < p->metrics.n ? &p->metrics.at[id] : NULL;
	OTF2_Type types[MAX_MEMBERS];
	OTF2_MetricValue values[MAX_MEMBERS];

	if (!first || !first->instance || first->def.set != n ||
		!location_is_sampler(w->location)) {
		w->location->thread->lost[LOSS_NO_DEFINITION]++;
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		types[i] = OTF2_TYPE_UINT64;
		values[i].unsigned_int = e->rec[3 + i];
	}
	w->error |= OTF2_EvtWriter_Metric(w->out, NULL, writer_time(w, e->start),
		w->merge->metrics->nclasses + first->instance - 1, (uint8_t)n, types, values);
}
