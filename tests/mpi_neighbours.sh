#!/bin/sh
# Collectives in which not all wait for all, of neighbours or without data for some: who waits is known of
# those of neighbours; of others the replay keeps what they took and says so. None is a sign of wrong clocks.
. "$top_srcdir/tests/mpi_common.sh"
tacho=$top_builddir/analyzer/tacho

# in_database READERS SQL
in_database()
{
	rm -f "$dir/db"
	timeout 60 "$tacho" -q analyze -j "$1" --db "$dir/db" "$dir/run" > "$dir/log" 2>&1 || show "$dir/log"
	sqlite3 "$dir/db" "$2"
}

echo 1..6
for family in openmpi mpich; do
	if [ -z "$(mpicc_of $family)" ]; then
		for i in 1 2 3; do skip "$family: collectives of neighbours" "no $family compiler"; done
		continue
	fi
	compile $family mpi_neighbours && traced $family 4 mpi_neighbours || show "$dir/run/out"
	timeout 60 "$tacho" merge -f "$dir/run" > "$dir/log" 2>&1 || show "$dir/log"
	for readers in 1 2; do
		is=$(in_database $readers "select count(*) from checks where not ok;
			select sum(calls), sum(wait_ns) filter (where rank = 2) > 0 from collective_rank where op = 'alltoall'")
		test "$is" = "0
24|1"
		ok $? "$family, $readers readers: nobody waits for the late rank but its neighbour"
		echo "$is" | sed 's/^/# /'
	done
	in_database 1 "select count(*), sum(bytes > 0) from collective where op in ('alltoall', 'scatter')" | tee "$dir/rows" | grep -q '^9|'
	ok $? "$family: rows of them are there all the same"
	sed 's/^/# /' "$dir/rows"
done
