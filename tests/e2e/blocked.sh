#!/bin/sh
# Real programs whose main threads neither work nor communicate: each finding names what was done to them and,
# within a quarter, what it cost; the same program without it has none.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
not_sanitized
"$MPICC_OPENMPI" -O2 -o load "$top_srcdir/tests/e2e/blocked_load.c" -pthread || exit 99

# found HOW SECONDS: what of the three a run of 60 steps of 20 ms has, with its seconds where they are not near those that it lost.
found() {
	timeout 100 "$tacho" -q record -o "$1" -- mpirun -n 2 ./load "$1" 60 20 >out 2>&1 || { cat out; return 1; }
	query "select coalesce(group_concat(rule || case when seconds between $2 * 0.75 and $2 * 1.25 then '' else ' ' || seconds end, ', '), 'nothing')
		from finding where rule in ('blocked', 'sleep', 'input_waiting')" "$1"
}

check "steps that only compute: none of the three" same "$(found none 0)" nothing
check "a lock that a helper thread holds: blocked" same "$(found mutex 1.2)" blocked
check "all ranks sleep: sleep" same "$(found sleep 1.2)" sleep
check "children that wait for a server: input_waiting" same "$(found server 2.4)" input_waiting
plan
