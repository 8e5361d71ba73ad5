#!/bin/sh
# --keep-on: a snapshot is taken by itself when ranks hang, and when a step was slow.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI$MPICC_MPICH" ] || skip_all "neither Open MPI nor MPICH is installed"
if [ -n "$MPICC_OPENMPI" ]; then mpicc=$MPICC_OPENMPI launcher=mpirun.openmpi; else mpicc=$MPICC_MPICH launcher=mpirun.mpich; fi
"$mpicc" -O1 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/watch_load.c" || exit 99
"$mpicc" -O1 -o hangs "$top_srcdir/tests/e2e/where_load.c" -lpthread || exit 99

# appears FILE: waits for it.
appears() {
	for i in $(seq 600); do
		[ -e "$1" ] && return
		sleep 0.1
	done
	ls -l run
	return 1
}

# A process is stopped for a second and a half, again where tacho record did not look in between, so that
# it had no steps to compare with; on a busy machine another step may be slow before.
touch go
timeout 200 "$tacho" -q record --keep-on slow-step,SIGUSR1 -o run -- "$launcher" -n 2 ./load 100000 40 0 go >out 2>&1 &
job=$!
appears run/spool
for i in $(seq 100); do
	timeout 20 "$tacho" watch --once --json --interval 100ms run 2>/dev/null | grep -q '"step":[3-9][0-9],' && break
	sleep 0.2
done
pid=$(ls run/spool | sed -n 's/.*\.\([0-9]*\)\.0$/\1/p' | tail -n 1)
while kill -0 "$job" 2>/dev/null && ! [ -e run/kept-1 ]; do
	sleep 2.2	# the looks of tacho record are two seconds apart
	kill -STOP "$pid" && sleep 1.5 && kill -CONT "$pid"
done
check "a slow step: a snapshot is taken" appears run/kept-1/tacho.db
kill -USR1 $(pgrep -P "$job")	# tacho, below timeout
check "a signal: another one" appears run/kept-2/tacho.db
rm go
wait "$job"
took=$(query "select cast(substr(value, instr(value, 'kept-1: a step took ') + 20) as real) from environment
	where key = 'TACHO::NOTES'")
check "in which it is in detail" same "$(query "select max(end_ns - start_ns) > 0.9e9 * ${took:-1e9} from step" run/kept-1)" 1
check "the run's notes have it" same "$(query "select value like '% s: kept-1: a step took %' from environment
	where key = 'TACHO::NOTES'")" 1
check "both" same "$(query "select value like '% s: kept-2: asked for by a signal%' from environment
	where key = 'TACHO::NOTES'")" 1
check "and the run ends as it would" same "$(query 'select exit_status, cut from run')" "0|0"

timeout 100 "$tacho" -q record --no-merge -o hung -- "$launcher" -n 3 ./hangs late 100000 >out 2>&1 &
job=$!
appears hung/spool
"$tacho" -q watch --interval 300ms --hang 1500ms --keep-on hang hung &
watch=$!
check "ranks hang: a snapshot is taken" appears hung/kept-1/tacho.db
kill "$watch" "$job"
wait "$watch" "$job" 2>/dev/null
check "which says who is waited for" same "$(query "select value like '%for rank 1, which has computed for%' from environment
	where key = 'TACHO::HANG'" hung/kept-1)" 1
"$tacho" watch --keep-on noon run 2>said
check "another reason is none" same "$?" 2
plan
