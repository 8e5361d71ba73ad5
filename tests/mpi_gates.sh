#!/bin/sh
# Calls that wait for some others only, on both MPIs: the archive says for whom, so no figure of the replay
# carries a flag, and each call of one rank finds its partner's.
. "$top_srcdir/tests/mpi_common.sh"
tacho=$top_builddir/analyzer/tacho

echo 1..6
for family in openmpi mpich; do
	if [ -z "$(mpicc_of $family)" ]; then
		for i in 1 2 3; do skip "$family: calls that wait for some" "no $family compiler"; done
		continue
	fi
	compile $family mpi_gates && traced $family 4 mpi_gates || show "$dir/run/out"
	timeout 60 "$tacho" merge -f "$dir/run" > "$dir/log" 2>&1 || show "$dir/log"
	timeout 60 otf2-print "$dir/run/trace/traces.otf2" 2>/dev/null | grep -c '^RMA_SYNC ' > "$dir/syncs"
	# 4 ranks × 3 rounds × post, start, complete and wait or test, with one other each
	test "$(cat "$dir/syncs")" = 48
	ok $? "$family: the archive names who posts for, starts, completes and waits for whom"
	sed 's/^/# /' "$dir/syncs"
	for readers in 1 2; do
		rm -f "$dir/db"
		timeout 60 "$tacho" -q analyze -j $readers --db "$dir/db" "$dir/run" > "$dir/log" 2>&1 || show "$dir/log"
		is=$(sqlite3 "$dir/db" "select name, detail from checks where not ok;
			select name, flag from metric where model = 'mpi' and window = 'run' and flag is not null")
		test -z "$is"
		ok $? "$family, $readers readers: they gate each other, and no figure carries a flag"
		echo "$is" | sed 's/^/# /'
	done
done
