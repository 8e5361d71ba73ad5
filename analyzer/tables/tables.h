/*
 * tables.h - an analysis's shared state from this layer on: the archive and its model, the
 * database, and the sums and rows on their way there.
 */
#ifndef ANALYZER_TABLES_H
#define ANALYZER_TABLES_H

#include "db/db.h"
#include "model/model.h"
#include "otf2/otf2_in.h"
#include "tables/call.h"
#include "tables/call_path.h"
#include "tables/copy.h"
#include "tables/counters_series.h"
#include "tables/io_file.h"
#include "tables/kernel.h"
#include "tables/message_pair.h"
#include "tables/rate.h"
#include "tables/step_row.h"
#include "tables/window_row.h"

struct tables {
	struct archive archive;
	struct model model;
	struct db db;
	bool summary;	     /* no replay, no collectives one by one, no steps */
	struct rates *rates; /* per node, by calls */
	struct counters counters;
	struct call_table *calls;    /* per process */
	struct call_rows *call_rows; /* where their rows are written */
	struct io_table *files;	     /* per process */
	struct message_pairs *pairs; /* per process that sent */
	struct call_tree *paths;     /* per process */
	struct kernels *kernels;     /* per device; NULL: the trace has none */
	struct copies *copies;	     /* the same */
	struct step_rows step_rows;
	struct window_rows host_rows, device_rows, metric_rows;
	bool failed; /* out of memory or the like (reported) */
};

/* Rows of windows go to their tables. */
void tables_init(struct tables *tables);

/* Memory by process, node and device, when the model is known. 0, or -1 without (reported). */
int tables_open(struct tables *tables);
void tables_close(struct tables *tables);

#endif
