#!/bin/sh
# Threads that make no call that is recorded: the time that they ran is known, and they are no less
# threads of the run.
. "$top_srcdir/tests/e2e/lib.sh"

command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
[ -r /proc/self/task ] || skip_all "no list of threads"
${CC:-cc} -O2 -pthread -o load "$top_srcdir/tests/e2e/threads_load.c" || exit 99

check "threads are recorded" env RANK=0 WORLD_SIZE=1 "$tacho" -q record -o run -- ./load 400 300 200 5 -1
check "the time that they ran is known, of all" same "$(query "select value between 505e6 and 520e6 from metric
	where model = 'hybrid' and name = 'silent' and subject = 'rank:0'")" 1
check "those that ran for 5 % of the main thread's time count" same "$(query "select value from metric where model = 'hybrid'
	and name = 'threads'")" 3.0
check "with it" same "$(query "select (h.value * 3 * r.duration_ns - (select sum(ns) from host_time where state = 'useful' and window = 'run'))
	between 500e6 and 515e6 from metric h join run r on r.id = h.run_id where h.model = 'hybrid' and h.name = 'parallel_efficiency'")" 1
check "what they ran may be spinning: the figures with it say so" same "$(query "select count(*), sum(flag like '%may spin%')
	from metric where model = 'hybrid' and name like '%efficiency'")" "3|3"
"$tacho" report -s run >text
check "the summary says so" grep -q '^other threads *5[01][0-9] ms on cores in threads without recorded calls' text
check "one that carries data to another process is none" env RANK=0 WORLD_SIZE=1 "$tacho" -q record -o none -- ./load 100 -2
"$tacho" report -s none >text
check "of them" same "$(grep -c '^other threads' text)$(query "select count(*) from metric where model = 'hybrid' and name = 'threads'" none)" 00
plan
