#!/bin/sh
# What blocks for another thread, a timer or a person is waiting, not I/O: by the kind of the descriptor.
. "$top_srcdir/tests/collector_common.sh"
tacho=$top_builddir/analyzer/tacho
waits=$top_builddir/tests/unit/collector_waits
command -v sqlite3 >/dev/null || { echo "1..0 # SKIP sqlite3 is not installed"; exit 0; }
echo 1..11

# state RUN: in which of the two the main thread was longer
state()
{
	"$tacho" merge "$1" >"$tmp/out" 2>&1 && "$tacho" analyze "$1" >"$tmp/out" 2>&1 || return 1
	sqlite3 "$1/tacho.db" "select t.state from location_time t join location l on l.id = t.location_id
		where l.is_main and t.state in ('io', 'wait') order by t.ns desc limit 1"
}

for kind in eventfd hangup timerfd signalfd inotify FIFO terminal netlink file; do
	mkdir "$tmp/$kind.tmp"
	record "$tmp/$kind" env TMPDIR="$tmp/$kind.tmp" "$waits" $kind
	case $?:$kind in
	77:*) skip "a read of a $kind waits" "there is none here" ;;
	0:file) ok "a file is I/O" same "$(state "$tmp/file")" io ;;
	0:*) ok "a read of a $kind waits" same "$(state "$tmp/$kind")" wait ;;
	*) ok "a read of a $kind waits: the program" false ;;
	esac
done
ok "who writes to an eventfd hands over to who reads it" same \
	"$(sqlite3 "$tmp/eventfd/tacho.db" "select count(*) from metric where model = 'critical_path' and name = 'helper_useful' and value > 0")" 1
ok "what ends a wait for a child is what it wrote, and its end" same \
	"$(sqlite3 "$tmp/hangup/tacho.db" "select group_concat(name || ' ' || calls, ', ') from (select * from call
		where name glob 'poll*' order by name)")" "poll 1, poll (hung up) 1"
