/* location_row.c - see location_row.h. */
#include "config.h"

#include <stdlib.h>

#include "analyze/analysis.h"
#include "tables/location_row.h"
#include "base/log.h"
#include "metrics/metric.h"

/* Processes live from their first event to their last. */
struct life {
	int64_t first, last;
	bool any;
};

/* Through processes, locations, or the states of locations. */
struct scan {
	const struct analysis *analysis;
	const struct life *lives;
	char *types;
	size_t next;
	int state;
};

static struct life *lives_find(const struct analysis *analysis)
{
	const struct model *model = &analysis->model;
	struct life *lives = calloc(model->processes.n + 1, sizeof(*lives));

	for (size_t i = 0; lives && i < model->locations.n; i++) {
		const struct track *track = &analysis->tracks[i];
		struct life *life = track->any && track->process != MODEL_NONE
			? &lives[track->process]
			: NULL;

		if (!life)
			continue;
		life->first = life->any && life->first < track->first ? life->first : track->first;
		life->last = life->any && life->last > track->last ? life->last : track->last;
		life->any = true;
	}
	return lives;
}

static bool process_next(void *user, union db_value *values)
{
	struct scan *scan = user;
	const struct model *model = &scan->analysis->model;
	const struct process *process;

	if (scan->next == model->processes.n)
		return false;
	process = &model->processes.at[scan->next];
	scan->types[1] = process->node != MODEL_NONE ? 'i' : 'n';
	scan->types[2] = process->rank != -1 ? 'i' : 'n';
	scan->types[3] = process->pid != -1 ? 'i' : 'n';
	scan->types[4] = process->parent != MODEL_NONE ? 'i' : 'n';
	values[0].i = process->id;
	values[1].i = (int64_t)process->node + 1;
	values[2].i = process->rank;
	values[3].i = process->pid;
	values[4].i = (int64_t)process->parent + 1;
	values[5].s = process->group->name;
	values[6].s = property_find(&process->group->properties, PROPERTY_AFFINITY);
	values[7].s = property_find(&process->group->properties, PROPERTY_END);
	values[8].i = scan->lives[scan->next].first;
	values[9].i = scan->lives[scan->next].last;
	scan->next++;
	return true;
}

static const char *location_kind(OTF2_LocationType type)
{
	switch (type) {
	case OTF2_LOCATION_TYPE_CPU_THREAD: return "cpu_thread";
	case OTF2_LOCATION_TYPE_ACCELERATOR_STREAM: return "accelerator_stream";
	case OTF2_LOCATION_TYPE_METRIC: return "metric";
	default: return "unknown";
	}
}

/* Tacho's own archives tell it; in those of other tools it is what was left open. */
static void inside_set(const struct analysis *analysis, size_t number, union db_value *values,
	char *types)
{
	const struct track *track = &analysis->tracks[number];
	const in_properties *properties = &analysis->model.locations.at[number].in->properties;
	const char *since = property_find(properties, PROPERTY_INSIDE_SINCE);

	values[9].s = property_find(properties, PROPERTY_INSIDE);
	values[10].i = since ? (int64_t)(strtoull(since, NULL, 10) - analysis->archive.offset) : 0;
	types[10] = track->any && since ? 'i' : 'n';
	if (values[9].s || track->inside == MODEL_NONE ||
		property_find(&analysis->archive.properties, PROPERTY_ARCHIVE_VERSION))
		return;
	values[9].s = analysis->model.regions.at[track->inside].name;
	values[10].i = track->inside_since;
	types[10] = 'i';
}

static bool location_next(void *user, union db_value *values)
{
	struct scan *scan = user;
	const struct analysis *analysis = scan->analysis;
	const struct location *location;
	const struct track *track;

	if (scan->next == analysis->model.locations.n)
		return false;
	location = &analysis->model.locations.at[scan->next];
	track = &analysis->tracks[scan->next];
	scan->types[1] = location->process != MODEL_NONE ? 'i' : 'n';
	scan->types[7] = scan->types[8] = track->any ? 'i' : 'n';
	inside_set(analysis, scan->next, values, scan->types);
	values[0].i = (int64_t)++scan->next;
	values[1].i = (int64_t)location->process + 1;
	values[2].i = (int64_t)location->in->ref;
	values[3].s = location->in->name;
	values[4].s = location_kind(location->in->type);
	values[5].i = location->is_main;
	values[6].i = (int64_t)track->cursor.nread;
	values[7].i = track->first;
	values[8].i = track->last;
	values[11].s = track->cursor.damage;
	values[12].i = (int64_t)track->bytes_read;
	return true;
}

/* The next state in which a thread spent time. */
static bool time_next(void *user, union db_value *values)
{
	struct scan *scan = user;
	const struct analysis *analysis = scan->analysis;

	for (; scan->next < analysis->model.locations.n; scan->next++, scan->state = 0) {
		const struct track *track = &analysis->tracks[scan->next];

		if (analysis->model.locations.at[scan->next].in->type !=
			OTF2_LOCATION_TYPE_CPU_THREAD)
			continue;
		while (scan->state < HOST_ABSENT && !track->spent[scan->state])
			scan->state++;
		if (scan->state == HOST_ABSENT)
			continue;
		values[0].i = (int64_t)scan->next + 1;
		values[1].s = host_state_names[scan->state];
		values[2].i = track->spent[scan->state++];
		return true;
	}
	return false;
}

void location_rows_write(struct analysis *analysis)
{
	struct life *lives = lives_find(analysis);
	char types[2][16] = { "iiiiisssii", "iiissiiiisisi" };

	if (!lives) {
		log_error("out of memory for %zu processes", analysis->model.processes.n);
		analysis->failed = true;
		return;
	}
	db_put_rows(&analysis->db,
		"insert into process select c0, 1, c1, c2, c3, c4, c5, c6, c7, c8, c9 from rows",
		&(struct db_rows){ types[0], process_next,
			&(struct scan){ analysis, lives, types[0], 0, 0 } });
	db_put_rows(&analysis->db,
		"insert into location select c0, 1, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, "
		"c12 from rows",
		&(struct db_rows){ types[1], location_next,
			&(struct scan){ analysis, lives, types[1], 0, 0 } });
	db_put_rows(&analysis->db, "insert into location_time select 1, c0, c1, c2 from rows",
		&(struct db_rows){ "isi", time_next,
			&(struct scan){ analysis, lives, NULL, 0, 0 } });
	free(lives);
}
