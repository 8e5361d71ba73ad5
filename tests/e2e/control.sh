#!/bin/sh
# tacho control: a run stops and starts being recorded while it goes on, at the same step of all ranks.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI$MPICC_MPICH" ] || skip_all "neither Open MPI nor MPICH is installed"
if [ -n "$MPICC_OPENMPI" ]; then mpicc=$MPICC_OPENMPI launcher=mpirun.openmpi; else mpicc=$MPICC_MPICH launcher=mpirun.mpich; fi
"$mpicc" -O1 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/watch_load.c" || exit 99

# until_ranks CONDITION: asks `tacho watch` until a condition on the rank `r` is true of all ranks.
until_ranks() {
	for i in $(seq 100); do
		timeout 20 "$tacho" watch --once --json --interval 200ms run >said 2>/dev/null &&
			PYTHONPATH= /usr/bin/python3 -c '
import json, sys
ranks = json.load(open("said"))["ranks"]
sys.exit(not (len(ranks) == 2 and all(eval(sys.argv[1]) for r in ranks)))' "$1" 2>/dev/null && return
	done
	return 1
}

touch go
timeout 100 "$tacho" -q record --keep-spools -o run -- "$launcher" -n 2 ./load 100000 20 0 go >out 2>&1 &
job=$!
until_ranks 'r["step"] is not None and r["step"] > 5'
"$tacho" control run stop >said1
check "stop says what happens" grep -q '^run: calls are recorded no more in 3 seconds' said1
check "calls are recorded no more, and steps go on" until_ranks 'r["absent"] is not None and r["absent"] > 0.99 and r["steps_per_s"]'
"$tacho" control run mark 'now "it" starts'
"$tacho" control run keep >said3 2>&1
check "what was recorded so far is kept when asked for" same "$? $(cat said3) $(query "select sum(steps) > 5 from (
	select max(n) as steps from step)" run/kept-1)" "0 run/kept-1 1"
"$tacho" -q control run start
check "and are again" until_ranks 'r["absent"] == 0 and r["useful"] + r["mpi"] > 0.9'
rm go
wait "$job"

check "all ranks have the collectives of the same steps" same \
	"$(query "select max(calls) - min(calls), min(calls) > 10 from call where name = 'MPI_Allreduce'") $(query \
		"select message from checks where ok = 0")" "0|1 "
check "none of which pairs with one of another step" same \
	"$(query "select count(*) from collective where last_ns - first_ns > 2e9 and op = 'allreduce'") $(query \
		"select count(*) > 20 from collective where op = 'allreduce'")" "0 1"
check "the time between is neither work nor loss" same \
	"$(query "select count(*), min(ns) > 1e9 from host_time where window = 'run' and state = 'absent'") $(query \
		"select count(*) from loss where count > 0")" "2|1 0"
check "steps are complete" same "$(query "select count(distinct c) from (select count(*) - max(n) as c from step group by process_id)")" 1
check "that it was kept is in the run's notes" same "$(query "select value like '% s: kept-1: asked for%' from environment
	where key = 'TACHO::NOTES'")" 1
check "a mark is in the run's notes" sh -c '"$1" report -s run | grep -q "now \"it\" starts"' - "$tacho"
"$tacho" control run stop >said 2>&1
check "what has ended cannot be controlled" same "$? $(cat said)" "1 tacho: run has ended"
"$tacho" control run now >said 2>&1
check "and another word is none" same "$?" 2
plan
