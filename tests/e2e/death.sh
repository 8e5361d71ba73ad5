#!/bin/sh
# Killed at a random moment, by rank, all ranks or mpirun: the merged trace holds
# every call that had returned, shows where each thread was, and analyze, stats and report work.
# TACHO_KILLS=200 for more than the suite's number.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
/usr/bin/python3 -c 'import otf2' 2>/dev/null || skip_all "python3-otf2 is not installed"
kills=${TACHO_KILLS:-12}

"$MPICC_OPENMPI" -O2 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/death_load.c" || exit 99
head -c 8192 /dev/zero >data

# The pids that the load wrote down.
load_pids() {
	./load counters | awk '!seen[$2]++ { print $2 }'
}

# every_call_is_there: merges, and compares the load's own count with the archive's.
every_call_is_there() {
	./load counters >truth
	"$tacho" -q merge run && "$tacho" -q analyze run || return 1
	timeout 120 /usr/bin/python3 "$top_srcdir/tests/e2e/calls_count.py" run/trace/traces.otf2 >counted || return 1
	awk 'NR == FNR { returned[$1, $2] = $3; cut[$1, $2] = $4; next }
		{ n = returned[$1, $3] + 0; c = cut[$1, $3] + 0 }
		n < $5 || n > $4 || n + c > $4 {
			print "rank " $1 " " $3 ": begun " $4 " returned " $5 " in the trace " n " cut " c; bad = 1 }
		END { exit bad }' counted truth
}

# kill_at WHAT SECONDS: starts the load and kills after that time.
kill_at() {
	rm -rf run counters
	timeout 100 "$tacho" -q record --no-merge -o run --keep-spools -- mpirun -n 2 ./load counters data 20 >out 2>&1 &
	recorder=$!
	while [ ! -s counters ] || [ "$(load_pids | wc -l)" -lt 2 ]; do
		kill -0 "$recorder" 2>/dev/null || return 1
		sleep 0.05
	done
	sleep "$2"
	pids=$(load_pids)
	case $1 in
	rank) kill -9 "$(echo "$pids" | tail -n 1)" ;;
	ranks) kill -9 $pids ;;
	mpirun) kill -9 "$(ps -o ppid= -p "$(echo "$pids" | head -n 1)")" ;;
	esac
	wait "$recorder"
	status=$?
	for pid in $pids; do	# mpirun's death can leave a rank behind
		! kill -0 "$pid" 2>/dev/null || kill -9 "$pid"
	done
	[ $status -ne 0 ]
}

says_truncated() {
	same "$(query 'select cut from run')" 1 &&
	[ "$(query "select count(*) from process where end = 'killed'")" -ge 1 ] &&
	timeout 60 "$tacho" stats run >stats && grep -qi 'killed' stats &&
	timeout 60 "$tacho" report run >report.log 2>&1 && grep -qi truncated run/report.html
}

i=0
while [ $i -lt "$kills" ]; do
	case $((i % 3)) in
	0) what=rank ;;
	1) what=ranks ;;
	2) what=mpirun ;;
	esac
	moment=$(awk -v i=$i -v seed="$$" 'BEGIN { srand(seed * 1000 + i); printf "%.3f", rand() * 0.7 }')
	check "kill -9 of $what after $moment s: the run fails" kill_at $what "$moment"
	sed 's/^/# /' out
	check "kill $i of $what: every call that had returned is in the trace" every_call_is_there
	[ $((i % 5)) -ne 0 ] || check "kill $i of $what: stats and report say that the run is truncated" says_truncated
	i=$((i + 1))
done
plan
