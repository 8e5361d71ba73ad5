#!/bin/sh
# An archive that EZTrace records here and now. It defines fewer events than it has, and some references twice.
. "$top_srcdir/tests/analyze_common.sh"
command -v eztrace >/dev/null || skip_all "no EZTrace here"
command -v otf2-print >/dev/null || skip_all "no otf2-print here"
[ -n "$MPICC_OPENMPI" ] || skip_all "EZTrace's module is for Open MPI, which is not here"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none
sql() { sqlite3 "$dir/db" "$1"; }

$MPICC_OPENMPI -O1 "$top_srcdir/tests/analyze_eztrace.c" -o "$dir/program" || exit 1
# It hangs now and then, and what it leaves then may be half an archive.
archive=
for chance in 1 2 3; do
	rm -rf "$dir/out"
	timeout -k 2 30 mpirun -n 2 eztrace -o "$dir/out" -t "openmpi posixio" "$dir/program" >"$dir/err" 2>&1 </dev/null ||
		continue
	archive=$(find "$dir/out" -name '*.otf2' 2>/dev/null | head -n 1)
	[ -z "$archive" ] || break
done
[ -n "$archive" ] || skip_all "EZTrace recorded nothing: $(tail -n 1 "$dir/err")"
timeout 60 otf2-print "$archive" 2>/dev/null | head -c 5000000 >"$dir/printed"

# Time of the outermost MPI calls of both ranks.
outermost() {
	awk '$1 == "LEAVE" && open[$2] && index($0, "\"MPI_") { sum += $3 - since[$2]; open[$2] = 0 }
		$1 == "ENTER" && index($0, "\"MPI_") { since[$2] = $3; open[$2] = 1 }
		END { printf "%d\n", sum }' "$dir/printed"
}

echo 1..4
timeout 60 "$tacho" analyze --db "$dir/db" "$archive" 2>"$dir/err"
ok $? "an archive of EZTrace is analysed"

[ "$(sql "select nranks, nevents from run")" = "2|$(grep -c '^[A-Z_]*  *[0-9]* *[0-9]' "$dir/printed")" ] &&
	[ "$(sql "select count(*) from location where damaged is not null")" = 0 ]
ok $? "all its events are read, not only those that its definitions count"

[ "$(sql "select group_concat(n) from (select op || count(*) as n from collective group by op order by op)")" = \
	allreduce10,barrier1 ] && [ "$(sql "select calls from call where name = 'MPI_Recv'")" = 5 ] &&
	[ "$(sql "select count(*) from unmatched")" = 0 ]
ok $? "10 all-reduces, a barrier and 5 messages are matched over both ranks"

[ "$(sql "select sum(ns) from host_time where state = 'mpi' and window = 'run'")" = "$(outermost)" ]
ok $? "time in MPI is that of otf2-print"
