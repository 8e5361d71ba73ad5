/*
 * metric_ledger.c - rows of not_recorded about bytes: how far the kernel's account of a rank
 * (/proc/PID/io) exceeds the recorded calls. Differences below a bound have other causes, so that
 * each row is due to the program.
 */
#include "config.h"

#include <stddef.h>

#include "engine/engine.h"
#include "metrics/metric.h"
#include "tables/not_recorded.h"

/* MPI and gloo move their messages by system calls, more than once in some collectives. */
#define MESSAGES(bytes) "1e6 + 4.0 * total(c." bytes ") filter (where c.class in ('mpi', 'gloo'))"

/*
 * The kernel counts storage in pages. A partial write counts as a whole page at both of its ends;
 * creating and removing names counts as several pages. The library's records are pages of mapped
 * files, which count again after each write-back: at most 64 bytes per call, and 64 KiB per second.
 */
#define PAGES                                                                                      \
	"1e6 + (select duration_ns * 65536e-9 from run where id = 1) + total(c.calls * (64 + "     \
	"iif(c.bytes_sent > 0, 8192, 0) + iif(c.name glob '*open*' or c.name glob '*mkdir*' or "   \
	"c.name glob '*rename*' or c.name glob '*unlink*' or c.name glob '*creat*', 32768, 0)))"

/* Pages of libraries, and read-ahead. */
#define LIBRARIES "64e6"

/* Rows of ranks by a reason, of which `counted` less `moved` is `least` or more. */
#define ROWS(counted, moved, least)                                                                \
	"insert into not_recorded (run_id, subject, kind, reason, process_id, count, bytes, "      \
	"message) with counted as (select subject, total(value * iif(name = '" moved               \
	"', -1, 1)) as bytes from metric where run_id = 1 and \"window\" = 'run' and model = "     \
	"'counters' and name in ('" counted "', '" moved "') group by subject), bounds as "        \
	"(select coalesce(p.rank, o.rank) as rank, " least " as least from call c join process p " \
	"on p.id = c.process_id left join process o on o.id = p.parent_id where c.run_id = 1 "     \
	"group by 1) select 1, 'rank ' || r.rank, ?, ?, r.id, 1, cast(c.bytes as integer), ? "     \
	"from process r join counted c on c.subject = 'rank:' || r.rank join bounds b on b.rank "  \
	"= r.rank where r.run_id = 1 and c.bytes >= b.least"

void metric_ledger_write(struct engine *engine)
{
	static const struct {
		enum unrecorded reason;
		const char *sql;
	} rows[] = {
		{ UNRECORDED_READ_CALLS,
			ROWS("unseen_read_bytes", "", MESSAGES("bytes_received")) },
		{ UNRECORDED_WRITE_CALLS, ROWS("unseen_write_bytes", "", MESSAGES("bytes_sent")) },
		{ UNRECORDED_STORED, ROWS("storage_write_bytes", "write_call_bytes", PAGES) },
		{ UNRECORDED_LOADED, ROWS("storage_read_bytes", "read_call_bytes", LIBRARIES) },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct unrecorded_reason *reason = unrecorded_reason(rows[i].reason);

		db_put(&engine->tables.db, rows[i].sql, "sss", reason->kind, reason->name,
			reason->text);
	}
}
