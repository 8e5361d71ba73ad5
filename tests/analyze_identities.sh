#!/bin/sh
# What holds in every database: parts add up to the whole, factors multiply, nothing lies outside the run or is
# negative, no efficiency above 1 goes without a flag, and no second is promised twice. Over random programs with devices, and what
# other tools or the tests of merge write; analyze_jobs, which has the databases of all worked cases, looks at those.
. "$top_srcdir/tests/analyze_common.sh"
command -v sqlite3 >/dev/null || skip_all "no sqlite3"
command -v python3 >/dev/null || skip_all "no python3 to make random programs with"

# all_hold CASE...: none of their databases breaks one
all_hold() {
	"$top_builddir/tests/unit/golden" "$tacho" "$dir" "$@" >"$dir/out" 2>&1
	: >"$dir/err"
	at=2 looked=0
	for case; do
		at=$((at + 1))
		[ -s "$dir/$at/case.db" ] || continue
		looked=$((looked + 1))
		broken "$dir/$at/case.db" | sed "s|^|$(basename "$case"): |" >>"$dir/err"
	done
	[ ! -s "$dir/err" ] && [ $looked -ge $(($# * 9 / 10)) ]
}

# others_hold: nor those of archives that other tools have written, and of spools
others_hold() {
	looked=0
	: >"$dir/err"
	for kind in bare openmp metrics names cyclic backwards windows contexts failed epoch records tau rocprof scorep \
		cut runtimes uncompleted noise; do
		mkdir "$dir/$kind"
		"$top_builddir/tests/unit/archive_make" $kind "$dir/$kind" >/dev/null 2>&1
		"$tacho" -q analyze --db "$dir/$kind.db" "$dir/$kind/traces.otf2" 2>/dev/null
	done
	for spools in "$top_srcdir"/tests/golden/merge_*.txt; do
		name=$(basename "$spools" .txt)
		mkdir -p "$dir/$name/spool"
		"$top_builddir/tests/unit/spool_make" "$dir/$name/spool" <"$spools" &&
			"$tacho" -q merge "$dir/$name" >/dev/null 2>&1 &&
			"$tacho" -q analyze --db "$dir/$name.db" "$dir/$name" 2>/dev/null
	done
	for database in "$dir"/*.db; do
		looked=$((looked + 1))
		broken "$database" | sed "s|^|$(basename "$database"): |" >>"$dir/err"
	done
	[ ! -s "$dir/err" ] && [ $looked -ge 28 ] || { echo "# $looked databases"; return 1; }
}

echo 1..3
others_hold
ok $? "identities hold in the databases of other tools' archives, and of all spools"
mkdir "$dir/random"
python3 "$top_srcdir/tests/device_random.py" "$dir/random" 101 140 2>"$dir/err"
all_hold "$dir"/random/*.case
ok $? "and in those of random programs with devices"
cp "$dir/3/case.db" "$dir/planted.db"
sqlite3 "$dir/planted.db" "update host_time set ns = ns + 1; update metric set value = 0.5 where model = 'mpi' and name = 'load_balance'"
[ "$(broken "$dir/planted.db" | grep -c 'sum up to\|parallel_efficiency of run')" = 2 ]
ok $? "a nanosecond too much is seen"
