#!/bin/sh
# Real programs whose steps lose time: the finding names how and, within a quarter, what it cost; the same program without
# it has none.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
not_sanitized
"$MPICC_OPENMPI" -O2 -o load "$top_srcdir/tests/e2e/trouble_load.c" -pthread || exit 99

# found HOW SECONDS: what a run of 60 steps of 20 ms is said to lose by these rules, with its seconds where they are not near those.
found() {
	timeout 100 "$tacho" -q record -f -o "$1" -- mpirun -n 2 ./load "$1" 60 20 >out 2>&1 || { cat out; return 1; }
	query "select coalesce(group_concat(rule || case when seconds between $2 * 0.75 and $2 * 1.25 then '' else ' ' || seconds end, ', '), 'nothing')
		from finding where rule in ('blocked', 'sleep', 'input_waiting', 'serialisation', 'serial_end', 'transfer')" "$1"
}

# Where ranks lack cores two of them are silent: seen in one of three runs is seen.
seen() {
	for try in 1 2; do
		[ "$(found "$1" "$2")" = "$3" ] && return
	done
	same "$(found "$1" "$2")" "$3"
}

check "steps that only compute: nothing" same "$(found none 0)" nothing
check "a lock that a helper thread holds: blocked" same "$(found mutex 1.2)" blocked
check "all ranks sleep: sleep" same "$(found sleep 1.2)" sleep
check "children that wait for a server: input_waiting" same "$(found server 2.4)" input_waiting
check "one rank after the other has twice as much to do: serialisation" seen turns 0.6 serialisation
check "rank 0 works on when the others are through: serial_end" same "$(found end 0.6)" serial_end
check "data moves between all steps: transfer" seen move "(select sum(total_ns) / 2e9 from call where name = 'MPI_Sendrecv')" transfer
plan
