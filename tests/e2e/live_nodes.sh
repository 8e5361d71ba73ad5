#!/bin/sh
# A job of Slurm's that hangs, on several nodes: looked at from outside, killed, and finished.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cluster.sh"

[ -n "$MPICC_MPICH" ] || skip_all "MPICH is not installed"
for tool in slurmctld slurmd munged; do
	command -v $tool >/dev/null || [ -x "/usr/sbin/$tool" ] ||
		skip_all "$tool is missing: install slurm-wlm and munge"
done
cluster_up 4
TACHO_CLUSTER_WAIT=300 "$cluster" slurm up >up.out 2>&1 ||
	skip_all "Slurm does not start: $(tail -n 1 up.out)"
"$MPICC_MPICH" -w -O1 -o hangs "$top_srcdir/tests/e2e/where_load.c" -lpthread || exit 99

run() {
	"$cluster" run env SLURM_CONF="/run/tacho-cluster-$TACHO_CLUSTER/slurm/slurm.conf" timeout 100 "$@"
}

run srun --mpi=pmi2 -J live -N 4 -n 4 "$tacho" -q record -o live -- ./hangs late 100000 >out 2>&1 &
job=$!

# until WORDS COMMAND…: repeats the command until it says the words.
until_said() {
	words=$1
	shift
	for i in $(seq 60); do
		timeout 30 "$@" >said 2>&1
		grep -q "$words" said && return
		sleep 0.5
	done
	cat said out
	return 1
}

verdict='anks 0, 2 and 3 wait in MPI_Allreduce #20 of MPI_COMM_WORLD for rank 1, which has computed for'
check "tacho where names the rank that is late" until_said "R$verdict" "$tacho" where --least 300ms live
check "and each rank's node" same "$(grep -cE "^ +[0-3]  $(node '[1-4]') " said)" 4
check "tacho watch shows all nodes, and the same verdict" until_said "\"hang\":\"R$verdict" \
	"$tacho" watch --once --json --interval 500ms --hang 500ms live
check "with every rank on its own" same "$(grep -o '"node":"[^"]*","state":"running"' said | sort -u | wc -l)" 4
check "tacho snapshot has all ranks, with their nodes, as they go on" same "$("$tacho" -q snapshot -o snap live 2>&1
	query "select count(*), count(distinct node_id), min(end), max(end) from process where rank is not null" snap)" "4|4|running|running"
run scancel --signal=KILL --name=live
for i in $(seq 100); do
	kill -0 "$job" 2>/dev/null || break
	sleep 0.2
done
until_said '^Ranks* .* in MPI_Allreduce #20 of MPI_COMM_WORLD for rank 1, which ' "$tacho" where --least 300ms live >unsaid
found=$?
check "one command goes on" run "$tacho" -q finish live

# Slurm kills the tasks of a step one after the other: those that went long before the last, two heartbeats, do not
# wait for it. Where rank 1 did, or all others, nobody waits.
parted() {
	query "select (select max(end_ns) from process where rank <> 1) - (select end_ns from process where rank = 1) not between -2e8 and 2e8" live
}
check "after it was killed with all its tachos, the verdict is the same" [ $found -eq 0 -o "$(parted)" = 1 ]
[ $found -eq 0 ] || sed 's/^/# /' unsaid
check "and stands in the database" [ "$(query "select count(*) from environment where key = 'TACHO::HANG' and value like
	'Rank% in MPI_Allreduce #20 of MPI_COMM_WORLD for rank 1, which %'" live)" = 1 -o "$(parted)" = 1 ]

# Within a budget, which the ranks of two nodes share.
"$MPICC_MPICH" -w -O2 -I"$top_srcdir/include" -o many "$top_srcdir/tests/e2e/bounded_load.c" || exit 99
head -c 4096 /dev/zero >data
bounded() {
	run srun --mpi=pmi2 -N 2 -n 2 "$tacho" -q record -o bounded --max-size 1M -- ./many data 800 >counts 2>err ||
		{ cat err; return 1; }
	same "$(query "select p.rank || ' ' || c.calls || ' ' || c.bytes_received from call c join process p on p.id = c.process_id
		where c.name = 'pread' order by p.rank" bounded)" "$(sort counts | cut -d ' ' -f 1-3)" &&
	same "$(query "select count(distinct node_id) from process" bounded)" 2 &&
	same "$(query "select count(distinct subject) from metric where name = 'not_in_detail' and window = 'run' and value > 0" bounded)" 2
}
check "a job within a budget has exact totals of what is not in detail" bounded
"$cluster" slurm down >down.out 2>&1
plan
