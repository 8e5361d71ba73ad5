/* location_row.c - see location_row.h. */
#include "config.h"

#include <stdlib.h>

#include "tables/tables.h"
#include "tables/location_row.h"
#include "base/log.h"
#include "model/states.h"
#include "tables/process.def"
#include "tables/location.def"
#include "tables/location_time.def"

static const struct db_table process_table = DB_TABLE(process, "insert", PROCESS_COLUMNS);
static const struct db_table location_table = DB_TABLE(location, "insert", LOCATION_COLUMNS);
static const struct db_table time_table = DB_TABLE(location_time, "insert", LOCATION_TIME_COLUMNS);

/* Processes live from their first event to their last. */
struct life {
	int64_t first, last;
	bool any;
	int64_t saved_steps; /* of its main thread; -1: not known */
};

/* Through processes, locations, or the states of locations. */
struct location_row_scan {
	const struct tables *tables;
	const struct location_life *locations;
	const struct life *lives; /* of processes */
	size_t next;
	int state;
};

static struct life *lives_find(const struct tables *tables, const struct location_life *locations)
{
	const struct model *model = &tables->model;
	struct life *lives = calloc(model->processes.n + 1, sizeof(*lives));
	int64_t begin = INT64_MAX;

	for (size_t i = 0; lives && i < model->processes.n; i++)
		lives[i].saved_steps = model->processes.at[i].main == MODEL_NONE
			? -1
			: locations[model->processes.at[i].main].saved_steps;
	for (size_t i = 0; lives && i < model->locations.n; i++) {
		const struct location_life *at = &locations[i];
		uint32_t process = model->locations.at[i].process;
		struct life *life = at->any && process != MODEL_NONE ? &lives[process] : NULL;

		/* reading a counter is nothing that the program did, nor part of the run */
		if (!life || model->locations.at[i].in->type == OTF2_LOCATION_TYPE_METRIC)
			continue;
		life->first = life->any && life->first < at->first ? life->first : at->first;
		life->last = life->any && life->last > at->last ? life->last : at->last;
		life->any = true;
		begin = at->first < begin ? at->first : begin;
	}
	/* a process without events gets an empty life at the begin of the run, not before it */
	for (size_t i = 0; lives && i < model->processes.n && begin != INT64_MAX; i++)
		if (!lives[i].any)
			lives[i].first = lives[i].last = begin;
	return lives;
}

static bool process_next(void *user, union db_value *values)
{
	struct location_row_scan *scan = user;
	const struct tables *tables = scan->tables;
	const struct model *model = &tables->model;
	const struct process *process;
	const struct life *life;

	if (scan->next == model->processes.n)
		return false;
	process = &model->processes.at[scan->next];
	life = &scan->lives[scan->next++];
	DB_SET(values, PROCESS_COLUMNS);
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

/* The call that a thread was in at the end; NULL: in none. */
struct inside {
	const char *name;
	int64_t since;
};

/* Tacho's own archives report it; in archives of other tools it is the calls left open. */
static struct inside inside_of(const struct tables *tables, size_t number,
	const struct location_life *life)
{
	const in_properties *properties = &tables->model.locations.at[number].in->properties;
	const char *since = property_find(properties, PROPERTY_INSIDE_SINCE);
	struct inside inside = { property_find(properties, PROPERTY_INSIDE), DB_NULL };

	if (life->any && since)
		inside.since = (int64_t)(strtoull(since, NULL, 10) - tables->archive.offset);
	if (!inside.name && life->inside != MODEL_NONE &&
		!property_find(&tables->archive.properties, PROPERTY_ARCHIVE_VERSION))
		inside = (struct inside){ tables->model.regions.at[life->inside].name,
			life->inside_since };
	return inside;
}

static bool location_next(void *user, union db_value *values)
{
	struct location_row_scan *scan = user;
	const struct tables *tables = scan->tables;
	const struct location *location;
	const struct location_life *life;
	struct inside inside;
	size_t number = scan->next;

	if (number == tables->model.locations.n)
		return false;
	scan->next++;
	location = &tables->model.locations.at[number];
	life = &scan->locations[number];
	inside = inside_of(tables, number, life);
	DB_SET(values, LOCATION_COLUMNS);
	return true;
}

static bool is_absent(int state)
{
	return state == HOST_ABSENT || state == HOST_LOST;
}

/* The next state in which a thread spent time. */
static bool time_next(void *user, union db_value *values)
{
	struct location_row_scan *scan = user;
	const struct tables *tables = scan->tables;

	for (; scan->next < tables->model.locations.n; scan->next++, scan->state = 0) {
		const struct location_life *life = &scan->locations[scan->next];

		if (tables->model.locations.at[scan->next].in->type !=
			OTF2_LOCATION_TYPE_CPU_THREAD)
			continue;
		while (scan->state < HOST_STATE_COUNT &&
			(!life->spent[scan->state] || is_absent(scan->state)))
			scan->state++;
		if (scan->state == HOST_STATE_COUNT)
			continue;
		DB_SET(values, LOCATION_TIME_COLUMNS);
		scan->state++;
		return true;
	}
	return false;
}

void location_rows_write(struct tables *tables, const struct location_life *locations)
{
	struct life *lives = lives_find(tables, locations);

	if (!lives) {
		log_error("out of memory for %zu processes", tables->model.processes.n);
		tables->failed = true;
		return;
	}
	db_put_rows(&tables->db, &process_table, process_next,
		&(struct location_row_scan){ tables, locations, lives, 0, 0 });
	db_put_rows(&tables->db, &location_table, location_next,
		&(struct location_row_scan){ tables, locations, lives, 0, 0 });
	db_put_rows(&tables->db, &time_table, time_next,
		&(struct location_row_scan){ tables, locations, lives, 0, 0 });
	free(lives);
}
