/*
 * finding.h - the advisor: what to change and how many seconds that saves, by
 * rules that are data (reports/findings/NAME.sql, built into the program).
 */
#ifndef ANALYZER_FINDING_H
#define ANALYZER_FINDING_H

#include <sqlite3.h>
#include <stdint.h>

/* A rule. */
struct finding_rule { const char *name, *sql; };

struct step_rows;

/* Those of this build; `name` NULL ends them. */
extern const struct finding_rule finding_rules[];

/*
 * Fills the table `finding` of a run from the figures that are in the
 * database already, most seconds saved first; leaves out what is below 1 % of
 * the run's time, except notes on quality, which save nothing. Reads and writes only
 * `handle`. `steps`: all of the run's, if they are in memory, else NULL. 0, or -1 (reported).
 */
int findings_write(sqlite3 *handle, int64_t run_id, const struct step_rows *steps);

#endif
