#!/bin/sh
# Every function of each mpi.h is in the table of mpi_calls.def or, for a reason, left alone at its
# end; none is both; the library exports what the table says.
. "$top_srcdir/tests/mpi_common.sh"
echo 1..6
table_functions | LC_ALL=C sort > "$dir/wrapped"
left_alone |
	sed 's/\*/.*/; s/.*/^&$/' > "$dir/left"

for family in openmpi mpich; do
	if [ -z "$(mpicc_of $family)" ]; then
		skip "$family: every function is accounted for" "no $family compiler"
		continue
	fi
	# The preprocessor's output has one declaration per function, whatever the header's layout.
	echo '#include <mpi.h>' > "$dir/include.c"
	"$(mpicc_of $family)" -E -P "$dir/include.c" | tr -s ' \n\t' ' ' | grep -o '\bMPI_[A-Z][A-Za-z_0-9]* *(' |
		tr -d ' (' | LC_ALL=C sort -u > "$dir/declared"
	LC_ALL=C comm -23 "$dir/declared" "$dir/wrapped" | grep -v -f "$dir/left" > "$dir/forgotten"
	test "$(wc -l < "$dir/declared")" -gt 300 && ! test -s "$dir/forgotten"
	ok $? "$family: every function is in the table or left alone for a reason"
	show "$dir/forgotten"
done

grep -f "$dir/left" "$dir/wrapped" > "$dir/both"
! test -s "$dir/both"
ok $? "no function is both in the table and left alone"
show "$dir/both"
nm -D --defined-only "$lib" | sed -n 's/.* [TW] \(MPI_.*\)/\1/p' | LC_ALL=C sort > "$dir/exported"
diff "$dir/wrapped" "$dir/exported" > "$dir/difference"
ok $? "the library exports exactly the functions of the table"
show "$dir/difference"
nm -D --defined-only "$lib" | sed -n 's/.* [TW] P\(MPI_.*\)/\1/p' | LC_ALL=C sort | diff "$dir/wrapped" - > "$dir/difference"
ok $? "by their second names, too"
show "$dir/difference"
! nm -D --undefined-only "$lib" | grep -q 'MPI_\|ompi_'
ok $? "the library needs no symbol of an MPI"
