#!/bin/sh
# A real Slurm on four nodes: tacho record in batch jobs around mpirun, inside and around srun with
# PMI-2 and PMIx; the job scripts of examples/slurm as they stand; statuses of failing jobs.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cluster.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
for tool in slurmctld slurmd munged; do
	command -v $tool >/dev/null || [ -x "/usr/sbin/$tool" ] ||
		skip_all "$tool is missing: install slurm-wlm and munge"
done
cluster_up 4
TACHO_CLUSTER_WAIT=300 "$cluster" slurm up >up.out 2>&1 ||
	skip_all "Slurm does not start: $(tail -n 1 up.out)"

# Open MPI must not get to the nodes but by Slurm.
run() {
	"$cluster" run env OMPI_MCA_plm_rsh_agent=/bin/false SLURM_CONF="/run/tacho-cluster-$TACHO_CLUSTER/slurm/slurm.conf" \
		timeout 100 "$@"
}

jobs=$(cd "$top_srcdir/examples/slurm" && pwd)
"$MPICC_OPENMPI" -O2 -I"$top_srcdir/include" -o ring "$top_srcdir/tests/e2e/ring_load.c" || exit 99

# batch NAME [VARIABLE=VALUE...] SCRIPT: submits on four nodes; the job's number goes to NAME.job.
batch() {
	name=$1
	shift
	while case $1 in *=*) true ;; *) false ;; esac; do
		export "${1?}"
		shift
	done
	run sbatch --parsable --nodes=4 -o "$name.out" "$1" >"$name.job"
}

# state NAME: of the job; nothing once it has ended.
state() {
	run scontrol show job "$(cat "$1.job")" | sed -n 's/.*JobState=\([A-Z]*\).*/\1/p' |
		grep -E 'PENDING|RUNNING|COMPLETING|CONFIGURING'
}

# ended NAME: waits for the job, ends it when it hangs, and prints its exit status.
ended() {
	for _ in $(seq 300); do
		state "$1" >/dev/null || break
		sleep 0.3
	done
	[ -z "$(state "$1")" ] || run scancel "$(cat "$1.job")"
	run scontrol show job "$(cat "$1.job")" | sed -n 's/.*ExitCode=\([0-9]*\):.*/\1/p'
}

recorded() {	# NAME STATUS
	same "$(ended "$1")" "$2" || { cat "$1.out"; return 1; }
	everywhere "run-$(cat "$1.job")" 4 || { cat "$1.out"; return 1; }
}

# spent RUN RANK STATE: ms
spent() {
	query "select coalesce(sum(h.ns), 0) / 1000000 from host_time h join process p on p.id = h.process_id
		where h.window = 'run' and p.rank = $2 and h.state = '$3'" "$1"
}

# lives MPI HOW HOW: two ranks on two nodes, of which none ends well; each works for 300 ms first.
lives() {
	rm -rf lives here.*
	run "$tacho" -q record -o lives -- srun --mpi="$1" -N 2 -n 2 "./load-$1" 300 "$2" "$3" >lives.out 2>&1
	[ -f lives/tacho.db ] || { cat lives.out; return 1; }
}

# Slurm kills the others of a step when one dies. The last sign of life is that of the library's thread,
# ten times a second and less often on a busy machine.
killed() {
	lives "$1" dies works && echo "useful $(spent lives 0 useful) ms" && [ "$(spent lives 0 useful)" -ge 150 ] &&
		same "$(query "select cut from run" lives) $(query "select count(*) from checks where not ok" lives)" "1 0"
}

hangs() {
	lives "$1" barrier eventfd && [ "$(spent lives 0 mpi)" -ge 150 ] && [ "$(spent lives 1 wait)" -ge 150 ]
}

# Figures of what had no room are of the time that was recorded, and say so.
lossy() {
	rm -rf lossy
	run "$tacho" -q record -o lossy --max-spool 64K -- srun --mpi="$1" -N 2 -n 2 "./lost-$1" data 250 20 60 >lossy.out 2>&1 ||
		{ cat lossy.out; return 1; }
	same "$(query "select count(*) from metric where window = 'run' and model = 'mpi' and subject = '' and value is not null
		and coalesce(flag, '') not like 'events were lost%'" lossy)" 0 &&
	same "$(query "select count(*) from metric where window = 'run' and name = 'lost' and value > 0" lossy)" 2 &&
	same "$(query "select count(*) from checks where not ok" lossy)" 0
}

# troubles MPI COMPILER
troubles() {
	"$2" -w -O2 -o "load-$1" "$top_srcdir/tests/e2e/lives_load.c" -lpthread &&
		"$2" -w -O2 -I"$top_srcdir/include" -o "lost-$1" "$top_srcdir/tests/e2e/lost_load.c" || exit 99
	head -c 4096 /dev/zero >data
	check "srun --mpi=$1: the time of a rank that is killed is that of its work" killed "$1"
	check "srun --mpi=$1: ranks that hang are in what they hang in" hangs "$1"
	check "srun --mpi=$1: events that had no room are not recorded, and figures say so" lossy "$1"
}

# srun ends with its command; so the jobs run next to what follows them.
(batch around TRAIN="$link/ring 1 20" "$jobs/mpirun.sh")
(batch failing TRAIN="$link/ring 1 20 7" "$jobs/mpirun.sh")
check "the job script around mpirun, which starts its daemons by Slurm" recorded around 0
check "the status of a failing job passes through" same "$(ended failing)" 7
check "and is in the database" same "$(query 'select exit_status from run' "run-$(cat failing.job)")" 7

if run srun --mpi=list 2>&1 | grep -q pmix; then
	# Slurm 22.05's own choice of fence now and then lets ranks of Open MPI out of MPI_Init before
	# all are in it, and who gets a message too early calls address 0: 4 of 57 starts of this load
	# without tacho, on a busy machine; with the tree none of 148.
	export SLURM_PMIX_FENCE=tree
	mkdir local
	(batch pmix TRAIN="$link/ring 1 20" SPOOL="$link/local" "$jobs/srun.sh")
	check "the job script with srun --mpi=pmix and Open MPI, spools on node-local storage" recorded pmix 0
	check "which are brought to the run" same "$(ls -A local)" ""
	(batch pmixfail TRAIN="$link/ring 1 20 7" "$jobs/srun.sh")
	check "the status of a failing rank passes through" recorded pmixfail 7
	troubles pmix "$MPICC_OPENMPI"
	run srun --mpi=pmix -N 4 -n 4 "$tacho" record --no-merge -o large -- ./ring 1 20 >large.out 2>&1
	check "the end of a run without a merge names the command that uses all nodes" \
		grep -Fq '`srun -N 4 --ntasks-per-node=1 tacho finish large` merges' large.out
	if [ -f "$top_builddir/analyzer/.libs/tacho-mpi.so" ]; then
		run srun --mpi=pmix -N 4 --ntasks-per-node=1 "$tacho" -q finish large
		check "which does so" everywhere large 4
	fi
else
	ok 0 "srun --mpi=pmix # SKIP this Slurm has no PMIx"
fi

if [ -n "$MPICC_MPICH" ]; then
	"$MPICC_MPICH" -w -O2 -I"$top_srcdir/include" -o ring-mpich \
		"$top_srcdir/tests/e2e/ring_load.c" || exit 99
	# Rank 0 ends last, when the other nodes say that they stay.
	cat >ends <<-'END'
		./ring-mpich 1 20 || exit
		[ "$SLURM_PROCID" = 0 ] || exit 0
		until [ -e "$TACHO_DIR/ranks/1.helps" ] && [ -e "$TACHO_DIR/ranks/2.helps" ] && [ -e "$TACHO_DIR/ranks/3.helps" ]; do
			sleep 0.05
		done
	END
	run env TACHO_SHARE=0 srun --mpi=pmi2 -N 4 -n 4 "$tacho" -v record -o inside -- sh ./ends >inside.out 2>&1
	check "srun --mpi=pmi2 tacho record, with MPICH" same $? 0
	check "all nodes are in the run" everywhere inside 4
	check "and have merged together" grep -q 'of 3 other nodes 3 were asked to merge' inside.out
	${CC:-cc} -w -shared -fPIC -o stay.so "$top_srcdir/tests/e2e/share_stay.c" -ldl || exit 99
	run env TACHO_SHARE=0 srun --mpi=pmi2 -J held -N 4 -n 4 env LD_PRELOAD=./stay.so "$tacho" -q record -o cut -- sh ./ends >cut.out 2>&1 &
	step=$!
	for _ in $(seq 900); do
		[ ! -e held ] || break
		sleep 0.1
	done
	run scancel -s KILL -n held
	wait $step
	check "a step that is killed while its nodes merge" sh -c '[ ! -e cut/trace ] && ls cut | grep -q "^trace.shared"'
	run "$tacho" -q finish cut
	check "is finished by one command" everywhere cut 4
	check "all ranks are of one job" grep -q '^4 slurm [0-9]*\.[0-9]*$' inside/job
	check "another job does not join its run" sh -c '! "$@"' sh timeout 60 "$cluster" run \
		env SLURM_CONF="/run/tacho-cluster-$TACHO_CLUSTER/slurm/slurm.conf" srun --mpi=pmi2 -N 4 -n 4 \
		"$tacho" -q record -o inside -- ./ring-mpich 1 1
	check "tacho record -- srun --mpi=pmi2" run "$tacho" -q record -o outside -- srun --mpi=pmi2 -N 4 -n 4 ./ring-mpich 1 20
	check "all nodes are in the run" everywhere outside 4
	run "$tacho" -q record -o outfail -- srun --mpi=pmi2 -N 4 -n 4 ./ring-mpich 1 1 7 >outfail.out 2>&1
	check "a failing rank's status passes through" same \
		"$? $(query 'select exit_status from run' outfail)" "7 7"
	troubles pmi2 "$MPICC_MPICH"
else
	ok 0 "srun --mpi=pmi2 # SKIP MPICH is not installed"
fi

# A study whose sweep is killed while its first job is in the queue, as that waits for a file: jobs go on, and each is
# submitted once.
study() {
	set -- "$tacho" sweep -o batched --launcher sbatch -n 1,4 -N 1,4 --format csv -- \
		sh -c 'while [ ! -e go ]; do sleep 0.1; done; exec mpirun ./ring 1 20'
	"$cluster" run env OMPI_MCA_plm_rsh_agent=/bin/false SLURM_CONF="/run/tacho-cluster-$TACHO_CLUSTER/slurm/slurm.conf" \
		"$@" >batched.out 2>&1 &
	pid=$!
	until grep -qs '^job ' batched/state || ! kill -0 $pid 2>/dev/null; do sleep 0.1; done
	kill -9 $pid
	wait $pid 2>/dev/null
	: >go
	run "$@" >table 2>batched.out || { cat batched.out; return 1; }
	same "$(cut -d, -f1-4 table | tr '\n' ' ')" "ranks,nodes,runs,failed 1,1,1,0 4,4,1,0 " &&
		same "$(grep -c '^job ' batched/state)" 2 && everywhere batched/runs/02-n4-r1 4
}
check "tacho sweep by sbatch, killed and given again: each job is submitted once" study
by_srun() {	# MPI PROGRAM
	SLURM_MPI_TYPE=$1 run "$tacho" sweep -o stepped --launcher srun -n 1,4 -N 1,4 --format csv -- "$2" 1 20 >table 2>stepped.out ||
		{ cat stepped.out; return 1; }
	same "$(cut -d, -f1-4 table | tr '\n' ' ')" "ranks,nodes,runs,failed 1,1,1,0 4,4,1,0 " && everywhere stepped/runs/02-n4-r1 4
}
if [ -n "$MPICC_MPICH" ]; then
	check "tacho sweep by srun" by_srun pmi2 ./ring-mpich
elif [ -n "${SLURM_PMIX_FENCE:-}" ]; then
	check "tacho sweep by srun" by_srun pmix ./ring
fi

# The PyTorch example as its batch script has it; names of these nodes are nowhere to be looked up.
if PYTHONPATH='' /usr/bin/python3 -c 'import torch.distributed as d; assert d.is_gloo_available()' 2>/dev/null; then
	example=$(cd "$top_srcdir/examples/pytorch" && pwd)
	mkdir bin && ln -s /usr/bin/python3 bin/python3
	run env PYTHONPATH= PYTHONDONTWRITEBYTECODE=1 PATH="$link/bin:$PATH" MASTER_ADDR="$TACHO_CLUSTER_NET.1" GLOO_SOCKET_IFNAME=eth0 \
		TRAIN="$example/train.py --samples 80 --batch 20 --epochs 1" \
		sbatch --parsable --nodes=2 --ntasks-per-node=1 -o torch.out "$example/slurm.sh" >torch.job
	check "the batch script of the PyTorch example ends well" same "$(ended torch)" 0
	check "with a rank and two steps on each of two nodes" same "$(query "select group_concat(rank || ' ' || n), count(distinct node_id)
		from (select p.rank, p.node_id, count(*) as n from process p join step s on s.process_id = p.id where s.cut = 0
		group by p.rank)" "run-$(cat torch.job)")" "0 2,1 2|2"
	check "and its summary" grep -q '^verdict  *[IA][a-z ]* [0-9.]* of [0-9.]* s' torch.out
else
	ok 0 "the batch script of the PyTorch example # SKIP PyTorch with gloo is not installed"
fi

check "Slurm goes down" "$cluster" slurm down
check "and leaves no process" sh -c '! pgrep -f "slurm(ctl)?d.*tacho-cluster-$1/"' sh \
	"$TACHO_CLUSTER"
plan
