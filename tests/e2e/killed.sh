#!/bin/sh
# A rank that a signal kills is named with that signal, as its launcher was told; a job that hangs, and is killed as a
# whole, hung.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI$MPICC_MPICH" ] || skip_all "neither Open MPI nor MPICH is installed"
[ -r /proc/self/task/$$/children ] || [ -r "/proc/$$/task/$$/children" ] || skip_all "/proc does not list children"

verdict() {
	"$tacho" report -s run 2>&1 | tr -s ' \n' ' '
}

# Rank 1 ends by SIGKILL while the others wait for it.
itself() {
	rm -rf run
	timeout 100 "$tacho" -q record -o run -- "$launcher" -n 3 "./load-$mpi" self hangs >out 2>&1
	verdict
	same "$(query "select group_concat(rank || ':' || coalesce(signal, 0), ' ') from (select * from process where signal > 0)")" 1:9 &&
		verdict | grep -q 'verdict Rank 1 was killed by SIGKILL at '
}

# hung PIDS: rank 1 hangs for 2 s, then these of the ranks are killed.
hung() {
	rm -rf run hangs
	timeout 100 "$tacho" -q record -o run -- "$launcher" -n 3 "./load-$mpi" hang hangs >out 2>&1 &
	recorder=$!
	for i in $(seq 300); do
		[ ! -e hangs ] || break
		sleep 0.1
	done
	sleep 2
	pids=$(for state in run/spool/*/state; do	# of all ranks, rank 1's
		folder=${state%/state} pid=${folder%.*}
		pid=${pid##*.}
		[ "$1" = all ] || tr '\0' '\n' <"/proc/$pid/environ" | grep -qx 'OMPI_COMM_WORLD_RANK=1\|PMI_RANK=1' || continue
		echo "$pid"
	done)
	kill -9 $pids
	wait $recorder
	verdict
	verdict | grep -q "$2"
}

try() {
	mpi=$1 launcher=$3
	[ -n "$2" ] || return
	"$2" -O1 -o "load-$mpi" "$top_srcdir/tests/e2e/killed_load.c" || exit 99
	check "$mpi: a rank that kills itself is named with the signal" itself
	check "$mpi: one that hangs, and is killed alone, too" hung one 'verdict Rank 1 was killed by SIGKILL at '
	check "$mpi: a job that hangs, of which all are killed, hung" hung all \
		'verdict The run hung: 2 of 3 ranks were in MPI_Barrier for [0-9.]* s when it ended, and rank 1 did not come'
}

try openmpi "$MPICC_OPENMPI" mpirun.openmpi
try mpich "$MPICC_MPICH" mpirun.mpich
plan
