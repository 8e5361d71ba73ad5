#!/bin/sh
# tacho snapshot: trace, database, report and summary of a run that goes on, which is not touched.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI$MPICC_MPICH" ] || skip_all "neither Open MPI nor MPICH is installed"
if [ -n "$MPICC_OPENMPI" ]; then mpicc=$MPICC_OPENMPI launcher=mpirun.openmpi; else mpicc=$MPICC_MPICH launcher=mpirun.mpich; fi
"$mpicc" -O1 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/watch_load.c" || exit 99

# Its ranks go on until `go` is removed, and make many calls.
touch go
timeout 100 "$tacho" -q record -o run -- "$launcher" -n 2 ./load 10 5 50 go >out 2>&1 &
job=$!
while kill -0 "$job" 2>/dev/null && ! [ -e go.0 -a -e go.1 ]; do sleep 0.1; done
timeout 100 "$tacho" snapshot -o snap run >said 2>err
status=$?
check "it succeeds while the run goes on" same "$status $(cat err)" "0 "
tr -s ' \n' '  ' <said >line
check "and says that it does" grep -q 'verdict The run is in progress: [a-z ]* [0-9.]* of its first [0-9]' line
check "and how many have not ended" grep -q 'this is a snapshot of a run in progress: 2 of 2 processes had not ended' said
check "so do trace and database" same "$(query "select value from environment where key = 'TACHO::SNAPSHOT'" snap)" 1
check "what was recorded so far is there" same \
	"$(query "select count(*), min(n), max(n) from step" snap) $(query "select group_concat(end) from process where rank is not null" snap)" "20|0|9 running,running"
check "and nothing half" same "$(query 'select count(*) from location where damaged is not null' snap) $(query 'select count(*) from checks where ok = 0' snap) $(query "select count(*) from loss where count > 0" snap)" "0 0 0"
check "the report is one of a snapshot" grep -q 'The run is in progress: [a-z ]* [0-9.]* of its first' snap/report.html
check "an existing one is not replaced" sh -c '! "$1" -q snapshot -o snap run 2>/dev/null' - "$tacho"
rm go
wait "$job"
status=$?
check "the run ends as it would have" same "$status $(query 'select count(*) from step') $(query "select count(*) from environment where key = 'TACHO::SNAPSHOT'")" "0 20 0"
"$tacho" snapshot run >said 2>&1
check "then there is nothing to take one of" same "$?" 1

# Ranks that wait for each other in each of many short steps: at one instant none is two ahead.
"$mpicc" -w -O2 -I"$top_srcdir/include" -o quick "$top_srcdir/tests/e2e/bounded_load.c" || exit 99
head -c 4096 /dev/zero >data
timeout 300 "$tacho" -q record -o many -- "$launcher" -n 2 ./quick data 1000000 >out 2>&1 &
job=$!
for i in $(seq 600); do
	[ "$(cat many/spool/*/thread.0 2>/dev/null | wc -c)" -gt 1000000 ] && break
	sleep 0.1
done
timeout 200 "$tacho" -q snapshot -o instant many >said 2>err
kill $job
one_instant() {
	cat err
	query "select rank, sum(calls) from call c join process p on p.id = c.process_id where c.name = 'MPI_Allreduce'
		group by rank" instant | tee counts
	[ "$(wc -l <counts)" -eq 2 ] &&
	awk -F '|' '{ n[NR] = $2 } END { d = n[1] - n[2]; exit d * d > 1 }' counts &&
	same "$(query "select name, message from checks where not ok" instant)" ""
}
check "all ranks are seen at one instant" one_instant
wait $job
plan
