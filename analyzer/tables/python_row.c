/* python_row.c - see python_row.h. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tables/python_frame.def"
#include "model/python_file.h"
#include "tables/python_from.h"
#include "tables/python_place.h"
#include "tables/python_row.h"
#include "tables/python_sample.def"
#include "tables/tables.h"

static const struct db_table frame_table = DB_TABLE(python_frame, "insert", PYTHON_FRAME_COLUMNS);
static const struct db_table sample_table = DB_TABLE(python_sample, "insert",
	PYTHON_SAMPLE_COLUMNS);

/* A line of the property. */
struct python_line {
	uint32_t context, location; /* numbers; PYTHON_NONE, MODEL_NONE: not known */
	uint64_t samples, ns;
	const char *call, *phase; /* NULL: in none */
};

/* Takes a number, or - for none, and the space behind it. False: there is neither. */
static bool number_take(char **at, uint64_t none, uint64_t *number)
{
	char *end = *at;

	*number = none;
	if (**at == '-')
		end++;
	else
		*number = strtoull(*at, &end, 10);
	if (end == *at || *end != ' ')
		return false;
	*at = end + 1;
	return true;
}

/* Splits a line, which is changed by it. False: it is no such line. */
static bool entry_split(const struct archive *archive, char *line, struct python_line *entry)
{
	uint64_t context, location;
	char *space;

	if (!number_take(&line, UINT64_MAX, &context) ||
		!number_take(&line, UINT64_MAX, &location) ||
		!number_take(&line, 0, &entry->samples) || !number_take(&line, 0, &entry->ns) ||
		!(space = strchr(line, ' ')) || entry->ns > INT64_MAX || entry->samples > INT64_MAX)
		return false;
	*space = '\0';
	entry->context = idmap_find(&archive->contexts.map, context);
	entry->location = idmap_find(&archive->locations.map, location);
	entry->call = strcmp(line, "-") == 0 ? NULL : line;
	entry->phase = space[1] ? space + 1 : NULL;
	return true;
}

/* Does something with each entry of all processes. */
typedef void entry_taker(struct tables *tables, size_t process, const struct python_line *entry,
	void *user);

static void text_walk(struct tables *tables, size_t process, const char *value, entry_taker *take,
	void *user)
{
	char *text = strdup(value), *save = NULL;
	struct python_line entry;

	if (!text)
		tables->failed = true;
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
		line = strtok_r(NULL, "\n", &save))
		if (entry_split(&tables->archive, line, &entry))
			take(tables, process, &entry, user);
	free(text);
}

static void entries_walk(struct tables *tables, entry_taker *take, void *user)
{
	for (size_t i = 0; i < tables->model.processes.n; i++) {
		const in_properties *properties = &tables->model.processes.at[i].group->properties;

		for (size_t k = 0; k < properties->n; k++)
			if (strncmp(properties->at[k].key, PROPERTY_PYTHON,
				    strlen(PROPERTY_PYTHON)) == 0)
				text_walk(tables, i, properties->at[k].value, take, user);
	}
}

/* Marks a place and its callers. */
static void entry_mark(struct tables *tables, size_t process, const struct python_line *entry,
	void *user)
{
	bool *used = user;

	(void)process;
	for (uint32_t i = entry->context; i != PYTHON_NONE && !used[i];
		i = python_caller(&tables->archive, i))
		used[i] = true;
}

/* The innermost of a place and its callers that is the user's own code. */
static uint32_t own_find(const struct archive *archive, uint32_t i)
{
	while (i != PYTHON_NONE && python_file_is_library(python_place(archive, i).file))
		i = python_caller(archive, i);
	return i;
}

/* Adds to the time of the user's own code, or of the place where there is none of that. */
static void entry_add(struct tables *tables, size_t process, const struct python_line *entry,
	void *user)
{
	uint64_t *ns = user;
	uint32_t own = own_find(&tables->archive, entry->context);

	(void)process;
	own = own == PYTHON_NONE ? entry->context : own;
	if (own != PYTHON_NONE)
		ns[own] += entry->ns;
}

/* Callers have the lower numbers, so they come first. */
static void frames_write(struct tables *tables, const bool *used, const uint32_t *froms)
{
	const struct archive *archive = &tables->archive;

	for (uint32_t number = 0; number < archive->contexts.n; number++) {
		struct python_place place = python_place(archive, number);
		uint32_t from = froms[number];
		uint32_t caller = python_caller(archive, number), own = own_find(archive, number);

		if (used[number])
			db_put_row(&tables->db, &frame_table, DB_ROW(PYTHON_FRAME_COLUMNS));
	}
}

/* State of the calls of that name, as the host states are. */
static enum host_state call_state(const struct model *model, const char *call)
{
	for (size_t i = 0; call && i < model->regions.n; i++)
		if (model->regions.at[i].name && strcmp(model->regions.at[i].name, call) == 0)
			return region_kind_states[model->regions.at[i].kind];
	return HOST_USEFUL;
}

/*
 * Calls of MPI, or their equivalents, are communication everywhere. Elsewhere the program's
 * activity explains more than the call that carries it out.
 */
static const char *entry_state(const struct tables *tables, const struct python_line *entry)
{
	enum host_state call = call_state(&tables->model, entry->call);
	const char *state;

	if (host_communicates(call))
		return "communication";
	state = python_place_state(&tables->archive, entry->context);
	if (!state && entry->phase && strstr(entry->phase, "checkpoint"))
		state = "checkpoint";
	return state		    ? state
		: call == HOST_IO   ? "io"
		: call == HOST_WAIT ? "wait"
		: call == HOST_CUDA ? "cuda"
				    : "computing";
}

static void entry_write(struct tables *tables, size_t process, const struct python_line *entry,
	void *user)
{
	const char *state = entry_state(tables, entry);

	(void)user;
	db_put_row(&tables->db, &sample_table, DB_ROW(PYTHON_SAMPLE_COLUMNS));
}

void python_rows_write(struct tables *tables)
{
	size_t n = tables->archive.contexts.n + 1;
	bool *used = calloc(n, sizeof(*used));
	uint64_t *ns = calloc(n, sizeof(*ns));
	uint32_t *froms = NULL;

	if (used && ns) {
		entries_walk(tables, entry_mark, used);
		entries_walk(tables, entry_add, ns);
		froms = python_from_find(&tables->archive, ns);
	}
	if (froms) {
		frames_write(tables, used, froms);
		entries_walk(tables, entry_write, NULL);
	} else {
		log_error("out of memory for places in Python");
		tables->failed = true;
	}
	free(used);
	free(ns);
	free(froms);
}
