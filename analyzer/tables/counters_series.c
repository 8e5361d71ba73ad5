/* counters_series.c - see counters_series.h. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "tables/hw_counters.h"
#include "tables/tables.h"
#include "tables/counters_series.h"
#include "base/log.h"
#include "tables/sample.def"

/* Distance of two rows of a series in `sample`: a second, or this part of its duration so far. */
enum { SAMPLE_NS = 1000000000, SAMPLE_PART = 16 };

static bool begins(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool ends(const char *text, const char *suffix)
{
	size_t n = strlen(text), m = strlen(suffix);

	return n >= m && strcmp(text + n - m, suffix) == 0;
}

/* Names of counters by the rate that they belong to. */
static int kind_of(const char *name)
{
	static const struct {
		const char *prefix, *suffix;
		enum rate_kind kind;
	} kinds[] = {
		{ "net.", ".rx_bytes", RATE_NETWORK_RECEIVED },
		{ "net.", ".tx_bytes", RATE_NETWORK_SENT },
		{ "ib.", ".rx_bytes", RATE_NETWORK_RECEIVED },
		{ "ib.", ".tx_bytes", RATE_NETWORK_SENT },
		{ "disk.", ".read_bytes", RATE_STORAGE_READ },
		{ "disk.", ".write_bytes", RATE_STORAGE_WRITE },
		{ "fs.", ".read_bytes", RATE_STORAGE_READ },
		{ "fs.", ".write_bytes", RATE_STORAGE_WRITE },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (begins(name, kinds[i].prefix) && ends(name, kinds[i].suffix))
			return kinds[i].kind;
	return -1;
}

/*
 * True if an interface's bytes left or reached the node and no other counter has them. On nodes
 * with physical interfaces, a bridge or a tunnel forwards bytes that those count; IPoIB is counted
 * by its port.
 */
static bool interface_counts(const struct counter_node *node, const char *description)
{
	if (strcmp(description, METRIC_INTERFACE_IPOIB) == 0)
		return !node->infiniband;
	return strcmp(description, METRIC_INTERFACE_VIRTUAL) != 0 ||
		!(node->physical || node->infiniband);
}

/* The model's number of a node of the tree. */
static uint32_t node_number(const struct model *model, uint32_t tree)
{
	for (size_t i = 0; tree != IDMAP_NONE && i < model->nodes.n; i++)
		if (strcmp(model->nodes.at[i].hostname, model->archive->nodes.at[tree].name) == 0)
			return (uint32_t)i;
	return MODEL_NONE;
}

static uint32_t process_number(const struct model *model, uint32_t group)
{
	for (size_t i = 0; group != IDMAP_NONE && i < model->processes.n; i++)
		if (model->processes.at[i].group == &model->archive->groups.at[group])
			return (uint32_t)i;
	return MODEL_NONE;
}

/* Notes what interfaces a node has, from all metrics that are defined of it. */
static void interfaces_note(struct counters *counters, const struct archive *archive,
	const struct in_metric *metric, uint32_t node)
{
	for (uint32_t i = 0; i < metric->n; i++) {
		const struct in_metric_member *member = metric->members[i] == IDMAP_NONE
			? NULL
			: &archive->metric_members.at[metric->members[i]];

		if (member && strcmp(member->description, METRIC_INTERFACE_PHYSICAL) == 0)
			counters->nodes[node].physical = true;
		if (member && begins(member->name, "ib."))
			counters->nodes[node].infiniband = true;
	}
}

int counters_open(struct tables *tables)
{
	struct counters *counters = &tables->counters;
	const struct archive *archive = &tables->archive;

	counters->rates = calloc(tables->model.nodes.n + 1, sizeof(*counters->rates));
	counters->nodes = calloc(tables->model.nodes.n + 1, sizeof(*counters->nodes));
	if (!counters->rates || !counters->nodes) {
		log_error("out of memory for the counters of %zu nodes", tables->model.nodes.n);
		return -1;
	}
	for (size_t i = 0; i < archive->metrics.n; i++) {
		uint32_t node = node_number(&tables->model, archive->metrics.at[i].node);

		if (node != MODEL_NONE)
			interfaces_note(counters, archive, &archive->metrics.at[i], node);
	}
	return 0;
}

static void series_init(struct tables *tables, struct counter_series *series,
	const struct in_metric *metric, const struct in_metric_member *member, uint32_t process)
{
	const struct model *model = &tables->model;
	struct counter_node *node;

	*series = (struct counter_series){ .member = member,
		.node = MODEL_NONE,
		.process = MODEL_NONE,
		.kind = -1 };
	if (metric->node != IDMAP_NONE) {
		series->node = node_number(model, metric->node);
	} else {
		series->process = metric->group == IDMAP_NONE
			? process
			: process_number(model, metric->group);
		series->node = series->process == MODEL_NONE
			? MODEL_NONE
			: model->processes.at[series->process].node;
		return;
	}
	if (series->node == MODEL_NONE || !member->accumulated)
		return;
	node = &tables->counters.nodes[series->node];
	series->kind = kind_of(member->name);
	if (begins(member->name, "net.") && !interface_counts(node, member->description))
		series->kind = -1;
	if (series->kind >= 0)
		node->seen[series->kind] = true;
	if (begins(member->name, "disk."))
		node->disks = true;
}

/* The series of a member at a location; NULL without memory. */
static struct counter_series *series_get(struct tables *tables, uint32_t location,
	const struct in_metric *metric, uint32_t member)
{
	struct counters *counters = &tables->counters;
	uint64_t key = (uint64_t)(location + 1) << 32 | member;
	uint32_t at = idmap_find(&counters->map, key);
	struct counter_series *series;

	if (at != IDMAP_NONE)
		return &counters->series.at[at];
	series = ARRAY_ADD(&counters->series);
	if (!series || idmap_set(&counters->map, key, (uint32_t)(counters->series.n - 1)) < 0) {
		tables->failed = true;
		return NULL;
	}
	series_init(tables, series, metric, &tables->archive.metric_members.at[member],
		tables->model.locations.at[location].process);
	return series;
}

static const struct db_table table = DB_TABLE(sample, "insert", SAMPLE_COLUMNS);

static void sample_put(struct tables *tables, struct counter_series *series)
{
	series->sampled_t = series->last_t;
	db_put_row(&tables->db, &table, DB_ROW(SAMPLE_COLUMNS));
}

/* Bytes between two readings happened evenly in between. */
static void growth_add(struct tables *tables, struct counter_series *series, int64_t since,
	double growth)
{
	series->gained += growth;
	if (series->kind >= 0 &&
		rate_add(&tables->counters.rates[series->node], (enum rate_kind)series->kind, since,
			series->last_t, (uint64_t)growth) < 0)
		tables->failed = true;
}

static void series_take(struct tables *tables, struct counter_series *series, int64_t t,
	double value)
{
	int64_t since = series->last_t;
	double growth = value - series->last;

	series->last_t = t;
	series->last = value;
	if (!series->n++) {
		series->first_t = t;
		series->first = value;
	} else if (series->member->accumulated && growth > 0) {
		growth_add(tables, series, since, growth);
	}
	if (series->n == 1 || t - series->sampled_t >= SAMPLE_NS ||
		t - series->sampled_t >= (t - series->first_t) / SAMPLE_PART)
		sample_put(tables, series);
}

void counters_take(struct tables *tables, uint32_t location, const struct host_now *now,
	struct work *work, const struct event *event)
{
	uint32_t at = idmap_find(&tables->archive.metrics.map, event->ref);
	const struct in_metric *metric = at == IDMAP_NONE ? NULL : &tables->archive.metrics.at[at];

	if (!metric)
		return;
	/*
	 * metrics that threads record at their own calls are not of the node or process, and too
	 * many
	 */
	if (!metric->scoped &&
		tables->model.locations.at[location].in->type != OTF2_LOCATION_TYPE_METRIC) {
		hw_counters_take(work, now, &tables->archive, metric, event);
		return;
	}
	for (uint32_t i = 0; i < metric->n && i < event->tag; i++) {
		struct counter_series *series = metric->members[i] == IDMAP_NONE
			? NULL
			: series_get(tables, location, metric, metric->members[i]);

		if (series && series->node != MODEL_NONE)
			series_take(tables, series, event->t,
				metric_number(event->types[i], event->values[i]));
	}
}

static int compare_series(const void *a, const void *b)
{
	const struct counter_series *x = *(struct counter_series *const *)a,
				    *y = *(struct counter_series *const *)b;
	int order;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	order = strcmp(x->member->name, y->member->name);
	if (order)
		return order;
	return (x->first_t > y->first_t) - (x->first_t < y->first_t);
}

static bool goes_on(const struct counter_series *a, const struct counter_series *b)
{
	return a->node == b->node && a->process == b->process &&
		strcmp(a->member->name, b->member->name) == 0 && a->last_t <= b->first_t &&
		b->first > a->last && b->member->accumulated;
}

void counters_finish(struct tables *tables)
{
	struct counters *counters = &tables->counters;
	struct counter_series **sorted = calloc(counters->series.n + 1, sizeof(*sorted));

	if (!sorted) {
		tables->failed = true;
		return;
	}
	for (size_t i = 0; i < counters->series.n; i++) {
		sorted[i] = &counters->series.at[i];
		if (sorted[i]->n > 1 && sorted[i]->sampled_t != sorted[i]->last_t)
			sample_put(tables, sorted[i]);
	}
	qsort(sorted, counters->series.n, sizeof(*sorted), compare_series);
	for (size_t i = 1; i < counters->series.n; i++)
		if (sorted[i - 1]->n && sorted[i]->n && goes_on(sorted[i - 1], sorted[i])) {
			struct counter_series bridge = *sorted[i];

			bridge.last_t = bridge.first_t;
			growth_add(tables, &bridge, sorted[i - 1]->last_t,
				bridge.first - sorted[i - 1]->last);
			sorted[i]->gained = bridge.gained;
		}
	free(sorted);
}

void counters_close(struct tables *tables)
{
	struct counters *counters = &tables->counters;

	for (size_t i = 0; counters->rates && i < tables->model.nodes.n; i++)
		rates_free(&counters->rates[i]);
	free(counters->rates);
	free(counters->nodes);
	free(counters->series.at);
	idmap_free(&counters->map);
}
