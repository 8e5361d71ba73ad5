#!/bin/sh
# Nodes that merge together, with tacho inside the launcher: the archive is that of one process, whoever is lost meanwhile.
. "$top_srcdir/tests/e2e/lib.sh"
. "$top_srcdir/tests/e2e/cluster.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
command -v python3 >/dev/null || skip_all "no python3 to compare databases with"
"$MPICC_OPENMPI" -O1 -I"$top_srcdir/include" -o load "$top_srcdir/tests/e2e/watch_load.c" || exit 99
cluster_up 3

# What a rank does: the load, or spools that were made. Rank 0 ends last, when the other nodes say that they stay.
cat >rank <<-'END'
	[ -n "$made" ] || ./load 20 1 2000
	[ "$OMPI_COMM_WORLD_RANK" = 0 ] || exit 0
	[ -z "$made" ] || { mkdir "$TACHO_DIR/spool" && cp -r "$made/." "$TACHO_DIR/spool/"; }
	[ -z "$apart" ] || exit 0
	until [ -e "$TACHO_DIR/ranks/1.helps" ] && [ -e "$TACHO_DIR/ranks/2.helps" ]; do sleep 0.02; done
END

${CC:-cc} -w -shared -fPIC -o stay.so "$top_srcdir/tests/e2e/share_stay.c" -ldl || exit 99

# record RUN MADE PRELOAD [OPTION]
record() {
	made=$2
	timeout 100 "$cluster" run mpirun -n 3 -x made -x apart -x TACHO_SHARE=0 env LD_PRELOAD="$3" "$tacho" -v record --keep-spools \
		-o "$1" ${4:-} -- sh ./rank >"$1.out" 2>&1
}
apart=
export made apart

first() {	# COMMAND...: on the node of rank 0
	ip netns exec "$(node 1)" unshare --uts sh -c 'hostname "$0"; exec "$@"' "$(node 1)" "$@"
}

# as_alone RUN: the same archive and database as by one process, and nothing is left over.
as_alone() {
	rm -rf alone alone.db
	cp -r "$1" alone && rm -rf alone/trace && first "$tacho" -q merge alone && first "$tacho" -q analyze --db alone.db alone || return 1
	same "$(ls "$1/trace/traces")" "$(ls alone/trace/traces)" || return 1
	for file in alone/trace/traces/*.evt; do
		cmp "$file" "$1/trace/traces/$(basename "$file")" || return 1
	done
	python3 "$top_srcdir/tests/database_equal.py" alone.db "$1/tacho.db" &&
		same "$(ls "$1" | grep -c '^trace') $(ls "$1/ranks" | grep -c helps)" "1 0"
}

record real "" ""
check "a job on three nodes is recorded" same $? 0
check "which merge together" grep -q 'of 2 other nodes 2 were asked to merge' real.out
check "the archive and the database are those of one process" as_alone real
check "all ranks are there" on_nodes real 3

# Six ranks on three nodes, of which one was killed, one has a damaged file, and one never began.
awk 'BEGIN {
	for (rank = 0; rank < 6; rank++) {
		if (rank == 3)
			continue
		print "process n" int(rank / 2) "." rank + 1 ".0", rank + 1, rank, 6
		print "node n" int(rank / 2)
		print "name 1 step"
		print "comm 1 world 0 0", rank, "0,1,2,3,4,5 MPI_COMM_WORLD"
		print "handle 1 file", rank + 10, 0, "/data/part" rank
		if (rank != 4)
			print "end 1900000000"
		print "thread 0 main"
		for (step = 0; step < 400; step++) {
			t = step * 4000000 + rank * 1000
			print "rec BEGIN step 0 1", t + 1000, 0, step
			print "rec IO pread 0 1", t + 2000, 1000000, 4096
			print "rec COLL MPI_Allreduce 0 1", t + 2000000, 1000000, 1048576
			print "rec END step 0 0", t + 3900000, 0, 32
		}
	}
}' >spools.txt
mkdir spools
"$top_builddir/tests/unit/spool_make" spools <spools.txt || exit 99
for file in spools/n2.6.0/thread.*; do
	truncate -s $(($(stat -c %s "$file") / 2 + 4)) "$file"
done
record made "$PWD/spools" ""
check "killed, damaged and missing ranks: as by one process" as_alone made

# By MPI, after the job.
if [ -f "$top_builddir/analyzer/.libs/tacho-mpi.so" ]; then
	apart=1 record later "$PWD/spools" "" --no-merge
	check "a run on several nodes that is not merged names the command that does it" \
		grep -Fq '`mpirun -N 1 tacho finish later` merges and analyzes the run on all nodes' later.out
	timeout 100 "$cluster" run mpirun -N 1 "$tacho" finish --keep-spools later >finish.out 2>&1
	check "which all nodes share" same $? 0
	check "the archive and the database are those of one process" as_alone later
	check "one process has made the report" same "$(grep -c '^ *report ' finish.out) $(ls later/report.html)" "1 later/report.html"
else
	ok 0 "a run that is merged by MPI # SKIP built without MPI"
fi

# A part of it is lost.
held() {
	until [ -e held ]; do sleep 0.05; done
	cat held
}
rm -f held
record lost "$PWD/spools" ./stay.so &
job=$!
kill -KILL $(held | cut -d ' ' -f 1)
wait $job
check "one that is killed while it merges is replaced" same $? 0
check "and named" grep -q "the tacho on $(node 2) is lost" lost.out
check "nothing else is different" as_alone lost

# And with it the job; nobody sees another one end.
rm -f held
name=ended$$
record $name "$PWD/spools" ./stay.so &
job=$!
held >pids
pgrep -f " record --keep-spools -o $name " >>pids
kill -STOP $(cat pids)
kill -KILL $(cat pids)
wait $job
check "the job is killed while its nodes merge" sh -c '[ ! -e $0/trace ] && ls $0 | grep -q "^trace.shared"' $name
first timeout 100 "$tacho" -q finish --keep-spools $name
check "one command goes on" as_alone $name
plan
