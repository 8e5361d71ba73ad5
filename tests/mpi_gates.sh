#!/bin/sh
# Calls that wait for some others only, on both MPIs: the archive says for whom, so no figure of the replay
# carries a flag, and each call of one rank finds its partner's.
. "$top_srcdir/tests/mpi_common.sh"
tacho=$top_builddir/analyzer/tacho

echo 1..10
for family in openmpi mpich; do
	if [ -z "$(mpicc_of $family)" ]; then
		for i in 1 2 3 4 5; do skip "$family: calls that wait for some" "no $family compiler"; done
		continue
	fi
	compile $family mpi_gates && traced $family 4 mpi_gates || show "$dir/run/out"
	timeout 60 "$tacho" merge -f "$dir/run" > "$dir/log" 2>&1 || show "$dir/log"
	timeout 60 otf2-print "$dir/run/trace/traces.otf2" 2>/dev/null | grep -c '^RMA_SYNC ' > "$dir/syncs"
	# 4 ranks × 3 rounds × post, start, complete and wait or test, with one other each
	test "$(cat "$dir/syncs")" = 48
	ok $? "$family: the archive names who posts for, starts, completes and waits for whom"
	sed 's/^/# /' "$dir/syncs"
	# of a chain, a ring, a star and one in which each gets data from the one before it
	timeout 60 otf2-print -G "$dir/run/trace/traces.otf2" 2>/dev/null |
		sed -n 's/.*"rank \([0-9]\)".*"tacho.neighbours.\([0-9]*\)".*Value: "\(.*\)" <.*/\2 \1 \3/p' |
		sort -n | awk '{ printf "%s%s", (NR == 1 || $1 == last ? (NR > 1 ? " " : "") : "; "), $3; last = $1 } END { print "" }' > "$dir/neighbours"
	test "$(cat "$dir/neighbours")" = '1/1 0,2/0,2 1,3/1,3 2/2; 3,1/3,1 0,2/0,2 1,3/1,3 2,0/2,0; 1,2,3/1,2,3 0/0 0/0 0/0; 3/1 0/2 1/3 2/0'
	ok $? "$family: the archive names the neighbours in each topology"
	sed 's/^/# /' "$dir/neighbours"
	for readers in 1 2; do
		rm -f "$dir/db"
		timeout 60 "$tacho" -q analyze -j $readers --db "$dir/db" "$dir/run" > "$dir/log" 2>&1 || show "$dir/log"
		is=$(sqlite3 "$dir/db" "select name, message from checks where not ok;
			select name, flag from metric where model = 'mpi' and window = 'run' and flag is not null;
			select 'analyzed', count(*) > 0 from checks" 2>&1)
		test "$is" = 'analyzed|1'
		ok $? "$family, $readers readers: they gate each other, and no figure carries a flag"
		echo "$is" | sed 's/^/# /'
		sqlite3 "$dir/db" "select value from metric where model = 'mpi' and window = 'run' and name = 'ideal_network_runtime'" > "$dir/ideal$readers"
	done
	test -s "$dir/ideal1" && cmp -s "$dir/ideal1" "$dir/ideal2"
	ok $? "$family: the ideal time does not depend on the number of readers"
done
