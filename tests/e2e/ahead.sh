#!/bin/sh
# A rank that sends and waits for no answer runs ahead of the one that receives and sleeps in each step: the model of the
# steps has no more time than they took, and the sleep is a cause with the seconds of all steps, recorded whole or within
# a budget in which each rank keeps other steps in detail.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
cat >ahead.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	#include <time.h>
	#include "tacho.h"
	int main(int argc, char **argv)
	{
		static char data[1000];
		double slept = 0, begin;
		int rank;

		MPI_Init(&argc, &argv);
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		for (int i = 0; i < 2000; i++) {
			tacho_step_begin(i);
			if (rank == 0)
				MPI_Send(data, 1000, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
			else
				MPI_Recv(data, 1000, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			begin = MPI_Wtime();
			if (rank == 1)
				nanosleep(&(struct timespec){ 0, 1000000 }, NULL);
			slept += MPI_Wtime() - begin;
			tacho_step_end(1);
		}
		if (rank == 1)
			printf("slept %.6f\n", slept);
		MPI_Finalize();
		return 0;
	}
END
"$MPICC_OPENMPI" -w -I"$top_srcdir/include" -o ahead ahead.c || exit 1

recorded() {
	rm -rf run
	timeout 200 "$tacho" -q record -f -o run "$@" -- mpirun --bind-to none -n 2 ./ahead >said 2>&1 </dev/null || cat said
	slept=$(sed -n 's/^slept //p' said)
}

near() {
	same "$(query "select part || ' ' || ranks || ' ' || (own_ns / 1e9 between 0.9 * $slept and 1.1 * $slept)
		|| ' ' || (saves_ns / 1e9 between 0.8 * $slept and 1.1 * $slept) || ' ' || (steps >= 1900) from cause where n = 1")" "sleep 1 1 1 1" ||
		{ query "select n, part, ranks, steps, own_ns, saves_ns, takes_ns, $slept from cause"; return 1; }
}

fits() {
	"$tacho" whatif run | head -1 >head
	awk '{ exit !($7 <= 1.1 * $10) }' FS='[ ()]+' head || { cat head; return 1; }
}

recorded
check "recorded whole the sleep is the cause" near
check "the model has no more time than the steps took" fits
recorded --max-size 300K/rank
check "within a budget most steps have sums only" same "$(query "select count(*) > 0 from step_sum")" 1
check "the sleep of all steps is the cause" near
plan
