#!/bin/sh
# Runs of decades, as damaged archives and idle services have them: what they cost does not grow with their time.
. "$top_srcdir/tests/report_common.sh"
needs sqlite3
plan 5

# Eight ranks on two nodes that send, write and meet in the first microseconds and after 70 years, 560 together: more than
# a sum of whole numbers may have.
end=2200000000000000000
for rank in 0 1 2 3 4 5 6 7; do
	cat <<-CASE
	rank node $((rank / 4))
	enter 0 main
	enter 0 phase:train
	enter 0 step:0
	0 10 mpi send $(((rank + 1) % 8)) bytes 100000000000000
	10 20 mpi recv $(((rank + 7) % 8)) bytes 100000000000000
	20 1000 file write_all
	1000 2000 mpi coll allreduce bytes 8
	leave 2000 step:0
	enter 2000 step:1
	$((end - 500)) $end mpi coll allreduce bytes 8
	leave $end step:1
	leave $end phase:train
	leave $end main
	CASE
done >"$work/years.case"
mkdir "$work/years"
"$top_builddir/tests/unit/golden" "$tacho" "$work/years" write "$work/years.case" >"$work/said" 2>&1
timeout 60 "$tacho" analyze --db "$work/db" "$work/years/traces.otf2" 2>"$work/said" && [ ! -s "$work/said" ] &&
	[ "$(sqlite3 "$work/db" "select duration_ns from run")" = $end ]
check $? "a run of 70 years is analysed"
[ "$(sqlite3 "$work/db" "select count(*) <= 2 * 2 * 16384 and abs(sum(bytes) filter (where kind = 'network_sent') - 2e14) < 1e6
	from throughput_second")" = 1 ]
check $? "its bytes are all there, in few rows"
timeout 60 "$tacho" report -o "$work/page.html" "$work/db" >/dev/null 2>"$work/said" && [ ! -s "$work/said" ] && [ -s "$work/page.html" ]
check $? "and has a report"
awk -F, 'NR > 1 { n[$1]++; bytes[$1] += $3 * 2200000 / 8e-9 } END { for (s in n) if (n[s] < 900 || n[s] > 1001) exit 1
	exit !(bytes["n0 sent"] > 0.99e14 && bytes["n0 sent"] < 1.01e14) }' "$work/page/network_rate.csv"
check $? "whose rates are bins, a thousand however long it is, with all bytes"
# Processor time: how long it waits for a core is not its affair.
limited() { (ulimit -t 20; timeout 400 "$@"); }
wrong=0
for table in run pop hosts phases steps calls collectives files throughput; do
	limited "$tacho" stats "$work/db" $table >"$work/out" 2>"$work/said" && [ ! -s "$work/said" ] || wrong=1
done
limited "$tacho" report -s "$work/db" >"$work/out" 2>"$work/said" && [ ! -s "$work/said" ] &&
	limited "$tacho" compare "$work/db" "$work/db" >"$work/out" 2>"$work/said" && [ ! -s "$work/said" ] || wrong=1
check $wrong "stats, summary and compare add such times up"
