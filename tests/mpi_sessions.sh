#!/bin/sh
# MPI 4: sessions and partitioned messages are recorded. Each start of a partitioned message is one of all its bytes, found
# by its partner; communicators from groups are one for all their members. Open MPI has both from version 5 on.
. "$top_srcdir/tests/mpi_common.sh"
tacho=$top_builddir/analyzer/tacho

# is NAME EXPECTED SQL: what the database answers
is() {
	sqlite3 "$dir/run/tacho.db" "$3" >"$dir/is"
	printf '%s\n' "$2" | diff - "$dir/is" >"$dir/difference"
	ok $? "$1"
	show "$dir/difference"
}

echo 1..14
for family in openmpi mpich; do
	if [ -z "$(mpicc_of $family)" ] || ! compile $family mpi_sessions >"$dir/compiled"; then
		for i in 1 2 3 4 5 6 7; do skip "$family: sessions and partitioned messages" "the MPI has no sessions"; done
		continue
	fi
	timeout 100 "$(mpirun_of $family)" -n 4 "$dir/mpi_sessions.$family" 5 | sort >"$dir/bare"
	timeout 200 "$tacho" -q record -f -o "$dir/run" -- "$(mpirun_of $family)" -n 4 "$dir/mpi_sessions.$family" 5 |
		sort | diff "$dir/bare" - >"$dir/difference" && [ "$(grep -c 'count 3000 last 1' "$dir/bare")" = 4 ]
	ok $? "$family: the program gets the same results"
	is "$family: four ranks, none of them a child" "4|0,1,2,3" "select count(*), group_concat(rank) from
		(select rank from process order by rank)"
	is "$family: all bytes of 5 starts of each rank are sent and received" "480000|480000" \
		"select sum(bytes_sent), sum(bytes_received) from call where name in ('MPI_Startall', 'MPI_Waitall')"
	is "$family: from each rank to the next" "0|1|120000
1|2|120000
2|3|120000
3|0|120000" "select rank, peer_rank, sum(bytes) from message_pair where class = 'mpi' group by 1, 2 order by 1, 2"
	is "$family: each start and look is a call" "4|4|80|20|20|1" "select
		sum(calls) filter (where name = 'MPI_Psend_init'), sum(calls) filter (where name = 'MPI_Precv_init'),
		sum(calls) filter (where name = 'MPI_Pready'), sum(calls) filter (where name = 'MPI_Pready_range'),
		sum(calls) filter (where name = 'MPI_Pready_list'), sum(calls) filter (where name = 'MPI_Parrived') >= 20 from call"
	is "$family: the communicators are of all and of every second rank" "allreduce|2|1
barrier|4|1" "select l.op, c.size, count(*) from collective l join communicator c on c.id = l.comm_id group by 1, 2 order by 1"
	is "$family: nothing is unmatched, lost or doubted" "0|0|0" "select (select count(*) from unmatched),
		(select count(*) from loss), (select count(*) from checks where not ok)"
done
