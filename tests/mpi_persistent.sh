#!/bin/sh
# MPI 4: collectives by persistent requests, and MPI_Isendrecv, are in the trace
# as what they are, and the analysis measures them: each start is a collective
# with its bytes, matched with the same one of the other ranks in whatever order
# they start. Open MPI 4 has the collectives by other names, MPIX_…, and no
# MPI_Isendrecv. What merge and analyze make of them is also shown on a made-up trace.
. "$top_srcdir/tests/mpi_common.sh"
compile_dump || { echo "Bail out! tests/e2e/mpi_dump.c does not compile"; exit 1; }
tacho=$top_builddir/analyzer/tacho

# is NAME EXPECTED SQL: what the database answers
is() {
	sqlite3 "$dir/db" "$3" > "$dir/is"
	printf '%s\n' "$2" | diff - "$dir/is" > "$dir/difference"
	ok $? "$1"
	show "$dir/difference"
}

analysed() {
	rm -f "$dir/db" && timeout 60 "$tacho" -q analyze --jobs "$2" --db "$dir/db" "$1" > "$dir/log" 2>&1 ||
		{ show "$dir/log"; return 1; }
}

# prepare FAMILY: how the programs are compiled; the names of its calls as $renamed has them
prepare() {
	{
		echo '#include <mpi.h>'
		[ $1 = mpich ] || echo '#include <mpi-ext.h>'
		[ $1 = mpich ] || extensions | sed 's/\(.*\)/#define MPI_\1 MPIX_\1/'
	} > "$dir/$1.h"
	cflags="-include $dir/$1.h -DHAVE_PERSISTENT"
	[ $1 = mpich ] && : > "$dir/renamed" ||
		extensions | sed 's/\(.*\)/s,\\<MPI_\1\\>,MPIX_\1,/' > "$dir/renamed"
	[ -n "$(mpicc_of $1)" ] && echo 'int main(void) { return MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, 0); }' |
		"$(mpicc_of $1)" $cflags -Werror=implicit-function-declaration -x c -o "$dir/has" - 2> "$dir/compile.log"
}

# What Open MPI 4 has as an extension
extensions() {
	sed -n 's/^CALL(MPIX_\([A-Za-z_]*\),.*/\1/p' "$top_srcdir/include/tacho/mpi_calls.def"
}

# recorded FAMILY RANKS PROGRAM: three tests, and the merged run
recorded() {
	traced $1 $2 $3 || show "$dir/run/out"
	sed -i -f "$dir/renamed" "$dir"/run/expected.*
	grep -q 'Barrier_init call' "$dir/run/expected.0" && trace_equals_expected
	ok $? "$1, $2 ranks: each start and completion of $3 is recorded exactly"
	timeout 60 "$tacho" merge "$dir/run" > "$dir/merged" 2>&1 && grep -q ' 0 unmatched, 0 lost' "$dir/merged"
	ok $? "$1, $2 ranks: every message of $3 finds its partner"
	bare $1 $2 $3
	results_equal $2
	ok $? "$1, $2 ranks: $3 gets the same results"
}

world="(select id from communicator where kind = 'mpi' and name = 'MPI_COMM_WORLD')"
families="openmpi mpich"
echo "1..$((2 * (3 + 2 * 7) + 2 * 2))"
for family in $families; do
	if ! prepare $family; then
		for i in $(seq 17); do skip "$family: persistent collectives" "no MPI_Barrier_init"; done
		continue
	fi
	compile $family mpi_collectives && recorded $family 2 mpi_collectives
	compile $family mpi_persistent
	for ranks in 2 4; do
		recorded $family $ranks mpi_persistent
		both=$(grep -c MPI_Isendrecv "$dir/run/expected.0")	# of each rank: 2 or none
		analysed "$dir/run" 2
		is "$family, $ranks ranks: as many collectives as were started, with their bytes" \
			"allreduce|24|20
allreduce|64|2
allreduce|200|20
allreduce|400|20
allreduce|1204|1
allreduce|1208|2
barrier|0|1" "select op, bytes, count(*) from collective where comm_id = $world
			group by op, bytes order by op, bytes"
		is "$family, $ranks ranks: each has all its members" "66|66" \
			"select min(calls), max(calls) from (select sum(calls) as calls from collective_rank
				where comm_id = $world group by rank)"
		# Waitall gets messages, and of collectives what Wait had left to it: 200 or 400 bytes.
		is "$family, $ranks ranks: bytes of messages are those of both ways and of each start" \
			"$((ranks * both * 4000))|$((ranks * 2 * 8))|$((ranks * (both * 4000 + 2 * 8 + 2 * 64) + ranks / 2 * 20 * 600))" \
			"select (select coalesce(sum(bytes_sent), 0) from call where name = 'MPI_Isendrecv'),
			(select sum(bytes_sent) from call where name = 'MPI_Startall'),
			(select sum(bytes_received) from call where name = 'MPI_Waitall')"
		is "$family, $ranks ranks: the replay knows who waits for whom" ok \
			"select coalesce(group_concat(name || ': ' || message), 'ok') from checks where not ok"
	done
done

# Times as tests/golden/merge_persistent.txt has them, from its time 1000 on.
mkdir "$dir/golden" "$dir/golden/spool"
"$top_builddir/tests/unit/spool_make" "$dir/golden/spool" < "$top_srcdir/tests/golden/merge_persistent.txt" &&
	timeout 60 "$tacho" merge "$dir/golden" > "$dir/merged" 2>&1 || show "$dir/merged"
for jobs in 1 2; do
	analysed "$dir/golden" $jobs
	is "$jobs readers: of each start, when the first and the last rank came, who that was, and the end" \
		"allreduce|8|0|1150|1150|1320|0
allreduce|4096|4294967296|700|900|1100|1
broadcast|100|8589934592|720|900|1100|1" \
		"select op, bytes, seq, first_ns, last_ns, end_ns, last_rank from collective
			where seq != (1 << 32) + 1 order by seq"
	is "$jobs readers: how long each rank waited for the other" "0|broadcast|0|380
1|broadcast|0|50" "select rank, op, wait_ns, transfer_ns from collective_rank
			where op = 'broadcast' order by rank"
done
