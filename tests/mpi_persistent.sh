#!/bin/sh
# MPI 4: collectives by persistent requests, and MPI_Isendrecv, are in the trace
# as what they are, and the analysis measures them: each start is a collective
# with its bytes, matched with the same one of the other ranks in whatever order
# they start. Of the MPIs of Debian 12 only MPICH has these functions; what they
# need of merge and analyze is also shown on a made-up trace.
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

has_persistent() {
	[ -n "$(mpicc_of $1)" ] && echo '#include <mpi.h>
		int main(void) { return MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, 0); }' |
		"$(mpicc_of $1)" -Werror=implicit-function-declaration -x c -o "$dir/has" - 2> "$dir/compile.log"
}

world="(select id from communicator where kind = 'mpi' and name = 'MPI_COMM_WORLD')"
families="openmpi mpich"
echo "1..$((2 * 2 * 7 + 2 * 2))"
for family in $families; do
	if ! has_persistent $family; then
		for i in $(seq 14); do skip "$family: persistent collectives" "no MPI_Barrier_init"; done
		continue
	fi
	compile $family mpi_persistent
	for ranks in 2 4; do
		traced $family $ranks mpi_persistent || show "$dir/run/out"
		trace_equals_expected
		ok $? "$family, $ranks ranks: each start and completion is recorded exactly"
		timeout 60 "$tacho" merge "$dir/run" > "$dir/merged" 2>&1 &&
			grep -q ' 0 unmatched, 0 lost' "$dir/merged"
		ok $? "$family, $ranks ranks: every message finds its partner"
		bare $family $ranks mpi_persistent
		results_equal $ranks
		ok $? "$family, $ranks ranks: the program gets the same results"
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
			"$((ranks * 2 * 4000))|$((ranks * 2 * 8))|$((ranks * 2 * (4008 + 64) + ranks / 2 * 20 * 600))" \
			"select (select sum(bytes_sent) from call where name = 'MPI_Isendrecv'),
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
