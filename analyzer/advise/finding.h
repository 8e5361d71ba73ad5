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

/* A script that makes temp.rule_key(rule, variant, key, value, detail): what rules say of
 * themselves. */
extern const char finding_keys_sql[];

/*
 * Fills the table `finding` of a run from the figures that are in the
 * database already, most seconds saved first; leaves out what is below 1 % of
 * the run's time, except notes on quality, which save nothing. None claims more than the run
 * lasted: the check findings_within_run reports a rule that did, and a warning. Table finding_time
 * has what time each is of, and what of it others promise as well (docs/lateness.md). Reads and writes
 * only `handle`. 0, or -1 (reported).
 */
int findings_write(sqlite3 *handle, int64_t run_id);

#endif
