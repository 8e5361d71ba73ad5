/*
 * metric_account.c - the second account of a rank's time: compares the kernel's figures (how long
 * the main thread ran and waited for a core) with the recorded states, in both directions; see
 * metric.h. It reveals states that were never left, stops, and calls that were not recorded.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>

#include "base/log.h"
#include "engine/engine.h"
#include "metrics/metric.h"
#include "tables/check_row.h"

/*
 * For how long a thread may have or want a core while it waits: this part of its life, and this
 * in all.
 */
#define RAN_PART      0.05
#define RAN_NS	      1e8
#define RAN_A_CALL    2e4 /* ns per waiting call: to begin it, to poll, to wake up */
#define RAN_A_BYTE    1.0 /* ns per byte that such a call copies through a pipe or socket */
#define QUEUED_A_CALL 2e7 /* ns of run-queue wait per such call that wakes up on a crowded node */

/*
 * Per rank: the counters of the main thread and the time that they cover; the sums of its states,
 * and its time without a state (lost, totals only, not captured); calls and bytes of waiting calls;
 * time stolen from the node's CPUs.
 */
static const char ranks_sql[] =
	"select p.rank, max(case s.name when 'proc.core_ran' then s.value end) - "
	"min(case s.name when 'proc.core_ran' then s.value end), "
	"max(case s.name when 'proc.core_waited' then s.value end) - "
	"min(case s.name when 'proc.core_waited' then s.value end), "
	"coalesce(max(case s.name when 'proc.stopped' then s.value end), 0), "
	"max(s.t_ns) - min(s.t_ns), h.useful, h.wait, h.life, h.unknown, "
	"coalesce(c.calls, 0), coalesce(c.bytes, 0), coalesce((select max(value) - min(value) "
	"from sample where run_id = 1 and node_id = p.node_id and process_id is null and name = "
	"'cpu.steal'), 0) from process p join (select process_id, "
	"sum(case state when 'useful' then ns else 0 end) as useful, "
	"sum(case state when 'wait' then ns else 0 end) as wait, "
	"sum(case state when 'absent' then 0 else ns end) as life, "
	"sum(case when state in ('lost', 'not_in_detail') then ns else 0 end) as unknown "
	"from host_time where run_id = 1 and \"window\" = 'run' group by process_id) h "
	"on h.process_id = p.id left join (select process_id, sum(calls - helper_calls) as calls, "
	"sum(coalesce(bytes_sent, 0) + coalesce(bytes_received, 0)) as bytes from call "
	"where run_id = 1 and class = 'wait' group by process_id) c on c.process_id = p.id "
	"cross join sample s on s.run_id = 1 and s.node_id = p.node_id and s.process_id = p.id "
	"and s.name in ('proc.core_ran', 'proc.core_waited', 'proc.stopped') "
	"where p.rank is not null group by p.id having max(s.t_ns) > min(s.t_ns) order by p.rank";

struct account {
	int64_t rank;
	double ran, waited, stopped, span;  /* ns, by the kernel */
	double useful, wait, life, unknown; /* ns, by states */
	double wait_calls, wait_bytes, stolen;
};

static void account_read(sqlite3_stmt *select, struct account *account)
{
	double *const values[] = { &account->ran, &account->waited, &account->stopped,
		&account->span, &account->useful, &account->wait, &account->life, &account->unknown,
		&account->wait_calls, &account->wait_bytes, &account->stolen };

	account->rank = sqlite3_column_int64(select, 0);
	for (int i = 0; i < (int)(sizeof(values) / sizeof(*values)); i++)
		*values[i] = sqlite3_column_double(select, i + 1);
}

/* For longer than this no thread has or wants a core in states that wait. */
static double allowed(const struct account *account)
{
	return RAN_PART * account->life + RAN_NS + RAN_A_CALL * account->wait_calls +
		RAN_A_BYTE * account->wait_bytes +
		fmin(account->waited, QUEUED_A_CALL * account->wait_calls);
}

static void account_put(struct engine *engine, const struct account *account, int64_t *worst,
	double *most)
{
	/* while nothing is captured a thread may run, and has no state */
	double without = fmax(0, account->span - account->life);
	double in_waits = fmax(0,
		account->ran + account->waited - (account->life - account->wait) - without);
	double unrun = account->useful - account->ran - account->waited - account->stopped -
		account->stolen - fmax(0, account->life - account->span);
	const char *flag = account->unknown > 0 ? "its states are not known of all its time" : NULL;
	char subject[32];

	snprintf(subject, sizeof(subject), "rank:%" PRId64, account->rank);
	metric_put_about(engine, "run", METRIC_account_busy_in_waits, subject,
		flag ? NAN : in_waits, flag);
	metric_put_about(engine, "run", METRIC_account_useful_not_run, subject,
		flag ? NAN : fmax(0, unrun), flag);
	if (!flag && in_waits - allowed(account) > *most) {
		*most = in_waits - allowed(account);
		*worst = account->rank;
	}
}

void metric_account_write(struct engine *engine)
{
	sqlite3_stmt *select = NULL;
	struct account account;
	int64_t worst = -1;
	double most = 0;
	bool any = false;

	if (engine->tables.db.failed)
		return;
	if (sqlite3_prepare_v2(engine->tables.db.handle, ranks_sql, -1, &select, NULL) !=
		SQLITE_OK) {
		log_error("cannot compare CPU time with states: %s",
			sqlite3_errmsg(engine->tables.db.handle));
		engine->tables.failed = true;
		return;
	}
	while (sqlite3_step(select) == SQLITE_ROW) {
		account_read(select, &account);
		account_put(engine, &account, &worst, &most);
		any = true;
	}
	sqlite3_finalize(select);
	if (any)
		check_write(&engine->tables.db, "run", "cpu_time_in_states", worst < 0,
			"rank %" PRId64
			" had or wanted a core for %.3f s more than it was in states "
			"in which a thread does: it left a call that waits without an end on record, and what "
			"came after it counts as waiting",
			worst, most / 1e9);
}
