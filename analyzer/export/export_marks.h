/* export_marks.h - findings as marks in a trace, and steps that the analysis found. */
#ifndef ANALYZER_EXPORT_MARKS_H
#define ANALYZER_EXPORT_MARKS_H

#include <stdint.h>

#include "base/json.h"
#include "export/export.h"
#include "model/model.h"

/* Writes an instant for each finding of the database's last run, of those from..to ns. */
void export_findings(struct json *json, const char *database, int64_t from, int64_t to);

/* A step of a rank, ns of the trace's clock. */
struct export_step {
	int64_t rank, n, start, end;
};

/*
 * Passes to `take` each step in the window that the program does not mark: only the database has
 * these. rank -1: all ranks.
 */
void export_found_steps(const struct model *model, const struct export_options *options,
	int64_t rank, void (*take)(void *user, const struct export_step *step), void *user);

#endif
