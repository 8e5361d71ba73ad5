#!/bin/sh
# A job on 64 nodes of which two are lost while it runs: the answer has what all of them recorded until then, and names a
# rank of the lost nodes. With the disks of both nodes lost, too, it names the ranks that are missing.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cluster.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
cluster_up 64
"$MPICC_OPENMPI" -O2 -I"$top_srcdir/include" -o many "$top_srcdir/tests/e2e/ranks_load.c" || exit 99
export OMPI_MCA_mpi_yield_when_idle=1

# Nodes 17 and 42 have ranks 16 and 41: all of their processes are killed, their daemons of Open MPI included.
"$cluster" run "$tacho" record --keep-spools -o run -- mpirun -n 64 ./many 1000000 >out 2>&1 &
job=$!
for i in $(seq 600); do	# until all ranks have left MPI_Init
	[ "$(grep -c '^rank [0-9]* pid' out)" -lt 64 ] && kill -0 $job || break
	sleep 0.2
done
sleep 5
lost="$(ip netns pids "$(node 17)") $(ip netns pids "$(node 42)")"
kill -9 $lost
wait $job

# their CLAUSE: ranks and the nodes that they ran on
their() {
	query "select group_concat(rank || ' ' || substr(hostname, 1 + length('$TACHO_CLUSTER')), ', ') from
		(select rank, hostname from process join node on node.id = node_id where rank is not null $1)"
}
all_recorded() {
	same "$(their 'order by rank')" "$(seq 0 63 | awk '{ printf "%s%d %d", (NR > 1 ? ", " : ""), $1, $1 + 1 }')" &&
		same "$(query "select count(distinct p.rank) from process p join call c on c.process_id = p.id
			where c.name = 'MPI_Allreduce' and calls > 0")" 64 &&
		same "$(query "select count(*) from loss")" 0
}
check "all ranks of 64 nodes are recorded until two nodes are lost" all_recorded
check "the ranks of the lost nodes ended first" same \
	"$(their 'order by end_ns limit 2' | sed 's/^\(41 42\), \(16 17\)$/\2, \1/')" "16 17, 41 42"
check "the verdict names one of them" grep -Eq '^verdict +Rank (16|41) was killed at ' out
check "no line of the summary lists more than 8 nodes" sh -c '! tr -s " \n" " " <out | grep -Eq "($0[0-9]+, ){8}"' "$TACHO_CLUSTER"
cut -c 1-200 out | grep -v '^rank' | sed -n '/ ranks on /,/^a CPU/s/^/# /p'

# The disks of both nodes are gone.
rm -rf run/trace* run/tacho.db* run/report* run/spool/"$(node 17)".* run/spool/"$(node 42)".*
"$tacho" finish run >finished 2>&1
check "without the spools of both nodes the run is finished" same "$? $(query "select count(distinct process_id) from call")" "0 62"
check "and the ranks that are missing are named" grep -q 'ranks 16,41 left no spool' finished
plan
