/* report_rules.h - a site's rules: queries that add findings to those found by the analysis. */
#ifndef ANALYZER_REPORT_RULES_H
#define ANALYZER_REPORT_RULES_H

#include "report/report_db.h"

/* Each database that is opened from now on has the rules of this folder; NULL: none. */
void report_rules_from(const char *folder);

/*
 * Adds the findings of the folder's rules to the table finding of this connection, behind the
 * findings of the analysis, and to temp.rule_key (advise/finding.h). A rule is a file NAME.rule
 * (advise/finding_words.h), or NAME.sql: one read-only query, :run the run's number. It returns a
 * row for each finding. Its columns have the names and units of the table finding: seconds and
 * message are required, all others optional. 0, or -1 (reported).
 */
int report_rules_add(struct report_db *db);

#endif
