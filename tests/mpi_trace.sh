#!/bin/sh
# What the test programs say that they did is what the spools hold, call by
# call, with both MPIs; and they get the results that they get without libtacho.
. "$top_srcdir/tests/mpi_common.sh"
compile_dump || { echo "Bail out! tests/e2e/mpi_dump.c does not compile"; exit 1; }

# write_at_all and read_all of each rank
files_by_all() {
	[ "$1" != mpi_objects ] || ! command -v otf2-print >/dev/null ||
		[ "$(timeout 60 otf2-print "$dir/run/trace/traces.otf2" 2>/dev/null | head -c 100000000 |
			grep -c 'IO_OPERATION_BEGIN.*{COLLECTIVE}')" -eq $((2 * $2)) ]
}

# Bytes put, got and accumulated are those of the calls, in figures as in events.
one_sided_bytes() {
	[ "$1" = mpi_objects ] || return 0
	"$top_builddir/analyzer/tacho" -q analyze --db "$dir/db" "$dir/run" || return 1
	want=$(timeout 60 "$top_builddir/analyzer/tacho" dump "$dir/run" |
		awk '/ rma_(begin|atomic) / { match($0, / bytes=[0-9]+/); n = substr($0, RSTART + 7, RLENGTH - 7)
			if (/ rma_atomic / || / put=1/) sent += n; else got += n
			if (match($0, / received=[0-9]+/)) got += substr($0, RSTART + 10, RLENGTH - 10) } END { print sent "|" got }')
	is=$(sqlite3 "$dir/db" "select sum(bytes_sent), sum(bytes_received) from call where name in
		('MPI_Put', 'MPI_Get', 'MPI_Accumulate', 'MPI_Rput', 'MPI_Rget', 'MPI_Raccumulate',
		'MPI_Get_accumulate', 'MPI_Rget_accumulate', 'MPI_Fetch_and_op', 'MPI_Compare_and_swap')")
	# who moved them to whom, too: as many in all, and what rank 0 got from itself and others are rows of these
	pairs=$(sqlite3 "$dir/db" "select sum(bytes), min(bytes) >= 0 and count(distinct rank) > 1 from message_pair where class = 'rma'")
	rm -f "$dir/db"
	[ "$pairs" = "$((${want%|*} + ${want#*|}))|1" ] || { echo "# one-sided bytes of pairs $pairs, of all $want"; return 1; }
	[ "${want%|*}" -gt 0 ] && [ "$is" = "$want" ] || { echo "# one-sided bytes $is, expected $want"; return 1; }
}

programs="mpi_messages mpi_collectives mpi_objects"
echo "1..$((3 * 2 * 2 * 3))"
for family in openmpi mpich; do
	for program in $programs; do
		if [ -z "$(mpicc_of $family)" ] || ! compile $family $program; then
			for i in 1 2 3 4 5 6; do skip "$family: $program" \
				"no $family compiler"; done
			continue
		fi
		for ranks in 2 4; do
			traced $family $ranks $program || show "$dir/run/out"
			trace_equals_expected
			ok $? "$family, $ranks ranks: $program is recorded exactly"
			timeout 60 "$top_builddir/analyzer/tacho" merge "$dir/run" > \
				"$dir/merged" 2>&1 &&
				grep -q ' 0 unmatched, 0 lost' "$dir/merged" && files_by_all $program $ranks &&
				one_sided_bytes $program
			ok $? "$family, $ranks ranks: every message of $program finds its partner, operations of files are by one or by all"
			grep -q ' 0 unmatched, 0 lost' "$dir/merged" || show "$dir/merged"
			bare $family $ranks $program
			results_equal $ranks
			ok $? "$family, $ranks ranks: $program gets the same results"
		done
	done
done
