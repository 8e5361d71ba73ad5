#!/bin/sh
# The constants and layouts that libtacho assumes are those of each mpi.h found.
. "$top_srcdir/tests/mpi_common.sh"
echo 1..2
for family in openmpi mpich; do
	if [ -z "$(mpicc_of $family)" ]; then
		skip "$family: constants and status layout" "no $family compiler"
		continue
	fi
	"$(mpicc_of $family)" -w -I"$top_srcdir/collector" -o "$dir/check" "$top_srcdir/tests/mpi_abi_check.c" > "$dir/log" 2>&1 &&
		timeout 60 "$dir/check" > "$dir/log" 2>&1
	ok $? "$family: constants and status layout are those of its mpi.h"
	show "$dir/log"
done
