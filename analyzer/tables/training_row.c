/* training_row.c - see training_row.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tables/tables.h"
#include "tables/training_metric.def"
#include "tables/training_row.h"

static const struct db_table given_table = DB_TABLE(training_metric, "insert or ignore",
	TRAINING_METRIC_COLUMNS);

/* A line of the property. */
struct training_line {
	const char *name;
	int64_t nth, ns, step; /* step: DB_NULL before the first one */
	double value;
};

/* Splits a line, which is changed by it. False: it is no such line. */
static bool value_split(const struct archive *archive, char *line, struct training_line *value)
{
	uint64_t time, nth;
	char number[64], step[24];
	int used = 0;

	if (sscanf(line, "%" SCNu64 " %" SCNu64 " %63s %23s %n", &nth, &time, number, step,
		    &used) != 4 ||
		!used || !line[used] || nth > INT64_MAX || time < archive->offset)
		return false;
	value->nth = (int64_t)nth;
	value->ns = (int64_t)(time - archive->offset);
	value->value = strtod(number, NULL);
	value->step = *step == '-' ? DB_NULL : (int64_t)strtoull(step, NULL, 10);
	value->name = line + used;
	return true;
}

static void values_write(struct tables *tables, size_t process, const char *property)
{
	char *text = strdup(property), *save = NULL;
	struct training_line value;

	if (!text) {
		log_error("out of memory for values of the training");
		tables->failed = true;
	}
	for (char *line = text ? strtok_r(text, "\n", &save) : NULL; line;
		line = strtok_r(NULL, "\n", &save))
		if (value_split(&tables->archive, line, &value))
			db_put_row(&tables->db, &given_table, DB_ROW(TRAINING_METRIC_COLUMNS));
	free(text);
}

void training_rows_write(struct tables *tables)
{
	for (size_t i = 0; i < tables->model.processes.n; i++) {
		const in_properties *properties = &tables->model.processes.at[i].group->properties;

		for (size_t k = 0; k < properties->n; k++)
			if (strncmp(properties->at[k].key, PROPERTY_VALUES,
				    strlen(PROPERTY_VALUES)) == 0)
				values_write(tables, i, properties->at[k].value);
	}
}
