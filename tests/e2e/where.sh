#!/bin/sh
# tacho where: of a job that hangs, and of one that was killed then, it names who is waited for.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI$MPICC_MPICH" ] || skip_all "neither Open MPI nor MPICH is installed"

# hang HOW MS OPTION…: $ranks ranks under tacho; all of them are killed MS after they began to hang.
ranks=3
hang() {
	how=$1 ms=$2
	shift 2
	rm -rf run
	timeout 100 "$tacho" -q record "$@" -o run -- "$launcher" -n "$ranks" "./load-$mpi" "$how" "$ms" >out 2>&1
}

# first RUN SENTENCE: what stands first among its findings is that it hung, with the same sentence
first() {
	same "$(query "select rule || ' ' || (message glob 'hang: $2*') || (seconds > 0.2) from finding where n = 1" "$1")" "hang 11"
}

# killed HOW SENTENCE OPTION…: the verdict of the run that was killed; again where the machine did not let
# all ranks begin in time, so that their waits were short, or killed one well before the others.
killed() {
	how=$1 sentence=$2
	shift 2
	for ms in 1500 3000 9000 3000; do
		hang "$how" $ms "$@"
		"$tacho" where run >said 2>&1 || break
		grep -q "^$sentence" said && return
		grep -q '^No rank\|^R.* was killed at ' said || break
	done
	cat out said
	return 1
}

# The verdict of $ranks ranks while the job hangs, asked for until it is there: until all that wait have waited for so
# long; then what it looks like, and the same of tacho watch.
live() {
	rm -rf run
	timeout 100 "$tacho" -q record --no-merge -o run -- "$launcher" -n "$ranks" "./load-$mpi" late 100000 >out 2>&1 &
	job=$!
	for i in $(seq 90); do
		sleep 0.5
		"$tacho" where --format json --least 300ms run >said 2>&1 && json 2>/dev/null && break
	done
	"$tacho" where --threads run >threads 2>&1
	for i in $(seq 20); do
		"$tacho" watch --once --json --interval 500ms --hang 500ms run >watched 2>&1
		grep -q "$watched" watched && break
	done
	kill -KILL $(ls run/spool | sed 's/.*\.\([0-9]*\)\.[0-9]*$/\1/')	# the ranks
	wait "$job" 2>/dev/null
	for i in $(seq 20); do
		"$tacho" where run 2>&1 | sed -n 1p >dead
		grep -q '^This run is dead: all its ranks were killed' dead && break
		sleep 0.5
	done
	"$tacho" watch --once --json --interval 500ms run >gone 2>&1
	cat said watched dead gone
	same "$(grep -o '"state":"silent"' gone | wc -l)" "$ranks" && json && grep -q '^This run is dead: all' dead && grep -q "$watched" watched && grep -q 'thread 0 .*in MPI_Allreduce for' threads
}
watched='"hang":"Ranks* 0[ and23,]* waits* in MPI_Allreduce #20 of MPI_COMM_WORLD for rank 1, which'

json() {
	PYTHONPATH= /usr/bin/python3 - <<-'END'
		import json
		said = json.load(open("said"))
		assert said["verdict"] == "late rank", said
		ranks = {rank["rank"]: rank for rank in said["ranks"]}
		assert [ranks[r]["waits_for"] for r in range(len(ranks))] == [[1], [], [1], [1]][:len(ranks)], said
		assert ranks[0]["operation"] == "MPI_Allreduce" and ranks[0]["number"] == 20, said
		assert ranks[1]["call"] is None and ranks[0]["communicator"] == "MPI_COMM_WORLD", said
	END
}

try() {
	mpi=$1 launcher=$3
	[ -n "$2" ] || return
	"$2" -O1 -o "load-$mpi" "$top_srcdir/tests/e2e/where_load.c" -lpthread || exit 99
	check "$mpi: of a job that hangs the rank is named that others wait for" live
	check "$mpi: and in JSON, who waits for whom, in which collective" json
	check "$mpi: when all were killed, too" killed late \
		'Ranks 0 and 2 wait in MPI_Allreduce #20 of MPI_COMM_WORLD for rank 1, which has computed for [1-9]' --no-merge
}

try openmpi "$MPICC_OPENMPI" mpirun.openmpi
check "ranks that wait for each other are a deadlock, which the database keeps" killed circle \
	'Ranks wait for each other: no rank can continue. Rank 0 waits in MPI_Recv for rank 1. Rank 1 waits in MPI_Recv for rank 2.'
"$tacho" report -s run >text
check "and the summary says" grep -q 'Ranks wait for each other' text
check "another collective does not match, though its rank has left it" killed operation \
	'Collective #20 of MPI_COMM_WORLD does not match: rank 0 calls MPI_Allreduce, rank 1 calls MPI_Bcast.' --no-merge
check "nor does another root" killed root \
	'Collective #20 of MPI_COMM_WORLD does not match: rank 0 calls MPI_Reduce with root 0, rank 1 calls MPI_Reduce with root 1.' --no-merge
check "nor does another size, of a gather what each rank sends" killed size \
	'Collective #20 of MPI_COMM_WORLD does not match: rank 0 calls MPI_Gather with 800 bytes a rank, rank 1 calls MPI_Gather with 80 bytes a rank.' --no-merge
check "who waits for a request waits for those that did not post theirs" killed request \
	'Ranks 0 and 1 wait in MPI_Wait for MPI_Iallreduce #20 of MPI_COMM_WORLD for rank 2, which has been in read of pipe:' --no-merge
try mpich "$MPICC_MPICH" mpirun.mpich
for ranks in 2 4; do
	[ $ranks = 2 ] && who='Rank 0 waits' || who='Ranks 0, 2 and 3 wait'
	late="$who in MPI_Allreduce #20 of MPI_COMM_WORLD for rank 1, which has computed for [1-9]"
	check "$ranks ranks: the one that is late" killed late "$late"
	check "and it is the first finding" first run "$late"
	[ -z "$MPICC_OPENMPI" ] || mpi=openmpi launcher=mpirun.openmpi
	check "and while they hang, to tacho watch, too" live
done

# Spools on this node's own disk, and rank 1's on another one's.
mkdir -p apart/spool disk/apart
"$top_builddir/tests/unit/spool_make" disk/apart <<-'END'
	process n1.1.0 1 0 2
	comm 1 world 0 0 0 0,1 MPI_COMM_WORLD
	heartbeat 9000000000
	thread 0 main
	inside 0 MPI_Allreduce 3000 1
END
printf '%s\n' "$(hostname)" "$PWD/disk/apart" >apart/local.0
printf '%s\n' n2 /elsewhere >apart/local.1
"$tacho" where apart >said 2>err
check "spools on this node's disk are read, and nothing is said of those elsewhere" same "$(head -n 1 said) $(cat err)" \
	"No rank of this node has waited for another one of it for 1.0 s or more. Rank 0 has been in MPI_Allreduce for 9.0 s. \
tacho: warning: only this node is covered: the spools of 1 ranks are on the disks of others, of n2 for one"
check "nor on which node such a rank is" grep -q '^ *1 *is not seen from here' said
rm apart/local.0
"$tacho" where apart >said 2>&1
check "where there are none here it says where they are" same "$? $(cat said)" \
	"1 tacho: the spools of apart are on the disks of its nodes (n2) until it ends: run this there"

# NCCL, by made spools: rank 1 has called one collective, rank 0 two, and waits for its stream.
mkdir -p made/spool
for rank in 0 1; do
	cat <<-END
		process n1.$((rank + 1)).0 $((rank + 1)) $rank 2
		start 0 0 1000000000000000000
		device 1 0 stand-in 00112233445566778899aabbccddee0$rank - Stand-In-$rank
		comm 1 world 0 0 $rank 0,1 MPI_COMM_WORLD
		nccl_comm 1 0xabc $rank 2 0
		heartbeat 9000000000
		thread 0 main
		rec NCCL ncclAllReduce 0 1 1000 10 4000 0|-1 0|-1
	END
	[ $rank = 1 ] || printf '%s\n' 'rec NCCL ncclAllReduce 0 1 2000 10 4000 1|-1 0|-1' 'inside 0 cudaStreamSynchronize 3000'
done >made.txt
"$top_builddir/tests/unit/spool_make" made/spool <made.txt
"$tacho" where made >said 2>&1
check "NCCL: a rank that has called fewer collectives is waited for" same "$(head -n 1 said)" \
	"Rank 0 waits in cudaStreamSynchronize for NCCL's collective #1 for rank 1, which has computed for 9.0 s."

sed 's/^rec NCCL ncclAllReduce 0 1 2000 .*/rec NCCL ncclBroadcast 0 1 2000 10 4000 1|1 0|-1/' made.txt >made2.txt
sed '/^process n1.2/,$ { /^rec NCCL/ a\
rec NCCL ncclBcast 0 1 2000 10 8000 1|1 0|-1
}' made2.txt >made.txt
rm -rf made/spool && mkdir made/spool
"$top_builddir/tests/unit/spool_make" made/spool <made.txt
"$tacho" where made >said 2>&1
check "NCCL: one of another size does not match, whatever its name" same "$(head -n 1 said)" \
	"NCCL's collective #1 does not match: rank 0 calls ncclBroadcast with 4000 bytes, rank 1 calls ncclBcast with 8000 bytes."

# A rank waits for a child that it has started, as a data-loader worker; another child has no work.
mkdir -p made3/spool
for process in '1 0' '2 1' '3 1' '4 1'; do
	set -- $process
	echo "process n1.$1.0 $1 $2 2"
	[ "$1" -le 2 ] && echo "comm 1 world 0 0 $2 0,1 MPI_COMM_WORLD" || echo child
	printf '%s\n' 'heartbeat 9000000000' 'thread 0 main' 'rec CALL usleep 0 0 1000 10'
	case $1 in
	1) echo 'inside 0 MPI_Allreduce 3000 1' ;;
	2) echo 'inside 0 poll 7000000000' ;;	# with a limit of time, again and again
	3) echo 'inside 0 sleep 4000' ;;
	4) echo 'inside 0 poll 2000' ;;
	esac
done | "$top_builddir/tests/unit/spool_make" made3/spool
"$tacho" where made3 >said 2>&1
check "a child is named that the rank waits for" same "$(head -n 1 said)" "Rank 0 waits in MPI_Allreduce #0 of MPI_COMM_WORLD \
for rank 1, which has been in poll for 2.0 s: its child 3 has been in sleep for 9.0 s."

# Rank 0 was killed after 2 s in a barrier; rank 1 worked on, and came (or not) when nobody was there.
# ended DIR RECORD SENTENCE: what rank 1 did last; what where reports of the spools, and after them of the database
ended() {
	dir=$1
	mkdir -p "$dir/spool"
	{
		printf '%s\n' 'process n1.1.0 1 0 2' 'comm 1 world 0 0 0 0,1 MPI_COMM_WORLD' 'heartbeat 5000000000' 'thread 0 main' \
			'rec CALL usleep 0 0 1000 10' 'inside 0 MPI_Barrier 3000000000 1'
		printf '%s\n' 'process n1.2.0 2 1 2' 'comm 1 world 0 0 1 0,1 MPI_COMM_WORLD' 'heartbeat 9000000000' 'thread 0 main' \
			'rec CALL usleep 0 0 1000 10' "$2"
	} | "$top_builddir/tests/unit/spool_make" "$dir/spool"
	"$tacho" where "$dir" >said 2>&1
	"$tacho" -q merge --delete-spools "$dir" && "$tacho" -q analyze "$dir" || return
	"$tacho" where "$dir" >kept 2>&1
	"$tacho" report -s "$dir" >text
	cat said kept text
	[ "$(sed -n 1p said)" = "$3" ] && [ "$(sed -n 2p kept)" = "$3" ]
}
check "a rank that was killed first had waited" ended first 'rec CALL usleep 0 0 2000 10' \
	"Rank 0 waits in MPI_Barrier #0 of MPI_COMM_WORLD for rank 1, which has computed for 9.0 s."
check "and the verdict is of the same ranks" grep -q '^verdict *The run hung: 1 of 2 ranks was in MPI_Barrier for 2.0 s' text
check "and the same facts" same "$(query "select group_concat(value, ' ') from (select value from environment where key glob 'TACHO::HANG_[FKRC]*' order by key)" first)" \
	"MPI_Barrier 1 late 0"
check "who comes after that waits for the dead" ended after 'inside 0 MPI_Barrier 6000000000 1' \
	"Rank 1 waits in MPI_Barrier #0 of MPI_COMM_WORLD for rank 0, which was killed at 5.000 s."
check "which is no hang" grep -q '^verdict *Rank 0 was killed at 5.000 s' text

# A rank that waits outside of recorded calls: its native functions, by name; of the dead there are none.
cat >stuck.c <<-'END'
	#include <stdint.h>
	#include <unistd.h>
	#include <sys/syscall.h>
	static uint32_t word;
	static __attribute__((noinline)) long inner(void) { return syscall(SYS_futex, &word, 0, 0, NULL, NULL, 0) + 1; }
	static __attribute__((noinline)) long outer(void) { return inner() + 1; }
	int main(void) { (void)!write(1, "begun\n", 6); return outer() > 9; }
END
stuck() {
	cc -O0 -o stuck stuck.c || return
	RANK=0 WORLD_SIZE=1 timeout 100 "$tacho" -q record --no-merge -o stuck.run -- ./stuck >begun 2>&1 &
	job=$!
	for i in $(seq 100); do
		sleep 0.2
		"$tacho" where stuck.run >said 2>&1 && grep -q native said && break
	done
	"$tacho" where --format json stuck.run >said.json 2>&1
	setpriv --bounding-set=-all "$tacho" where stuck.run >refused 2>&1
	kill -KILL $(ls stuck.run/spool | sed 's/.*\.\([0-9]*\)\.[0-9]*$/\1/')
	wait "$job" 2>/dev/null
	"$tacho" where stuck.run >dead 2>&1
	cat said said.json dead
	grep -q '^ *native: syscall (libtacho.so) < inner (stuck) < outer (stuck) < main (stuck) < __libc_start_main' said
}
if [ -r /proc/self/syscall ] && [ "$(uname -m)" = x86_64 ]; then
	check "native functions are shown of a rank that waits outside of recorded calls" stuck
	check "and in JSON" grep -q '"native": \[{"function": "syscall", "file": "libtacho.so"}, {"function": "inner", "file": "stuck"}' said.json
	check "of a dead process there are none, which is said" same "$(grep -c native dead) $(grep -c 'This run is dead' dead)" "0 1"
	if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
		check "where the kernel does not let the user look, one line says so" same "$(grep -c '^Native functions are not shown, as ' refused) $(grep -c native: refused)" "1 0"
	fi
fi

# PyTorch over gloo: rank 1 sleeps in a function of the program.
cat >sleeps.py <<-'END'
	import sys, time, torch, torch.distributed as dist
	def collate(step):
	    if step == 5 and dist.get_rank() == 1:
	        if sys.argv[1] == "late":
	            time.sleep(1000)
	        dist.broadcast(torch.zeros(10), 0)
	def main():
	    dist.init_process_group("gloo")
	    for step in range(10):
	        collate(step)
	        dist.all_reduce(torch.zeros(10))
	main()
END
cat >launch <<-'END'
	export MASTER_ADDR=127.0.0.1 WORLD_SIZE=$1 LOCAL_WORLD_SIZE=$1
	MASTER_PORT=$(/usr/bin/python3 "$FREE_PORT")
	export MASTER_PORT
	pids=
	for rank in $(seq 0 $((WORLD_SIZE - 1))); do
		RANK=$rank LOCAL_RANK=$rank /usr/bin/python3 sleeps.py "$2" &
		pids="$pids $!"
	done
	trap 'kill -KILL $pids' TERM
	wait
END
# torch_live N HOW SENTENCE: N ranks, as $job, until the verdict begins so
torch_live() {
	rm -rf torch
	timeout 120 "$tacho" -q record -o torch -- sh ./launch "$1" "$2" >out 2>&1 &
	job=$!
	for i in $(seq 200); do
		sleep 0.5
		"$tacho" where torch >said 2>&1 && grep -q "^$3" said && break
	done
}
# torch_killed: the ranks
torch_killed() {
	ranks=$(ls torch/spool | sed 's/.*\.\([0-9]*\)\.[0-9]*$/\1/')
	kill -STOP $ranks # no rank sees that another has ended
	kill -KILL $ranks
	wait "$job" 2>/dev/null
}
# torch_says N WHO: of N ranks, while they hang and after all were killed
torch_says() {
	late="$2 in torch:.* for gloo:all_reduce #5 of .* for rank 1, which has been in .*sleep for .*, at collate() in sleeps.py:5"
	torch_live "$1" late "$late"
	torch_killed
	"$tacho" where torch >dead 2>&1
	cat said dead
	! grep -q 'is dead' said && sed -n 1p dead | grep -q '^This run has ended' &&
		grep -q "^$late" said && grep -q "^$late" dead && natives && ! grep -q native: dead && first torch "$2 in torch:*sleeps.py:5*"
}
# natives: in C++, of the rank that waits, and of the one that sleeps
natives() {
	[ -r /proc/self/syscall ] && [ "$(uname -m)" = x86_64 ] || return 0
	sed -n '/^ *0 .* has been in torch:/,/^ *1 /p' said | grep -q 'native: .*pthread_cond_.*wait.* (libc.* < .*wait.* (libtorch_cpu.*) < libtorch_python' &&
		sed -n '/^ *1 .* has been in /,$p' said | sed -n 2p | grep -q 'native: clock_nanosleep (libc'
}
torch_differs() {
	differs='Collective #5 of torch default group does not match: rank 0 calls gloo:all_reduce, at main() in sleeps.py:11, rank 1 calls gloo:broadcast, at collate() in sleeps.py:6.'
	torch_live 2 differs "$differs"
	torch_killed
	cat said
	grep -q "^$differs" said && first torch "$differs"
}
if PYTHONPATH= /usr/bin/python3 -c 'import torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null; then
	unset PYTHONPATH
	check "PyTorch: with the line of the rank that is late, live and killed" torch_says 2 'Rank 0 waits'
	check "that calls another collective, with the lines of both" torch_differs
	check "of 4 ranks, too" torch_says 4 'Ranks 0, 2 and 3 wait'
else
	ntests=$((ntests + 1))
	echo "ok $ntests - PyTorch # SKIP PyTorch with gloo is not installed"
fi
plan
