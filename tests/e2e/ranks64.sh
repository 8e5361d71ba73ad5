#!/bin/sh
# 64 ranks, many to a core, are recorded, merged, analyzed and reported; without the spools of a
# node that died, merge says which ranks are missing and the rest goes on.
. "$top_srcdir/tests/e2e/lib.sh"

[ -n "$MPICC_OPENMPI" ] || skip_all "Open MPI is not installed"
"$MPICC_OPENMPI" -O2 -I"$top_srcdir/include" -o many "$top_srcdir/tests/e2e/ranks_load.c" || exit 99
ranks=64 steps=20
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader
seconds() {
	date +%s.%N | cut -c-13
}

check "64 ranks are recorded" timeout 300 "$tacho" -q record --no-merge -o run -- \
	sh -c 'mpirun -n "$0" ./many "$1" >pids' $ranks $steps
echo "# spools of $(du -sm run/spool | cut -f1) MiB on disk"
cp -a run dead
since=$(seconds)
check "merged" "$tacho" -q merge run
merged=$(seconds)
check "analyzed" "$tacho" -q analyze run
analyzed=$(seconds)
check "reported" "$tacho" -q report run
echo "$since $merged $analyzed $(seconds) $(du -sk run/trace | cut -f1) $(stat -c %s run/tacho.db run/report.html | tr '\n' ' ')" |
	awk '{ printf "# merge %.1f s, analyze %.1f s, report %.1f s; archive %d KiB, database %d KiB, report %d KiB\n",
		$2 - $1, $3 - $2, $4 - $3, $5, $6 / 1024, $7 / 1024 }'

same_for_all() {
	same "$(query "select count(distinct rank), min(end), max(end) from process where rank is not null")" \
		"$ranks|finished|finished" &&
	same "$(query "select count(*), min(calls), max(calls) from call where name = 'MPI_Allreduce'")" "$ranks|$steps|$steps" &&
	same "$(query "select count(*), min(calls), max(calls) from call where name = 'MPI_Sendrecv'")" "$ranks|$steps|$steps" &&
	same "$(query "select count(*) from step")" $((ranks * steps)) &&
	same "$(query "select count(*) from loss") $(query "select count(*) from unmatched")" "0 0" &&
	same "$(query "select * from checks where not ok")" ""
}
check "all ranks, calls, messages and steps are there" same_for_all
check "the archive reads without a warning" sh -c \
	'timeout 60 otf2-print run/trace/traces.otf2 2>warnings | head -c 100000 >/dev/null; test ! -s warnings'

# A quarter of the ranks was on a node whose disk is gone. A spool's folder is called
# <host>.<pid>.<n>.
lose() {
	for rank in $(seq 16 31); do
		rm -r dead/spool/*."$(sed -n "s/^rank $rank pid //p" pids)".* || return 1
	done
}
check "the spools of 16 ranks are taken away" lose
check "what is left is merged" sh -c '"$1" merge dead >dead.out 2>&1' sh "$tacho"
check "merge says which ranks are missing" grep -q 'ranks\{0,1\} 16-31' dead.out
check "it is analyzed" "$tacho" -q analyze dead
check "and reported" "$tacho" -q report dead
check "with the ranks that are left, and all of their calls" same \
	"$(query "select count(*), min(calls), max(calls) from call where name = 'MPI_Allreduce'" dead)" "48|$steps|$steps"
check "collectives that lack members are said to" same \
	"$(query "select count(*) from checks where name = 'collectives_complete' and not ok" dead)" 1
plan
