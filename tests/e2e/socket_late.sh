#!/bin/sh
# A rank waits for another one through a socket, which sleeps before it sends: how long it waited for
# that is what the program measures, however it waits.
. "$top_srcdir/tests/e2e/lib.sh"

command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
${CC:-cc} -O2 -I"$top_srcdir/include" -pthread -o load "$top_srcdir/tests/e2e/socket_late_load.c" || exit 99

late="select sum(late_ns) from socket_wait w join process p on p.id = w.process_id join process q on q.id = w.peer_id
	where p.rank = 0 and q.rank = 1"

# Within what the program saw: never more; less by what passes between its clock and the call.
is_between()
{
	awk -v found="$1" -v least="$2" -v most="$3" 'BEGIN {
		print "found", found, "between", least, "and", most
		exit !(found <= most && found >= 0.9 * least) }'
}

# run NAME tcp|unix [thread]
run()
{
	rm -f port late
	"$tacho" -q record -o $1 -- sh -c 'for rank in 0 1; do RANK=$rank WORLD_SIZE=2 timeout 60 ./load '$2' . '"${3:-}"' >out.$rank & done
		wait' 2>err.$1
	read -r least most <out.0
}

run recv tcp
check "rank 0 waits for rank 1 until that sends" is_between "$(query "$late" recv)" "$least" "$most"

# The same by the trace itself: a wait for a message is over when that begins to be written.
"$tacho" dump recv | awk '/"tacho.message"=/ && / enter / {
		match($0, /"tacho.message"=[0-9]+/); n = substr($0, RSTART + 16, RLENGTH - 16)
		if ($4 !~ /send/) { from[n] = $1; who[n] = $2 } else sent[n] = $1 }
	END { for (n in from) if (who[n] == 0) sum += sent[n] > from[n] ? sent[n] - from[n] : 0; print sum }' >sum
check "the sum is that of all waits of the trace" same "$(query "$late" recv)" "$(cat sum)"
check "both ends of each message are in the trace" same "$(query "select count(*) from checks where not ok" recv)" 0
check "what rank 0 waited is not its own time" same "$(query "select sum(s.waited_ns) from step s join process p on p.id = s.process_id
	where p.rank = 0" recv)" "$(query "$late" recv)"
check "and nobody says that it is not recorded" same "$(query "select count(*) from finding where rule = 'unseen_communication'
	and seconds * 2e9 > 1000 + (select sum(ns) from host_time where state = 'wait' and \"window\" = 'run')
	- (select sum(value) from metric where name = 'slept') - (select sum(late_ns + transfer_ns) from socket_wait)" recv)" 0
check "what was waited for whom stands beside the bytes" same "$(query "select late_ns from socket_pair
	where rank = 1 and peer_rank = 0" recv)" "$(query "$late" recv)"
"$tacho" report -s recv >text
check "efficiencies are about sockets, where most waiting is known" [ "$(query "select count(*) from socket_run" recv)" = "$(grep -c '^POP, sockets' text)" ]
TACHO_SHUFFLE=3 "$tacho" -q analyze --db shuffled.db recv
check "in whatever order the ranks are read" same "$(sqlite3 shuffled.db "$late")" "$(query "$late" recv)"
"$tacho" -q analyze --jobs 3 --db jobs.db recv
check "and by however many processes" same "$(sqlite3 jobs.db "$late")" "$(query "$late" recv)"

run unix unix
check "and the same through AF_UNIX" is_between "$(query "$late" unix)" "$least" "$most"

query_true()
{
	same "$(query "$@")" 1
}

run thread tcp thread
check "so is what its main thread waits for a thread that receives" is_between "$(query "$late" thread)" "$least" "$most"
# where load made rank 0 late by much, too, there may be nothing to say
query_true "select a.late_ns > 2 * b.late_ns from socket_wait a join process p on p.id = a.process_id and p.rank = 0
	join socket_wait b on b.process_id = a.peer_id" thread >disturbed &&
	check "without steps, too, rank 1 is named" query_true "select count(*) from finding where rule = 'socket_late' and message like
		'late sender: through sockets rank 0 waits % s until rank 1 sends%'" thread
check "the critical path goes through rank 1 while that sleeps" query_true "select value >= 0.95 * 10 * 20e6 from metric
	where model = 'critical_path' and name = 'length' and subject = 'rank:1'" thread
plan
