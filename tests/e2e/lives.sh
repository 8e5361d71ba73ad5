#!/bin/sh
# A thread lives as long as its process gives signs of life: the time of ranks that were killed or hang
# belongs to what they did last, whatever their last event was.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI$MPICC_MPICH" ] || skip_all "neither Open MPI nor MPICH is installed"
work=300	# ms

# lives HOW HOW: both ranks under tacho.
lives() {
	rm -rf run here.*
	timeout 300 "$tacho" -q record -o run -- "$launcher" -n 2 "./load-$mpi" $work "$@" >out 2>&1
	[ -f run/tacho.db ] || { cat out; return 1; }
}

# spent RANK STATE: ms; all ranks for '%'
spent() {
	query "select coalesce(sum(h.ns), 0) / 1000000 from host_time h join process p on p.id = h.process_id
		where h.window = 'run' and p.rank like '$1' and h.state = '$2'"
}

# has RANK STATE MS: no less
has() {
	[ "$(spent "$1" "$2")" -ge "$3" ] ||
		{ query "select p.rank, h.state, h.ns from host_time h join process p on p.id = h.process_id where h.window = 'run'"; return 1; }
}

# No thread of a process outlives its main one.
main_threads_live_longest() {
	same "$(query "select count(*) from location l join location o on o.process_id = l.process_id
		where l.is_main and o.kind = 'cpu_thread' and o.end_ns > l.end_ns")" 0
}

killed() {
	lives dies dies && has % useful $work
}

hangs() {
	lives "$1" "$2" && has 0 "$3" $((work / 2)) && has 1 "$4" $((work / 2))
}

ends_late() {
	lives late ends && has 0 useful $((2 * work)) && has 1 useful $work
}

try() {
	mpi=$1 launcher=$3
	[ -n "$2" ] || return
	"$2" -w -O2 -o "load-$mpi" "$top_srcdir/tests/e2e/lives_load.c" -lpthread || exit 99
	check "$mpi: the time of ranks that are killed is that of their work" killed
	check "$mpi: a rank that hangs in MPI is in MPI, one that waits for an event waits" hangs barrier eventfd mpi wait
	check "$mpi: no thread of a process that is killed outlives its main one" main_threads_live_longest
	check "$mpi: what a rank does after MPI_Finalize is its work" ends_late
}

try openmpi "$MPICC_OPENMPI" mpirun.openmpi
check "pipes and timers are waited for, not read" hangs pipe timerfd wait wait
check "of which the waits count, and no I/O" same "$(query "select count(*) from host_time where state = 'io' and ns > 150000000")" 0
check "a rank that works on while others hang works" hangs works barrier useful mpi
try mpich "$MPICC_MPICH" mpirun.mpich
parts_add_up
plan
