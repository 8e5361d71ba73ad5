#!/bin/sh
# Ranks may wait for non-blocking collectives in different orders: the analysis
# pairs those that were posted at the same place.
. "$top_srcdir/tests/mpi_common.sh"
tacho=$top_builddir/analyzer/tacho

# in_database SQL
in_database() {
	timeout 60 "$tacho" merge -f "$dir/run" > "$dir/log" 2>&1 &&
		timeout 60 "$tacho" -q analyze --db "$dir/db" "$dir/run" > "$dir/log" 2>&1 || show "$dir/log"
	sqlite3 "$dir/db" "$1"
}

echo 1..2
for family in openmpi mpich; do
	if [ -z "$(mpicc_of $family)" ]; then
		skip "$family: collectives completed out of order" "no $family compiler"
		continue
	fi
	rm -f "$dir/db"
	compile $family mpi_disorder && traced $family 2 mpi_disorder || show "$dir/run/out"
	is=$(in_database "select op, bytes, count(*) from collective where op = 'allreduce' and bytes > 24 group by bytes")
	test "$is" = "allreduce|200|20
allreduce|400|20"
	ok $? "$family: collectives completed out of order are paired as they were posted"
	echo "$is" | sed 's/^/# /'
done
