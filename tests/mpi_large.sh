#!/bin/sh
# MPI 4's functions for large counts: the programs of mpi_trace.sh, built so
# that each call with a count is its sibling's, are recorded as exactly, and
# what needs more than 32 bits is not truncated. Of the MPIs of Debian 12 only MPICH
# has these functions.
. "$top_srcdir/tests/mpi_common.sh"
compile_dump || { echo "Bail out! tests/e2e/mpi_dump.c does not compile"; exit 1; }

{
	echo '#include <mpi.h>'
	echo '#define COUNT MPI_Count'
	echo '#define DISPL MPI_Aint'
	counted_functions | sed 's/.*/#define & &_c/'
} > "$dir/large.h"
# The programs say "MPI_Send"; of what they wait for, "[Isend".
counted_functions | sed 's/MPI_\(.*\)/s,\\(MPI_\\|\\[\\)\1\\>,\&_c,g/' > "$dir/large.sed"

has_large() {
	[ -n "$(mpicc_of $1)" ] && echo '#include <mpi.h>
		int main(void) { return MPI_Send_c(0, 0, MPI_CHAR, 0, 0, MPI_COMM_WORLD); }' |
		"$(mpicc_of $1)" -Werror=implicit-function-declaration -x c -o "$dir/has" - 2> "$dir/compile.log"
}

merged() {
	timeout 60 "$top_builddir/analyzer/tacho" merge "$dir/run" > "$dir/merged" 2>&1 &&
		grep -q ' 0 unmatched, 0 lost' "$dir/merged" || { show "$dir/merged"; return 1; }
}

# Bytes that a table holds for the large program.
bytes_analysed() {
	timeout 60 "$top_builddir/analyzer/tacho" -q analyze --db "$dir/db" "$dir/run" > "$dir/log" 2>&1 ||
		{ show "$dir/log"; return 1; }
	sqlite3 "$dir/db" "$1"
}

families="openmpi mpich"
echo "1..$((2 * (3 * 3 + 4)))"
for family in $families; do
	if ! has_large $family; then
		for i in $(seq 13); do skip "$family: large counts" "no MPI_Send_c"; done
		continue
	fi
	cflags="-include $dir/large.h -Werror=incompatible-pointer-types"
	for program in mpi_messages mpi_collectives mpi_objects; do
		compile $family $program && traced $family 2 $program || show "$dir/run/out"
		sed -i -f "$dir/large.sed" "$dir"/run/expected.*
		grep -q '_c ' "$dir/run/expected.0" && trace_equals_expected
		ok $? "$family: $program with large counts is recorded exactly"
		merged
		ok $? "$family: every message of $program finds its partner"
		bare $family 2 $program
		results_equal 2
		ok $? "$family: $program gets the same results"
	done
	cflags=
	compile $family mpi_large && traced $family 2 mpi_large || show "$dir/run/out"
	trace_equals_expected
	ok $? "$family: bytes beyond 32 bits are recorded exactly"
	merged
	ok $? "$family: messages beyond 32 bits find their partners"
	sent=$((131 * (16 << 20) + 259 * (16 << 20)))
	# MPI's own reads are added to those of the calls that receive.
	is=$(bytes_analysed "select sum(bytes_sent), sum(bytes_received) / 100000000 from call
		where name in ('MPI_Send_c', 'MPI_Isend_c', 'MPI_Recv_c', 'MPI_Wait')")
	test "$is" = "$sent|$((sent / 100000000))"
	ok $? "$family: the analysis counts the bytes of messages"
	echo "# $is of $sent"
	is=$(bytes_analysed "select distinct bytes from collective where bytes > 0")
	test "$is" = 5000000000
	ok $? "$family: and of collectives"
	echo "# $is"
done
