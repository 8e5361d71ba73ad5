#!/bin/sh
# How ranks end: the status of each, whoever was first, and no hang where a rank died.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
cat >die.c <<'E2'
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *how = argv[1];
	double one = 1, sum;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int n = 0; n < 20; n++) {
		usleep(5000);
		if (rank == 1 && n == 10 && !strcmp(how, "return"))
			return 3;
		if (rank == 1 && n == 10 && !strcmp(how, "abort"))
			MPI_Abort(MPI_COMM_WORLD, 5);
		if (rank == 1 && n == 10 && !strcmp(how, "crash"))
			*(volatile int *)8 = 1;
		MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return strcmp(how, "end") ? 0 : 3 * rank;
}
E2
"$MPICC_OPENMPI" -w -O2 -o die die.c || exit 99
ulimit -c 0

# ended HOW STATUS VERDICT: that of rank 1, and how the verdict begins. mpirun ends rank 0 then.
ended() {
	rm -rf run
	timeout 100 "$tacho" -q record -o run -- mpirun.openmpi --bind-to none -n 2 ./die "$1" >log 2>&1
	[ -z "$2" ] || same "$(query "select exit_status from process where rank = 1")" "$2" || return 1
	"$tacho" report -s run >summary 2>&1 && { grep -q "^verdict  *$3" summary || { cat summary; false; }; }
}

check "the status of a return from main after MPI_Finalize is known" ended end 3 "Rank 1 exited with status 3 at "
check "a return before it is an early end with that status, and no hang" ended return 3 "Rank 1 exited with status 3 before MPI_Finalize at "
check "who called MPI_Abort is named" ended abort "" "Rank 1 called MPI_Abort "
check "a crash is a death, whoever waited for it" ended crash "" "Rank 1 was killed by SIGSEGV at "
plan
