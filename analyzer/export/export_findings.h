/* export_findings.h - findings as marks in a trace. */
#ifndef ANALYZER_EXPORT_FINDINGS_H
#define ANALYZER_EXPORT_FINDINGS_H

#include <stdint.h>

#include "base/json.h"

/* Writes an instant for each finding of the database's last run, of those from..to ns. */
void export_findings(struct json *json, const char *database, int64_t from, int64_t to);

#endif
