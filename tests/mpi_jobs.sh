#!/bin/sh
# A script that starts several MPI jobs: their ranks are nobody's children, the figures are of one job and its
# time alone, which is said, and another one can be asked for.
. "$top_srcdir/tests/mpi_common.sh"
tacho=$top_builddir/analyzer/tacho
cat > "$dir/jobs.c" <<'END'
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
	double value = 1, sum;
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (!atoi(argv[1]) && rank == 1)
		raise(SIGKILL);
	if (!atoi(argv[1]))
		MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < atoi(argv[1]); i++)
		MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return MPI_Finalize();
}
END

sql() { sqlite3 "$dir/run/tacho.db" "$1"; }

# is_of JOB CALLS: ranks 0 and 1 are of it and made so many calls, and the run lasted as long as they lived
is_of()
{
	is=$(sql "select group_concat(rank || ':' || attempt || ':' || calls, ' ') from (select rank, attempt, calls from process p
		join call c on c.process_id = p.id and c.name = 'MPI_Allreduce' where rank is not null order by rank);
		select ns = (select max(end_ns) - min(start_ns) from process where rank is not null) from run_time;
		select count(*) from process where parent_id is not null;
		select count(*) from process where name like 'rank % of job %'")
	test "$is" = "0:$1:$2 1:$1:$2
1
0
$3" || { echo "# $is"; false; }
}

echo 1..10
for family in openmpi mpich; do
	if [ -z "$(mpicc_of $family)" ]; then
		for i in 1 2 3 4 5; do skip "$family: several jobs" "no $family compiler"; done
		continue
	fi
	"$(mpicc_of $family)" -w -o "$dir/jobs" "$dir/jobs.c" || exit 99
	rm -rf "$dir/run"
	(cd "$dir" && timeout 120 "$tacho" record --no-git --keep-spools -o run -- sh -c \
		"$(mpirun_of $family) -n 1 ./jobs 7; $(mpirun_of $family) -n 2 ./jobs 40; $(mpirun_of $family) -n 1 ./jobs 9" \
		> out 2>&1 < /dev/null) || show "$dir/out"
	is_of 2 40 2
	ok $? "$family: the figures are of the job with the most ranks, in its time"
	"$tacho" explain "$dir/run" > "$dir/said" 2>&1
	grep -m 1 verdict "$dir/said" | grep -q '3 MPI jobs were run, and the figures are about job 2, the one with the most ranks'
	ok $? "$family: the report says so first"
	"$tacho" -q merge -f --job 3 "$dir/run" > "$dir/log" 2>&1 && "$tacho" -q analyze "$dir/run" >> "$dir/log" 2>&1 &&
		test "$(sql "select count(*) || ' ' || sum(attempt) || ' ' || (select sum(calls) from call c where c.process_id = p.id
			and c.name = 'MPI_Allreduce') from process p where rank is not null")" = "1 3 9"
	ok $? "$family: another job is taken when it is asked for"
	! "$tacho" -q merge -f --job 4 "$dir/run" > "$dir/log" 2>&1 && grep -q 'no MPI job 4 of 3' "$dir/log" &&
		! grep -q memory "$dir/log"
	ok $? "$family: one that is not there is refused"
	rm -rf "$dir/run"
	(cd "$dir" && timeout 120 "$tacho" record --no-git -o run -- sh -c \
		"$(mpirun_of $family) -n 2 ./jobs 40; $(mpirun_of $family) -n 2 ./jobs 0" > out 2>&1 < /dev/null)
	"$tacho" explain "$dir/run" > "$dir/said" 2>&1
	grep -m 1 verdict "$dir/said" | grep -qE 'Rank [01] of job 2 was killed' ||
		{ sed 's/^/# /' "$dir/said" | head -20; false; }
	ok $? "$family: a rank that is killed in another job makes the verdict"
done
