/* gradient_row.c - see gradient_row.h. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "tables/gradient_bucket.def"
#include "tables/gradient_pass.def"
#include "tables/gradient_row.h"
#include "tables/tables.h"

static const struct db_table bucket_table = DB_TABLE(gradient_bucket, "insert",
	GRADIENT_BUCKET_COLUMNS);
static const struct db_table pass_table = DB_TABLE(gradient_pass, "insert or ignore",
	GRADIENT_PASS_COLUMNS);

/* A line of the property. */
struct line {
	bool is_all;   /* of all buckets: exchanges are passes */
	int64_t order; /* DB_NULL: sum of those without a position */
	int64_t bytes, exchanges, ns, exposed_ns;
};

static bool line_read(const char *text, struct line *line)
{
	char order[16];

	if (sscanf(text, "%15s %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64, order, &line->bytes,
		    &line->exchanges, &line->ns, &line->exposed_ns) != 5 ||
		line->bytes < 0 || line->exchanges < 1 || line->exposed_ns < 0 ||
		line->ns < line->exposed_ns)
		return false;
	line->is_all = strcmp(order, "all") == 0;
	line->order = *order == '-' ? DB_NULL : (int64_t)strtoul(order, NULL, 10);
	return true;
}

static void lines_write(struct tables *tables, size_t process, const char *property)
{
	char *text = strdup(property), *save = NULL;
	struct line line;

	if (!text) {
		log_error("out of memory for buckets of gradients");
		tables->failed = true;
	}
	for (char *at = text ? strtok_r(text, "\n", &save) : NULL; at;
		at = strtok_r(NULL, "\n", &save)) {
		if (!line_read(at, &line))
			continue;
		if (line.is_all)
			db_put_row(&tables->db, &pass_table, DB_ROW(GRADIENT_PASS_COLUMNS));
		else
			db_put_row(&tables->db, &bucket_table, DB_ROW(GRADIENT_BUCKET_COLUMNS));
	}
	free(text);
}

void gradient_rows_write(struct tables *tables)
{
	for (size_t i = 0; i < tables->model.processes.n; i++) {
		const in_properties *properties = &tables->model.processes.at[i].group->properties;

		for (size_t k = 0; k < properties->n; k++)
			if (strncmp(properties->at[k].key, PROPERTY_BUCKETS,
				    strlen(PROPERTY_BUCKETS)) == 0)
				lines_write(tables, i, properties->at[k].value);
	}
}
