#!/bin/sh
# Real runs under both MPIs: the archive opens in python3-otf2 and otf2-print
# without a warning, every send has its receive, a killed rank leaves its
# place, and a merge by several processes writes the same.
tacho=$top_builddir/analyzer/tacho
check="/usr/bin/python3 $top_srcdir/tests/merge_check.py"
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
export OMPI_MCA_btl_vader_single_copy_mechanism
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
n=0

ok() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

skip() {
	n=$((n + 1))
	echo "ok $n - $2 # SKIP $1"
}

# record RUN MPIRUN ARGUMENTS…: by environment alone, in which merge is a step of its own.
record() {
	to=$1
	with=$2
	shift 2
	LD_PRELOAD=$top_builddir/collector/.libs/libtacho.so TACHO_DIR=$to \
		timeout 100 "$with" -n 4 "$dir/program" "$@" >"$to.out" 2>"$to.err"
}

quiet_print() {
	timeout 60 otf2-print "$1" 2>&1 >/dev/null | head -n 5 >"$dir/warnings"
	[ ! -s "$dir/warnings" ]
}

try() {
	mpi=$1 compiler=$2 launcher=$3
	if [ -z "$compiler" ] || ! command -v "$launcher" >/dev/null ||
	   ! "$compiler" -I"$top_srcdir/include" -o "$dir/program" \
	"$top_srcdir/tests/merge_real.c" 2>"$dir/cc"; then
		for what in merge python print counts probe kill inside; do
			skip "no $mpi" "$mpi: $what"
		done
		return
	fi
	run=$dir/$mpi
	record "$run" "$launcher"
	timeout 60 "$tacho" merge "$run" >"$run.merge" 2>&1
	ok $? "$mpi: a run of 4 ranks is merged"
	$check "$run/trace/traces.otf2" >"$run.check" 2>&1
	ok $? "$mpi: python3-otf2 finds every send received and every call left"
	sed 's/^/# /' "$run.check" | head -n 12
	quiet_print "$run/trace/traces.otf2"
	ok $? "$mpi: otf2-print has no warning"
	grep -q "$(sed -n 's/ sends//p' "$run.out") sends" "$run.check"
	ok $? "$mpi: the archive holds as many sends as the program made"
	[ "$("$tacho" dump "$run" | grep -c 'enter "MPI_Probe" "tacho.comm"=[0-9]* "tacho.peer"=[0-3] "tacho.tag"=4$')" = 40 ] &&
		"$tacho" -q analyze --db "$run.db" "$run" 2>/dev/null &&
		[ "$(sqlite3 "$run.db" "select group_concat(flag) is null and (select min(ok) from checks) from metric
			where \"window\" = 'run' and model = 'mpi'")" = 1 ]
	ok $? "$mpi: probes report what they found, and the replay whom they waited for"
	record "$run.killed" "$launcher" kill
	timeout 60 "$tacho" merge "$run.killed" >"$run.merge" 2>&1 &&
		$check "$run.killed/trace/traces.otf2" \
		"$(sed -n 's/.* \([0-9]*\) unmatched.*/\1/p' "$run.merge")" >"$run.check" 2>&1
	ok $? "$mpi: a run whose rank 1 was killed is merged, the unmatched are as many as said"
	sed 's/^/# /' "$run.check" "$run.merge" | head -n 12
	grep -q '^truncated: rank 1 killed' "$run.merge" &&
		grep -q 'truncated: rank 0 .*inside MPI_' "$run.merge" &&
		strings "$run.killed/trace/traces.otf2" | grep -q '^send 1 -> 0 .* tag 99 bytes 4: '
	ok $? "$mpi: who was killed, where the others were and what was not received is reported"
}

if ! /usr/bin/python3 -c 'import otf2' 2>/dev/null || ! command -v otf2-print >/dev/null; then
	echo "1..0 # SKIP python3-otf2 or otf2-print is missing"
	exit 0
fi
echo 1..16
try openmpi "$MPICC_OPENMPI" mpirun.openmpi
try mpich "$MPICC_MPICH" mpirun.mpich

# The module is built with the first mpicc; its launcher is the mpirun next to it.
if [ -e "$top_builddir/analyzer/.libs/tacho-mpi.so" ] && [ -d "$dir/openmpi/spool" ]; then
	timeout 100 mpirun -n 3 "$tacho" merge -j 1 -o "$dir/par" \
		"$dir/openmpi" >"$dir/par.out" 2>&1 &&
		otf2-print "$dir/par/traces.otf2" >"$dir/par.txt" &&
		otf2-print "$dir/openmpi/trace/traces.otf2" >"$dir/one.txt" &&
		cmp "$dir/par.txt" "$dir/one.txt"
	ok $? "three processes under mpirun write the same events as one"
	otf2-print -G "$dir/par/traces.otf2" >"$dir/par.txt" &&
		otf2-print -G "$dir/openmpi/trace/traces.otf2" >"$dir/one.txt" &&
		cmp "$dir/par.txt" "$dir/one.txt"
	ok $? "three processes under mpirun write the same definitions as one"
else
	skip "built without MPI" "parallel events"
	skip "built without MPI" "parallel definitions"
fi
