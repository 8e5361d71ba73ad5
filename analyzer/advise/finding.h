/*
 * finding.h - the advisor: what to change and how many seconds that saves, by
 * rules that are data (reports/findings/NAME.rule, built into the program).
 */
#ifndef ANALYZER_FINDING_H
#define ANALYZER_FINDING_H

#include <sqlite3.h>
#include <stdint.h>

/* A file reports/findings/NAME.rule, with the values of constants in its query. */
struct finding_rule {
	const char *name;
	const char *text; /* finding_words.h */
};

/* Those of this build, in the order in which they are asked; `name` NULL ends them. */
extern const struct finding_rule finding_rules[];

/*
 * A script that makes temp.rule_key(rule, variant, key, value, detail): the keys of the rules'
 * files.
 */
extern const char finding_keys_sql[];

/*
 * Fills the table `finding` of a run from the figures in the database, the largest saving first.
 * Leaves out savings below 1 % of the run's time, except for notes on quality, which save nothing.
 * No finding may claim more than the run's duration: the check findings_within_run reports a rule
 * that does, with a warning. The table finding_time has each finding's time and its overlap with
 * others (docs/lateness.md). Reads and writes only `handle`. 0, or -1 (reported).
 */
int findings_write(sqlite3 *handle, int64_t run_id);

#endif
