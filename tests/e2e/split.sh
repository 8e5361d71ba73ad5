#!/bin/sh
# Serialisation and transfer of a run within a budget, in which each rank keeps other steps in detail, are those of the
# program's own log: the longest own time of each step against the time of the steps.
. "$top_srcdir/tests/e2e/lib.sh"

command -v sqlite3 >/dev/null || skip_all "sqlite3 is not installed"
[ -n "$MPICC_OPENMPI$MPICC_MPICH" ] || skip_all "no MPI is installed"
cat >split.c <<-'END'
	#include <mpi.h>
	#include <stdio.h>
	#include <time.h>
	#include "tacho.h"
	enum { SIZE = 1 << 21, STEPS = 400 };
	static char out[SIZE], in[SIZE];
	static double own[STEPS], others[STEPS];
	int main(int argc, char **argv)
	{
		double begin, at, sums[2] = { 0 }, longest = 0, loop;
		int rank;

		MPI_Init(&argc, &argv);
		MPI_Comm_rank(MPI_COMM_WORLD, &rank);
		begin = MPI_Wtime();
		for (int i = 0; i < STEPS; i++) {
			tacho_step_begin(i);
			at = MPI_Wtime();
			nanosleep(&(struct timespec){ 0, i % 4 < 2 && rank == 0 || i % 4 == 3 && rank == 1 ? 4000000 : 1000000 }, NULL);
			own[i] = MPI_Wtime() - at;
			MPI_Sendrecv(out, SIZE, MPI_CHAR, 1 - rank, 0, in, SIZE, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD,
				MPI_STATUS_IGNORE);
			for (int k = 0; k < 30; k++)
				MPI_Sendrecv(out, 4, MPI_CHAR, 1 - rank, 0, in, 4, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD,
					MPI_STATUS_IGNORE);
			MPI_Barrier(MPI_COMM_WORLD);
			tacho_step_end(1);
		}
		loop = MPI_Wtime() - begin;
		MPI_Sendrecv(own, STEPS, MPI_DOUBLE, 1 - rank, 1, others, STEPS, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD,
			MPI_STATUS_IGNORE);
		for (int i = 0; i < STEPS; i++) {
			sums[0] += own[i];
			sums[1] += others[i];
			longest += own[i] > others[i] ? own[i] : others[i];
		}
		if (rank == 0)
			printf("truth %.6f %.6f\n", (sums[0] > sums[1] ? sums[0] : sums[1]) / longest, longest / loop);
		MPI_Finalize();
		return 0;
	}
END

# split WINDOW: the differences to the log, where they are more than 0.03
split() {
	query "select name || ' ' || round(value, 3) || ' of ' || truth from metric join (select 'serialisation_efficiency' as of, $serialisation as truth
		union all select 'transfer_efficiency', $transfer) on of = name
		where model = 'mpi' and subject = '' and \"window\" = '$1' and abs(value - truth) > 0.03"
}

for family in openmpi mpich; do
	compiler=$MPICC_OPENMPI
	[ $family = openmpi ] || compiler=$MPICC_MPICH
	if [ -z "$compiler" ]; then
		skip "$family is not installed" && skip "$family is not installed"
		continue
	fi
	"$compiler" -w -I"$top_srcdir/include" -o split split.c || exit 1
	rm -rf run
	timeout 200 "$tacho" -q record -f -o run --max-size 300K/rank -- mpirun.$family -n 2 ./split >said 2>&1 </dev/null || cat said
	read -r _ serialisation transfer <<-END
		$(grep '^truth' said)
	END
	check "$family: a part of the run is in detail" same "$(query "select count(*) > 100 from step_sum")" 1
	query "select '# ' || \"window\" || ' ' || name || ' ' || round(value, 3) || ', log $serialisation $transfer' from metric
		where model = 'mpi' and subject = '' and name in ('serialisation_efficiency', 'transfer_efficiency') and \"window\" = 'active'"
	check "$family: the split is that of the program's own log" same "$(split active)" ""
done
plan
