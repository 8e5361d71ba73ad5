#!/bin/sh
# An archive of which rank 0's events are cut to half, on both MPIs: the figures are of what all ranks have,
# as the program's own timers have them until then; the report says so first.
. "$top_srcdir/tests/mpi_common.sh"
tacho=$top_builddir/analyzer/tacho

sql() { sqlite3 "$dir/db" "$1"; }

# own ROUNDS: the parallel efficiency until then
own() {
	cat "$dir/run/result.0" "$dir/run/result.1" | awk -v n="$1" '$1 == n { useful += $3 / 2; most = $2 > most ? $2 : most }
		END { print useful / most }'
}

near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a - b < 0.03 && b - a < 0.03) }'; }

echo 1..8
for family in openmpi mpich; do
	if [ -z "$(mpicc_of $family)" ]; then
		for i in 1 2 3 4; do skip "$family: a damaged archive" "no $family compiler"; done
		continue
	fi
	rm -f "$dir/whole"
	compile $family damage_load && traced $family 2 damage_load || show "$dir/run/out"
	timeout 60 "$tacho" merge -f "$dir/run" > "$dir/log" 2>&1 || show "$dir/log"
	timeout 60 "$tacho" analyze --db "$dir/whole" "$dir/run" > "$dir/log" 2>&1 || show "$dir/log"
	ref=$(sqlite3 "$dir/whole" "select l.ref from location l join process p on p.id = l.process_id where p.rank = 0 and l.is_main")
	file=$dir/run/trace/traces/$ref.evt
	truncate -s $(($(stat -c %s "$file") / 2)) "$file"
	rm -f "$dir/db"
	timeout 60 "$tacho" analyze --db "$dir/db" "$dir/run" > "$dir/log" 2>&1
	status=$?
	test $status = 1 && grep -q 'damaged.*--allow-damaged' "$dir/log"
	ok $? "$family: the status says that the archive is damaged"
	rounds=$(sql "select calls from call c join process p on p.id = c.process_id where p.rank = 0 and c.name = 'MPI_Allreduce'")
	is=$(sql "select value from metric where window = 'active' and model = 'mpi' and name = 'parallel_efficiency' and flag like '%damaged%'")
	test "$rounds" -gt 100 && test "$rounds" -lt 1990 && near "$is" "$(own "$rounds")"
	ok $? "$family: parallel efficiency $is in $rounds rounds, by the program's timers $(own "$rounds")"
	test "$(sql "select count(*) from finding where rule = 'straggler' and message not like '%rank 0%'")" = 0 &&
		test "$(sql "select count(distinct end_ns) from location where is_main")" = 1
	ok $? "$family: both ranks end there, and none is blamed for what is missing"
	timeout 60 "$tacho" stats --format csv "$dir/db" checks > "$dir/checks" 2>&1
	timeout 60 "$tacho" explain "$dir/db" > "$dir/said" 2>&1
	timeout 60 "$tacho" analyze --allow-damaged --db "$dir/db" "$dir/run" > "$dir/log" 2>&1 &&
		grep -m 1 -i 'verdict\|damaged' "$dir/said" | grep -qi 'damaged'
	ok $? "$family: it is said first, and --allow-damaged accepts it"
done
