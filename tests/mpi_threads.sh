#!/bin/sh
# Requests posted by one thread and completed by another, several pairs at
# once: every record is there, and completions find their starts.
. "$top_srcdir/tests/mpi_common.sh"
compile_dump || { echo "Bail out! tests/e2e/mpi_dump.c does not compile"; exit 1; }

echo 1..6
for family in openmpi mpich; do
	if [ -z "$(mpicc_of $family)" ] || ! compile $family mpi_threads; then
		for i in 1 2 3; do skip "$family: threads" "no $family compiler"; done
		continue
	fi
	traced $family 2 mpi_threads || show "$dir/run/out"
	trace_equals_expected sort
	ok $? "$family: calls of several threads are recorded exactly"
	bare $family 2 mpi_threads
	results_equal 2
	ok $? "$family: threads get the same results"
	test "$(ls "$dir"/run/spool/*/thread.* | wc -l)" -ge 14
	ok $? "$family: each thread has a spool of its own"
done
