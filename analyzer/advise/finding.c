/* finding.c - see finding.h: runs the rules one by one and ranks their findings. */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "advise/finding.h"
#include "advise/finding_units.h"
#include "advise/finding_words.h"
#include "advise/findings_sql.h"
#include "base/log.h"
#include "db/query.h"
#include "metrics/noise.h"

/* Below this share of the run's time, `least` seconds, nothing is worth a line. */
#define LEAST_SHARE "0.01"

/*
 * What the rules return. From `of` on, of what time the seconds are: of a kind, of a rank that
 * others waited for, in a phase, between two times; NULL: of all.
 */
static const char found_sql[] =
	"create temp table found(rule text, variant text, seconds real, message text, brief text, evidence text,"
	" advice text, confidence text, account text, term text, is_bound integer, certainty text,"
	" of text,"
	" rank integer, phase text, from_ns integer, till_ns integer, line text,"
	" first_step integer, last_step integer)";

/* Parameters have the names of the keys in a rule's file and of the columns in its row. */
static const char insert_sql[] =
	"insert into temp.found values (:rule, :variant, :seconds, :message, :brief, :evidence, :advice,"
	" :confidence, coalesce(:key_account, 'cause'), :term, :is_bound, :certainty, coalesce(:of, :key_of, 'all'),"
	" :rank, :phase, :from_ns, :till_ns, :line, :first_step, :last_step)";

static const char rank_sql[] =
	"insert into finding (run_id, rule, variant, n, seconds, message, brief, evidence, advice, term,"
	" certainty, is_bound, culprit_rank, phase, place, first_step, last_step, confidence)"
	" select f.run_id, rule, variant, n, seconds, message, brief, evidence, advice, term,"
	" certainty, is_bound, rank,"
	" phase, line, first_step, last_step, confidence || case "
	"when exists (select 1 from main.lost_time l where l.run_id = f.run_id and l.\"window\" = 'run')"
	" then '; events were lost: of what was recorded' when exists (select 1 from main.metric m"
	" where m.run_id = f.run_id and m.\"window\" = 'run' and m.name = 'not_in_detail')"
	" and (account <> 'ladder' or of_steps < whole) then '; of the part that is in detail' else '' end"
	" from temp.finding_ranked, temp.finding_run f";

static const char delete_sql[] = "delete from main.finding where run_id = :run;"
				 "delete from main.finding_time where run_id = :run;"
				 "delete from main.finding_overlap where run_id = :run";

/* No rule promises more than there was. One that does is limited to it, and reported. */
static const char check_sql[] =
	"insert or replace into main.checks select f.run_id, 'run', 'findings_within_run',"
	" w.rule is null, w.message from temp.finding_run f left join (select rule,"
	" printf('rule %s promises %.1f of %.1f s', rule, max(seconds), most) as message"
	" from (select rule, seconds, iif(account = 'ladder', of_steps, seconds_all) as most"
	" from temp.found, temp.finding_run) where seconds > most * (1 + 1e-9)"
	" having count(*) > 0) w";

static const char failed_sql[] =
	"select message from checks where run_id = ?1 and \"window\" = 'run' and "
	"name = 'findings_within_run' and not ok";

static int execute(sqlite3 *handle, int64_t run_id, const char *sql)
{
	if (query_script(handle, sql, run_id) == SQLITE_OK)
		return 0;
	log_error("cannot compute findings: %s", sqlite3_errmsg(handle));
	return -1;
}

/* Those that rules share. */
static int tables_make(sqlite3 *handle, int64_t run_id, const char *const *tables)
{
	for (; *tables; tables++)
		if (execute(handle, run_id, *tables) < 0)
			return -1;
	return 0;
}

/* What is asked, and where it goes. */
struct asking {
	sqlite3 *handle;
	int64_t run_id;
	sqlite3_stmt *insert; /* into temp.found */
};

/* A row of the rule, in words. Without seconds it is none. SQLite's code. */
static int row_put(const struct asking *asking, const char *name, const struct finding_words *words,
	sqlite3_stmt *row)
{
	sqlite3_stmt *insert = asking->insert;

	if (sqlite3_column_type(row, 0) == SQLITE_NULL)
		return SQLITE_OK;
	sqlite3_reset(insert);
	sqlite3_clear_bindings(insert);
	sqlite3_bind_text(insert, sqlite3_bind_parameter_index(insert, ":rule"), name, -1,
		SQLITE_STATIC);
	if (finding_words_bind(words, asking->run_id, row, insert) < 0)
		return SQLITE_ERROR;
	return sqlite3_step(insert) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
}

static int rule_run(const struct asking *asking, const char *name,
	const struct finding_words *words)
{
	sqlite3_stmt *select = NULL;
	int status = sqlite3_prepare_v2(asking->handle, finding_words_query(words), -1, &select,
		NULL);

	if (status == SQLITE_OK)
		status = query_run_bind(select, asking->run_id);
	if (status == SQLITE_OK && finding_words_check(words, select) < 0)
		status = SQLITE_ERROR;
	while (status == SQLITE_OK && (status = sqlite3_step(select)) == SQLITE_ROW)
		status = row_put(asking, name, words, select);
	if (status != SQLITE_DONE)
		log_error("rule %s for findings: %s", name, sqlite3_errmsg(asking->handle));
	sqlite3_reset(asking->insert);
	sqlite3_finalize(select);
	return status == SQLITE_DONE ? 0 : -1;
}

static int promises_check(sqlite3 *handle, int64_t run_id)
{
	bool failed = execute(handle, run_id, check_sql) < 0;
	sqlite3_stmt *select = query_prepare(handle, failed_sql, run_id, &failed);

	if (query_row_next(select, &failed))
		log_warn("check findings_within_run failed in window run: %s",
			(const char *)sqlite3_column_text(select, 0));
	sqlite3_finalize(select);
	return failed ? -1 : 0;
}

static bool devices_are_there(sqlite3 *handle, int64_t run_id)
{
	bool failed = false, any;
	sqlite3_stmt *select = query_prepare(handle,
		"select 1 from device where run_id = ?1 limit 1", run_id, &failed);

	any = query_row_next(select, &failed);
	sqlite3_finalize(select);
	return any || failed;
}

/* Asks a rule, where it is asked at all. */
static int rule_ask(const struct asking *asking, const struct finding_rule *rule, bool devices)
{
	struct finding_words *words = finding_words_parse(rule->name, rule->text);
	const char *asked = words ? finding_words_key(words, "asked:") : NULL;
	int ret = words ? 0 : -1;

	if (asked && strcmp(asked, "last") == 0)
		ret = promises_check(asking->handle, asking->run_id);
	if (words && (devices || !asked || strcmp(asked, "devices") != 0) &&
		rule_run(asking, rule->name, words) < 0)
		ret = -1;
	finding_words_free(words);
	return ret;
}

static int rules_run(sqlite3 *handle, int64_t run_id)
{
	struct asking asking = { .handle = handle, .run_id = run_id };
	bool devices = devices_are_there(handle, run_id);
	int ret = 0;

	if (sqlite3_prepare_v2(handle, insert_sql, -1, &asking.insert, NULL) != SQLITE_OK) {
		log_error("cannot compute findings: %s", sqlite3_errmsg(handle));
		return -1;
	}
	for (const struct finding_rule *rule = finding_rules; rule->name; rule++)
		if (rule_ask(&asking, rule, devices) < 0)
			ret = -1;
	sqlite3_finalize(asking.insert);
	return ret;
}

/*
 * Training time of the run: an average rank's time in steps, and useful time in them, without steps
 * of a validation or test.
 */
static const char trained_sql[] =
	"insert or replace into main.metric (run_id, \"window\", model, name, subject, value, "
	"unit, flag) select f.run_id, 'run', 'host', m.column1, '', case m.column1 when 'in_steps' then "
	"s.ns else s.useful end / f.nranks, 'ns', case when exists (select 1 from main.lost_time l "
	"where l.run_id = f.run_id and l.\"window\" = 'run') then "
	"'events were lost: of the time that was recorded' end from temp.finding_run f, (select "
	"1.0 * sum(ns) as ns,"
	" 1.0 * sum(useful) as useful from temp.finding_part where steps > 0 and phase not like "
	"'%valid%' and phase not like '%test%' and phase not like '%eval%') s,"
	" (values ('in_steps'), ('trained')) m where s.ns > 0 and f.nranks > 0";

/* Where parts of the run are not in detail: of the totals, useful time wherever it was. */
static const char trained_exact_sql[] =
	"insert or replace into main.metric (run_id, \"window\", model, name, subject, value, "
	"unit, flag) select f.run_id, 'run', 'host', m.column1, '', case m.column1 when 'in_steps' then "
	"s.ns else min(s.ns, e.useful) end / f.nranks, 'ns', 'of totals' from temp.finding_run f,"
	" (select case when exists (select 1 from main.metric where run_id = :run and \"window\" = 'run'"
	" and model = 'exact') then ("
	"select 1.0 * sum(a.ns) as ns from main.step_all a left join main.phase p on p.id = "
	"a.phase_id where a.run_id = :run and coalesce(p.name, '') not like '%valid%'"
	" and coalesce(p.name, '') not like '%test%' and coalesce(p.name, '') not like '%eval%')"
	" end as ns) s,"
	" (select sum(value) as useful from main.metric where run_id = :run and model = 'exact'"
	" and name = 'useful') e, (values ('in_steps'), ('trained')) m"
	" where s.ns > 0 and e.useful is not null and f.nranks > 0";

/*
 * Values about run :run that all rules need. If parts of the run are not in detail, seconds_all is
 * an average rank's time in detail: most rules see only detail, and a small part has only small
 * findings. `whole` is the run, for findings at any place in it. of_steps: all of it if the parts
 * of steps without detail are known.
 */
static const char run_sql[] =
	"create temp table finding_run as select run_id, seconds_all, " LEAST_SHARE
	" * seconds_all as least, nranks, whole, seconds_all < whole as is_part,"
	" iif(exists (select 1 from main.step_sum s where s.run_id = :run), whole, seconds_all)"
	" as of_steps from ("
	"select id as run_id, nranks, t.ns / 1e9 as whole, max(0, t.ns - "
	"coalesce((select sum(value) / nranks from main.metric where run_id = :run"
	" and \"window\" = 'run' and model = 'quality' and name = 'not_in_detail'"
	" and subject glob 'rank:*'), 0)) / 1e9 as seconds_all from main.run join "
	"main.run_time t on t.run_id = id where id = :run)";

int findings_write(sqlite3 *handle, int64_t run_id)
{
	int ret = -1;

	if (finding_units_register(handle) == SQLITE_OK && execute(handle, run_id, run_sql) == 0 &&
		execute(handle, run_id, noise_constants_sql) == 0 &&
		execute(handle, run_id, finding_keys_sql) == 0 &&
		tables_make(handle, run_id, finding_tables_first) == 0 &&
		execute(handle, run_id, trained_sql) == 0 &&
		execute(handle, run_id, trained_exact_sql) == 0 &&
		execute(handle, run_id, found_sql) == 0) {
		ret = rules_run(handle, run_id);
		if (execute(handle, run_id, delete_sql) < 0 ||
			tables_make(handle, run_id, finding_tables_shared) < 0 ||
			execute(handle, run_id, rank_sql) < 0)
			ret = -1;
	}
	return ret;
}
